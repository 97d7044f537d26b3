//! The rules of webhooks, without a store.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod endpoints;
mod machine;
mod queue;
mod readme;
mod signatures;
mod world;
