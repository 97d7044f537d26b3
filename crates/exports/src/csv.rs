//! Rows as CSV: RFC 4180, in UTF-8.

use std::io::{self, Write};

use racun_kernel::Decimal;
use racun_kernel::calendar::{format_date, format_instant};

use crate::{Cell, Sheet, SheetWriter, shown};

/// The locales in which spreadsheet programs part cells by semicolons, for commas are in numbers.
const SEMICOLONS: [&str; 4] = ["sl-SI", "hr-HR", "de-DE", "pt-PT"];

/// What a spreadsheet program takes for the beginning of a formula, as it is and in full width.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// How cells are parted and numbers written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvStyle {
    /// Whether cells are parted by `;` and decimals by `,`; otherwise by `,` and `.`.
    pub semicolons: bool,
    /// Whether the file begins with the mark by which programs see that it is UTF-8.
    pub byte_order_mark: bool,
}

impl CsvStyle {
    /// The style of `locale`.
    #[must_use]
    pub fn of(locale: &str, byte_order_mark: bool) -> Self {
        Self { semicolons: SEMICOLONS.contains(&locale), byte_order_mark }
    }
}

/// Writes one sheet as CSV.
pub struct Csv {
    to: Box<dyn Write + Send>,
    style: CsvStyle,
    line: String,
}

impl Csv {
    /// A writer to `to`.
    #[must_use]
    pub fn new(to: Box<dyn Write + Send>, style: CsvStyle) -> Self {
        Self { to, style, line: String::new() }
    }

    fn write_line(&mut self, cells: &[Cell]) -> io::Result<()> {
        self.line.clear();
        for (n, cell) in cells.iter().enumerate() {
            if n > 0 {
                self.line.push(if self.style.semicolons { ';' } else { ',' });
            }
            push(&mut self.line, cell, self.style);
        }
        self.line.push_str("\r\n");
        self.to.write_all(self.line.as_bytes())
    }
}

impl SheetWriter for Csv {
    fn has_sheets(&self) -> bool {
        false
    }

    fn begin(&mut self, sheet: &Sheet) -> io::Result<()> {
        if self.style.byte_order_mark {
            self.to.write_all("\u{feff}".as_bytes())?;
        }
        let headings: Vec<Cell> =
            sheet.columns.iter().map(|column| Cell::from(&column.heading)).collect();
        self.write_line(&headings)
    }

    fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        self.write_line(cells)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.to.flush()
    }
}

fn push(line: &mut String, cell: &Cell, style: CsvStyle) {
    match cell {
        Cell::Empty => {}
        Cell::Text(text) => push_text(line, text),
        Cell::Number(number) => line.push_str(&written(number, style)),
        Cell::Whole(number) => line.push_str(&number.to_string()),
        Cell::Date(date) => line.push_str(&format_date(*date)),
        Cell::Instant(instant) => line.push_str(&format_instant(*instant)),
    }
}

fn written(number: &Decimal, style: CsvStyle) -> String {
    let text = number.to_string();
    if style.semicolons { text.replace('.', ",") } else { text }
}

/// The text in quotes; with an apostrophe before what could be taken for a formula, also behind
/// blanks, which some programs pass over.
fn push_text(line: &mut String, text: &str) {
    line.push('"');
    let first = shown(text).find(|sign| !matches!(sign, ' ' | '\u{a0}' | '\u{feff}'));
    if first.is_some_and(|first| FORMULA.contains(&first)) {
        line.push('\'');
    }
    for sign in shown(text) {
        if sign == '"' {
            line.push('"');
        }
        line.push(sign);
    }
    line.push('"');
}
