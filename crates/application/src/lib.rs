//! Use cases that span Racun's domain crates, and the conversions between them.
//!
//! | Module          | Owns                                                                       |
//! | --------------- | -------------------------------------------------------------------------- |
//! | `billing`       | subscriptions: what they allow, what is counted, what time makes of them   |
//! | `activities`    | the log as an entity's members read it                                     |
//! | `budget`        | how many bytes an account stores, and may                                  |
//! | `convert`       | parts that documents and the catalogue both keep                           |
//! | `documents`     | documents made of the catalogue's records and the entity's settings        |
//! | `einvoicing`    | electronic invoices of documents: facts, checks, files                     |
//! | `events`        | all events that there are, as crates declare them                          |
//! | `exports`       | records as rows of tables, and their totals                                |
//! | `expenses`      | received supplier invoices, calculated and numbered                        |
//! | `files`         | uploaded files, and what their records say of them elsewhere               |
//! | `fiscalization` | reporting documents to tax authorities                                     |
//! | `fiscal`        | settings, certificates, premises and devices of fiscalization              |
//! | `mailing`       | e-mail: documents, reminders, notices to users; links to documents         |
//! | `jobs`          | what is to be done after a commit, by leases and attempts                  |
//! | `consumer`      | consumers of the log: each handles each entry once                         |
//! | `overdue`       | one event for each invoice past its due date                               |
//! | `payments`      | payments on documents and expenses; the port to tax authorities            |
//! | `people`        | what a person made, when they are taken over or their password is set      |
//! | `pos`           | tables and tabs of the point of sale                                       |
//! | `printing`      | documents on paper: what is on them; the port to the typesetter            |
//! | `idempotency`   | requests that are sent again, carried out once                             |
//! | `recurring`     | recurring invoices, and the job that makes their invoices                  |
//! | `rekey`         | all that is sealed, sealed under another master key                        |
//! | `settling`      | documents as settlement sees them, and what it changes on them             |
//! | `vat`           | VAT numbers of customers, by VIES, and the kind of sale that follows       |
//! | `webhooks`      | endpoints, the fan-out of events to them, deliveries, their log and replay |
//! | `error`         | why such a use case is refused                                             |
//! | `entities`      | entities with their first taxes, and settings that number documents        |
//!
//! **Invariants.** Reads come first, then one pure decision, then one commit. Nothing here writes
//! twice, except a change that is reported to a tax authority: the report is stored before it is
//! sent. Domain crates do not know each other; conversions between them are here.

pub mod activities;
pub mod billing;
pub mod budget;
pub mod consumer;
pub mod documents;
pub mod einvoicing;
pub mod entities;
mod error;
mod events;
pub mod expenses;
pub mod exports;
pub mod files;
pub mod fiscal;
pub mod fiscalization;
pub mod idempotency;
pub mod jobs;
pub mod mailing;
pub mod overdue;
pub mod payments;
pub mod people;
pub mod pos;
pub mod printing;
pub mod recurring;
pub mod rekey;
mod settling;
pub mod vat;
pub mod webhooks;

use racun_store::Table;

pub use error::Error;
pub use events::{event_named, events};

/// The version of what stores keep: of the declarations of [`tables`] and of the bodies.
///
/// It rises with the first change after a release that makes an earlier program unable to go on
/// with the rows: the embedded store is upgraded then, and earlier programs refuse it. On
/// PostgreSQL the migration of the change does the same. Version 1 was that of stores before they
/// named one.
pub const DATA_VERSION: u32 = 2;

/// The tables of this crate's own.
static TABLES: [&Table; 4] = [
    &jobs::JOBS,
    &consumer::LOG_READERS,
    &overdue::OVERDUE_NOTICES,
    &exports::archive::EXPORT_JOBS,
];

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
        &TABLES,
        &racun_billing::TABLES,
        &idempotency::TABLES,
    ]
    .concat()
}
