//! Why there is no rate for a date.

use racun_kernel::Issue;
use time::Date;

use crate::code::CurrencyCode;
use crate::rates::FIRST_DAY;

/// Why there is no rate for a date. Each says what to do instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRate {
    /// The European Central Bank never quoted the currency.
    #[error("the European Central Bank publishes no rate of {code}; take a rate of another source")]
    Unknown {
        /// The currency.
        code: CurrencyCode,
    },
    /// It no longer quotes the currency.
    #[error("the last rate of {code} is of {last}; take a date until then, or another currency")]
    Ended {
        /// The currency.
        code: CurrencyCode,
        /// The last day with a rate.
        last: Date,
    },
    /// It did not quote the currency on that day.
    #[error(
        "the European Central Bank published no rate of {code} on {date}; take a rate of another \
         source"
    )]
    NotQuoted {
        /// The currency.
        code: CurrencyCode,
        /// The day.
        date: Date,
    },
    /// The date is to come.
    #[error("{date} is to come and has no rate; take {today} or an earlier date")]
    Future {
        /// The date.
        date: Date,
        /// Today.
        today: Date,
    },
    /// There was no euro.
    #[error("there are no rates for {date}; the first are of {FIRST_DAY}")]
    TooEarly {
        /// The date.
        date: Date,
    },
    /// This server does not have the rates of the last business day.
    #[error("{}", not_kept(*date, *newest))]
    NotKept {
        /// The date.
        date: Date,
        /// The last day before it with rates.
        newest: Option<Date>,
    },
}

fn not_kept(date: Date, newest: Option<Date>) -> String {
    let has = newest.map_or_else(
        || "it has none".to_owned(),
        |newest| format!("the last before it are of {newest}"),
    );
    format!(
        "this server does not have the rates for {date}: {has}; send the rate yourself, or ask \
         again when it has reached the European Central Bank"
    )
}

impl NoRate {
    /// For programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown_currency",
            Self::Ended { .. } => "currency_ended",
            Self::NotQuoted { .. } => "rate_not_published",
            Self::Future { .. } => "date_in_future",
            Self::TooEarly { .. } => "date_too_early",
            Self::NotKept { .. } => "rate_unavailable",
        }
    }

    /// Whether the same question may have an answer later.
    #[must_use]
    pub const fn may_pass(self) -> bool {
        matches!(self, Self::NotKept { .. })
    }

    /// It as an issue; [`Issue::at`] says where.
    #[must_use]
    pub fn issue(self) -> Issue {
        Issue::new(self.code(), self.to_string())
    }
}
