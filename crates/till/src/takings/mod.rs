//! Daily takings, added up where the documents are: [`racun_pos::takings`] says what they mean.
//!
//! All figures come from one query, so that a concurrent sale is in all parts of
//! the report or in none. Documents stay in the database, but for the few whose money has a rate of
//! its own or whose invoice ended on the day. Names of categories are looked up afterwards.

pub(crate) mod late;
mod questions;

use std::collections::BTreeMap;

use racun_access::Entity;
use racun_catalog::{BUSINESS_UNITS, BusinessUnit, FINANCIAL_CATEGORIES, FinancialCategory};
use racun_documents::{Document, DocumentId};
use racun_fiscal::{BusinessPremise, Device, FISCAL_DEVICES, FISCAL_PREMISES};
use racun_kernel::{Currency, Decimal, Issue, Issues};
use racun_pos::takings::{Day, Exchange, Ledger, SaleLine, SaleTax, Seller, Standing, Takings};
use racun_pos::{CLOSINGS, ClosedPlace, Closing, PosError};
use racun_records::get_documents;
use racun_sales::documents::{today, zone};
use racun_store::{Clause, Context, ListQuery, Operator, StoreError, TallyRow, Value};
use time::{Date, OffsetDateTime};

use questions::{Answers, questions};

/// Whose documents a report is about; of all that are named, only those that have all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Id of the business unit.
    pub business_unit: Option<String>,
    /// Where they were fiscalized.
    pub place: ClosedPlace,
}

/// What the day `date` came to, in the entity's currency; `None` is today, in its time zone.
///
/// # Errors
/// A business unit, premise or device that the entity does not have; the store's failure.
pub async fn daily(
    cx: Context<'_>,
    entity: &Entity,
    date: Option<Date>,
    filter: &Filter,
) -> Result<Takings, PosError> {
    must_be_known(cx, filter).await?;
    let date = date.unwrap_or_else(|| today(entity, cx.stamp));
    Ok(of_day(cx, entity, date, filter, None).await?)
}

/// What the day `date` comes to as it is now, when it is closed at `closing` at the latest.
pub(super) async fn of_day(
    cx: Context<'_>,
    entity: &Entity,
    date: Date,
    filter: &Filter,
    closing: Option<OffsetDateTime>,
) -> Result<Takings, StoreError> {
    let closings = closings(cx, &filter.place, date).await?;
    let closed_at = closings.iter().map(|closing| closing.closed_at).chain(closing).min();
    let (day, currency) = (Day::of(date, zone(entity), closed_at), entity.currency);
    let answers = cx.store.tallies(&cx.scope.tenant(), &questions(&day, filter, currency)).await?;
    let answers = Answers::of(answers).ok_or_else(unanswered)?;
    let categories = categories(cx, &answers.lines).await?;
    let documents = documents(cx, &answers).await?;

    let mut ledger = Ledger::new(date, currency);
    add_sales(&mut ledger, &answers, &categories, currency);
    add_refunds(&mut ledger, &answers, currency);
    let undoing = answers.undoing.iter().filter_map(|row| row.by[0].as_text());
    for back in undoing.filter_map(|id| documents.get(&id)) {
        if is_here(back, filter)
            && !back.is_draft()
            && day.standing(back.content.date, back.voided_at()) == Standing::Counts
        {
            leave_out(&mut ledger, back, currency);
        }
    }
    add_money(&mut ledger, &answers, &documents, currency);
    Ok(ledger.close())
}

/// The closings of the day `date` at `place`, and of what the place is in.
async fn closings(
    cx: Context<'_>,
    place: &ClosedPlace,
    date: Date,
) -> Result<Vec<Closing>, StoreError> {
    let premise = ClosedPlace { device: None, ..place.clone() };
    let keys = [place, &premise, &ClosedPlace::default()].map(|place| place.day_key(date).into());
    let clause = Clause::on(&CLOSINGS, "day_key", Operator::In(keys.to_vec()));
    let first = ListQuery::first_page(&CLOSINGS);
    let query = ListQuery { count: false, clauses: vec![clause], ..first };
    Ok(cx.store.page(&CLOSINGS, &cx.scope.tenant(), &query).await?.rows)
}

