//! The port to the identity provider that the operator names.

use async_trait::async_trait;

use super::Claims;
use crate::IdentityError;

/// What the operator says of the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderDescription {
    /// What people call it.
    pub name: String,
    /// The issuer of its tokens, letter by letter.
    pub issuer: String,
    /// What it calls this server.
    pub client_id: String,
    /// Where it sends people back to: addresses of applications that use this server.
    pub redirect_uris: Vec<String>,
    /// The domains, in small letters, whose addresses it gives out itself: only of those its word
    /// proves that an address is a person's.
    pub trusted_domains: Vec<String>,
}

impl ProviderDescription {
    /// Whether its word proves that `email` is a person's.
    #[must_use]
    pub fn proves(&self, email: &str) -> bool {
        let domain = email.rsplit_once('@').map(|(_, domain)| domain.to_lowercase());
        domain.is_some_and(|domain| self.trusted_domains.contains(&domain))
    }
}

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
