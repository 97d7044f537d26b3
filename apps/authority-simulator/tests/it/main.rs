//! The simulator from outside: over its sockets.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

mod at;
mod certificates;
mod client;
mod clients;
mod faults;
mod fina;
mod furs;
mod ledger;
mod messages;
mod program;
mod vectors;
mod xmlsec;
