//! Payments, and the one decision on what settles what.
//!
//! This crate looks nothing up. Crate `application` loads the documents, payments and expenses that
//! a command names, in one unit of the store; a command of [`Settlement`] decides on them and
//! answers what to write, or refuses and nothing changes. Documents and expenses are a sibling's:
//! here they are [`Settleable`]s, known by their ids and by what they come to.
//!
//! | Module        | Owns                                                                 |
//! | ------------- | -------------------------------------------------------------------- |
//! | `payment`     | the payment, its types and its stored fields                         |
//! | `receipt`     | the receipt that was issued for a payment                            |
//! | `input`       | what a request says of a payment, and what it may name               |
//! | `tender`      | tip, cash handed over, change: what is said beside what settles      |
//! | `settleable`  | what settlement knows of a document or an expense                    |
//! | `settlement`  | the commands: record, change, trash, restore, erase, cover, settle … |
//! | `ledger`       | how commands keep totals, and how advances are reallocated           |
//! | `type_change` | a payment's other type, as a tax authority has a say in it           |
//! | `error`       | why a command is refused, with the figures that explain it           |
//! | `events`      | what the log tells of payments                                       |
//!
//! **Three kinds of money on an invoice.** *Ordinary* payments are what callers record; settlement
//! by a credit note is one of them. *Allocations* are payments of type `advance` that this crate
//! keeps by itself between an invoice and the advance invoices linked to it. Ordinary money comes
//! first: allocations fill what it leaves open, in the order of the links, as far as each advance
//! has money.
//!
//! **Invariants.** A document's `total_paid` is the sum of its active payments, allocations
//! included on the invoice's side. It is never below 0 and never above the total. The allocations
//! of an advance invoice never exceed its total. An issued advance invoice is covered exactly. What
//! is refunded and settled of a credit note never exceeds its total. A decision takes the same time
//! however many payments a document has, for it sees kept totals.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod error;
pub mod events;
mod input;
mod ledger;
mod payment;
mod receipt;
mod settleable;
mod settlement;
mod tender;
mod type_change;

pub use error::{Figures, SettlementError, SettlementRefusal};
pub use input::{NewPayment, PaymentPatch, References};
pub use payment::{Dated, MAX_NOTE_CHARS, MAX_REFERENCE_CHARS, MAX_TAG_CHARS, PAYMENTS, Payment};
pub use racun_kernel::PaymentType;
pub use receipt::{PaymentReceipt, ReceiptVoided};
pub use settleable::{Settleable, SettleableId, SettleableKind, SettleableStage};
pub use settlement::{
    MAX_DOCUMENT_PAYMENTS, PaymentWrite, Settlement, SettlementEvent, SettlementOutcome,
};
pub use tender::Tender;
pub use type_change::{
    ProviderError, ProviderFault, ReportError, TypeChange, TypeChangeError, TypeChangeRule,
};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 1] = [&PAYMENTS];
