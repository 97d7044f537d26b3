//! What knows all areas: the lists of all tables and events, and what spans areas.
//!
//! | Module        | Owns                                                                  |
//! | ------------- | --------------------------------------------------------------------- |
//! | `bill_mails`  | mails to subscribers: a card was declined, the invoice of a bill      |
//! | `document_mails` | a document mailed by a job, once                                   |
//! | `entities`    | entities with their first taxes, and settings that number documents   |
//! | `events`      | all events that there are, as crates declare them                     |
//! | `order_mails` | mails about the documents of orders                                   |
//! | `people`      | what a person made, when they are taken over or their password is set |
//! | `rekey`       | all that is sealed, sealed under another master key                   |
//! | `retention`   | what is kept for a time only, removed in small steps                  |
//! | `services`    | what use cases work with: the store, ports and their settings         |
//!
//! **Invariants.** An area that is known here knows nothing of the others but what its manifest
//! names. What belongs to one area is in its crate.

pub mod bill_mails;
mod document_mails;
pub mod entities;
mod events;
pub mod order_mails;
pub mod people;
pub mod rekey;
pub mod retention;
mod services;

use racun_store::Table;

pub use events::{event_named, events};
pub use services::Services;

/// The version of what stores keep: of the declarations of [`tables`] and of the bodies.
///
/// It rises with the first change after a release that makes an earlier program unable to go on
/// with the rows: the embedded store is upgraded then, and earlier programs refuse it. On
/// PostgreSQL the migration of the change does the same. Version 1 was that of stores before they
/// named one.
pub const DATA_VERSION: u32 = 2;

/// Every table that a store has to keep.
#[must_use]
pub fn tables() -> Vec<&'static Table> {
    [
        &racun_access::TABLES[..],
        &racun_catalog::TABLES,
        &racun_documents::TABLES,
        &racun_settlement::TABLES,
        &racun_pos::TABLES,
        &racun_fiscal::TABLES,
        &racun_portugal::TABLES,
        &racun_webhooks::TABLES,
        &racun_mail::TABLES,
        &[&racun_background::jobs::JOBS, &racun_background::consumer::LOG_READERS],
        &[&racun_sales::overdue::OVERDUE_NOTICES],
        &[&racun_delivery::exports::archive::EXPORT_JOBS],
        &racun_einvoicing::network::TABLES,
        &racun_billing::TABLES,
        &racun_lookups::TABLES,
        &racun_orders::TABLES,
        &racun_card_payments::TABLES,
        &[&racun_background::idempotency::KEYED_REQUESTS],
        &[&racun_background::request_log::REQUEST_LOGS, &retention::RETENTION_ROUNDS],
    ]
    .concat()
}
