//! Documents on paper: the one model of a printed document, and what is made of it without a
//! typesetter.
//!
//! | Module  | Owns                                                              |
//! | ------- | ----------------------------------------------------------------- |
//! | `model` | what is on the page, as texts in their order                      |
//!
//! **Invariants.** All renderings show the texts of one [`Paper`]. Nothing is calculated anew: what
//! a document comes to is formatted as it is stored.

mod model;

pub use model::{
    Align, Banner, Block, Code, CodeKind, Column, ColumnKey, Display, Emphasis, Fact, Marks, Note,
    PageWords, Paper, PaperKind, Payment, Picture, Row, Signature, State, Symbol, Table, TableKey,
    Template, Total,
};
