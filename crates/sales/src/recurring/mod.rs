//! Recurring invoices: what requests do with them, and the job that makes their invoices.
//!
//! | Module     | Owns                                                          |
//! | ---------- | ------------------------------------------------------------- |
//! | `commands` | what requests do                                              |
//! | `generate` | one invoice for one period, in one unit; and what a failure is |
//! | `worker`   | what is due, of all tenants or of one account's sandbox       |
//!
//! Next to each recurring invoice that makes invoices stands a row in the directory, written in the
//! same commit: by it workers of any process find what is due ([`run_due`]), and a test clock what
//! it passes ([`advance_clock`]).

mod commands;
mod generate;
mod worker;

pub use commands::{create, erase, get, list, pause, restore, resume, trash, update};
pub use worker::{Advanced, LIMITS, advance_clock, run_due};
