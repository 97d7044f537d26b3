//! Coupons: codes that make plans and add-ons cheaper for a while.

use racun_kernel::{Issue, Issues};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use crate::add_months;

/// A code, and what it takes off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coupon {
    /// What a request to activate a plan names.
    pub code: String,
    /// How much of each month's plan and add-ons it takes off, in percent: 1 to 100.
    #[serde(default)]
    pub percent_off: Option<i64>,
    /// How many cents of each month's plan and add-ons it takes off, instead.
    #[serde(default)]
    pub amount_off_cents: Option<i64>,
    /// For how many months from the day on which it is named first; for ever without it.
    #[serde(default)]
    pub months: Option<u16>,
    /// The last day on which it can be named, as in `2026-12-31`.
    #[serde(default, with = "day")]
    pub until: Option<Date>,
}

/// Days as texts.
mod day {
    use racun_kernel::calendar::{format_date, parse_date};
    use serde::de::Error;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use time::Date;

    pub fn serialize<S: Serializer>(day: &Option<Date>, to: S) -> Result<S::Ok, S::Error> {
        day.map(format_date).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Date>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        let read = text.map(|text| parse_date(&text)).transpose();
        read.map_err(|_| D::Error::custom("expected a day as in 2026-12-31"))
    }
}

/// A coupon that an entity named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCoupon {
    /// Its terms, as they were then.
    pub coupon: Coupon,
    /// When it was named first.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
}

/// When a coupon was named first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouponSince(#[serde(with = "time::serde::rfc3339")] pub OffsetDateTime);

impl Coupon {
    /// Whether it can be named on `day`.
    #[must_use]
    pub fn is_good_on(&self, day: Date) -> bool {
        self.until.is_none_or(|until| day <= until)
    }

    /// Notes what is wrong with it.
    pub(crate) fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if self.code.is_empty() || self.code.len() > 64 || !self.code.chars().all(is_code) {
            let message = "expected 1 to 64 letters, digits, - and _";
            issues.push(Issue::new("invalid_value", message).at("code"));
        }
        if self.percent_off.is_some() == self.amount_off_cents.is_some() {
            let message = "say percent_off or amount_off_cents, one of the two";
            issues.push(Issue::new("required", message).at("percent_off"));
        }
        if self.percent_off.is_some_and(|percent| !(1..=100).contains(&percent)) {
            let message = "expected a whole number from 1 to 100";
            issues.push(Issue::new("out_of_range", message).at("percent_off"));
        }
        if self.amount_off_cents.is_some_and(|amount| amount < 1) {
            let message = "expected a whole number, 1 or above";
            issues.push(Issue::new("out_of_range", message).at("amount_off_cents"));
        }
        if self.months == Some(0) {
            issues.push(Issue::new("out_of_range", "at least one month").at("months"));
        }
        issues.into_result(())
    }
}

impl NamedCoupon {
    /// How much it takes off `cents`, which are charged for a month that began at `start`: nothing
    /// of a month that began before the coupon. Cents are rounded down, and no more is taken off
    /// than there is.
    #[must_use]
    pub fn off(&self, cents: i64, start: OffsetDateTime) -> i64 {
        let end = self.coupon.months.map(|months| add_months(self.since, i32::from(months)));
        if cents <= 0 || start < self.since || end.is_some_and(|end| start >= end) {
            return 0;
        }
        let by_percent = self.coupon.percent_off.map(|percent| {
            let off = i128::from(cents) * i128::from(percent) / 100;
            i64::try_from(off).unwrap_or(cents)
        });
        by_percent.or(self.coupon.amount_off_cents).unwrap_or_default().min(cents)
    }
}
