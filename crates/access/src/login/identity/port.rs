//! The port to the identity provider that the operator names.

use async_trait::async_trait;

use super::{Claims, ProviderDescription};
use crate::IdentityError;

/// A code that the provider gave out, and what it is redeemed with.
#[derive(Clone, PartialEq, Eq)]
pub struct Grant {
    /// The code.
    pub code: String,
    /// What its challenge was made of (PKCE, RFC 7636).
    pub verifier: String,
    /// Where the person was sent back to.
    pub redirect_uri: String,
}

/// An OpenID provider.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// What the operator says of it.
    fn description(&self) -> &ProviderDescription;

    /// Where people sign in.
    ///
    /// # Errors
    /// [`IdentityError::Silent`].
    async fn authorization_endpoint(&self) -> Result<String, IdentityError>;

    /// Redeems a code: the claims of an id token whose signature is the provider's. What they say
    /// is not looked at yet: [`Claims::verify`] does.
    ///
    /// # Errors
    /// [`IdentityError`].
    async fn redeem(&self, grant: &Grant) -> Result<Claims, IdentityError>;
}
