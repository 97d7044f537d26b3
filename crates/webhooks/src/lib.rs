//! Webhooks: endpoints, signatures, attempts, and the log of them. The kinds of events are
//! [`racun_store::log`]'s.
//!
//! An [`Endpoint`] subscribes to kinds of events. Each event becomes one [`Delivery`] for each of
//! them, and a row of the queue ([`DueDelivery`]) by which a worker finds it. A worker takes it
//! ([`take`]), posts it through the port [`Courier`], and settles what came of it ([`settle`]): the
//! next attempt, the end, or an endpoint that is disabled, whose events are parked from then on.
//! This crate looks nothing up; crate `application` loads what these functions are shown.
//!
//! | Module      | Owns                                                                      |
//! | ----------- | ------------------------------------------------------------------------- |
//! | `owner`     | whose endpoints are; their ids; the two generations of the interface      |
//! | `endpoint`  | endpoints: fields, secret, disabling                                      |
//! | `input`     | what callers say of endpoints                                             |
//! | `url`       | which URLs are taken, as far as their text tells                          |
//! | `signature` | secrets, and what proves that a delivery is ours                          |
//! | `delivery`  | one row for each attempt: the log                                         |
//! | `request`   | what is posted, and its headers                                           |
//! | `schedule`  | when a delivery is tried, for how long, and what an answer means          |
//! | `queue`     | what is to be sent, when, and what follows from what came of it           |
//! | `error`     | why a command is refused                                                  |
//! | `events`    | what the log tells of endpoints                                           |
//! | `port`      | the port to receivers of events                                           |
//!
//! **Invariants.** Pure: no I/O, no clock, no randomness. No event vanishes: its last row says
//! delivered, failed or parked. All attempts at an event bear its id, and each an id of its own. An
//! endpoint is disabled once, however many deliveries fail. A secret is shown when it is made and
//! nowhere else.

mod delivery;
mod endpoint;
mod error;
pub mod events;
mod input;
mod owner;
mod port;
mod queue;
mod request;
mod schedule;
mod signature;
mod url;

pub use delivery::{DELIVERIES, Delivery, DeliveryStatus, TEST_EVENT, Told};
pub use endpoint::{
    ENDPOINTS, Endpoint, EndpointInput, Ends, MAX_ENDPOINTS, ROTATION, SealedSecret,
};
pub use error::{Refused, WebhookError};
pub use input::{Accepts, EarlierInput, Rules};
pub use owner::{EndpointId, Generation, Owner};
pub use port::{Courier, Post, ReceiverResponse, Undelivered};
pub use queue::{
    DUE_DELIVERIES, DueDelivery, LeaseAttempt, Settled, due_by, due_for, release, resume, settle,
    take,
};
pub use request::USER_AGENT;
pub use schedule::{AttemptVerdict, PERMANENT_STATUSES, Schedule, judge};
pub use signature::{MASKED_SECRET, body_signature, new_secret, standard_signature};
pub use url::{MAX_URL_CHARS, Schemes, check_url};

/// The tables of this crate, for stores that make them.
pub static TABLES: [&racun_store::Table; 3] = [&ENDPOINTS, &DELIVERIES, &DUE_DELIVERIES];