/// Refuses to report on what the entity does not have: it would be a report of nothing.
///
/// # Errors
/// What is not there, by the interface's names; the store's failure.
pub(super) async fn must_be_known(cx: Context<'_>, filter: &Filter) -> Result<(), PosError> {
    let tenant = cx.scope.tenant();
    let mut issues = Issues::default();
    let mut missing = |field: &'static str, what: &str| {
        let message = format!("there is no such {what} in this entity");
        issues.push(Issue::new("not_found", message).at(field));
    };
    if let Some(id) = &filter.business_unit {
        let found: Option<BusinessUnit> = cx.store.get(&BUSINESS_UNITS, &tenant, id).await?;
        if found.is_none() {
            missing("business_unit_id", "business unit");
        }
    }
    if let Some(name) = &filter.place.premise {
        let named = vec![Clause::on(&FISCAL_PREMISES, "name", Operator::Equals(name.into()))];
        let query = ListQuery { clauses: named, ..ListQuery::first_page(&FISCAL_PREMISES) };
        let page = cx.store.page::<BusinessPremise>(&FISCAL_PREMISES, &tenant, &query).await?;
        let premises: Vec<Value> = page.rows.iter().map(|row| row.id.to_string().into()).collect();
        if premises.is_empty() {
            missing("business_premise_name", "business premise");
        } else if let Some(name) = &filter.place.device {
            let named = Clause::on(&FISCAL_DEVICES, "name", Operator::Equals(name.into()));
            let within = Clause::on(&FISCAL_DEVICES, "premise_id", Operator::In(premises));
            let first = ListQuery::first_page(&FISCAL_DEVICES);
            let query = ListQuery { clauses: vec![named, within], ..first };
            let page = cx.store.page::<Device>(&FISCAL_DEVICES, &tenant, &query).await?;
            if page.rows.is_empty() {
                missing("electronic_device_name", "device in this premise");
            }
        }
    }
    Ok(issues.into_result(())?)
}

fn add_sales(
    ledger: &mut Ledger,
    answers: &Answers,
    categories: &BTreeMap<String, String>,
    currency: Currency,
) {
    answers.voided.iter().for_each(|row| ledger.void(&row.figures[0]));
    for row in &answers.sales {
        let [net, gross] = [1, 3].map(|place| money(row, place, currency));
        ledger.sell(seller(&row.by[2..]), &row.figures[0], &net, &gross);
        ledger.untaxed(&money(row, 5, currency));
    }
    answers.taxes.iter().filter_map(|row| tax(row, currency)).for_each(|tax| ledger.tax(&tax));
    // What has a kind is a heading.
    for row in answers.lines.iter().filter(|row| row.by[3] == Value::Null) {
        let category = row.by[2].as_text();
        let category = category.map(|id| categories.get(&id).cloned().unwrap_or(id));
        let (quantity, total) = (row.figures[0].clone(), money(row, 1, currency));
        ledger.line(&SaleLine { category, quantity, total });
    }
    // What credit notes gave back was counted when they were issued.
    let is_credited = |row: &&TallyRow| matches!(&row.by[2], Value::Number(n) if n.is_positive());
    for row in answers.taken_back.iter().flatten().filter(|row| !is_credited(row)) {
        let [net, gross] = [1, 3].map(|place| money(row, place, currency));
        ledger.take_back(&row.figures[0], &net, &gross);
    }
}

fn add_refunds(ledger: &mut Ledger, answers: &Answers, currency: Currency) {
    for row in &answers.refunds {
        let [net, gross] = [1, 3].map(|place| money(row, place, currency));
        ledger.refund(&row.figures[0], &net, &gross);
        ledger.refund_untaxed(&money(row, 5, currency));
    }
    let taxes = answers.refund_taxes.iter().filter_map(|row| tax(row, currency));
    taxes.for_each(|tax| ledger.refund_tax(&tax));
    for row in answers.refunds_taken_back.iter().flatten() {
        let [net, gross] = [1, 3].map(|place| money(row, place, currency));
        ledger.take_refund_back(&row.figures[0], &net, &gross);
    }
}

/// Takes a credit note away again: its invoice is none of the day's sales.
fn leave_out(ledger: &mut Ledger, back: &Document, currency: Currency) {
    let exchange = exchange(back, currency);
    let less = |own: &Decimal, converted: &Option<Decimal>| match exchange {
        Exchange::Same => -own,
        Exchange::At(_) => converted.as_ref().map_or_else(Decimal::zero, |amount| -amount),
        Exchange::Unknown => Decimal::zero(),
    };
    let amounts = &back.amounts;
    let net = less(&amounts.total, &amounts.total_converted);
    let gross = less(&amounts.total_with_tax, &amounts.total_with_tax_converted);
    ledger.refund(&Decimal::from(-1), &net, &gross);
    ledger.refund_untaxed(&less(&amounts.untaxed, &amounts.untaxed_converted));
    for row in &amounts.taxes {
        let base = less(&row.tax.base, &row.base_converted);
        let amount = less(&row.tax.amount, &row.amount_converted);
        ledger.refund_tax(&SaleTax { rate: row.tax.rate.clone(), base, amount });
    }
}

