//! A seller's consent that came back from the processor, until an entity takes it.

use racun_kernel::{Environment, Tenant};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::ConnectedAccount;

/// How long a seller may take to consent, and an entity to take the account.
pub const MAX_CONSENT_TIME: Duration = Duration::minutes(30);

/// An account whose owner consented, which waits for its entity. It is used once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    /// The id that its state names.
    pub id: String,
    /// The environment that it was asked for in.
    pub environment: Environment,
    /// Who asked for it, and alone may use it.
    pub asked_by: String,
    /// The account.
    pub account: ConnectedAccount,
    /// Whether an entity took it.
    pub is_used: bool,
    /// Until when it may be used.
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
    /// When it came back.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where consents wait: in the directory, for it is not known for which entity they are.
    pub static CONSENTS: Consent = "payment_app_consents";
    |consent|
    id: consent.id,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("until") => consent.until,
        Field::instant("created_at") => consent.created_at,
    }
}
