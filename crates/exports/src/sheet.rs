//! Sheets and their columns.

use crate::words::word;

/// What a column's cells hold, where they hold something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// An amount of money.
    Amount,
    /// Any other exact number: a quantity, a rate.
    Number,
    /// A whole number.
    Whole,
    /// A calendar day.
    Date,
    /// An instant.
    Instant,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What stands above it.
    pub heading: String,
    /// What its cells hold.
    pub kind: ColumnKind,
}

/// A sheet, before its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// Its name.
    pub name: String,
    /// Its columns, in the order of the cells of a row.
    pub columns: Vec<Column>,
}

impl Sheet {
    /// The sheet called by the word `key`, in the language of `locale`, without columns.
    #[must_use]
    pub fn new(key: &str, locale: &str) -> Self {
        Self { name: word(key, locale).to_owned(), columns: Vec::new() }
    }

    /// The sheet with further columns, each headed by a word.
    #[must_use]
    pub fn with(self, locale: &str, columns: &[(&str, ColumnKind)]) -> Self {
        columns.iter().fold(self, |sheet, (key, kind)| {
            let heading = word(key, locale).to_owned();
            sheet.and(Column { heading, kind: *kind })
        })
    }

    /// The sheet with one more column.
    #[must_use]
    pub fn and(mut self, column: Column) -> Self {
        self.columns.push(column);
        self
    }
}
