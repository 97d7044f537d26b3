//! Reports as JSON, CSV or PDF.

use std::fs::File as OpenFile;
use std::io::{self, BufWriter, Seek as _};

use actix_web::Either;
use racun_exports::{Cell, Column, ColumnKind, Csv, CsvStyle, Sheet, SheetWriter as _};
use racun_kernel::Issue;
use racun_paper::Language;
use racun_render::Text;

use crate::answer::{self, File, StreamedFile};
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::Query;
use crate::route::Parameter;

/// How a report is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Csv,
    Pdf,
}

impl Format {
    /// The parameter that chooses it.
    pub const PARAMETER: Parameter =
        Parameter::text("format", "`json`, `csv` or `pdf`; `json` when absent.");

    /// The one that `query` asks for.
    pub fn of(query: &Query) -> Result<Self, ApiError> {
        match query.one(Self::PARAMETER.name)? {
            None | Some("json") => Ok(Self::Json),
            Some("csv") => Ok(Self::Csv),
            Some("pdf") => Ok(Self::Pdf),
            Some(_) => {
                let issue = Issue::new("invalid_value", "expected json, csv or pdf");
                Err(issue.at(Self::PARAMETER.name).into())
            }
        }
    }
}

/// A report in the format that was asked for.
pub(super) type Answer<T> = Either<answer::Json<T>, Either<File, StreamedFile>>;

/// Names of columns, and what is in them.
pub(super) type Columns = [(&'static str, ColumnKind)];

/// The rows as CSV in the style of the entity's locale, as the file `stem`.
pub(super) fn csv<T>(
    call: &EntityCall,
    stem: &str,
    columns: &Columns,
    rows: &[Vec<Cell>],
) -> Result<Answer<T>, ApiError> {
    let file = write(&call.entity().locale, columns, rows).map_err(ApiError::unavailable)?;
    let (media_type, name) = ("text/csv; charset=utf-8", format!("{stem}.csv"));
    Ok(Either::Right(Either::Right(StreamedFile { media_type, name, file })))
}

/// The file, at its beginning.
fn write(locale: &str, columns: &Columns, rows: &[Vec<Cell>]) -> io::Result<OpenFile> {
    let mut file = tempfile::tempfile()?;
    let to = Box::new(BufWriter::new(file.try_clone()?));
    let mut csv = Csv::new(to, CsvStyle::of(locale, true));
    let column = |(heading, kind): &(&str, ColumnKind)| Column {
        heading: (*heading).to_owned(),
        kind: *kind,
    };
    let columns = columns.iter().map(column).collect();
    csv.begin(&Sheet { name: "report".to_owned(), columns })?;
    for row in rows {
        csv.row(row)?;
    }
    Box::new(csv).finish()?;
    file.rewind()?;
    Ok(file)
}

/// `text` on paper, as the file `stem`.
pub(super) async fn pdf<T>(
    call: &EntityCall,
    stem: &str,
    text: Text,
) -> Result<Answer<T>, ApiError> {
    let bytes = call.press().print_text(text).await?;
    let (media_type, name) = ("application/pdf", format!("{stem}.pdf"));
    Ok(Either::Right(Either::Left(File { media_type, name, bytes })))
}

/// The words of a report on paper: `slovenian` for entities whose locale is that, otherwise
/// `english`; with the locale of the words.
pub(super) fn words<T>(locale: &str, slovenian: T, english: T) -> (T, String) {
    let is_slovenian = locale.starts_with("sl");
    let words = if is_slovenian { slovenian } else { english };
    (words, if is_slovenian { "sl-SI" } else { "en-US" }.to_owned())
}

/// How an entity with this locale writes numbers and dates.
pub(super) fn writing(locale: &str) -> Language {
    Language::from_code(locale).unwrap_or(Language::ENGLISH)
}
