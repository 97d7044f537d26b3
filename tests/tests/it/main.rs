//! The black-box tests: a server of its own for each, and clients; and the rules of the sources.

mod amounts;
mod architecture;
mod archives;
mod bounds;
mod crash;
mod customers;
mod e_invoice_files;
mod e_invoices;
mod examples;
mod exports;
mod files;
mod fiscal_crash;
mod fiscal_faults;
mod fiscal_outage;
mod fiscal_paper;
mod fiscal_tips;
mod idempotency;
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#[path = "../../../crates/einvoicing/tests/it/judge.rs"]
mod judge;
mod mail;
mod main_job;
mod module_circles;
mod network_faults;
mod numbers;
mod openapi;
mod operators;
mod payments;
mod people;
mod portugal_crash;
mod portugal_paper;
mod pure_crates;
mod rate_limits;
mod recurring;
mod refused;
mod schema;
mod shop_hooks;
mod sign_in;
mod software_maker;
mod statistics;
mod tab_invoices;
mod tabs;
mod tenants;
mod upgrade;
mod vies;
mod webhooks;
