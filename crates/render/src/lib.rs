//! Texts with tables, and how they are written as DOCX: values in, bytes out.
//!
//! | Module   | Owns                                              |
//! | -------- | ------------------------------------------------- |
//! | `text`   | what a text is made of                            |
//! | `docx`   | DOCX                                              |
//!
//! `racun-typeset` sets the same texts as PDF.
//!
//! **Invariants.** No word is lost. The same text is the same bytes.

mod docx;
mod text;

pub use docx::docx;
pub use text::{Block, Table, Text};

/// A text could not be written: a mistake in the program, or in what it builds on.
#[derive(Debug, thiserror::Error)]
#[error("a text cannot be written as {format}: {reason}")]
pub struct RenderError {
    /// As what.
    format: &'static str,
    /// For the log.
    reason: String,
}

impl RenderError {
    fn new(format: &'static str, reason: impl ToString) -> Self {
        Self { format, reason: reason.to_string() }
    }
}
