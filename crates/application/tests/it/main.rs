//! Use cases that span domain crates, on the embedded store in memory; reports on PostgreSQL as
//! well.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod archives;
mod authority;
mod billing;
mod closings;
mod closings_laws;
mod consumer;
mod declarations;
mod documents;
mod due;
mod e_invoices;
mod entities;
mod fiscal;
mod fiscal_at_once;
mod fiscal_changes;
mod fiscal_content;
mod fiscal_dates;
mod fiscal_later;
mod fiscal_paper;
mod fiscal_payments;
mod fiscal_payments_random;
mod fiscal_rules;
mod fiscal_schemes;
mod fiscal_tips;
mod fiscal_worker;
mod fixture;
mod flaky;
mod jobs;
#[path = "../../../einvoicing/tests/it/judge.rs"]
mod judge;
mod linked_money;
mod money_laws;
mod numbers;
mod office;
mod operators;
mod outage;
mod overdue;
mod receivables;
mod recognition;
mod recognition_cost;
mod recurring;
mod recurring_copies;
mod registering;
mod rekey;
mod retention;
mod settling;
mod stats;
mod stats_random;
mod takings;
mod takings_facts;
mod takings_places;
mod told;
mod type_changes;
mod type_changes_at_once;
