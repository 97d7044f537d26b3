//! Exported tables as XLSX, by `rust_xlsxwriter` in the mode in which rows go to temporary files.
//!
//! **Numbers.** XLSX holds a number as digits, and programs read them as a binary fraction, of
//! which 15 decimal digits are sure. A number of up to 15 digits is therefore a number cell, with
//! exactly its digits in the file; a longer one is a text cell, of which none is lost.
//!
//! **Text** is written as text, even with `=` before it. Signs that XML cannot hold are left out.

use std::io::{self, Write};

use racun_exports::{Cell, Column, ColumnKind, Sheet, SheetWriter, Spreadsheets, shown};
use racun_kernel::Decimal;
use racun_kernel::calendar::{format_date, format_instant};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use time::{Date, OffsetDateTime, UtcOffset};

/// Rows of a sheet, the headings among them.
pub const MAX_ROWS: u32 = 1_048_576;
/// Decimal digits that a number cell keeps.
const MAX_DIGITS: usize = 15;
/// Characters of a cell.
const MAX_CHARS: usize = 32_767;
/// Characters of a sheet's name.
const MAX_NAME_CHARS: usize = 31;

/// Writes XLSX.
#[derive(Debug, Clone, Copy, Default)]
pub struct Xlsx {
    /// Rows of a sheet, after which its rows go on in another; `None` for as many as fit.
    pub max_rows: Option<u32>,
}

impl Spreadsheets for Xlsx {
    fn workbook(&self, to: Box<dyn Write + Send>) -> Box<dyn SheetWriter> {
        let (heading, amount) = (Format::new().set_bold(), format("#,##0.00######"));
        Box::new(Book {
            workbook: Workbook::new(),
            to,
            sheets: 0,
            present: None,
            max_rows: self.max_rows.unwrap_or(MAX_ROWS).clamp(2, MAX_ROWS),
            formats: Formats {
                heading,
                amount,
                whole: format("0"),
                date: format("yyyy\\-mm\\-dd"),
                instant: format("yyyy\\-mm\\-dd\\ hh:mm:ss"),
                plain: Format::new(),
            },
        })
    }
}

fn format(text: &str) -> Format {
    Format::new().set_num_format(text)
}

struct Formats {
    heading: Format,
    amount: Format,
    whole: Format,
    date: Format,
    instant: Format,
    plain: Format,
}

/// A workbook that is being written.
struct Book {
    workbook: Workbook,
    to: Box<dyn Write + Send>,
    /// Sheets of the workbook, those that go on with others among them.
    sheets: usize,
    present: Option<Present>,
    max_rows: u32,
    formats: Formats,
}

/// The sheet that is being written.
struct Present {
    sheet: Sheet,
    /// Its parts so far.
    part: usize,
    /// The next row of the part.
    row: u32,
}

impl SheetWriter for Book {
    fn has_sheets(&self) -> bool {
        true
    }

    fn begin(&mut self, sheet: &Sheet) -> io::Result<()> {
        self.begin_part(sheet.clone(), 1)
    }

    fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        if let Some(present) = self.present.take_if(|present| present.row >= self.max_rows) {
            self.begin_part(present.sheet, present.part + 1)?;
        }
        let Some(present) = &mut self.present else {
            return Err(io::Error::other("no sheet was begun"));
        };
        let sheet = self.workbook.worksheet_from_index(self.sheets - 1).map_err(failed)?;
        for ((n, cell), column) in (0..).zip(cells).zip(&present.sheet.columns) {
            write(sheet, (present.row, n), cell, column.kind, &self.formats).map_err(failed)?;
        }
        present.row += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.sheets == 0 {
            self.workbook.add_worksheet();
        }
        self.workbook.save_to_writer(&mut self.to).map_err(failed)?;
        self.to.flush()
    }
}

impl Book {
    fn begin_part(&mut self, sheet: Sheet, part: usize) -> io::Result<()> {
        let own = self.workbook.add_worksheet_with_constant_memory().map_err(failed)?;
        self.sheets += 1;
        own.set_name(named(&sheet.name, part)).map_err(failed)?;
        for (n, column) in (0..).zip(&sheet.columns) {
            own.set_column_width(n, width(column)).map_err(failed)?;
        }
        own.set_freeze_panes(1, 0).map_err(failed)?;
        for (n, column) in (0..).zip(&sheet.columns) {
            let heading = kept(&column.heading);
            own.write_string_with_format(0, n, heading, &self.formats.heading).map_err(failed)?;
        }
        self.present = Some(Present { sheet, part, row: 1 });
        Ok(())
    }
}

