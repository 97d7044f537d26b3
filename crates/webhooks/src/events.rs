//! What happens to endpoints.

use crate::ENDPOINTS;

racun_store::events! {
    /// What happens to endpoints.
    pub mod webhook on ENDPOINTS {
        CREATED = "webhook.created",
        UPDATED = "webhook.updated",
        SECRET_ROTATED = "webhook.secret_rotated",
        DISABLED = "webhook.disabled",
        DELETED = "webhook.deleted",
    }
}
