//! What takings ask the database for, all at once.

use racun_documents::{DocumentKind, RELATIONS, RelationType};
use racun_kernel::Currency;
use racun_pos::takings::{Day, SETTLEMENTS};
use racun_settlement::PAYMENTS;
use racun_store::{
    Clause, Condition, FieldKind, Figure, JsonPath, Operator, Part, Table, Tally, TallyRow, Value,
    Within,
};

use super::Filter;

pub(super) static INVOICES: &Table = racun_documents::table_of(DocumentKind::Invoice);
pub(super) static CREDIT_NOTES: &Table = racun_documents::table_of(DocumentKind::CreditNote);
pub(super) static ADVANCES: &Table = racun_documents::table_of(DocumentKind::AdvanceInvoice);

/// The currency that a document was converted into, when it was.
const QUOTE: Part = text(&["content", "exchange_rate", "quote_currency"]);

/// What an invoice says of who issued it; nothing when the issuer is unknown.
const SELLER: [Part; 4] = [
    text(&["operator", "user_id"]),
    text(&["fiscal", "record", "operator_label"]),
    text(&["operator", "name"]),
    text(&["operator", "email"]),
];

/// What was given beyond the amounts of payments.
const TIPS: Figure = Figure::Sum(Part::Body(&["tip"], FieldKind::Number));

/// Before tax and with tax, each as it is and converted.
const TOTALS: [&str; 4] =
    ["total", "total_converted", "total_with_tax", "total_with_tax_converted"];

/// What no tax is on, as it is and converted.
const UNTAXED: [Figure; 2] = [
    Figure::Sum(Part::Body(&["amounts", "untaxed"], FieldKind::Number)),
    Figure::Sum(Part::Body(&["amounts", "untaxed_converted"], FieldKind::Number)),
];

const fn text(path: JsonPath) -> Part {
    Part::Body(path, FieldKind::Text)
}

const fn text_of_line(path: JsonPath) -> Part {
    Part::Element(path, FieldKind::Text)
}

const fn number_of_line(path: JsonPath) -> Part {
    Part::Element(path, FieldKind::Number)
}

/// The answers, in the order in which they are asked for. Those on money are two: of documents in
/// the report's currency, by type; and of others, by type and document, for each has a rate of its
/// own.
pub(super) struct Answers {
    pub voided: Vec<TallyRow>,
    pub sales: Vec<TallyRow>,
    pub taxes: Vec<TallyRow>,
    pub lines: Vec<TallyRow>,
    pub taken_back: [Vec<TallyRow>; 2],
    pub refunds: Vec<TallyRow>,
    pub refund_taxes: Vec<TallyRow>,
    pub refunds_taken_back: [Vec<TallyRow>; 2],
    /// Ids of the credit notes of invoices that the day does not count.
    pub undoing: Vec<TallyRow>,
    pub paid: [Vec<TallyRow>; 2],
    pub paid_on_the_day: [Vec<TallyRow>; 2],
    /// This and the next one with tips as a third figure.
    pub received: [Vec<TallyRow>; 2],
    pub received_ahead: [Vec<TallyRow>; 2],
    pub given_back: [Vec<TallyRow>; 2],
    /// Of invoices and of advance invoices that were voided on the day, by type and document.
    pub returned: [Vec<TallyRow>; 2],
}

impl Answers {
    /// The answers to [`questions`].
    pub fn of(answers: Vec<Vec<TallyRow>>) -> Option<Self> {
        let mut next = answers.into_iter();
        let mut one = || next.next();
        let read = Self {
            voided: one()?,
            sales: one()?,
            taxes: one()?,
            lines: one()?,
            taken_back: [one()?, one()?],
            refunds: one()?,
            refund_taxes: one()?,
            refunds_taken_back: [one()?, one()?],
            undoing: one()?,
            paid: [one()?, one()?],
            paid_on_the_day: [one()?, one()?],
            received: [one()?, one()?],
            received_ahead: [one()?, one()?],
            given_back: [one()?, one()?],
            returned: [one()?, one()?],
        };
        next.next().is_none().then_some(read)
    }
}

