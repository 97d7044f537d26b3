//! How many requests are answered in a minute.

use racun_http_api::RateLimitOptions;
use serde::Deserialize;

use super::value::{Requests, required};

/// `RACUN__RATE_LIMITS__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct RateLimits {
    #[serde(deserialize_with = "required")]
    enabled: bool,
    #[serde(deserialize_with = "required")]
    per_token: Requests,
    #[serde(deserialize_with = "required")]
    per_ip_authenticated: Requests,
    #[serde(deserialize_with = "required")]
    per_ip_anonymous: Requests,
    #[serde(deserialize_with = "required")]
    per_ip_sensitive: Requests,
}

impl RateLimits {
    /// The limits; `None` where requests are not limited.
    pub const fn options(&self) -> Option<RateLimitOptions> {
        if !self.enabled {
            return None;
        }
        Some(RateLimitOptions {
            per_token: self.per_token.0,
            per_ip_authenticated: self.per_ip_authenticated.0,
            per_ip_anonymous: self.per_ip_anonymous.0,
            per_ip_sensitive: self.per_ip_sensitive.0,
        })
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        let options = RateLimitOptions::default();
        Self {
            enabled: true,
            per_token: Requests(options.per_token),
            per_ip_authenticated: Requests(options.per_ip_authenticated),
            per_ip_anonymous: Requests(options.per_ip_anonymous),
            per_ip_sensitive: Requests(options.per_ip_sensitive),
        }
    }
}
