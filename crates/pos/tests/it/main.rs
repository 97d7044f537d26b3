//! The point of sale's rules, as tables and as laws.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod closings;
mod conservation;
mod laws;
mod lines;
mod moving;
mod records;
mod splitting;
mod tables;
mod tabs;
mod takings;
mod takings_laws;
mod world;
