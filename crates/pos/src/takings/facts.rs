//! What a report is made of: plain facts of documents and payments, and how a day reads them.

use racun_kernel::{Currency, Decimal, calendar};
use serde::{Deserialize, Serialize};
use time::{Date, Duration, OffsetDateTime};

/// All that a report looks at. What is not of the day is there because money moved on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Issued invoices.
    pub sales: Vec<Sale>,
    /// Issued credit notes.
    pub returns: Vec<Return>,
    /// Advance invoices, drafts too.
    pub advances: Vec<Advance>,
    /// Active payments.
    pub payments: Vec<Paid>,
}

/// An invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sale {
    /// Its id.
    pub invoice: String,
    /// Its date.
    pub date: Date,
    /// When it was declared void.
    pub voided_at: Option<OffsetDateTime>,
    /// Whether credit notes gave back of it.
    pub is_credited: bool,
    /// How its money becomes money of the report.
    pub exchange: Exchange,
    /// Before tax, in the report's currency; zero when unknown, as all money here.
    pub net: Decimal,
    /// With tax.
    pub gross: Decimal,
    /// Its taxes.
    pub taxes: Vec<SaleTax>,
    /// Before tax, what no tax is on.
    pub untaxed: Decimal,
    /// What was sold; no headings.
    pub lines: Vec<SaleLine>,
    /// Who issued it, when anybody is known to have.
    pub seller: Option<Seller>,
}

/// A credit note. Its values are positive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Return {
    /// Its id.
    pub credit_note: String,
    /// Its date.
    pub date: Date,
    /// When it was declared void.
    pub voided_at: Option<OffsetDateTime>,
    /// The invoices of which it gives back: their dates, and when they were declared void.
    pub of: Vec<(Date, Option<OffsetDateTime>)>,
    /// How its money becomes money of the report.
    pub exchange: Exchange,
    /// Before tax.
    pub net: Decimal,
    /// With tax.
    pub gross: Decimal,
    /// Its taxes.
    pub taxes: Vec<SaleTax>,
    /// Before tax, what no tax is on.
    pub untaxed: Decimal,
}

/// An advance invoice. It is no sale; money moves by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advance {
    /// Its id.
    pub invoice: String,
    /// When it was declared void.
    pub voided_at: Option<OffsetDateTime>,
    /// Whether credit notes gave back of it.
    pub is_credited: bool,
    /// How its money becomes money of the report.
    pub exchange: Exchange,
}

/// A tax of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaleTax {
    /// Percent.
    pub rate: Decimal,
    /// What is taxed.
    pub base: Decimal,
    /// The tax.
    pub amount: Decimal,
}

/// A line of an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaleLine {
    /// Its category's name.
    pub category: Option<String>,
    /// How many.
    pub quantity: Decimal,
    /// With tax.
    pub total: Decimal,
}

/// The issuer of invoices: a user, or the operator in the fiscal record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seller {
    /// The person's user id; none for a key or a job that issued in a person's name.
    pub user: Option<String>,
    /// What the fiscal record calls them.
    pub label: Option<String>,
    /// The person's name, when they gave one.
    pub name: Option<String>,
    /// The person's e-mail address.
    pub email: Option<String>,
}

/// A payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paid {
    /// What it pays, or is paid back of.
    pub on: On,
    /// How: `cash`.
    pub kind: String,
    /// Its date.
    pub date: Date,
    /// How much, in the document's currency.
    pub amount: Decimal,
    /// What was given beyond that; it settles nothing.
    pub tip: Decimal,
}

/// What a payment is on, by id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum On {
    /// An invoice: money that comes in, or a settlement.
    Invoice(String),
    /// An advance invoice: money that comes in.
    Advance(String),
    /// A credit note: money that goes out.
    CreditNote(String),
}

/// How money of a document becomes money of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exchange {
    /// It is in the report's currency.
    Same,
    /// One unit of it is this much.
    At(Decimal),
    /// Unknown.
    Unknown,
}

impl Exchange {
    /// `amount` in `currency`, rounded once; zero without a rate.
    #[must_use]
    pub fn convert(&self, amount: &Decimal, currency: Currency) -> Decimal {
        match self {
            Self::Same => amount.clone(),
            Self::At(rate) => currency.round(&(amount * rate)),
            Self::Unknown => Decimal::zero(),
        }
    }
}

/// The names of payments' types by which no money moves: a document settles another one, or money
/// that came in earlier does.
pub const SETTLEMENTS: [&str; 2] = ["advance", "credit_note"];

/// Whether money moves by payments of the type `kind`.
#[must_use]
pub fn is_money(kind: &str) -> bool {
    !SETTLEMENTS.contains(&kind)
}

/// A day, as documents and their voiding fall on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// Its date.
    pub date: Date,
    /// Its first instant.
    pub start: OffsetDateTime,
    /// The first instant of the next day.
    pub end: OffsetDateTime,
    /// The instant from which on a voiding leaves the day's sales as they are: its closing, when it
    /// was closed before it was over, else its end.
    pub cut: OffsetDateTime,
}

/// What a document is to the report of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It bears the day's date and counts, whatever becomes of it later.
    Counts,
    /// It bears the day's date and was voided before the day was over, or closed.
    Voided,
    /// It bears another date.
    Elsewhere,
}

impl Day {
    /// The day `date` in `zone`, an IANA name (UTC when there is no such zone), closed at
    /// `closed_at` if it was.
    #[must_use]
    pub fn of(date: Date, zone: &str, closed_at: Option<OffsetDateTime>) -> Self {
        let start =
            |date| calendar::start_of_day(date, zone).unwrap_or_else(|| calendar::midnight(date));
        let end = date.next_day().map_or_else(|| start(date) + Duration::DAY, start);
        let cut = closed_at.map_or(end, |closed_at| closed_at.min(end));
        Self { date, start: start(date), end, cut }
    }

    /// What a document of `date` that was voided at `voided_at` is to this day's report.
    #[must_use]
    pub fn standing(&self, date: Date, voided_at: Option<OffsetDateTime>) -> Standing {
        if date != self.date {
            Standing::Elsewhere
        } else if voided_at.is_some_and(|at| at < self.cut) {
            Standing::Voided
        } else {
            Standing::Counts
        }
    }

    /// Whether the voiding at `voided_at` of a document of `date` shows in this day's report as one
    /// of what was counted before: the day of the document keeps it.
    #[must_use]
    pub fn takes_back(&self, date: Date, voided_at: Option<OffsetDateTime>) -> bool {
        let is_counted = date < self.date || self.standing(date, voided_at) == Standing::Counts;
        is_counted && self.saw(voided_at)
    }

    /// Whether something happened on this day.
    #[must_use]
    pub fn saw(&self, at: Option<OffsetDateTime>) -> bool {
        at.is_some_and(|at| self.start <= at && at < self.end)
    }
}
