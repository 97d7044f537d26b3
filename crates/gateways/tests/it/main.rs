//! Adapters to the world outside, against stand-ins that behave badly.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod cassette;
mod courier;
mod ecb;
mod egress;
mod files;
mod identity;
mod mail;
mod network;
mod shops;
mod stand_in;
mod stripe;
mod vies;
