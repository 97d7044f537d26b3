//! What is owed by age, as CSV and PDF.

use racun_access::Entity;
use racun_exports::{Cell, ColumnKind};
use racun_insights::{AgedCustomer, Aging, Buckets};
use racun_kernel::{Currency, Decimal};
use racun_render::{Block, Table, Text};

use super::files::{words, writing};

/// The columns, by the names of the interface.
pub(super) const COLUMNS: [(&str, ColumnKind); 9] = [
    ("customer_id", ColumnKind::Text),
    ("name", ColumnKind::Text),
    ("currency_code", ColumnKind::Text),
    ("current", ColumnKind::Amount),
    ("1-30", ColumnKind::Amount),
    ("31-60", ColumnKind::Amount),
    ("61-90", ColumnKind::Amount),
    ("90+", ColumnKind::Amount),
    ("total", ColumnKind::Amount),
];

/// The amounts of a row: by age, and all of them.
fn amounts(buckets: &Buckets) -> Vec<Decimal> {
    buckets.by_age.iter().cloned().chain([buckets.total()]).collect()
}

/// A row for each customer and currency, the total in the entity's currency, and a row that says
/// how many documents are not in that, where there are some.
pub(super) fn rows(aging: &Aging, currency: Currency) -> Vec<Vec<Cell>> {
    let row = |named: [Cell; 3], buckets: &Buckets| {
        named.into_iter().chain(amounts(buckets).into_iter().map(Cell::from)).collect()
    };
    let customer = |one: &AgedCustomer| {
        let named =
            [one.customer_id.clone().into(), one.name.clone().into(), one.currency.code().into()];
        row(named, &one.buckets)
    };
    let total = row([Cell::Empty, "total".into(), currency.code().into()], &aging.total);
    let missing = (aging.not_converted > 0).then(|| {
        let mut cells = vec![Cell::Empty; COLUMNS.len()];
        cells[1] = format!("not_converted: {}", aging.not_converted).into();
        cells
    });
    aging.customers.iter().map(customer).chain([total]).chain(missing).collect()
}

/// The words of the report on paper.
struct Words {
    title: &'static str,
    day: &'static str,
    columns: [&'static str; 8],
    total: &'static str,
    not_converted: &'static str,
}

const ENGLISH: Words = Words {
    title: "Receivables by age",
    day: "On",
    columns: ["Customer", "Currency", "Not due", "1-30", "31-60", "61-90", "90+", "Total"],
    total: "Total",
    not_converted: "Not in the total, for want of a rate of exchange; documents",
};

const SLOVENIAN: Words = Words {
    title: "Odprte terjatve po zapadlosti",
    day: "Na dan",
    columns: ["Kupec", "Valuta", "Nezapadlo", "1-30", "31-60", "61-90", "90+", "Skupaj"],
    total: "Skupaj",
    not_converted: "Ni v skupnem znesku, ker ni tečaja; dokumentov",
};

/// The report on paper.
pub(super) fn text(aging: &Aging, entity: &Entity) -> Text {
    let (words, language) = words(&entity.locale, SLOVENIAN, ENGLISH);
    let writing = writing(&entity.locale);
    let row = |name: String, currency: Currency, buckets: &Buckets| {
        let amounts = amounts(buckets);
        let amounts = amounts.iter().map(|amount| writing.amount(amount, currency));
        [name, currency.code().to_owned()].into_iter().chain(amounts).collect()
    };
    let customers = aging.customers.iter();
    let rows = customers
        .map(|one| row(one.name.clone().unwrap_or_default(), one.currency, &one.buckets))
        .chain([row(words.total.to_owned(), entity.currency, &aging.total)]);
    let widths = [4, 1, 2, 2, 2, 2, 2, 2];
    let columns = words.columns.iter().zip(widths).map(|(name, width)| ((*name).to_owned(), width));
    let day = format!("{}: {}", words.day, writing.date(aging.date));
    let mut blocks = vec![
        Block::paragraph(entity.name.clone()),
        Block::paragraph(day),
        Block::Table(Table { columns: columns.collect(), rows: rows.collect() }),
    ];
    if aging.not_converted > 0 {
        let said = format!("{}: {}", words.not_converted, aging.not_converted);
        blocks.push(Block::paragraph(said));
    }
    Text { title: words.title.to_owned(), language, blocks }
}
