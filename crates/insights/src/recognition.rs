//! When revenue is earned and cost incurred: amounts of lines, spread over the days of a service.
//!
//! A period has the amount times its days of the service by all days of the service, rounded; the
//! last one takes what is left (contract 27.3). Periods are months, and days of a service that is
//! no longer than a month. Inside a month a day has the share of a day, and the month's last one
//! takes what is left of the month. No period goes beyond what is left, so that nothing is
//! recognised that was not invoiced.
//!
//! **Law.** On every day, what is recognised plus what is deferred is what is invoiced plus what is
//! accrued: revenue of a service that is not invoiced yet. Once a document is voided all four are
//! zero, so that the month of the voiding takes back what earlier ones recognised. A credit note is
//! a line below zero, which recognises on its own date what its service has behind it by then:
//! neither changes a month that was over.

use std::collections::BTreeMap;

use racun_kernel::{Currency, Decimal, Issue};
use time::{Date, Duration};

/// What a line comes to, and over which days it is recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// Before tax; below zero of a credit note.
    pub amount: Decimal,
    /// In which currency.
    pub currency: Currency,
    /// The date of the document.
    pub invoiced_on: Date,
    /// The first day of the service.
    pub from: Date,
    /// The last day of the service.
    pub to: Date,
    /// The day on which the document was declared void.
    pub voided_on: Option<Date>,
    /// Whether days of the service before the date of the document are recognised on those days;
    /// otherwise they are on that date.
    pub accrues: bool,
}

/// What a period has of a [`Spread`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The first day of the service in it.
    pub from: Date,
    /// The last one.
    pub to: Date,
    /// How much.
    pub amount: Decimal,
}

/// Where a line stands at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What is invoiced.
    pub invoiced: Decimal,
    /// What is recognised.
    pub recognized: Decimal,
    /// What is invoiced and not recognised yet.
    pub deferred: Decimal,
    /// What is recognised and not invoiced yet.
    pub accrued: Decimal,
}

/// Days of a service, at most, that is spread by days and not by months.
const BY_DAYS: i64 = 31;

/// How many days there are from `from` to `to`, both included.
fn days(from: Date, to: Date) -> i64 {
    (to - from).whole_days() + 1
}

fn end_of_month(day: Date) -> Date {
    day.replace_day(day.month().length(day.year())).unwrap_or(day)
}

impl Spread {
    /// A line that is recognised on the day of its document.
    #[must_use]
    pub const fn at_once(amount: Decimal, currency: Currency, on: Date) -> Self {
        let (from, to) = (on, on);
        Self { amount, currency, invoiced_on: on, from, to, voided_on: None, accrues: true }
    }

    /// All days of the service.
    fn days(&self) -> i64 {
        days(self.from, self.to).max(1)
    }

    /// The share of `count` days, not beyond `most`.
    fn share(&self, count: i64, most: &Decimal) -> Decimal {
        let product = &self.amount * &Decimal::from(count);
        let share = self.currency.divide(&product, &Decimal::from(self.days()));
        let share = share.unwrap_or_else(Decimal::zero);
        if share.abs() > most.abs() { most.clone() } else { share }
    }

    /// The periods of the service: its months, or its days when these are few.
    #[must_use]
    pub fn slices(&self) -> Vec<Slice> {
        let by_days = self.days() <= BY_DAYS;
        let mut left = self.amount.clone();
        let mut slices = Vec::new();
        let mut from = self.from;
        loop {
            let to = if by_days { from } else { end_of_month(from).min(self.to) };
            let is_last = to >= self.to;
            let amount = if is_last { left.clone() } else { self.share(days(from, to), &left) };
            left = &left - &amount;
            slices.push(Slice { from, to, amount });
            match to.next_day() {
                Some(next) if !is_last => from = next,
                _ => return slices,
            }
        }
    }

    /// Where it stands at the end of `day`.
    #[must_use]
    pub fn at(&self, day: Date) -> Standing {
        self.standing(&self.slices(), day)
    }

