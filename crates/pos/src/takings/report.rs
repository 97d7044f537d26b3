//! The report, and the laws that its figures obey.

use racun_kernel::{Currency, Decimal};
use serde::{Deserialize, Serialize};
use time::Date;

use super::facts::{SaleLine, SaleTax, is_money};

/// The report of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Takings {
    /// The day.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date: Date,
    /// The currency of all money in it.
    pub currency: Currency,
    /// What the day's invoices come to.
    pub totals: Totals,
    /// What the day's invoices were paid, whenever that was, by the way of paying, in the order of
    /// its name.
    pub by_payment_type: Vec<PaymentTakings>,
    /// By tax rate, lowest first. What is untaxed is at rate 0, so bases and amounts come to the
    /// gross; a line with two taxes is in two bases.
    pub by_tax_rate: Vec<SaleTax>,
    /// By category, in the order of its name; what has none comes last.
    pub by_category: Vec<SaleLine>,
    /// By operator, in the order of their labels; those without a known issuer come last.
    pub by_operator: Vec<OperatorTakings>,
    /// What the day's invoices were not paid: `totals.gross` less all of `by_payment_type`.
    pub unpaid: Decimal,
    /// What was given back on the day.
    pub refunds: Refunds,
    /// Invoices that an earlier day, or this one before it was closed, counted as sales, and that
    /// were voided on this day.
    pub voided_later: TakenBack,
    /// Of `by_payment_type`, the money that came on another day than this one.
    pub paid_on_other_days: Vec<MoneyOfKind>,
    /// Money that came on this day for other documents than the day's invoices: for those of other
    /// days and voided ones, and for advance invoices.
    pub received_for_others: Vec<MoneyOfKind>,
    /// Money of invoices and advance invoices that were voided on this day, as far as no credit
    /// note took them back: who voids hands it back.
    pub returned_by_voiding: Vec<MoneyOfKind>,
    /// Money that moved on this day, in less out, by the way of paying: what the drawer has more in
    /// the evening than in the morning, tips aside. No money moves by a settlement.
    pub net_by_payment_type: Vec<MoneyOfKind>,
    /// What was given beyond the amounts of the day's payments, by the way of paying; types of
    /// which nothing was are left out. It is no turnover, and in no other figure.
    pub tips: Vec<MoneyOfKind>,
}

/// What the invoices of the day come to. Numbers of invoices are whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Invoices that count.
    pub invoices: Decimal,
    /// Invoices that were voided before the day was over, or closed.
    pub voided: Decimal,
    /// Before tax.
    pub net: Decimal,
    /// `gross` less `net`.
    pub tax: Decimal,
    /// With tax.
    pub gross: Decimal,
}

/// What was paid in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentTakings {
    /// How: `cash`.
    pub kind: String,
    /// Invoices of which at least a part was paid so.
    pub invoices: Decimal,
    /// How much.
    pub total: Decimal,
}

/// What one person sold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorTakings {
    /// The person's user id; none when a key or a job issued.
    pub user: Option<String>,
    /// What the fiscal record calls them; else their name, or their e-mail address when they gave
    /// none or two have the same.
    pub operator: Option<String>,
    /// Invoices.
    pub invoices: Decimal,
    /// With tax.
    pub total: Decimal,
}

/// What was given back on the day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refunds {
    /// Credit notes of the day's date. Those by which an invoice of this day was voided before it
    /// was over are left out, as their invoices are.
    pub count: Decimal,
    /// Before tax.
    pub net: Decimal,
    /// `gross` less `net`.
    pub tax: Decimal,
    /// With tax.
    pub gross: Decimal,
    /// Money that was given back on this day, of whichever credit note.
    pub by_payment_type: Vec<MoneyBack>,
    /// By tax rate, lowest first. What is untaxed is at rate 0, so bases and amounts come to the
    /// gross; a line with two taxes is in two bases.
    pub by_tax_rate: Vec<SaleTax>,
    /// Credit notes that were counted before and were voided on this day.
    pub voided_later: TakenBack,
}

/// Documents that were counted before and were voided on the day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenBack {
    /// How many.
    pub count: Decimal,
    /// Before tax.
    pub net: Decimal,
    /// `gross` less `net`.
    pub tax: Decimal,
    /// With tax.
    pub gross: Decimal,
}

