//! Electronic invoices by EN 16931: what a document says becomes the standard's model, is judged by
//! the rules of the specification that its receiver wants, and is written as XML.
//!
//! | Module          | Owns                                                                    |
//! | --------------- | ----------------------------------------------------------------------- |
//! | `facts`         | what a document says, as plain values: the input                        |
//! | `specification` | XRechnung, Factur-X, Peppol BIS, plain EN 16931; UBL and CII            |
//! | `model`         | from facts to the business terms of EN 16931-1                          |
//! | `rules`         | the verdict: rule, field of the interface, what to change               |
//! | `write`         | the verdict and the file                                                |
//! | `read`          | a received invoice, and the verdict on it                               |
//! | `eslog`         | e-SLOG 2.0, of the same terms                                           |
//! | `network`       | sending over a network: participants, enrollments, submissions          |
//! | `leitweg`       | the check digits of a Leitweg-ID                                        |
//! | `units`         | units of measure by UN/ECE Recommendation 20                            |
//! | `decimals`      | kernel decimals as the terms' amounts, prices and rates                 |
//!
//! The model, its rules and both syntaxes are those of the crates `en16931` and `en16931-formats`,
//! pinned (ADR 0027). None of their types leaves this crate.
//!
//! **Invariants.** No figure of a document is changed: BT-109, BT-110 and BT-112 are the document's
//! own. The same facts become the same bytes. What is written has passed the rules.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

#[cfg(test)]
extern crate self as racun_einvoicing;

mod decimals;
#[cfg(test)]
#[path = "../tests/it/documents.rs"]
mod documents;
pub mod eslog;
mod facts;
mod finding;
pub mod leitweg;
mod model;
pub mod network;
mod read;
#[cfg(test)]
mod round_trip;
mod rules;
#[cfg(test)]
#[expect(dead_code, reason = "the tests of the interface use the rest")]
#[path = "../tests/it/sample.rs"]
mod sample;
mod specification;
mod units;
mod write;

pub use facts::{
    Account, Discount, Facts, FactsKind, Line, LineTax, PaidBy, Party, Preceding, Price, Priced,
    Sale, Sells, TaxTotal, Texts, Totals,
};
pub use finding::{Finding, Level, Verdict};
pub use read::{
    Form, Import, ImportAllowance, ImportLine, ImportTax, MAX_BYTES, Received, Unreadable, read,
};
pub use specification::{Specification, Syntax};
pub use units::unit_code;
pub use write::{Written, judge, write};
