//! Rates of a day, and which of them is for a document's date.

mod no_rate;

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use serde::{Deserialize, Serialize};
use time::macros::date;
use time::{Date, Duration};

use crate::code::CurrencyCode;
use crate::target;

pub use no_rate::NoRate;

/// The first day for which the European Central Bank published rates.
pub const FIRST_DAY: Date = date!(1999 - 01 - 04);

/// A longer gap between two days of rates is a hole in what is kept: TARGET is closed for four days
/// in a row at most.
const LONGEST_GAP: Duration = Duration::days(7);

/// What is said of the source of a reference rate.
#[must_use]
pub const fn source_name() -> &'static str {
    "ecb"
}

/// Currencies that the European Central Bank quotes, or quoted until a day.
pub const KNOWN_CURRENCIES: [(&str, Option<Date>); 42] = [
    ("AUD", None),
    ("BGN", Some(date!(2025 - 12 - 31))),
    ("BRL", None),
    ("CAD", None),
    ("CHF", None),
    ("CNY", None),
    ("CYP", Some(date!(2007 - 12 - 31))),
    ("CZK", None),
    ("DKK", None),
    ("EEK", Some(date!(2010 - 12 - 31))),
    ("GBP", None),
    ("HKD", None),
    ("HRK", Some(date!(2022 - 12 - 30))),
    ("HUF", None),
    ("IDR", None),
    ("ILS", None),
    ("INR", None),
    ("ISK", None),
    ("JPY", None),
    ("KRW", None),
    ("LTL", Some(date!(2014 - 12 - 31))),
    ("LVL", Some(date!(2013 - 12 - 31))),
    ("MTL", Some(date!(2007 - 12 - 31))),
    ("MXN", None),
    ("MYR", None),
    ("NOK", None),
    ("NZD", None),
    ("PHP", None),
    ("PLN", None),
    ("ROL", Some(date!(2005 - 06 - 30))),
    ("RON", None),
    ("RUB", Some(date!(2022 - 03 - 01))),
    ("SEK", None),
    ("SGD", None),
    ("SIT", Some(date!(2006 - 12 - 29))),
    ("SKK", Some(date!(2008 - 12 - 31))),
    ("THB", None),
    ("TRL", Some(date!(2004 - 12 - 31))),
    ("TRY", None),
    ("USD", None),
    ("ZAR", None),
    ("EUR", None),
];

/// Until when the European Central Bank quoted `code`; `None` where it still does, or never did.
#[must_use]
pub fn ended_on(code: CurrencyCode) -> Option<Date> {
    known(code).and_then(|(_, last)| last)
}

fn known(code: CurrencyCode) -> Option<(&'static str, Option<Date>)> {
    KNOWN_CURRENCIES.into_iter().find(|(known, _)| *known == code.as_str())
}

/// The reference rates of one business day: units of each currency for one euro.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayRates {
    /// The day.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date: Date,
    /// Units for one euro, by currency; the euro itself is not among them.
    pub per_euro: BTreeMap<CurrencyCode, Decimal>,
}

impl DayRates {
    /// Units of `code` for one euro.
    fn per_euro(&self, code: CurrencyCode) -> Option<Decimal> {
        match code == CurrencyCode::EUR {
            true => Some(Decimal::from(1)),
            false => self.per_euro.get(&code).cloned(),
        }
    }
}

/// What is kept around a date.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// The rates of the last day on or before the date of which there are some.
    pub day: Option<DayRates>,
    /// Whether there are rates of a later day: then none are to come for the days between.
    pub goes_on: bool,
}

/// Which rate is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// The currency of which one unit is exchanged.
    pub from: CurrencyCode,
    /// The currency that it is exchanged into.
    pub to: CurrencyCode,
    /// The day for which, such as a document's date.
    pub date: Date,
    /// Today, where the entity is.
    pub today: Date,
}

/// A rate for a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// One unit of the first currency in the second one, with at most ten decimals.
    pub rate: Decimal,
    /// The business day that it is of.
    pub date: Date,
}

impl Question {
    /// The answer where no rates are needed to know it: one and the same currency, or a refusal
    /// that follows from the question alone. `None` where what is kept decides.
    ///
    /// # Errors
    /// [`NoRate`].
    pub fn alone(&self) -> Result<Option<Found>, NoRate> {
        for code in [self.from, self.to] {
            if known(code).is_none() {
                return Err(NoRate::Unknown { code });
            }
        }
        if self.date > self.today {
            return Err(NoRate::Future { date: self.date, today: self.today });
        }
        if self.date < FIRST_DAY {
            return Err(NoRate::TooEarly { date: self.date });
        }
        for code in [self.from, self.to] {
            if let Some(last) = ended_on(code).filter(|last| *last < self.date) {
                return Err(NoRate::Ended { code, last });
            }
        }
        let is_same = self.from == self.to;
        Ok(is_same.then(|| Found { rate: Decimal::from(1), date: self.date }))
    }

    /// The rate for the date, by what is kept around it: that of the last business day.
    ///
    /// # Errors
    /// [`NoRate`].
    pub fn answer(&self, kept: &Kept) -> Result<Found, NoRate> {
        if let Some(found) = self.alone()? {
            return Ok(found);
        }
        let newest = kept.day.as_ref().map(|day| day.date);
        let missing = NoRate::NotKept { date: self.date, newest };
        let Some(day) = kept.day.as_ref().filter(|_| self.is_last(newest, kept.goes_on)) else {
            return Err(missing);
        };
        let units = |code| day.per_euro(code).ok_or(NoRate::NotQuoted { code, date: day.date });
        let rate = units(self.to)?.ratio(&units(self.from)?);
        // Rates are above zero; a rate that rounds to nothing is none.
        let rate = rate.filter(Decimal::is_positive).ok_or(missing)?;
        Ok(Found { rate, date: day.date })
    }

    /// Whether no rates were published between `newest` and the date: by those of a later day, or
    /// by the calendar. Today's come in the afternoon, so today may still take the day before.
    fn is_last(&self, newest: Option<Date>, goes_on: bool) -> bool {
        let Some(newest) = newest else { return false };
        if goes_on {
            return self.date - newest <= LONGEST_GAP;
        }
        let until = if self.date == self.today { self.date.previous_day() } else { None };
        newest >= target::last_business_day(until.unwrap_or(self.date))
    }
}
