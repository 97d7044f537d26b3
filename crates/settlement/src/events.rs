//! What happens to payments.

use crate::PAYMENTS;

racun_store::events! {
    /// What happens to payments.
    pub mod payment on PAYMENTS {
        RECEIVED = "payment.received" to Entity says "created",
        DELETED = "payment.deleted" to Entity,
        RESTORED = "payment.restored" to Entity,
        PERMANENTLY_DELETED = "payment.permanently_deleted" to Entity,
        UPDATED = "payment.updated",
    }
}
