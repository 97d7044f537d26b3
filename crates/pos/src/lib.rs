//! The point of sale: tables, the tabs opened on them, and the takings of a day.
//!
//! A tab is a running order, not a document: it has no number, is never fiscalized and holds no
//! payments. It ends when it is invoiced ([`Tab::invoice`], whole or in parts), or when an invoice
//! that was issued elsewhere is named to [`Tab::close`]. Before that, one device claims it for five
//! minutes, so that nothing is ordered that is not invoiced.
//!
//! This crate looks nothing up. Crate `application` loads what a command names, in one unit of the
//! store that holds the tab; a command consumes the tab and answers what becomes of it.
//!
//! | Module       | Owns                                                                     |
//! | ------------ | ------------------------------------------------------------------------ |
//! | `table`      | tables: the places that tabs are opened on                               |
//! | `tab`        | the tab, its states, and one function for each command: `lines` adds and |
//! |              | replaces, `invoicing` invoices it or parts of it, `moving` moves lines   |
//! | `line`       | lines: what they hold, and when two of them are one                      |
//! | `append`     | appends and moves that were accepted, so that each is applied once       |
//! | `totals`     | what lines come to, and dealing that out in equal shares                 |
//! | `references` | what commands may name                                                   |
//! | `check`      | limits of texts and metadata                                             |
//! | `error`      | why a command is refused, with the tab that refuses it                   |
//! | `takings`    | what the invoices of a day come to                                       |
//! | `closing`    | a day's report, frozen, with the cash that was counted                   |
//! | `events`     | what the log tells of tables, tabs and closings                          |
//!
//! **Invariants.** The version rises by exactly one with each change, and by nothing else. An
//! append of one name is applied once, for ever. Nothing is added under a live claim, and at most
//! one device has one. A tab that ended never changes. Nothing here reads a clock or makes an id.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod append;
mod check;
mod closing;
mod error;
pub mod events;
mod line;
mod references;
mod tab;
mod table;
pub mod takings;
mod totals;

pub use append::{APPENDS, AcceptedAppend, AppendId, MAX_APPEND_ID_CHARS, Naming};
pub use closing::{
    CLOSINGS, CarriedDay, CarriedOver, ClosedDay, ClosedPlace, Closing, Count,
    MAX_CLOSING_NOTE_CHARS, NewClosing,
};
pub use error::{PosError, RefusedTab, TabRefusal, TableRefusal};
pub use line::{
    LineInput, MAX_AMOUNT, MAX_LINE_TAXES, MAX_LINE_TEXT_CHARS, MAX_LINES, TabLine, TabTax,
    TaxInput, named_items, named_taxes,
};
pub use racun_store::Actor;
pub use references::{ReferencedItem, References};
pub use tab::{
    CLAIM_TTL, Claim, DeviceId, InvoiceStage, InvoiceTerms, Invoiced, LineChoice, MAX_DEVICE_CHARS,
    MAX_NOTE_CHARS, Moved, Moving, Part, Reckoning, TABS, Tab, TabInvoice, TabPatch, TabState,
    TabStatus,
};
pub use table::{MAX_LABEL_CHARS, MAX_TABLES, POS_TABLES, PosTable, PosTableInput};
pub use totals::{MAX_SHARES, TabTaxTotal, TabTotals, deal};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 4] = [&POS_TABLES, &TABS, &APPENDS, &CLOSINGS];
