//! What happens to orders and integrations.

use crate::{INTEGRATIONS, ORDERS};

racun_store::events! {
    /// What happens to orders.
    pub mod order on ORDERS {
        CREATED = "order.created" to Entity,
        UPDATED = "order.updated" to Entity,
        DELETED = "order.deleted" to Entity,
        RESTORED = "order.restored" to Entity,
        PERMANENTLY_DELETED = "order.permanently_deleted" to Entity,
        PROCESSED = "order.processed" to Entity,
        CANCELLED = "order.cancelled" to Entity,
        FAILED = "order.failed" to Entity,
    }
    /// What happens to sources of orders.
    pub mod order_integration on INTEGRATIONS {
        CREATED = "order_integration.created" to Entity,
        UPDATED = "order_integration.updated" to Entity,
        DELETED = "order_integration.deleted" to Entity,
    }
}
