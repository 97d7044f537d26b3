//! The clients against the vectors of the authorities' specifications, other programs that verify
//! signatures, and servers that misbehave.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

mod answers;
mod dsig;
mod faults;
mod forged;
mod identities;
mod names;
mod portugal_client;
mod portugal_key;
mod publisher;
mod server;
mod strangers;
mod support;
mod tokens;
mod wire;
mod world;
mod xades;
