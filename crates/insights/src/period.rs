//! Months and quarters, as VAT is accounted for.

use racun_kernel::{Issue, Issues};
use time::{Date, Month};

/// A month or a quarter of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaxPeriod {
    year: i32,
    first: Month,
    last: Month,
}

impl TaxPeriod {
    /// Years that a period may be of.
    pub const YEARS: std::ops::RangeInclusive<i32> = 2000..=2100;

    /// The month or the quarter of `year`, of which one has to be named.
    ///
    /// # Errors
    /// `out_of_range` at what is too small or too large; `required` at `month` when neither is
    /// named, and `conflicting` at `quarter` when both are.
    pub fn new(year: i64, month: Option<i64>, quarter: Option<i64>) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        let within = |n: i64, most: u8| u8::try_from(n).ok().filter(|n| (1..=most).contains(n));
        let known_year = i32::try_from(year).ok().filter(|year| Self::YEARS.contains(year));
        if known_year.is_none() {
            let (from, to) = (Self::YEARS.start(), Self::YEARS.end());
            issues.push(out_of_range(*from, *to).at("year"));
        }
        let range = match (month, quarter) {
            (None, None) => {
                let message = "name a month (1 to 12) or a quarter (1 to 4)";
                issues.push(Issue::new("required", message).at("month"));
                None
            }
            (Some(_), Some(_)) => {
                let message = "name a month or a quarter, not both";
                issues.push(Issue::new("conflicting", message).at("quarter"));
                None
            }
            (Some(month), None) => {
                let month = within(month, 12);
                if month.is_none() {
                    issues.push(out_of_range(1, 12).at("month"));
                }
                month.map(|month| (month, month))
            }
            (None, Some(quarter)) => {
                let quarter = within(quarter, 4);
                if quarter.is_none() {
                    issues.push(out_of_range(1, 4).at("quarter"));
                }
                quarter.map(|quarter| (quarter * 3 - 2, quarter * 3))
            }
        };
        let months = range.and_then(|(first, last)| {
            Some((Month::try_from(first).ok()?, Month::try_from(last).ok()?))
        });
        match (known_year, months) {
            (Some(year), Some((first, last))) if issues.is_empty() => {
                Ok(Self { year, first, last })
            }
            _ => Err(issues),
        }
    }

    /// Its first day.
    #[must_use]
    pub fn from(self) -> Date {
        Date::from_calendar_date(self.year, self.first, 1).unwrap_or(Date::MIN)
    }

    /// Its last day.
    #[must_use]
    pub fn to(self) -> Date {
        let days = self.last.length(self.year);
        Date::from_calendar_date(self.year, self.last, days).unwrap_or(Date::MAX)
    }

    /// Whether `day` is in it.
    #[must_use]
    pub fn contains(self, day: Date) -> bool {
        (self.from()..=self.to()).contains(&day)
    }

    /// First and last month in four digits: `1010`, `0103`.
    #[must_use]
    pub fn code(self) -> String {
        format!("{:02}{:02}", u8::from(self.first), u8::from(self.last))
    }

    /// What it is called in names of files: `2026_M10`, `2026_Q1`.
    #[must_use]
    pub fn label(self) -> String {
        if self.first == self.last {
            format!("{}_M{}", self.year, u8::from(self.first))
        } else {
            format!("{}_Q{}", self.year, u8::from(self.last) / 3)
        }
    }
}

fn out_of_range(from: i32, to: i32) -> Issue {
    Issue::new("out_of_range", format!("expected {from} to {to}"))
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_period_is_one_month_or_one_quarter() {
        let month = TaxPeriod::new(2028, Some(2), None).unwrap();
        assert_eq!((month.from(), month.to()), (date!(2028 - 02 - 01), date!(2028 - 02 - 29)));
        assert_eq!((month.code(), month.label()), ("0202".to_owned(), "2028_M2".to_owned()));
        let quarter = TaxPeriod::new(2026, None, Some(4)).unwrap();
        assert_eq!((quarter.from(), quarter.to()), (date!(2026 - 10 - 01), date!(2026 - 12 - 31)));
        assert_eq!((quarter.code(), quarter.label()), ("1012".to_owned(), "2026_Q4".to_owned()));
        assert!(
            quarter.contains(date!(2026 - 12 - 31)) && !quarter.contains(date!(2027 - 01 - 01))
        );
    }

    #[test]
    fn what_is_no_period_is_refused_with_its_place() {
        for (year, month, quarter, wrong) in [
            (2026, None, None, "month"),
            (2026, Some(1), Some(1), "quarter"),
            (2026, Some(13), None, "month"),
            (2026, None, Some(0), "quarter"),
            (1999, Some(1), None, "year"),
        ] {
            let issues = TaxPeriod::new(year, month, quarter).unwrap_err();
            assert!(issues.to_string().starts_with(wrong), "{issues}");
        }
    }
}
