//! Documents on paper: the one model of a printed document, and what is made of it without a
//! typesetter.
//!
//! | Module  | Owns                                                              |
//! | ------- | ----------------------------------------------------------------- |
//! | `model` | what is on the page, as texts in their order                      |
//! | `build` | from a document and what belongs to it to its model               |
//! | `codes` | what payment codes say                                            |
//! | `words` | what documents say by themselves, in 18 languages; locales        |
//! | `drawing` | codes as modules, and as SVG                                     |
//! | `page`  | the model as HTML                                                 |
//! | `escpos` | the model as bytes for a receipt printer                         |
//! | `clean` | texts of others, made fit for paper                               |
//!
//! **Invariants.** All renderings show the texts of one [`Paper`]. Nothing is calculated again: the
//! stored amounts of a document are formatted.

mod build;
pub mod clean;
pub mod codes;
mod drawing;
mod escpos;
mod model;
pub mod page;
mod words;

pub use build::{Hub3, Look, PaymentMade, Receipt, ReceiptTexts, Source, Upn, filled};
pub use drawing::{Modules, modules};
pub use escpos::Roll;
pub use model::{
    Align, Banner, Block, Code, CodeKind, Column, ColumnKey, Display, Emphasis, Fact, Marks, Note,
    PageWords, Paper, PaperKind, Payment, Picture, Row, Signature, State, Symbol, Table, TableKey,
    Template, Total,
};
pub use words::{Language, Word};
