//! What happens to payments and expenses.

use crate::{EXPENSES, PAYMENTS};

racun_kernel::events! {
    /// What happens to payments.
    pub mod payment on PAYMENTS {
        RECEIVED = "payment.received" to Entity says "created",
        FAILED = "payment.failed" to Entity,
        DELETED = "payment.deleted" to Entity,
        RESTORED = "payment.restored" to Entity,
        PERMANENTLY_DELETED = "payment.permanently_deleted" to Entity,
        UPDATED = "payment.updated",
    }
    /// What happens to expenses.
    pub mod expense on EXPENSES {
        CREATED = "expense.created" to Entity,
        UPDATED = "expense.updated" to Entity,
        FINALIZED = "expense.finalized" to Entity,
        VOIDED = "expense.voided" to Entity,
        DELETED = "expense.deleted" to Entity,
    }
}
