//! Adapters to the world outside, against stand-ins that behave badly.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod courier;
mod ecb;
mod egress;
mod files;
mod identity;
mod mail;
mod network;
mod shops;
mod stripe;
mod vies;
