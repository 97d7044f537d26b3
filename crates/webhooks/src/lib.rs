//! Webhooks: the catalogue of events, endpoints, signatures, attempts.
//!
//! | Module | Owns                             |
//! | ------ | -------------------------------- |
//! | `port` | the port to receivers of events  |
//!
//! **Invariants.** Pure: no I/O, no clock, no randomness.

mod port;

pub use port::{Answer, Courier, Post, Undelivered};
