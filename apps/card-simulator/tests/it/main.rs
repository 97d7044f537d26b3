//! The simulator, called by the client that `racun` uses, by people and by hand.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

mod contract;
mod faults;
mod pages;
mod set_up;
mod webhooks;
