//! Archives of documents, as PDF or as e-SLOG, which a worker puts together in the background.
//!
//! | Module    | Owns                                                                    |
//! | --------- | ----------------------------------------------------------------------- |
//! | `job`     | an export, and how far it has come                                      |
//! | `request` | what may be asked for, and how many exports there may be at once        |
//! | `share`   | the next documents of an export                                         |
//! | `events`  | what happens to exports, for the log                                    |
//! | `eslog`   | documents as e-SLOG files                                               |
//! | `saft`    | documents of Portugal as one file of SAF-T                              |
//! | `archivist` | the worker's tools, and what it stores: parts, the end, the mail      |
//! | `work`    | the worker: documents to parts of the archive                           |
//! | `link`    | the link in the mail                                                    |
//! | `expiry`  | removing an export after its time                                       |
//!
//! An archive is stored in parts, each before the commit that names it. A worker that dies loses
//! what it did since its last part; another one goes on there. So the archive is never in memory,
//! and nothing of it is in a folder of one process.
//!
//! **Invariants.** What an export names in the storage of files is there, and what it names no
//! more is removed after the commit. Progress never falls. A document that cannot be set is left
//! out and named; anything else that fails is tried again, and ends the export when it lasts.

mod archivist;
mod eslog;
pub mod events;
mod expiry;
mod job;
mod link;
mod request;
mod saft;
mod share;
mod work;

pub use super::error::MOST_AT_ONCE;
pub use archivist::Archivist;
pub use expiry::ExportSweeper;
pub use job::{
    ArchiveFormat, EXPORT_JOBS, ExportJob, ExportState, KEPT, Selection, SelectionCursor, Skipped,
    StoredPart,
};
pub use link::{follow_link, mint_link};
pub use request::{ArchiveRequest, MOST_DOCUMENTS, MOST_IDS, begin, get};
pub use saft::begin_saft;
