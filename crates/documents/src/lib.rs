//! Sales documents: calculation, numbering, snapshots and life cycle; and received ones, expenses.
//!
//! One [`Document`] serves all five kinds; what they share (lines, amounts, parties, texts,
//! numbers, versions) is here once. This crate decides; it looks nothing up. Customers, items and
//! settings reach it as plain values that crate `application` gathers.
//!
//! | Module             | Owns                                                            |
//! | ------------------ | --------------------------------------------------------------- |
//! | `kind`             | the tables of the five kinds                                    |
//! | `party`            | issuer, customer and business unit as frozen on a document      |
//! | `text`             | notes, terms, clauses: defaults, limits, translations           |
//! | `line`             | a document's lines and what is calculated of them               |
//! | `calculation`      | from prices to totals, in both modes                            |
//! | `number_format`    | from a format and a sequence to a number                        |
//! | `numbering`        | which sequence a document takes its number from                 |
//! | `transaction_type` | what kind of sale it is, for tax, by the countries of both sides |
//! | `content`          | what a request says of a document, and the rules on its dates   |
//! | `amounts`          | what a document comes to, in its currency and the entity's       |
//! | `document`         | the document, its stages and every transition                   |
//! | `fiscalization`    | what a tax authority knows of a document                        |
//! | `certification`    | what a document in Portugal has by being certified              |
//! | `e_invoice`        | what is wanted of checks for electronic invoices, and what they said |
//! | `payment_change`   | a payment's change of type that the authority has not confirmed  |
//! | `tip_report`       | the report of a document's tips to a tax authority               |
//! | `relation`         | links between documents                                         |
//! | `link`             | which documents may be linked                                   |
//! | `credit`           | what credit notes give back of the documents that they credit   |
//! | `advance`          | what invoices have of an advance invoice, with its tax          |
//! | `rest`             | what credit notes leave of an invoice                           |
//! | `version`          | what an update changed                                          |
//! | `warnings`         | what is odd about a document                                    |
//! | `recurrence`       | schedules that make invoices after a template                   |
//! | `expense`          | received supplier invoices, their stages and transitions        |
//! | `events`           | what the log tells of documents                                 |
//!
//! **Invariants.** A number is taken when a document is issued, never before, and stays. Totals are
//! those of `calculation`, or given (custom documents) and checked. An issued document's snapshots
//! change only by an update that leaves a [`Version`].

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod advance;
mod amounts;
pub mod calculation;
mod certification;
mod content;
pub mod credit;
mod document;
mod e_invoice;
mod error;
pub mod events;
pub mod expense;
mod fiscalization;
mod kind;
mod line;
pub mod link;
pub mod number_format;
mod numbering;
mod party;
mod payment_change;
pub mod recognition;
pub mod recurrence;
mod relation;
mod rest;
mod text;
mod tip_report;
mod transaction_type;
mod version;
mod warnings;

pub use advance::{AdvanceShare, AdvanceTax, AppliedAdvance};
pub use amounts::{Amounts, TaxAmounts};
pub use certification::{
    PtManual, PtOperatorSnapshot, PtRecord, PtReference, PtReport, PtReportStatus, PtVoided,
};
pub use content::{Content, GivenTotals, NewDocument, TitleType};
pub use document::{
    CreationSource, Document, InvoicedTab, Issued, Reissue, Reply, Revision, SettledTotals, Stage,
    Voided, check_issue_day,
};
pub use e_invoice::{
    EInvoiceForm, EInvoiceOptions, Validation, ValidationOption, ValidationStatus, Validations,
};
pub use error::{DocumentError, Refused};
pub use fiscalization::{FiscalRecord, FiscalStatus, Fiscalization};
pub use kind::table_of;
pub use line::{Line, LineKind, LineTaxDetail, LineTranslations, NewLine, RevenueRecognition};
pub use numbering::{NumberFormats, Numbering, UnitNumbering};
pub use party::{Party, PartyPatch, UnitSnapshot};
pub use payment_change::PaymentChange;
pub use racun_kernel::{DocumentId, DocumentKind};
pub use relation::{RELATIONS, Relation, RelationType};
pub use rest::rest;
pub use text::{Localized, TextDefaults, Texts, Translations};
pub use tip_report::{TipAttempt, TipOutcome, TipReport, Tips};
pub use transaction_type::{NumberCheck, Sides, TaxTreatment, TransactionType, ViesData, is_eu};
pub use version::{Editor, VERSIONS, Version};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 12] = [
    &kind::INVOICES,
    &kind::ESTIMATES,
    &kind::CREDIT_NOTES,
    &kind::ADVANCE_INVOICES,
    &kind::DELIVERY_NOTES,
    &VERSIONS,
    &RELATIONS,
    &recurrence::RECURRING_INVOICES,
    &recurrence::RECURRING_RUNS,
    &recurrence::DUE_SCHEDULES,
    &expense::EXPENSES,
    &recognition::RECOGNITION_ENTRIES,
];
