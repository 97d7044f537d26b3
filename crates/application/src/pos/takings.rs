//! Daily takings, added up where the documents are: [`racun_pos::takings`] says what they mean.
//!
//! All figures are asked in one question, so that a sale that is made meanwhile is in all parts of the
//! report or in none. Documents stay in the database; names of categories are looked up afterwards.

use std::collections::BTreeMap;

use racun_access::Entity;
use racun_catalog::{FINANCIAL_CATEGORIES, FinancialCategory};
use racun_documents::DocumentKind;
use racun_kernel::{
    Clause, Currency, Decimal, FieldKind, Figure, JsonPath, Operator, Part, Scope, Stamp, Store,
    StoreError, Table, Tally, TallyRow, Value, Within,
};
use racun_pos::takings::{Exchange, Ledger, SaleLine, SaleTax, Seller, Takings};
use racun_settlement::PAYMENTS;
use time::Date;

use crate::documents::today;

/// The invoices that are counted.
static INVOICES: &Table = DocumentKind::Invoice.table();

/// The currency that an invoice was converted into, when it was.
const QUOTE: Part = text(&["content", "exchange_rate", "quote_currency"]);

/// What an invoice says of the person who issued it; nothing when none did.
const SELLER: [Part; 3] =
    [text(&["operator", "user_id"]), text(&["operator", "name"]), text(&["operator", "email"])];

const fn text(path: JsonPath) -> Part {
    Part::Body(path, FieldKind::Text)
}

const fn text_of_line(path: JsonPath) -> Part {
    Part::Element(path, FieldKind::Text)
}

const fn number_of_line(path: JsonPath) -> Part {
    Part::Element(path, FieldKind::Number)
}

/// What the invoices issued under `date` come to, in the entity's currency; `None` is today, in its
/// time zone.
///
/// # Errors
/// When the store fails.
pub async fn daily(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    date: Option<Date>,
    stamp: &Stamp,
) -> Result<Takings, StoreError> {
    let (date, currency) = (date.unwrap_or_else(|| today(entity, stamp)), entity.currency);
    let answers = store.tallies(&scope.tenant(), &questions(date, currency)).await?;
    let [voided, sales, taxes, lines, paid, foreign, rates] =
        answers.try_into().map_err(|_| unanswered())?;
    let categories = categories(store, scope, &lines).await?;

    let mut ledger = Ledger::new(date, currency);
    voided.iter().for_each(|row| ledger.void(&row.figures[0]));
    for row in &sales {
        let [net, gross] = [1, 3].map(|place| money(row, place, currency));
        ledger.sell(seller(&row.by[2..]), &row.figures[0], &net, &gross);
    }
    for row in &taxes {
        let [base, amount] = [0, 2].map(|place| money(row, place, currency));
        if let Value::Number(rate) = &row.by[2] {
            ledger.tax(&SaleTax { rate: rate.clone(), base, amount });
        }
    }
    // What has a kind is a heading.
    for row in lines.iter().filter(|row| row.by[3] == Value::Null) {
        let category = row.by[2].as_text();
        let category = category.map(|id| categories.get(&id).cloned().unwrap_or(id));
        let (quantity, total) = (row.figures[0].clone(), money(row, 1, currency));
        ledger.line(&SaleLine { category, quantity, total });
    }
    for row in &paid {
        ledger.pay(&row.by[0].as_text().unwrap_or_default(), &row.figures[0], &row.figures[1]);
    }
    pay_foreign(&mut ledger, &foreign, &rates, currency);
    Ok(ledger.close())
}

/// All that is asked, in the order in which it is read.
fn questions(date: Date, currency: Currency) -> [Tally; 7] {
    let issued = Tally::of(INVOICES)
        .only("date", Operator::Equals(date.into()))
        .only("is_draft", Operator::Equals(false.into()));
    let voided = issued.clone().only("voided_at", Operator::Not(Value::Null));
    let standing = issued.only("voided_at", Operator::Equals(Value::Null));
    let own = Operator::Equals(currency.code().into());
    let other = Operator::Not(currency.code().into());
    let foreign = standing.clone().only("currency_code", other);
    let domestic = standing.clone().only("currency_code", own);
    [
        voided,
        sales(&standing),
        taxes(&standing),
        lines(&standing),
        payments(domestic.clauses, false),
        payments(foreign.clauses.clone(), true),
        rates(&foreign),
    ]
}

/// The currency of an invoice, and the one that it was converted into: [`money`] reads them.
fn currencies() -> [Part; 2] {
    [Part::field(INVOICES, "currency_code"), QUOTE]
}

