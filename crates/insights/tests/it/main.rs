//! Figures: against known answers, against the authorities' schemas, and as laws.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod categories;
mod judge;
mod ledgers;
mod normirani;
mod receivables;
mod recognition;
mod stats;
mod vat;
mod vat_books;
mod vat_months;
mod world;
