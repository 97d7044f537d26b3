//! Who writes rows to a file.

use std::io::{self, Write};

use crate::{Cell, Sheet};

/// Writes sheets, one after the other, row by row.
pub trait SheetWriter: Send {
    /// Whether it keeps several sheets apart. Into one that does not, one sheet is written.
    fn has_sheets(&self) -> bool;

    /// Begins the next sheet, with its headings.
    ///
    /// # Errors
    /// When it cannot be written.
    fn begin(&mut self, sheet: &Sheet) -> io::Result<()>;

    /// Writes the next row of the sheet that was begun last: as many cells as it has columns.
    ///
    /// # Errors
    /// When it cannot be written.
    fn row(&mut self, cells: &[Cell]) -> io::Result<()>;

    /// Writes what is left. Without it the file is not whole.
    ///
    /// # Errors
    /// When it cannot be written.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Who writes XLSX: the port to the library that does.
pub trait Spreadsheets: Send + Sync {
    /// A workbook that is written to `to`. It holds rows in temporary files until then, and few in
    /// memory.
    fn workbook(&self, to: Box<dyn Write + Send>) -> Box<dyn SheetWriter>;
}
