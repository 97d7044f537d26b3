//! Exported tables: sheets of typed cells, headings in 18 languages, and how they are written; and
//! archives of exported files.
//!
//! | Module  | Owns                                                                     |
//! | ------- | ------------------------------------------------------------------------ |
//! | `archive` | files as ZIP, part by part                                             |
//! | `cell`  | what a cell holds                                                        |
//! | `sheet` | sheets and their columns                                                 |
//! | `words` | headings and names of sheets in the languages of documents               |
//! | `csv`   | rows as CSV                                                              |
//! | `port`  | who writes rows to a file: [`Csv`] here, XLSX behind [`Spreadsheets`]    |
//!
//! Which record is which row is decided in crate `application`, where the records of several
//! domains meet. A writer is given one row at a time, and keeps none.
//!
//! **Invariants.** No text of a record becomes a formula or turns the direction of writing, in no
//! format. A number is written with
//! the digits that it has.

mod archive;
mod cell;
mod csv;
mod port;
mod sheet;
mod words;

pub use archive::{
    ArchiveFull, ArchiveNames, ArchivePart, MAX_ARCHIVE_BYTES, MAX_ARCHIVE_FILES, archive,
    archive_end,
};
pub use cell::{Cell, shown};
pub use csv::{Csv, CsvStyle};
pub use port::{SheetWriter, Spreadsheets};
pub use sheet::{Column, ColumnKind, Sheet};
pub use words::{WORDS, word};
