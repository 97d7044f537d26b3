//! Daily takings: what the invoices of a day come to, what was given back on it, and what the
//! drawer has of it.
//!
//! [`takings`] defines the report, of plain facts. A store that adds up by itself fills a
//! [`Ledger`] with whole groups instead of single facts, and must come to the same.
//!
//! | Module   | Owns                                                             |
//! | -------- | ---------------------------------------------------------------- |
//! | `facts`  | what a report looks at, and on which day a voiding shows         |
//! | `report` | its figures, and the laws that they obey                         |
//! | `ledger` | adding up                                                        |
//!
//! A report has two sides, and says how one leads to the other ([`Takings::laws`]).
//!
//! **The day's invoices.** Counted are the invoices that were issued under the day's date. Those
//! that were voided before the day was over are counted apart (`totals.voided`), and nothing else
//! of them is in the report. One that is voided on a later day stays in the day of its date, as
//! that day was, and shows in the day of the voiding (`voided_later`), unless credit notes took it
//! back: then these show. A day that was closed before it was over is held to be over since.
//! Payments (`by_payment_type`) are those of the counted invoices, whenever they were made;
//! `unpaid` is the rest.
//!
//! **The day's money.** `net_by_payment_type` is the money of all payments that bear the day's
//! date: what invoices and advance invoices of any day were paid, less what was given back of
//! credit notes. It is what the drawer has. What is voided without a credit note gives its money
//! back on the day of the voiding, for nothing else can. Settlements ([`SETTLEMENTS`]) move no
//! money.
//!
//! - All money is in the currency of the report. A document in another currency counts with what it
//!   was converted to; without a rate, it is counted and its money is left out.
//!   What one document was paid in one way is added up, then converted once.
//! - Totals by category and by operator are with tax, as what is in the drawer. The tax of the
//!   totals is what lies between net and gross, so these three always agree; the amounts by rate
//!   are the documents' own, each rounded, and may miss it by that.
//! - Drafts, and what is in the trash, are no facts; but money that a draft advance invoice was
//!   paid is money.

mod facts;
mod ledger;
mod report;

use std::collections::{BTreeMap, BTreeSet};

use racun_kernel::{Currency, Decimal};

pub use facts::{
    Advance, Day, Exchange, Facts, On, Paid, Return, SETTLEMENTS, Sale, SaleLine, SaleTax, Seller,
    Standing, is_money,
};
pub use ledger::Ledger;
pub use report::{
    Law, MoneyBack, MoneyOfKind, OperatorTakings, PaymentTakings, Refunds, TakenBack, Takings,
    Totals,
};

/// What `facts` come to on `day`, in `currency`.
///
/// This is what the figures of the report mean.
#[must_use]
pub fn takings(day: &Day, currency: Currency, facts: &Facts) -> Takings {
    let mut ledger = Ledger::new(day.date, currency);
    let one = Decimal::from(1);
    let mut counted = BTreeSet::new();
    for sale in &facts.sales {
        match day.standing(sale.date, sale.voided_at) {
            Standing::Counts => {
                counted.insert(&sale.invoice);
                ledger.sell(sale.seller.clone(), &one, &sale.net, &sale.gross);
                sale.taxes.iter().for_each(|tax| ledger.tax(tax));
                ledger.untaxed(&sale.untaxed);
                sale.lines.iter().for_each(|line| ledger.line(line));
            }
            Standing::Voided => ledger.void(&one),
            Standing::Elsewhere => {}
        }
        if day.takes_back(sale.date, sale.voided_at) && !sale.is_credited {
            ledger.take_back(&one, &sale.net, &sale.gross);
        }
    }
    for back in &facts.returns {
        let undone = |(date, at): &(_, _)| day.standing(*date, *at) == Standing::Voided;
        let undoes = back.of.iter().any(undone);
        if day.standing(back.date, back.voided_at) == Standing::Counts && !undoes {
            ledger.refund(&one, &back.net, &back.gross);
            back.taxes.iter().for_each(|tax| ledger.refund_tax(tax));
            ledger.refund_untaxed(&back.untaxed);
        }
        if day.takes_back(back.date, back.voided_at) {
            ledger.take_refund_back(&one, &back.net, &back.gross);
        }
    }
    add_money(&mut ledger, day, currency, facts, &counted);
    ledger.close()
}

/// What was paid in one way of one document, and the tips, by how and on what.
type Amounts<'a> = BTreeMap<(&'a str, &'a On), [Decimal; 2]>;

fn add_money<'a>(
    ledger: &mut Ledger,
    day: &Day,
    currency: Currency,
    facts: &'a Facts,
    counted: &BTreeSet<&String>,
) {
    let one = Decimal::from(1);
    let sales = facts.sales.iter().map(|sale| (&sale.invoice, &sale.exchange));
    let returns = facts.returns.iter().map(|back| (&back.credit_note, &back.exchange));
    let advances = facts.advances.iter().map(|advance| (&advance.invoice, &advance.exchange));
    let exchanges: BTreeMap<_, _> = sales.chain(returns).chain(advances).collect();
    let voided = undone_by_voiding(day, facts);
    let (mut ever, mut on_the_day) = (Amounts::new(), Amounts::new());
    for payment in &facts.payments {
        let key = (payment.kind.as_str(), &payment.on);
        let add = |amounts: &mut Amounts<'a>| {
            let sums = amounts.entry(key).or_insert_with(|| [Decimal::zero(), Decimal::zero()]);
            sums[0] += &payment.amount;
            sums[1] += &payment.tip;
        };
        add(&mut ever);
        if payment.date == day.date && is_money(&payment.kind) {
            add(&mut on_the_day);
        }
    }
    for ((kind, on), [amount, _]) in ever {
        let (On::Invoice(id) | On::Advance(id)) = on else { continue };
        let Some(exchange) = exchanges.get(id) else { continue };
        let amount = exchange.convert(&amount, currency);
        if counted.contains(id) {
            ledger.pay(kind, &one, &amount);
        }
        if voided.contains(id) && is_money(kind) {
            ledger.return_by_voiding(kind, &amount);
        }
    }
    for ((kind, on), [amount, tip]) in on_the_day {
        let (On::Invoice(id) | On::Advance(id) | On::CreditNote(id)) = on;
        let Some(exchange) = exchanges.get(id) else { continue };
        let amount = exchange.convert(&amount, currency);
        match on {
            On::CreditNote(_) => ledger.give_back(kind, &one, &amount),
            On::Invoice(_) | On::Advance(_) => {
                ledger.receive(kind, &amount);
                ledger.tip(kind, &exchange.convert(&tip, currency));
            }
        }
        if matches!(on, On::Invoice(id) if counted.contains(id)) {
            ledger.pay_on_the_day(kind, &amount);
        }
    }
}

/// The documents that were voided on the day and that no credit note took back.
fn undone_by_voiding<'a>(day: &Day, facts: &'a Facts) -> BTreeSet<&'a String> {
    let sales = facts.sales.iter();
    let sales = sales.map(|sale| (&sale.invoice, sale.voided_at, sale.is_credited));
    let advances = facts.advances.iter();
    let advances = advances.map(|it| (&it.invoice, it.voided_at, it.is_credited));
    let undone = sales.chain(advances).filter(|(_, at, credited)| day.saw(*at) && !credited);
    undone.map(|(id, ..)| id).collect()
}
