//! CSV files that an operator imports: UTF-8, the names of fields as their head, in any order.

use std::io::Read;

use csv::{Reader, ReaderBuilder, StringRecord, Trim};
use racun_kernel::{spelling, text};

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct BadFile {
    /// The line, from 1 on.
    pub line: u64,
    /// What is wrong and what would be right.
    pub message: String,
}

/// A file that is read row by row.
pub(crate) struct CsvReader<R> {
    reader: Reader<R>,
    columns: Vec<&'static str>,
    record: StringRecord,
}

/// A row of a file.
pub(crate) struct Row<'a> {
    line: u64,
    columns: &'a [&'static str],
    record: &'a StringRecord,
}

impl<R: Read> CsvReader<R> {
    /// Reads the head, whose names are among `known` and hold all of `required`.
    pub fn open(
        from: R,
        known: &'static [&'static str],
        required: &[&str],
    ) -> Result<Self, BadFile> {
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(from);
        let head = reader.headers().map_err(|error| broken(&error))?;
        let bad = |message: String| BadFile { line: 1, message };
        let mut columns = Vec::new();
        for name in head {
            let Some(column) = known.iter().find(|known| **known == name) else {
                let near = spelling::suggestion(name, known);
                let near = near.map(|near| format!("; {near} was meant")).unwrap_or_default();
                let all = known.join(", ");
                return Err(bad(format!("there is no column {name:.60}{near}; there are {all}")));
            };
            if columns.contains(column) {
                return Err(bad(format!("column {column} is there twice; keep one")));
            }
            columns.push(*column);
        }
        match required.iter().find(|name| !columns.contains(*name)) {
            Some(name) => Err(bad(format!("column {name} is missing from the head"))),
            None => Ok(Self { reader, columns, record: StringRecord::new() }),
        }
    }

    /// The next row; `None` at the end.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>, BadFile> {
        let line = self.reader.position().line();
        match self.reader.read_record(&mut self.record) {
            Ok(false) => Ok(None),
            Ok(true) => {
                let line = self.record.position().map_or(line, csv::Position::line);
                Ok(Some(Row { line, columns: &self.columns, record: &self.record }))
            }
            Err(error) => Err(broken(&error)),
        }
    }
}

fn broken(error: &csv::Error) -> BadFile {
    let line = error.position().map_or(1, csv::Position::line);
    let message = match error.kind() {
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8; save the file as CSV in UTF-8".to_owned(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!(
            "{len} fields, where the head has {expected_len}; put values with commas in quotes"
        ),
        _ => format!("it cannot be read: {error}"),
    };
    BadFile { line, message }
}

impl Row<'_> {
    /// The value of `column`, of at most `max` characters; `None` when it is empty.
    pub fn text(&self, column: &str, max: usize) -> Result<Option<String>, BadFile> {
        let at = self.columns.iter().position(|name| *name == column);
        let value = at.and_then(|at| self.record.get(at)).filter(|value| !value.is_empty());
        let Some(value) = value else { return Ok(None) };
        text::check(value, max).map_err(|issue| self.bad(column, &issue.message))?;
        Ok(Some(value.to_owned()))
    }

    /// The same where there has to be one.
    pub fn required(&self, column: &str, max: usize) -> Result<String, BadFile> {
        self.text(column, max)?.ok_or_else(|| self.bad(column, "must not be empty"))
    }

    /// That `message` is wrong with `column`.
    pub fn bad(&self, column: &str, message: &str) -> BadFile {
        BadFile { line: self.line, message: format!("{column}: {message}") }
    }
}
