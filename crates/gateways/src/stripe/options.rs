//! How Stripe is called, and whom a key serves.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use racun_kernel::Environment;

use crate::egress::Reach;

/// How Stripe is called.
#[derive(Clone)]
pub struct StripeOptions {
    /// The base of its REST interface, without `/v1`.
    pub url: String,
    /// What it knows this server by: `sk_test_…`, `sk_live_…`.
    pub secret_key: String,
    /// What it signs webhooks with: one `whsec_…` for each endpoint, for those of its own account
    /// and those of connected accounts are two.
    pub webhook_secrets: Vec<String>,
    /// What it calls this server to sellers who connect accounts: `ca_…`; `None`: they cannot.
    pub client_id: Option<String>,
    /// How far calls go.
    pub reach: Reach,
    /// Until the whole answer.
    pub patience: Duration,
}

impl StripeOptions {
    /// The host of Stripe's interface.
    pub(super) const HOST: &'static str = "api.stripe.com";
    /// Where accounts are connected at Stripe itself; elsewhere the base is the same.
    pub(super) const CONNECT: &'static str = "https://connect.stripe.com";

    /// Stripe itself, 20 seconds, no sellers.
    #[must_use]
    pub fn new(secret_key: &str, webhook_secret: &str) -> Self {
        Self {
            url: format!("https://{}", Self::HOST),
            secret_key: secret_key.to_owned(),
            webhook_secrets: vec![webhook_secret.to_owned()],
            client_id: None,
            reach: Reach::Everywhere,
            patience: Duration::from_secs(20),
        }
    }
}

impl fmt::Debug for StripeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StripeOptions").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Whom a key serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Serves {
    /// The entities of one environment.
    Only(Environment),
    /// The key of a program that speaks as Stripe does.
    Both,
}

/// What says in metadata of which environment something is, where a key serves both.
pub const MARK: &str = "racun_environment";

impl Serves {
    /// Whom `key` serves.
    pub fn of(key: &str) -> Self {
        let begins = |marks: [&str; 2]| marks.iter().any(|mark| key.starts_with(mark));
        match key {
            _ if begins(["sk_test_", "rk_test_"]) => Self::Only(Environment::Sandbox),
            _ if begins(["sk_live_", "rk_live_"]) => Self::Only(Environment::Live),
            _ => Self::Both,
        }
    }

    /// Whether it serves entities of `environment`.
    pub fn includes(self, environment: Environment) -> bool {
        self == Self::Both || self == Self::Only(environment)
    }

    /// The metadata of something of `environment`.
    pub fn marked(
        self,
        environment: Environment,
        metadata: &BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let mut metadata = metadata.clone();
        if self == Self::Both {
            metadata.insert(MARK.to_owned(), environment.name().to_owned());
        }
        metadata
    }
}
