//! A statement as CSV and PDF.

use racun_access::Entity;
use racun_exports::{Cell, ColumnKind};
use racun_insights::MovementKind;
use racun_kernel::Decimal;
use racun_render::{Block, Table, Text};
use racun_reporting::receivables::CustomerStatement;

use super::files::{words, writing};

/// The columns, by the names of the interface.
pub(super) const COLUMNS: [(&str, ColumnKind); 5] = [
    ("date", ColumnKind::Date),
    ("type", ColumnKind::Text),
    ("reference", ColumnKind::Text),
    ("amount", ColumnKind::Amount),
    ("balance", ColumnKind::Amount),
];

/// The rows: the opening balance first, the closing one last; and one that names the currencies of
/// documents that are not in it, where there are some.
pub(super) fn rows(found: &CustomerStatement) -> Vec<Vec<Cell>> {
    let account = &found.statement;
    let balance = |date, kind: &str, balance: &Decimal| {
        vec![Cell::Date(date), kind.into(), Cell::Empty, Cell::Empty, balance.clone().into()]
    };
    let moved = account.movements.iter().map(|(movement, behind)| {
        vec![
            Cell::Date(movement.date),
            movement.kind.name().into(),
            movement.reference.clone().into(),
            movement.amount.clone().into(),
            behind.clone().into(),
        ]
    });
    let opening = balance(account.from, "opening_balance", &account.opening_balance);
    let closing = balance(account.to, "closing_balance", &account.closing_balance);
    let others = named_others(found).map(|codes| {
        vec![Cell::Empty, "other_currencies".into(), codes.into(), Cell::Empty, Cell::Empty]
    });
    [opening].into_iter().chain(moved).chain([closing]).chain(others).collect()
}

/// The other currencies in which the customer has documents: `CHF, USD`.
fn named_others(found: &CustomerStatement) -> Option<String> {
    let others = &found.other_currencies;
    (!others.is_empty()).then(|| others.join(", "))
}

/// The words of a statement on paper.
struct Words {
    title: &'static str,
    days: &'static str,
    opening: &'static str,
    closing: &'static str,
    others: &'static str,
    columns: [&'static str; 5],
    kinds: [&'static str; 5],
}

const ENGLISH: Words = Words {
    title: "Statement of account",
    days: "From/to",
    opening: "Opening balance",
    closing: "Closing balance",
    others: "Not in this statement; documents in",
    columns: ["Date", "Document", "Number", "Amount", "Balance"],
    kinds: ["Invoice", "Credit note", "Void", "Payment", "Refund"],
};

const SLOVENIAN: Words = Words {
    title: "Kartica kupca",
    days: "Od/do",
    opening: "Začetno stanje",
    closing: "Končno stanje",
    others: "Ni v tej kartici; dokumenti v valutah",
    columns: ["Datum", "Dokument", "Številka", "Znesek", "Stanje"],
    kinds: ["Račun", "Dobropis", "Razveljavitev", "Plačilo", "Vračilo"],
};

/// The statement on paper.
pub(super) fn text(found: &CustomerStatement, entity: &Entity) -> Text {
    let (words, language) = words(&entity.locale, SLOVENIAN, ENGLISH);
    let writing = writing(&entity.locale);
    let (account, currency) = (&found.statement, found.currency);
    let kind = |kind: MovementKind| match kind {
        MovementKind::Invoice => words.kinds[0],
        MovementKind::CreditNote => words.kinds[1],
        MovementKind::Void => words.kinds[2],
        MovementKind::Payment => words.kinds[3],
        MovementKind::Refund => words.kinds[4],
    };
    let rows = account.movements.iter().map(|(movement, balance)| {
        vec![
            writing.date(movement.date),
            kind(movement.kind).to_owned(),
            movement.reference.clone().unwrap_or_default(),
            writing.amount(&movement.amount, currency),
            writing.amount(balance, currency),
        ]
    });
    let (from, to) = (writing.date(account.from), writing.date(account.to));
    let days = format!("{}: {from} – {to}", words.days);
    let said = |name, balance| format!("{name}: {}", writing.money(balance, currency));
    let opening = said(words.opening, &account.opening_balance);
    let closing = said(words.closing, &account.closing_balance);
    let widths = [2, 2, 3, 2, 2];
    let columns = words.columns.iter().zip(widths).map(|(name, width)| ((*name).to_owned(), width));
    let others = named_others(found).map(|codes| format!("{}: {codes}", words.others));
    let mut blocks = vec![
        Block::paragraph(entity.name.clone()),
        Block::heading(found.customer.name.clone()),
        Block::paragraph(days),
        Block::paragraph(opening),
        Block::Table(Table { columns: columns.collect(), rows: rows.collect() }),
        Block::paragraph(closing),
    ];
    blocks.extend(others.map(Block::paragraph));
    Text { title: words.title.to_owned(), language, blocks }
}
