//! The binary as its users see it: commands, settings, signals, files and telemetry.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

mod collector;
mod commands;
mod import;
mod jobs;
mod lines;
mod master_key;
mod pins;
mod postgres;
mod process;
mod readme;
mod refusals;
mod seen;
mod settings;
mod starting;
mod telemetry;