fn failed(error: XlsxError) -> io::Error {
    match error {
        XlsxError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

/// The name of a sheet's part, without the signs that names of sheets cannot hold.
fn named(name: &str, part: usize) -> String {
    let suffix = if part > 1 { format!(" ({part})") } else { String::new() };
    let held = |sign: &char| !"[]:*?/\\".contains(*sign);
    let room = MAX_NAME_CHARS - suffix.chars().count();
    let name: String = kept(name).chars().filter(held).take(room).collect();
    format!("{}{suffix}", name.trim_matches('\''))
}

fn width(column: &Column) -> u16 {
    let least = match column.kind {
        ColumnKind::Text => 16,
        ColumnKind::Amount => 14,
        ColumnKind::Number | ColumnKind::Whole | ColumnKind::Date => 11,
        ColumnKind::Instant => 19,
    };
    let heading = u16::try_from(column.heading.chars().count()).unwrap_or(u16::MAX);
    heading.saturating_add(2).clamp(least, 32)
}

fn write(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    cell: &Cell,
    kind: ColumnKind,
    formats: &Formats,
) -> Result<(), XlsxError> {
    match cell {
        Cell::Empty => {}
        Cell::Text(text) => {
            sheet.write_string(row, column, kept(text))?;
        }
        Cell::Number(number) => {
            let form = if kind == ColumnKind::Amount { &formats.amount } else { &formats.plain };
            match numeric(number).and_then(|number| number.as_f64()) {
                Some(value) => sheet.write_number_with_format(row, column, value, form)?,
                None => sheet.write_string(row, column, number.to_string())?,
            };
        }
        Cell::Whole(number) => {
            match numeric(&Decimal::from(*number)).and_then(|one| one.as_f64()) {
                Some(value) => {
                    sheet.write_number_with_format(row, column, value, &formats.whole)?;
                }
                None => {
                    sheet.write_string(row, column, number.to_string())?;
                }
            }
        }
        Cell::Date(date) => match day(*date) {
            Ok(value) => {
                sheet.write_datetime_with_format(row, column, value, &formats.date)?;
            }
            // Programs do not agree on days before March 1900.
            Err(_) => {
                sheet.write_string(row, column, format_date(*date))?;
            }
        },
        Cell::Instant(instant) => match second(*instant) {
            Ok(value) => {
                sheet.write_datetime_with_format(row, column, value, &formats.instant)?;
            }
            Err(_) => {
                sheet.write_string(row, column, format_instant(*instant))?;
            }
        },
    }
    Ok(())
}

/// The number as a number cell holds it; `None` when it has too many digits for one.
fn numeric(number: &Decimal) -> Option<serde_json::Number> {
    let text = number.to_string();
    let digits = text.chars().filter(char::is_ascii_digit);
    let sure = digits.skip_while(|digit| *digit == '0').count() <= MAX_DIGITS;
    sure.then(|| text.parse().ok()).flatten()
}

/// The first day on which all programs agree: for some, 1900 was a leap year.
const FIRST_DAY: Date = time::macros::date!(1900 - 03 - 01);

fn day(date: Date) -> Result<ExcelDateTime, XlsxError> {
    if date < FIRST_DAY {
        return Err(XlsxError::DateTimeRangeError(format_date(date)));
    }
    let year = u16::try_from(date.year()).unwrap_or_default();
    ExcelDateTime::from_ymd(year, date.month().into(), date.day())
}

fn second(instant: OffsetDateTime) -> Result<ExcelDateTime, XlsxError> {
    day(instant.to_offset(UtcOffset::UTC).date())?;
    ExcelDateTime::from_timestamp(instant.unix_timestamp())
}

/// What of a text a cell can hold.
fn kept(text: &str) -> String {
    let held = |sign: &char| match sign {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        sign => !sign.is_control(),
    };
    shown(text).filter(held).take(MAX_CHARS).collect()
}
