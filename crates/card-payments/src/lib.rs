//! Payments by card: the port to a card processor, and what it tells by webhooks.
//!
//! | Module     | Owns                                                            |
//! | ---------- | --------------------------------------------------------------- |
//! | `port`     | what a processor is asked                                       |
//! | `event`    | what it tells by a webhook, whose signature was verified        |
//! | `app`      | the account of an entity, and its settings                      |
//! | `consent`  | an account whose owner consented, until an entity takes it      |
//! | `session`  | a page on which a document is paid, and which one is given out  |
//! | `charge`   | money that an account took, and what became of it               |
//! | `money`    | amounts in the smallest unit                                    |
//! | `events`   | what the log tells of accounts                                  |
//! | `error`    | what does not allow a payment by card                           |
//! | `contract` | the contract that every processor must pass (feature `testing`) |
//!
//! **Invariants.** No number of a card comes here: people give it to the processor. Each request
//! that moves money has an idempotency key, so a repeat moves none. Amounts are whole numbers of
//! the currency's smallest unit. An account serves one entity, and an entity has one account. There
//! is one charge for each payment of the processor, so each is recorded once.

mod app;
mod charge;
mod consent;
#[cfg(feature = "testing")]
pub mod contract;
mod error;
mod event;
pub mod events;
mod money;
mod port;
mod session;

pub use app::{
    AutoInvoiceEvent, MAX_DEFAULT_NOTE_CHARS, PAYMENT_APPS, PaymentApp, PaymentAppInput,
    PaymentAppSettings,
};
pub use charge::{CARD_CHARGES, Charge, ChargeState, NewCharge, check_object_id};
pub use consent::{CONSENTS, Consent, MAX_CONSENT_TIME};
pub use error::CardRefusal;
pub use event::{Happened, ProcessorEvent, SessionPurpose};
pub use money::{amount_of, minor_units};
pub use port::{
    AMOUNT_TOO_SMALL, Card, CardProcessor, CheckoutOrder, CheckoutSession, ConnectedAccount,
    ForgedWebhook, Outcome, PaymentOrder, ProcessorError, ProcessorObject, SetupIntent,
};
pub use session::{
    CARD_SESSIONS, FORGOTTEN_AFTER, MAX_SESSIONS, PaySession, SessionChoice, SessionOrder,
    SessionState, choose,
};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 4] =
    [&PAYMENT_APPS, &CONSENTS, &CARD_SESSIONS, &CARD_CHARGES];
