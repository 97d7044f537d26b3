//! Texts with tables, written as files that people open: values in, bytes out.
//!
//! | Module   | Owns                                              |
//! | -------- | ------------------------------------------------- |
//! | `text`   | what a text is made of                            |
//! | `fonts`  | the fonts, and how wide a text is in them         |
//! | `layout` | which words stand where on which page             |
//! | `pdf`    | PDF                                               |
//! | `docx`   | DOCX                                              |
//!
//! **Invariants.** No word is lost: what does not fit a line goes on in the next one, and what does
//! not fit a page on the next. The same text is the same bytes. Lengths are whole points.

mod docx;
mod fonts;
mod layout;
mod pdf;
mod text;

pub use docx::docx;
pub use pdf::pdf;
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
