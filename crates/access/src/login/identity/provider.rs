//! What the operator says of the identity provider.

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
