//! What a consent of a shop's owner gives to an integration.

use racun_kernel::id::OrderIntegrationId;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A consent of a shop's owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    /// Its own id, which is that of the integration that it makes where the shop has none.
    pub id: OrderIntegrationId,
    /// When it was given.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// What a consent gives, sealed already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The consent.
    pub consent: Consent,
    /// The shop's host.
    pub shop_domain: String,
    /// See [`crate::Integration::access_token`].
    pub access_token: String,
    /// See [`crate::Integration::webhook_secret`].
    pub webhook_secret: String,
    /// See [`crate::Integration::scopes`].
    pub scopes: Option<String>,
}
