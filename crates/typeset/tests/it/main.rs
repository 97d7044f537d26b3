//! The tests of this crate, in one binary.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod sample;
mod smoke;
