//! Webhooks: endpoints of entities and accounts, the log of deliveries, replay, and the earlier
//! generation.

pub(crate) mod account;
pub(crate) mod endpoints;
mod filter;
pub(crate) mod log;
mod managing;
mod render;
pub(crate) mod v1;

use std::collections::BTreeMap;
use std::sync::Arc;

use racun_application::Services;
use racun_kernel::Vault;
use racun_webhooks::{self as domain, Endpoint, MASKED_SECRET};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::{Convert, input};
use crate::error::{self, ApiError};

input! {
    /// What a caller says of an endpoint.
    WebhookInputBody as WebhookInput into domain::EndpointInput {
        /// Where events are posted to; at most 2,048 characters, without user name and password.
        url: String,
        /// The kinds of events that are posted; at least one.
        events: Vec<String>,
        /// At most 500 characters of a new endpoint, 4,000 in an update.
        description: String,
        /// Whether events are posted; true when absent. Otherwise they are kept for a replay.
        active: bool,
        /// Up to 50 properties of at most 250 characters; replace all there were.
        metadata: BTreeMap<String, String>,
    }
}

/// An endpoint that events are posted to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Webhook)]
pub struct WebhookBody {
    /// Its id.
    id: String,
    /// Whose endpoint, when it is an entity's.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_id: Option<String>,
    /// Whose endpoint, when it is an account's.
    #[serde(skip_serializing_if = "Option::is_none")]
    account_id: Option<String>,
    /// Where events are posted to.
    url: String,
    /// What people say about it.
    #[schema(required = true)]
    description: Option<String>,
    /// What signs: 64 hexadecimal digits when it is made or rotated, masked ever after.
    secret: String,
    /// The kinds of events that are posted.
    events: Vec<String>,
    /// Whether events are posted; otherwise they are kept for a replay.
    active: bool,
    /// What the caller attached.
    metadata: BTreeMap<String, String>,
    /// When it was last called.
    #[schema(required = true)]
    last_delivery_at: Option<String>,
    /// What came in the way the last time it was called.
    #[schema(required = true)]
    last_error: Option<String>,
    /// Why it is not active, when that was not its owner's wish.
    #[schema(required = true)]
    disabled_reason: Option<String>,
    /// Who made it; of one that a key made, who made that one. Null where that is not known.
    #[schema(required = true)]
    created_by_user_id: Option<String>,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl Convert<WebhookBody> for Endpoint {
    fn convert(self) -> WebhookBody {
        let entity_id = self.owner.entity_id().map(Convert::convert);
        let account_id =
            entity_id.is_none().then(|| Convert::<String>::convert(self.owner.account_id()));
        WebhookBody {
            id: self.id.to_string(),
            entity_id,
            account_id,
            url: self.url,
            description: self.description,
            secret: MASKED_SECRET.to_owned(),
            events: self.events,
            active: self.active,
            metadata: self.metadata.convert(),
            last_delivery_at: self.last_delivery_at.convert(),
            last_error: self.last_error,
            disabled_reason: self.disabled_reason,
            created_by_user_id: self.created_by_user_id.convert(),
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
        }
    }
}

/// The endpoint with its secret, which is shown here and nowhere else.
impl Convert<WebhookBody> for (Endpoint, String) {
    fn convert(self) -> WebhookBody {
        let (endpoint, secret) = self;
        WebhookBody { secret, ..endpoint.convert() }
    }
}

pub use render::Resources;

/// The vault that secrets are kept in.
fn vault(services: &Services) -> Result<Arc<dyn Vault>, ApiError> {
    services.vault.clone().ok_or_else(|| {
        let message = "secrets of webhooks need a master key; start the server with \
             RACUN__SECRETS__MASTER_KEY";
        ApiError::new(error::Kind::Unavailable, message).caused_by("master_key_missing")
    })
}