/// Money of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoneyOfKind {
    /// `cash`.
    pub kind: String,
    /// How much; below zero when more went out than came in.
    pub total: Decimal,
}

/// Money of one kind that was given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoneyBack {
    /// `cash`.
    pub kind: String,
    /// Credit notes of which at least a part was given back so.
    pub count: Decimal,
    /// How much.
    pub total: Decimal,
}

/// Two figures of a report that are the same whatever happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Law {
    /// What it says.
    pub says: String,
    /// The one figure.
    pub left: Decimal,
    /// The other.
    pub right: Decimal,
}

impl Takings {
    /// What came in less what went out in notes and coins, tips included: they are in the drawer.
    #[must_use]
    pub fn cash(&self) -> Decimal {
        &total_of(&self.net_by_payment_type, "cash") + &total_of(&self.tips, "cash")
    }

    /// What the day adds to all that was ever sold: its sales, less what was given back or voided
    /// on it. Over all days this comes to what the invoices that stand come to, less the credit
    /// notes that stand.
    #[must_use]
    pub fn turnover(&self) -> Decimal {
        let (taken, back) = (&self.totals.gross, &self.refunds.gross);
        &(&(taken - back) - &self.voided_later.gross) + &self.refunds.voided_later.gross
    }

    /// The laws that hold of every report, with this one's figures.
    #[must_use]
    pub fn laws(&self) -> Vec<Law> {
        let law = |says: &str, left: Decimal, right: &Decimal| Law {
            says: says.to_owned(),
            left,
            right: right.clone(),
        };
        let (totals, refunds) = (&self.totals, &self.refunds);
        let paid: Decimal = self.by_payment_type.iter().map(|row| &row.total).sum();
        let sold: Decimal = self.by_operator.iter().map(|row| &row.total).sum();
        let invoices: Decimal = self.by_operator.iter().map(|row| &row.invoices).sum();
        let mut laws = vec![
            law("net + tax = gross", &totals.net + &totals.tax, &totals.gross),
            law("refunds: net + tax = gross", &refunds.net + &refunds.tax, &refunds.gross),
            law("by_payment_type + unpaid = gross", &paid + &self.unpaid, &totals.gross),
            law("by_operator = gross", sold, &totals.gross),
            law("by_operator = invoices", invoices, &totals.invoices),
        ];
        laws.extend(self.kinds_of_money().into_iter().map(|kind| {
            let paid = self.by_payment_type.iter().filter(|row| row.kind == kind);
            let paid: Decimal = paid.map(|row| &row.total).sum();
            let back = refunds.by_payment_type.iter().filter(|row| row.kind == kind);
            let back: Decimal = back.map(|row| &row.total).sum();
            let of_the_day = &paid - &total_of(&self.paid_on_other_days, kind);
            let received = &of_the_day + &total_of(&self.received_for_others, kind);
            let returned = &back + &total_of(&self.returned_by_voiding, kind);
            let says = format!(
                "{kind}: by_payment_type - paid_on_other_days + received_for_others - refunds \
                 - returned_by_voiding = net"
            );
            law(&says, &received - &returned, &total_of(&self.net_by_payment_type, kind))
        }));
        laws
    }

    /// The types of payments by which money moved, each at least once.
    fn kinds_of_money(&self) -> Vec<&str> {
        let paid = self.by_payment_type.iter().map(|row| row.kind.as_str());
        let back = self.refunds.by_payment_type.iter().map(|row| row.kind.as_str());
        let lists = [
            &self.paid_on_other_days,
            &self.received_for_others,
            &self.returned_by_voiding,
            &self.net_by_payment_type,
        ];
        let others = lists.into_iter().flatten().map(|row| row.kind.as_str());
        let mut kinds: Vec<&str> =
            paid.filter(|kind| is_money(kind)).chain(back).chain(others).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// What `rows` have of `kind`.
fn total_of(rows: &[MoneyOfKind], kind: &str) -> Decimal {
    rows.iter().filter(|row| row.kind == kind).map(|row| &row.total).sum()
}
