//! The interface as its callers see it, on the embedded store in memory.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod access;
mod answers;
mod bodies;
mod catalog;
mod description;
mod documents;
mod documents_linked;
mod entities;
mod harness;
mod routes;
mod server;
