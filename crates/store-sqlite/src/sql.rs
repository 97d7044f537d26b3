//! Statements whose values are bound, never spliced.

use racun_store::{Field, Source};
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, Row, params_from_iter};

/// A piece of a statement and the values of its parameters, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sql {
    text: String,
    cells: Vec<Cell>,
}

impl Sql {
    /// A piece without parameters. Its text is static, or made of checked names.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), cells: Vec::new() }
    }

    /// A piece whose parameters are in its text, with their values in order.
    pub(crate) fn bound(text: String, cells: impl IntoIterator<Item = Cell>) -> Self {
        Self { text, cells: cells.into_iter().collect() }
    }

    /// The same piece and `text`.
    pub(crate) fn then(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// The same piece and a parameter.
    pub(crate) fn bind(mut self, cell: Cell) -> Self {
        self.text.push('?');
        self.cells.push(cell);
        self
    }

    /// The same piece and another.
    pub(crate) fn join(mut self, other: &Self) -> Self {
        self.text.push_str(&other.text);
        self.cells.extend_from_slice(&other.cells);
        self
    }

    /// Its text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What it answers, row by row.
    pub(crate) fn rows<T>(
        &self,
        connection: &Connection,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        let mut statement = connection.prepare_cached(&self.text)?;
        statement.query_map(params_from_iter(&self.cells), read)?.collect()
    }

    /// What it answers, row by row, until `reads_on` says of a row that it is the last.
    pub(crate) fn rows_until<T>(
        &self,
        connection: &Connection,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
        mut reads_on: impl FnMut(&T) -> bool,
    ) -> rusqlite::Result<Vec<T>> {
        let mut statement = connection.prepare_cached(&self.text)?;
        let mut rows = statement.query(params_from_iter(&self.cells))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let row = read(row)?;
            let goes_on = reads_on(&row);
            found.push(row);
            if !goes_on {
                break;
            }
        }
        Ok(found)
    }

    /// Runs it; the number of rows that it changed.
    pub(crate) fn run(&self, connection: &Connection) -> rusqlite::Result<usize> {
        connection.prepare_cached(&self.text)?.execute(params_from_iter(&self.cells))
    }
}

/// The text value `text`.
pub(crate) fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// Where `field` is: a column, or a place in the body. `declaration` has checked the names.
pub(crate) fn place(field: &Field) -> Sql {
    Sql::new(match field.source {
        Source::Id => "id".to_owned(),
        Source::Column(column) => format!(r#""{column}""#),
        Source::Body(path) => format!(r#"json_extract(body, '$.{}')"#, path.join(".")),
    })
}
