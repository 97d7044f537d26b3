//! The catalogue on the embedded store, and its pure parts.
#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod business_units;
mod fields;
mod inputs;
mod items;
mod life_cycle;
mod taxes;
mod world;
