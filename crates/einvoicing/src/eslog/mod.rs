//! e-SLOG 2.0: EDIFACT INVOIC D.01B as XML, with the terms of EN 16931, in Slovenia.
//!
//! | Module     | Owns                                                     |
//! | ---------- | -------------------------------------------------------- |
//! | `rules`    | what e-SLOG wants beside EN 16931                        |
//! | `header`   | document, parties, references, payment                   |
//! | `lines`    | lines and totals                                         |
//! | `envelope` | the bank's envelope, by which budget users get it         |
//! | `segments` | groups and elements, texts in parts                      |
//! | `elements` | elements of a received file                              |
//! | `read`     | a received file, as the terms of EN 16931                |
//! | `received` | what is wrong with a received file                       |
//!
//! Source: package e-SLOG 2.0 of ePOS (GZS), August 2020: schema `eSLOG20_INVOIC_v200.xsd`, whose
//! lengths of elements are limits here. The file is not signed: a signature of it refers to the
//! element with the id [`SIGNED_ID`].

mod elements;
mod envelope;
mod header;
mod lines;
mod read;
mod received;
mod rules;
mod segments;

use segments::Segments;

use crate::facts::Facts;
use crate::finding::Verdict;
use crate::model::Model;
use crate::specification::Specification;
use crate::write::Written;

pub use envelope::{Attached, envelope, judge_ujp, write_ujp};
pub(crate) use read::{NAMESPACE, Read, read};
pub(crate) use received::decides;

/// The `Id` of the element that a signature of the file signs.
pub const SIGNED_ID: &str = "data";

/// What EN 16931 and e-SLOG say of the document.
#[must_use]
pub fn judge(facts: &Facts) -> Verdict {
    verdict(facts, &Model::of(facts, Specification::En16931))
}

fn verdict(facts: &Facts, model: &Model) -> Verdict {
    let of_standard = crate::rules::verdict(facts, model, Specification::En16931);
    let of_standard = of_standard.findings().iter().cloned();
    Verdict::of(rules::findings(facts, model).into_iter().chain(of_standard).collect())
}

/// The document as e-SLOG 2.0, when the rules let it leave.
///
/// # Errors
/// The verdict, which is not valid.
pub fn write(facts: &Facts) -> Result<Written, Verdict> {
    let model = Model::of(facts, Specification::En16931);
    let verdict = verdict(facts, &model);
    if !verdict.is_valid() {
        return Err(verdict);
    }
    let xml = Segments::document("Invoice xmlns=\"urn:eslog:2.00\"", |xml| {
        xml.group(&format!("M_INVOIC Id=\"{SIGNED_ID}\""), |xml| {
            header::header(xml, facts, &model.invoice);
            lines::lines(xml, facts, &model);
            lines::totals(xml, &model.invoice);
        });
    });
    Ok(Written { xml, verdict })
}
