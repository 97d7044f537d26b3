//! The interface as its callers see it, on the embedded store in memory.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod access;
mod answers;
mod authorities;
mod bodies;
mod books;
mod catalog;
mod couriers;
mod description;
mod documents;
mod documents_linked;
mod entities;
mod expense_totals;
mod expenses;
mod fiscal;
mod fiscal_act;
mod fiscal_certificates;
mod fiscal_documents;
mod fiscal_furs;
mod foresight;
mod harness;
mod operators;
mod payment_lists;
mod payments;
mod pos;
mod pos_lists;
mod pos_takings;
mod recurring;
mod routes;
mod server;
mod shop;
mod taxpayer;
mod type_changes;
mod webhooks;
mod webhooks_earlier;
mod webhooks_resources;