    /// Where it stands at the end of `day`; `slices` are its own.
    fn standing(&self, slices: &[Slice], day: Date) -> Standing {
        let zero = Decimal::zero;
        let is_void = self.voided_on.is_some_and(|voided| voided <= day);
        let is_invoiced = !is_void && day >= self.invoiced_on;
        let invoiced = if is_invoiced { self.amount.clone() } else { zero() };
        let recognized = match !is_void && (is_invoiced || self.accrues) {
            true => self.recognized(slices, day),
            false => zero(),
        };
        let open = &invoiced - &recognized;
        let is_ahead = open.is_negative() != self.amount.is_negative();
        let (deferred, accrued) = if is_ahead { (zero(), -&open) } else { (open, zero()) };
        Standing { invoiced, recognized, deferred, accrued }
    }

    fn recognized(&self, slices: &[Slice], day: Date) -> Decimal {
        let mut sum = Decimal::zero();
        for slice in slices.iter().take_while(|slice| slice.from <= day) {
            if slice.to <= day {
                sum += &slice.amount;
            } else {
                let a_day = self.share(1, &slice.amount);
                let done = &a_day * &Decimal::from(days(slice.from, day));
                let is_beyond = done.abs() > slice.amount.abs();
                sum += if is_beyond { &slice.amount } else { &done };
            }
        }
        sum
    }
}

/// A month of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecognitionRow {
    /// The month: `2026-11`.
    pub period: String,
    /// What its lines have in common; null where nothing is grouped.
    pub group: Option<String>,
    /// The currency.
    pub currency: Currency,
    /// Recognised in the month, as far as it is in the days of the report.
    pub recognized: Decimal,
    /// Deferred at its end.
    pub deferred: Decimal,
    /// Accrued at its end.
    pub accrued: Decimal,
}

/// Months of a report.
pub const MAX_REPORT_MONTHS: i64 = 120;

/// Checks the days of a report.
///
/// # Errors
/// At `date_to`: `invalid_period` when they end before they begin, `out_of_range` when they are
/// too many.
pub fn check_report(from: Date, to: Date) -> Result<(), Issue> {
    if to < from {
        let message = format!("must not be before date_from, {from}");
        return Err(Issue::new("invalid_period", message).at("date_to"));
    }
    let months = months_between(from, to);
    if months > MAX_REPORT_MONTHS {
        let message = format!("a report has at most {MAX_REPORT_MONTHS} months");
        return Err(Issue::new("out_of_range", message).at("date_to"));
    }
    Ok(())
}

fn months_between(from: Date, to: Date) -> i64 {
    let month = |day: Date| i64::from(day.year()) * 12 + i64::from(u8::from(day.month()));
    month(to) - month(from) + 1
}

/// A report that takes in one line after the other.
#[derive(Debug)]
pub struct RecognitionReport {
    months: Vec<(String, Date, Date)>,
    rows: BTreeMap<(usize, Option<String>, &'static str), RecognitionRow>,
}

impl RecognitionReport {
    /// A report of the days `from` to `to`, by month.
    #[must_use]
    pub fn new(from: Date, to: Date) -> Self {
        let mut months = Vec::new();
        let mut first = from;
        while first <= to {
            let last = end_of_month(first).min(to);
            let name = format!("{:04}-{:02}", first.year(), u8::from(first.month()));
            months.push((name, first, last));
            let Some(next) = last.next_day() else { break };
            first = next;
        }
        Self { months, rows: BTreeMap::new() }
    }

    /// Takes in a line of the group `group`.
    pub fn add(&mut self, spread: &Spread, group: Option<&str>) {
        let slices = spread.slices();
        let Some((_, first, _)) = self.months.first() else { return };
        let mut after = spread.standing(&slices, *first - Duration::DAY);
        for (place, (period, _, last)) in self.months.iter().enumerate() {
            let before = after;
            after = spread.standing(&slices, *last);
            let recognized = &after.recognized - &before.recognized;
            let parts = [&recognized, &after.deferred, &after.accrued];
            if parts.into_iter().all(Decimal::is_zero) {
                continue;
            }
            let key = (place, group.map(str::to_owned), spread.currency.code());
            let row = self.rows.entry(key).or_insert_with(|| RecognitionRow {
                period: period.clone(),
                group: group.map(str::to_owned),
                currency: spread.currency,
                recognized: Decimal::zero(),
                deferred: Decimal::zero(),
                accrued: Decimal::zero(),
            });
            row.recognized += &recognized;
            row.deferred += &after.deferred;
            row.accrued += &after.accrued;
        }
    }

    /// Its rows, by month, group and currency; what is zero in all is none.
    #[must_use]
    pub fn rows(self) -> Vec<RecognitionRow> {
        self.rows.into_values().collect()
    }
}