/// All that is asked, in the order of [`Answers`].
pub(super) fn questions(day: &Day, filter: &Filter, currency: Currency) -> Vec<Tally> {
    let all = of_the_day(INVOICES, day);
    let voided = all.clone().only("voided_at", Operator::Lt(day.cut.into()));
    let invoices = standing(INVOICES, day, filter);
    let credit_notes = standing(CREDIT_NOTES, day, filter);
    let mut asked =
        vec![here(voided.clone(), filter), sales(&invoices), taxes(&invoices), lines(&invoices)];
    asked.extend(taken_back(INVOICES, day, filter));
    asked.extend([with_untaxed(totals(&credit_notes, Vec::new())), taxes(&credit_notes)]);
    asked.extend(taken_back(CREDIT_NOTES, day, filter));
    asked.push(undoing(voided));

    let anywhere = |table| here(Tally::of(table), filter);
    let (whenever, today) = (Tally::of(&PAYMENTS), money_of(day));
    let on_the_day: Vec<Condition> = today.clauses.iter().map(condition).collect();
    for (payments, filter, documents, field, is_looked_up) in [
        (&whenever, Vec::new(), &invoices, "invoice_id", false),
        (&whenever, on_the_day, &invoices, "invoice_id", false),
        (&today, Vec::new(), &anywhere(INVOICES), "invoice_id", true),
        (&today, Vec::new(), &anywhere(ADVANCES), "advance_invoice_id", true),
        (&today, Vec::new(), &anywhere(CREDIT_NOTES), "credit_note_id", true),
    ] {
        let table = documents.table;
        let within = Within::new(&PAYMENTS, field, table, documents.clauses.clone());
        let within = Within { is_looked_up, ..within };
        for is_foreign in [false, true] {
            let own = currency.code().into();
            let operator = if is_foreign { Operator::Not(own) } else { Operator::Equals(own) };
            let currency = Condition { part: Part::named(table, "currency_code"), operator };
            let mut paid = paid(payments, field, within.clone(), is_foreign);
            paid.filter = filter.iter().cloned().chain([currency]).collect();
            if is_looked_up && field != "credit_note_id" {
                paid.figures.push(TIPS);
            }
            asked.push(paid);
        }
    }
    let money = whenever.only("type", is_money());
    for (table, field) in [(INVOICES, "invoice_id"), (ADVANCES, "advance_invoice_id")] {
        let voided = anywhere(table)
            .only("voided_at", Operator::Gte(day.start.into()))
            .only("voided_at", Operator::Lt(day.end.into()));
        let within = Within::new(&PAYMENTS, field, table, voided.clauses);
        asked.push(paid(&money, field, within, true));
    }
    asked
}

/// Issued documents of the day's date.
fn of_the_day(table: &'static Table, day: &Day) -> Tally {
    Tally::of(table)
        .only("date", Operator::Equals(day.date.into()))
        .only("is_draft", Operator::Equals(false.into()))
}

/// Those that count.
fn standing(table: &'static Table, day: &Day, filter: &Filter) -> Tally {
    let not_voided = Operator::NotBefore(day.cut.into());
    here(of_the_day(table, day), filter).only("voided_at", not_voided)
}

/// The same tally of the documents that `filter` lets through.
fn here(tally: Tally, filter: &Filter) -> Tally {
    let wanted = [
        ("business_unit_id", &filter.business_unit),
        ("fiscal_premise", &filter.place.premise),
        ("fiscal_device", &filter.place.device),
    ];
    wanted.into_iter().fold(tally, |tally, (field, name)| match name {
        Some(name) => tally.only(field, Operator::Equals(name.into())),
        None => tally,
    })
}

/// Documents that were counted before and voided on the day: of earlier dates, and of the day's own
/// date after its closing. The third of what they are grouped by is what credit notes gave back.
fn taken_back(table: &'static Table, day: &Day, filter: &Filter) -> [Tally; 2] {
    let credited = Part::Body(&["amounts", "total_credited"], FieldKind::Number);
    let of = |from: time::OffsetDateTime, date| {
        let voided = here(Tally::of(table), filter)
            .only("voided_at", Operator::Gte(from.into()))
            .only("voided_at", Operator::Lt(day.end.into()))
            .only("date", date);
        totals(&voided, vec![credited])
    };
    let (before, own) = (Operator::Lt(day.date.into()), Operator::Equals(day.date.into()));
    [of(day.start, before), of(day.cut.max(day.start), own)]
}

