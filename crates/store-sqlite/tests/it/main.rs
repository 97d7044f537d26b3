//! The store in memory and on file.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod store;
mod upgrade;
