//! Electronic invoices: what documents become, and what the official rules say of it.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

mod documents;
mod eslog;
mod judge;
mod mapping;
mod national;
mod network;
mod official;
mod reading;
mod sample;
mod samples;
mod strangers;
