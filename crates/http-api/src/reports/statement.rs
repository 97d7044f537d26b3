//! A statement as CSV and PDF.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _};

use racun_access::Entity;
use racun_exports::{Cell, Column, ColumnKind, Csv, CsvStyle, Sheet, SheetWriter as _};
use racun_insights::MovementKind;
use racun_kernel::calendar::format_date;
use racun_render::{Block, Table, Text};
use racun_reporting::receivables::CustomerStatement;

use crate::error::ApiError;

/// The columns, by the names of the interface.
const COLUMNS: [(&str, ColumnKind); 5] = [
    ("date", ColumnKind::Date),
    ("type", ColumnKind::Text),
    ("reference", ColumnKind::Text),
    ("amount", ColumnKind::Amount),
    ("balance", ColumnKind::Amount),
];

/// The rows as CSV in the style of `locale`, at its beginning: the opening balance first, the
/// closing one last.
pub(super) fn csv(found: &CustomerStatement, locale: &str) -> Result<File, ApiError> {
    write(found, locale).map_err(ApiError::unavailable)
}

fn write(found: &CustomerStatement, locale: &str) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let to = Box::new(BufWriter::new(file.try_clone()?));
    let mut csv = Csv::new(to, CsvStyle::of(locale, true));
    let column = |(heading, kind): (&str, ColumnKind)| Column { heading: heading.to_owned(), kind };
    let columns = COLUMNS.map(column).into();
    csv.begin(&Sheet { name: "statement".to_owned(), columns })?;
    let account = &found.statement;
    let balance = |date, kind: &str, balance: &racun_kernel::Decimal| {
        [Cell::Date(date), kind.into(), Cell::Empty, Cell::Empty, balance.clone().into()]
    };
    csv.row(&balance(account.from, "opening_balance", &account.opening_balance))?;
    for (movement, behind) in &account.movements {
        csv.row(&[
            Cell::Date(movement.date),
            movement.kind.name().into(),
            movement.reference.clone().into(),
            movement.amount.clone().into(),
            behind.clone().into(),
        ])?;
    }
    csv.row(&balance(account.to, "closing_balance", &account.closing_balance))?;
    Box::new(csv).finish()?;
    file.rewind()?;
    Ok(file)
}

/// The words of a statement on paper.
struct Words {
    title: &'static str,
    days: &'static str,
    opening: &'static str,
    closing: &'static str,
    columns: [&'static str; 5],
    kinds: [&'static str; 4],
}

const ENGLISH: Words = Words {
    title: "Statement of account",
    days: "From/to",
    opening: "Opening balance",
    closing: "Closing balance",
    columns: ["Date", "Document", "Number", "Amount", "Balance"],
    kinds: ["Invoice", "Credit note", "Payment", "Refund"],
};

const SLOVENIAN: Words = Words {
    title: "Izpisek odprtih postavk",
    days: "Od/do",
    opening: "Začetno stanje",
    closing: "Končno stanje",
    columns: ["Datum", "Dokument", "Številka", "Znesek", "Stanje"],
    kinds: ["Račun", "Dobropis", "Plačilo", "Vračilo"],
};

/// The statement on paper: in Slovenian for entities whose locale is that, otherwise in English.
pub(super) fn text(found: &CustomerStatement, entity: &Entity) -> Text {
    let is_slovenian = entity.locale.starts_with("sl");
    let words = if is_slovenian { SLOVENIAN } else { ENGLISH };
    let account = &found.statement;
    let kind = |kind: MovementKind| match kind {
        MovementKind::Invoice => words.kinds[0],
        MovementKind::CreditNote => words.kinds[1],
        MovementKind::Payment => words.kinds[2],
        MovementKind::Refund => words.kinds[3],
    };
    let rows = account.movements.iter().map(|(movement, balance)| {
        vec![
            format_date(movement.date),
            kind(movement.kind).to_owned(),
            movement.reference.clone().unwrap_or_default(),
            movement.amount.to_string(),
            balance.to_string(),
        ]
    });
    let currency = found.currency;
    let days = format!("{}: {} – {}", words.days, account.from, account.to);
    let opening = format!("{}: {} {currency}", words.opening, account.opening_balance);
    let closing = format!("{}: {} {currency}", words.closing, account.closing_balance);
    let widths = [2, 2, 3, 2, 2];
    let columns = words.columns.iter().zip(widths).map(|(name, width)| ((*name).to_owned(), width));
    Text {
        title: words.title.to_owned(),
        language: if is_slovenian { "sl-SI" } else { "en-US" }.to_owned(),
        blocks: vec![
            Block::paragraph(entity.name.clone()),
            Block::heading(found.customer.name.clone()),
            Block::paragraph(days),
            Block::paragraph(opening),
            Block::Table(Table { columns: columns.collect(), rows: rows.collect() }),
            Block::paragraph(closing),
        ],
    }
}