fn sales(standing: &Tally) -> Tally {
    let column = |name| Figure::Sum(Part::field(INVOICES, name));
    let money = ["total", "total_converted", "total_with_tax", "total_with_tax_converted"];
    let figures = std::iter::once(Figure::Count).chain(money.map(column));
    let by = currencies().into_iter().chain(SELLER);
    Tally { by: by.collect(), figures: figures.collect(), ..standing.clone() }
}

fn taxes(standing: &Tally) -> Tally {
    let rate = number_of_line(&["tax", "rate"]);
    let money: [JsonPath; 4] =
        [&["tax", "base"], &["base_converted"], &["tax", "amount"], &["amount_converted"]];
    Tally {
        each: Some(&["amounts", "taxes"]),
        by: currencies().into_iter().chain([rate]).collect(),
        figures: money.map(|path| Figure::Sum(number_of_line(path))).into(),
        ..standing.clone()
    }
}

fn lines(standing: &Tally) -> Tally {
    let category = [text_of_line(&["financial_category_id"]), text_of_line(&["kind"])];
    let money: [JsonPath; 3] = [&["quantity"], &["total_with_tax"], &["total_with_tax_converted"]];
    Tally {
        each: Some(&["content", "lines"]),
        by: currencies().into_iter().chain(category).collect(),
        figures: money.map(|path| Figure::Sum(number_of_line(path))).into(),
        ..standing.clone()
    }
}

/// Payments of the invoices of which `clauses` hold: by their type, and by their invoice when each has
/// a rate of its own.
fn payments(clauses: Vec<Clause>, by_invoice: bool) -> Tally {
    let [kind, invoice, amount] =
        ["type", "invoice_id", "amount"].map(|name| Part::field(&PAYMENTS, name));
    Tally {
        within: Some(Within::new(&PAYMENTS, "invoice_id", INVOICES, clauses)),
        by: if by_invoice { vec![kind, invoice] } else { vec![kind] },
        figures: vec![Figure::CountDistinct(invoice), Figure::Sum(amount)],
        ..Tally::of(&PAYMENTS)
    }
}

/// The rate of each invoice in another currency.
fn rates(foreign: &Tally) -> Tally {
    let rate = Part::Body(&["content", "exchange_rate", "rate"], FieldKind::Number);
    Tally { by: vec![Part::field(INVOICES, "id"), QUOTE, rate], ..foreign.clone() }
}

/// The sum at `place` of a group that starts with [`currencies`], in `currency`: the sum itself, the
/// converted one behind it, or nothing when it was not converted, or into another.
fn money(row: &TallyRow, place: usize, currency: Currency) -> Decimal {
    let is_own = |value: &Value| *value == currency.code().into();
    match row.by.iter().take(2).position(is_own) {
        Some(nth) => row.figures[place + nth].clone(),
        None => Decimal::zero(),
    }
}

fn seller(by: &[Value]) -> Option<Seller> {
    let [user, name, email] = by else { return None };
    Some(Seller {
        user: user.as_text()?,
        name: name.as_text(),
        email: email.as_text().unwrap_or_default(),
    })
}

/// Adds the payments of invoices in other currencies, each with its invoice's rate.
fn pay_foreign(ledger: &mut Ledger, paid: &[TallyRow], rates: &[TallyRow], currency: Currency) {
    let rates: BTreeMap<_, _> = rates
        .iter()
        .filter_map(|row| match &row.by[..] {
            [Value::Text(id), quote, Value::Number(rate)] if *quote == currency.code().into() => {
                Some((id, Exchange::At(rate.clone())))
            }
            _ => None,
        })
        .collect();
    for row in paid {
        let [Value::Text(kind), Value::Text(invoice)] = &row.by[..] else { continue };
        let exchange = rates.get(invoice).unwrap_or(&Exchange::Unknown);
        ledger.pay(kind, &row.figures[0], &exchange.convert(&row.figures[1], currency));
    }
}

/// The names of the categories that `lines` are grouped by.
async fn categories(
    store: &dyn Store,
    scope: &Scope,
    lines: &[TallyRow],
) -> Result<BTreeMap<String, String>, StoreError> {
    let mut ids: Vec<String> = lines.iter().filter_map(|row| row.by[2].as_text()).collect();
    ids.sort();
    ids.dedup();
    let found: Vec<FinancialCategory> =
        store.get_all(&FINANCIAL_CATEGORIES, &scope.tenant(), &ids).await?;
    Ok(found.into_iter().map(|category| (category.id.to_string(), category.name)).collect())
}

fn unanswered() -> StoreError {
    StoreError::Unavailable("a store answered more or fewer tallies than it was asked".to_owned())
}
