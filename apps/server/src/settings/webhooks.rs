//! How events are posted to their receivers.

use racun_webhooks::Schedule;
use serde::Deserialize;

use super::value::{Delays, required};

/// `RACUN__WEBHOOKS__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Webhooks {
    /// Whether receivers may be in one's own network.
    #[serde(deserialize_with = "required")]
    pub allow_private_addresses: bool,
    #[serde(deserialize_with = "required")]
    retry_delays: Delays,
}

impl Webhooks {
    /// When deliveries are tried.
    pub fn schedule(&self) -> Schedule {
        let seconds = |delay: &std::time::Duration| {
            time::Duration::seconds(i64::try_from(delay.as_secs()).unwrap_or(i64::MAX))
        };
        Schedule::new(self.retry_delays.durations().iter().map(seconds).collect())
    }
}

impl Default for Webhooks {
    fn default() -> Self {
        Self {
            allow_private_addresses: false,
            retry_delays: Delays::seconds([0, 60, 300, 1_800, 7_200]),
        }
    }
}
