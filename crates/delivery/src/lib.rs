//! What leaves for people and other systems: pages, mails, files, exports and webhooks.
//!
//! | Module           | Owns                                                                |
//! | ---------------- | ------------------------------------------------------------------- |
//! | `einvoice_files` | electronic invoices of documents as files                           |
//! | `exports`        | records as rows of tables, and their totals; archives of documents  |
//! | `files`          | uploaded files, and what their records say of them elsewhere        |
//! | `mailing`        | e-mail: documents, reminders, notices to users                      |
//! | `outbox`         | what every e-mail is written with                                   |
//! | `printing`       | documents on paper: what is on them; the port to the typesetter     |
//! | `sharing`        | documents that people outside see by a link                         |
//! | `webhooks`       | endpoints, the fan-out of events to them, deliveries, log and replay |
//!
//! **Invariants.** What is to leave is written in the commit of its cause, and leaves after it.
//! Nothing of a document is decided here.

pub mod einvoice_files;
pub mod exports;
pub mod files;
pub mod mailing;
pub mod outbox;
pub mod printing;
pub mod sharing;
pub mod webhooks;
