//! Electronic invoices over the network: who may send, what is sent, and what became of it.
//!
//! | Module       | Owns                                                                    |
//! | ------------ | ----------------------------------------------------------------------- |
//! | `enrolling`  | the entity's settings and its account at the provider                    |
//! | `recipient`  | whom a document goes to, and whether they receive                        |
//! | `sending`    | a submission, stored with its job and counted, before anything is sent   |
//! | `following`  | the job of a submission: sending it, and asking what became of it        |
//! | `automatic`  | documents that are sent when they are issued                             |
//! | `notices`    | what the provider tells by itself                                        |
//! | `events`     | what the log tells of all this                                           |
//!
//! **Invariants.** A submission is stored before it is sent, and its id is the provider's
//! idempotency key. A document has one submission that did not fail for certain. All sendings of a
//! submission are of the same bytes, under the same key.

mod automatic;
mod enrolling;
pub mod events;
mod following;
mod notices;
mod recipient;
mod sending;

pub use crate::error::NetworkRefused;
pub use automatic::{AutoSendHandler, AutoSendReader};
pub use enrolling::{
    EnrollmentHandler, NetworkSettings, NetworkSettingsInput, get, refresh, update,
    verification_link,
};
pub use following::SubmissionHandler;
pub use notices::{Heard, hear};
pub use recipient::{RecipientRequest, check};
pub use sending::{SendRequest, Sent, send, submissions};
