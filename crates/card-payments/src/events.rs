//! What happens to accounts of entities, and to money that they take.

use crate::{CARD_CHARGES, PAYMENT_APPS};

racun_store::events! {
    /// What happens to the account of an entity.
    pub mod payment_app on PAYMENT_APPS {
        CONNECTED = "payment_app.connected" to Entity,
        DISCONNECTED = "payment_app.disconnected" to Entity,
        SETTINGS_UPDATED = "payment_app.settings_updated" to Entity,
    }
    /// What happens to money that an account took.
    pub mod card_payment on CARD_CHARGES {
        FAILED = "payment.failed" to Entity,
    }
}