/// Adds what was paid. Documents in another currency have each a rate of their own.
fn add_money(
    ledger: &mut Ledger,
    answers: &Answers,
    documents: &BTreeMap<String, Document>,
    currency: Currency,
) {
    type Add = fn(&mut Ledger, &str, &Decimal, &Decimal);
    let mut add = |answers: &[Vec<TallyRow>; 2], nth: usize, add: Add| {
        for row in answers.iter().flatten() {
            let kind = row.by[0].as_text().unwrap_or_default();
            let amount = match row.by.get(1).and_then(Value::as_text) {
                None => row.figures[nth].clone(),
                Some(id) => {
                    let document = documents.get(&id);
                    let exchange = document.map_or(Exchange::Unknown, |it| exchange(it, currency));
                    exchange.convert(&row.figures[nth], currency)
                }
            };
            add(ledger, &kind, &row.figures[0], &amount);
        }
    };
    add(&answers.paid, 1, Ledger::pay);
    add(&answers.paid_on_the_day, 1, |ledger, kind, _, total| ledger.pay_on_the_day(kind, total));
    for received in [&answers.received, &answers.received_ahead] {
        add(received, 1, |ledger, kind, _, total| ledger.receive(kind, total));
        add(received, 2, |ledger, kind, _, total| ledger.tip(kind, total));
    }
    add(&answers.given_back, 1, Ledger::give_back);
    for row in answers.returned.iter().flatten() {
        let [kind, id] = [0, 1].map(|place| row.by[place].as_text().unwrap_or_default());
        let Some(document) = documents.get(&id) else { continue };
        if !document.amounts.total_credited.is_positive() {
            let amount = exchange(document, currency).convert(&row.figures[1], currency);
            ledger.return_by_voiding(&kind, &amount);
        }
    }
}

/// How money of `document` becomes money in `currency`.
fn exchange(document: &Document, currency: Currency) -> Exchange {
    match &document.content.exchange_rate {
        _ if document.content.currency == currency => Exchange::Same,
        Some(rate) if rate.quote_currency == currency => Exchange::At(rate.rate.clone()),
        Some(_) | None => Exchange::Unknown,
    }
}

/// Whether `filter` lets `document` through.
fn is_here(document: &Document, filter: &Filter) -> bool {
    let unit = document.content.business_unit_id.map(|id| id.to_string());
    let record = document.fiscal_record();
    let is = |wanted: &Option<String>, own: Option<&String>| {
        wanted.as_ref().is_none_or(|name| own == Some(name))
    };
    is(&filter.business_unit, unit.as_ref())
        && is(&filter.place.premise, record.map(|record| &record.premise))
        && is(&filter.place.device, record.and_then(|record| record.device.as_ref()))
}

/// The sum at `place` of a group that starts with the document's currency and the one that it was
/// converted into, in `currency`: the sum itself, the converted one behind it, or nothing when it
/// was not converted, or into another.
fn money(row: &TallyRow, place: usize, currency: Currency) -> Decimal {
    let is_own = |value: &Value| *value == currency.code().into();
    match row.by.iter().take(2).position(is_own) {
        Some(nth) => row.figures[place + nth].clone(),
        None => Decimal::zero(),
    }
}

fn tax(row: &TallyRow, currency: Currency) -> Option<SaleTax> {
    let [base, amount] = [0, 2].map(|place| money(row, place, currency));
    match &row.by[2] {
        Value::Number(rate) => Some(SaleTax { rate: rate.clone(), base, amount }),
        _ => None,
    }
}

fn seller(by: &[Value]) -> Option<Seller> {
    let [user, label, name, email] = by else { return None };
    let seller = Seller {
        user: user.as_text(),
        label: label.as_text(),
        name: name.as_text(),
        email: email.as_text(),
    };
    (seller.user.is_some() || seller.label.is_some()).then_some(seller)
}

/// The documents that the answers name one by one.
async fn documents(
    cx: Context<'_>,
    answers: &Answers,
) -> Result<BTreeMap<String, Document>, StoreError> {
    let Answers { paid, paid_on_the_day, received, received_ahead, given_back, .. } = answers;
    let money = [paid, paid_on_the_day, received, received_ahead, given_back];
    let foreign = money.into_iter().flat_map(|[_, foreign]| foreign);
    let paid = foreign.chain(answers.returned.iter().flatten()).filter_map(|row| row.by.get(1));
    let undoing = answers.undoing.iter().filter_map(|row| row.by.first());
    let mut ids: Vec<DocumentId> =
        paid.chain(undoing).filter_map(Value::as_text).filter_map(|id| id.parse().ok()).collect();
    ids.sort_unstable();
    ids.dedup();
    let found = get_documents(cx.store, cx.scope, ids.into_iter()).await?;
    Ok(found.into_iter().map(|document| (document.id.to_string(), document)).collect())
}

/// The names of the categories that `lines` are grouped by.
async fn categories(
    cx: Context<'_>,
    lines: &[TallyRow],
) -> Result<BTreeMap<String, String>, StoreError> {
    let mut ids: Vec<String> = lines.iter().filter_map(|row| row.by[2].as_text()).collect();
    ids.sort();
    ids.dedup();
    let found: Vec<FinancialCategory> =
        cx.store.get_all(&FINANCIAL_CATEGORIES, &cx.scope.tenant(), &ids).await?;
    Ok(found.into_iter().map(|category| (category.id.to_string(), category.name)).collect())
}

fn unanswered() -> StoreError {
    StoreError::Unavailable("a store answered more or fewer tallies than it was asked".to_owned())
}