/// The currency of a document, and the one that it was converted into: [`super::money`]
/// reads them.
fn currencies(table: &'static Table) -> impl Iterator<Item = Part> {
    [Part::field(table, "currency_code"), QUOTE].into_iter()
}

/// How many, and their totals, by currencies and `by`.
fn totals(documents: &Tally, by: Vec<Part>) -> Tally {
    let sums = TOTALS.map(|name| Figure::Sum(Part::field(documents.table, name)));
    Tally {
        by: currencies(documents.table).chain(by).collect(),
        figures: std::iter::once(Figure::Count).chain(sums).collect(),
        ..documents.clone()
    }
}

fn sales(standing: &Tally) -> Tally {
    with_untaxed(totals(standing, SELLER.into()))
}

/// The same with what no tax is on, behind the totals.
fn with_untaxed(mut totals: Tally) -> Tally {
    totals.figures.extend(UNTAXED);
    totals
}

fn taxes(standing: &Tally) -> Tally {
    let rate = number_of_line(&["tax", "rate"]);
    let money: [JsonPath; 4] =
        [&["tax", "base"], &["base_converted"], &["tax", "amount"], &["amount_converted"]];
    Tally {
        each: Some(&["amounts", "taxes"]),
        by: currencies(standing.table).chain([rate]).collect(),
        figures: money.map(|path| Figure::Sum(number_of_line(path))).into(),
        ..standing.clone()
    }
}

fn lines(standing: &Tally) -> Tally {
    let category = [text_of_line(&["financial_category_id"]), text_of_line(&["kind"])];
    let money: [JsonPath; 3] = [&["quantity"], &["total_with_tax"], &["total_with_tax_converted"]];
    Tally {
        each: Some(&["content", "lines"]),
        by: currencies(standing.table).chain(category).collect(),
        figures: money.map(|path| Figure::Sum(number_of_line(path))).into(),
        ..standing.clone()
    }
}

/// The credit notes of the invoices that `voided` finds.
fn undoing(voided: Tally) -> Tally {
    let credits = RelationType::CreditFor.name();
    let within = Within::new(&RELATIONS, "target_id", voided.table, voided.clauses);
    Tally {
        within: Some(within),
        by: vec![Part::field(&RELATIONS, "source_id")],
        ..Tally::of(&RELATIONS).only("relation_type", Operator::Equals(credits.into()))
    }
}

/// Payments of the day's date by which money moved.
fn money_of(day: &Day) -> Tally {
    let today = Operator::Equals(day.date.into());
    Tally::of(&PAYMENTS).only("date", today).only("type", is_money())
}

/// The same as `clause` says, for some of the tallies of its rows.
fn condition(clause: &Clause) -> Condition {
    Condition::on(&PAYMENTS, clause.field.name, clause.operator.clone())
}

fn is_money() -> Operator {
    Operator::NotIn(SETTLEMENTS.map(Value::from).to_vec())
}

/// `payments` on the documents of `within`, which their `field` names: how many documents, and how
/// much, by type and perhaps by document.
fn paid(payments: &Tally, field: &str, within: Within, by_document: bool) -> Tally {
    let [kind, document, amount] =
        ["type", field, "amount"].map(|name| Part::field(&PAYMENTS, name));
    Tally {
        within: Some(within),
        by: if by_document { vec![kind, document] } else { vec![kind] },
        figures: vec![Figure::CountDistinct(document), Figure::Sum(amount)],
        ..payments.clone()
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    /// A report over many payments has the time for few joins.
    #[test]
    fn payments_are_joined_with_documents_once_for_each_set_of_documents() {
        let day = Day::of(date!(2026 - 11 - 22), "Europe/Ljubljana", None);
        let asked = questions(&day, &Filter::default(), Currency::EUR);
        let joins: Vec<(&str, bool)> = Tally::of_the_same_rows(&asked)
            .iter()
            .map(|places| &asked[places[0]])
            .filter(|tally| tally.table == &PAYMENTS)
            .filter_map(|tally| tally.within.as_ref())
            .map(|within| (within.table.name, within.is_looked_up))
            .collect();
        let of_the_day = [("invoices", false)];
        let of_today = ["invoices", "advance_invoices", "credit_notes"].map(|name| (name, true));
        let of_voided = [("invoices", false), ("advance_invoices", false)];
        assert_eq!(joins, [&of_the_day[..], &of_today, &of_voided].concat());
    }
}
