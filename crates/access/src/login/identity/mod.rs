//! Signing in by an external identity provider (OpenID Connect 1.0, authorization code with PKCE).
//!
//! | Module       | Owns                                                         |
//! | ------------ | ------------------------------------------------------------ |
//! | `provider`   | what the operator says of the provider                       |
//! | `port`       | the port to it                                               |
//! | `attempt`    | state, nonce and code verifier of one sign-in                |
//! | `claims`     | what an id token has to say                                  |
//! | `linking`    | which identities a user has                                  |
//! | `signing_in` | whose an identity is, and their session                      |

mod attempt;
mod claims;
mod linking;
mod port;
mod provider;
mod signing_in;

use racun_kernel::Tenant;
use racun_kernel::id::{IdentityId, UserId};
use racun_store::{Field, Unique};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::Digest;

pub use attempt::{SignInAttempt, begin_sign_in, find_sign_in};
pub use claims::{Claims, Verified};
pub use linking::{link_identity, list_identities, unlink_identity};
pub use port::{Grant, IdentityProvider};
pub use provider::ProviderDescription;
pub use signing_in::{
    IdentityLogin, Recognized, continue_sign_in, finish_sign_in, recognize, sign_up_writes_by,
};

/// An account of a user at an identity provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its id.
    pub id: IdentityId,
    /// Whose it is here.
    pub user_id: UserId,
    /// The provider.
    pub issuer: String,
    /// What the provider calls the person: with `issuer` it is all that says who signs in.
    pub subject: String,
    /// The address that the provider knew when it was linked, to be shown; it decides nothing.
    pub email: Option<String>,
    /// When it was linked.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it signed in last.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub last_used_at: Option<OffsetDateTime>,
}

racun_store::record! {
    /// Where identities are kept: in the directory.
    pub static IDENTITIES: Identity = "identities";
    |identity|
    id: identity.id,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => identity.created_at,
        Field::text("user_id").indexed().hidden() => identity.user_id,
        Field::text("person").unique(Unique::Everywhere).hidden() =>
            person(&identity.issuer, &identity.subject),
    }
}

/// Names a person at a provider, whatever is in both texts.
fn person(issuer: &str, subject: &str) -> String {
    Digest::of(&format!("{}\n{issuer}\n{subject}", issuer.len())).as_str().to_owned()
}
