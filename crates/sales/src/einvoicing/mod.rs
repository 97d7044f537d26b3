//! Electronic invoices of documents: their facts and their checks.
//!
//! | Module   | Owns                                                                    |
//! | -------- | ----------------------------------------------------------------------- |
//! | `facts`  | from a document and what stands around it to `racun_einvoicing::Facts`   |
//! | `read`   | what stands around a stored document                                    |
//! | `policy` | for which forms a document is checked, and whether it has to be valid    |
//! | `judge`  | the verdict, stored on the document or refused                          |
//! | `check`  | checks by order, and what they found                                    |
//!
//! **Invariants.** A document is judged in the decision that issues or changes it, with the number,
//! the links and the payments that it has by that. One that has to be valid and is not is not
//! issued: nothing is numbered, nothing written. The facts of a document are made in one place.

mod check;
mod facts;
mod judge;
mod policy;
mod read;

pub use crate::error::EInvoiceRefused;
pub use check::{ready, validate};
pub use facts::{Around, Seller, facts_of};
pub use policy::{Policy, Wanted};
pub use read::facts;

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
