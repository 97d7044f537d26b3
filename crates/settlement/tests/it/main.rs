//! Settlement, played on a little model of what application loads and writes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod credits;
mod inputs;
mod laws;
mod records;
mod rules;
mod script;
mod tender;
mod world;
