//! Certified invoicing in Portugal: against known answers, against the authority's schema, and as
//! laws.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod chain;
mod invoice_ws;
mod key;
mod numbers;
mod operators;
mod paper;
mod public_samples;
mod qr;
mod rules;
mod saft;
mod saft_judge;
mod saft_laws;
mod saft_sample;
mod sample;
mod series;
mod series_ws;
mod taxes;
mod world;
