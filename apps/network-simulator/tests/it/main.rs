//! The simulator, called by the client that `racun` uses.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

mod client;
