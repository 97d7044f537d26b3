//! Electronic invoices of documents: their facts, their checks and their files.
//!
//! | Module   | Owns                                                                    |
//! | -------- | ----------------------------------------------------------------------- |
//! | `facts`  | from a document and what stands around it to `racun_einvoicing::Facts`   |
//! | `read`   | what stands around a stored document                                    |
//! | `policy` | for which forms a document is checked, and whether it has to be valid    |
//! | `judge`  | the verdict, stored on the document or refused                          |
//! | `serve`  | checks by order, and files                                              |
//! | `signing` | signatures of e-SLOG files                                             |
//! | `package` | hybrid PDFs, and packages for UJP                                      |
//! | `error`  | why a document has no electronic invoice                                |
//!
//! **Invariants.** A document is judged in the decision that issues or changes it, with the number,
//! the links and the payments that it has by that. One that has to be valid and is not is not
//! issued: nothing is numbered, nothing written. The facts of a document are made in one place.

mod error;
mod facts;
mod judge;
mod package;
mod policy;
mod read;
mod serve;
mod signing;

pub use error::EInvoiceRefused;
pub use facts::{Around, Seller, envelope_facts, facts_of};
pub use package::{NamedFile, PackageError, Workshop, hybrid, ujp_package};
pub use policy::{Policy, Wanted};
pub use read::facts;
pub use serve::{EInvoiceFile, file, ready, validate, written, xml_of};

pub(crate) use judge::Judging;
pub(crate) use read::{delivered_by, paid};

use racun_documents::Document;
use racun_kernel::Issues;

/// What is odd about what the document says for electronic invoices: a Leitweg-ID whose check
/// digits do not fit.
#[must_use]
pub fn warnings(document: &Document) -> Issues {
    let customer = document.content.customer.as_ref();
    let reference = customer.and_then(|customer| customer.buyer_reference.as_deref());
    let mut found = Issues::default();
    if let Some(issue) = reference.and_then(|text| racun_einvoicing::leitweg::warning(text.trim()))
    {
        found.push(issue.at("buyer_reference").at("e_invoicing").at("customer"));
    }
    found
}
