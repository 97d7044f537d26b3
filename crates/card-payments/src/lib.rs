//! Payments by card: the port to a card processor, and what it tells by webhooks.
//!
//! | Module     | Owns                                                              |
//! | ---------- | ----------------------------------------------------------------- |
//! | `port`     | what a processor is asked                                         |
//! | `event`    | what it tells by a webhook, whose signature was verified          |
//! | `contract` | the contract that every processor must pass (feature `testing`)   |
//!
//! **Invariants.** No number of a card comes here: people give it to the processor. Each request
//! that moves money has an idempotency key, so a repeat moves none. Amounts are whole numbers of
//! the currency's smallest unit.

#[cfg(feature = "testing")]
pub mod contract;
mod event;
mod port;

pub use event::{Happened, ProcessorEvent, SessionPurpose};
pub use port::{
    Card, CardProcessor, CheckoutOrder, CheckoutSession, ConnectedAccount, ForgedWebhook, Outcome,
    PaymentOrder, ProcessorError, ProcessorObject, SetupIntent,
};
