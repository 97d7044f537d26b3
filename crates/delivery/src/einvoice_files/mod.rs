//! Electronic invoices of documents as files.
//!
//! | Module    | Owns                                                                  |
//! | --------- | --------------------------------------------------------------------- |
//! | `write`   | documents as XML, signed where the form has signatures                |
//! | `signing` | signatures of e-SLOG files                                            |
//! | `package` | hybrid PDFs, and packages for UJP                                     |
//!
//! **Invariants.** A document that its rules refuse has no file. The bytes of all such files are
//! made here.

mod package;
mod signing;
mod write;

pub use package::{NamedFile, PackageError, Workshop, hybrid, ujp_package};
pub use write::{EInvoiceFile, file, written, xml_of};
