//! Routes of documents.
//!
//! | Module               | Owns                                                          |
//! | -------------------- | ------------------------------------------------------------- |
//! | `kind_routes`        | routes that each kind has of its own, declared once for all   |
//! | `document_routes`    | routes that take documents of any kind                        |
//! | `allowed_properties` | which properties a body may hold, by kind and by what is done |
//! | `input`              | all those properties, and what is asked by them               |
//! | `answer`             | documents as they are answered, by kind                       |
//! | `output`             | parts of answers, and answers that are not documents          |
//! | `line`               | lines, both ways                                              |
//! | `party`              | issuer, customer and business unit, both ways                 |
//! | `e_invoice`          | checks for electronic invoices, both ways                     |
//! | `fiscal`             | data for tax authorities, both ways                           |
//! | `portugal`           | data of documents in Portugal, both ways                      |
//! | `relation`           | links between documents                                       |

mod allowed_properties;
pub(crate) mod answer;
mod document_routes;
pub(crate) mod e_invoice;
pub(crate) mod fiscal;
pub(crate) mod input;
mod kind_routes;
pub(crate) mod line;
pub(crate) mod output;
pub(crate) mod party;
pub(crate) mod portugal;
mod relation;

use racun_documents::DocumentId;

pub(crate) use answer::AnyDocumentBody;
pub(crate) use document_routes::ROUTES;
pub(crate) use kind_routes::{ADVANCE_INVOICES, CREDIT_NOTES, DELIVERY_NOTES, ESTIMATES, INVOICES};

use crate::error::ApiError;
use crate::request::PathText;

/// The path's id as one of a document; any other is answered like an id that is not there.
fn document_id(path: &PathText) -> Result<DocumentId, ApiError> {
    path.0.parse().map_err(|_| ApiError::no_such("document", &path.0))
}
