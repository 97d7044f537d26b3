//! Which rates of value added tax a member state of the European Union has, and when.

use std::sync::LazyLock;

use time::Date;

use crate::calendar::parse_date;
use crate::{Decimal, Issue};

/// One state a line, tab separated: its code, the day from which its rates are known, and its rates
/// in percent, those of its regions included; `<day` ends and `>day` begins one.
///
/// Sources: standard rates and their dates of kdeldycke/vat-rates (BSD-2-Clause), rates by level of
/// ibericode/vat-rates (MIT), both as of September 2025 and in agreement; Portugal's regions of
/// GOBL (Apache-2.0); changes of 2026 as in the table of default taxes.
const TABLE: &str = include_str!("vat_rates.tsv");

/// The table, read once: each line of each document is looked up.
static STATES: LazyLock<Vec<State>> =
    LazyLock::new(|| TABLE.lines().filter_map(State::read).collect());

/// A member state.
struct State {
    code: &'static str,
    /// The day from which its rates are known.
    since: Date,
    rates: Vec<Rate>,
}

/// A rate, and the days on which it holds.
struct Rate {
    percent: Decimal,
    /// Its first day.
    begins: Option<Date>,
    /// The first day on which it no longer holds.
    ends: Option<Date>,
}

impl State {
    fn read(line: &'static str) -> Option<Self> {
        let mut parts = line.split('\t');
        let (code, since) = (parts.next()?, parse_date(parts.next()?).ok()?);
        let rates = parts.next()?.split(' ').map(Rate::read).collect::<Option<_>>()?;
        Some(Self { code, since, rates })
    }
}

impl Rate {
    fn read(entry: &str) -> Option<Self> {
        let dated = |sign: char| {
            let (rate, date) = entry.split_once(sign)?;
            Some((rate, parse_date(date).ok()?))
        };
        let (rate, begins, ends) = match (dated('>'), dated('<')) {
            (Some((rate, day)), _) => (rate, Some(day), None),
            (_, Some((rate, day))) => (rate, None, Some(day)),
            (None, None) => (entry, None, None),
        };
        Some(Self { percent: rate.parse().ok()?, begins, ends })
    }

    fn holds(&self, day: Date) -> bool {
        self.begins.is_none_or(|begins| begins <= day) && self.ends.is_none_or(|ends| day < ends)
    }
}

/// The rates of `country` (two letters, in either case) on `day`, without nought, which stands for
/// exempt sales everywhere. `None` where they are not known, as before the table begins.
fn on(country: &str, day: Date) -> Option<impl Iterator<Item = &'static Decimal>> {
    let state = STATES.iter().find(|state| state.code.eq_ignore_ascii_case(country))?;
    let rates = state.rates.iter().filter(move |rate| rate.holds(day));
    (state.since <= day).then(|| rates.map(|rate| &rate.percent))
}

/// Whether the rate `percent` can stand on a document of `day` in `country`: true as well where
/// the rates are not known.
#[must_use]
pub fn may_be(country: &str, percent: &Decimal, day: Date) -> bool {
    percent.is_zero() || on(country, day).is_none_or(|mut rates| rates.any(|own| own == percent))
}

/// That `country` had no rate `percent` on `day`, when it is known to have had none.
#[must_use]
pub fn warning(country: &str, percent: &Decimal, day: Date) -> Option<Issue> {
    if may_be(country, percent, day) {
        return None;
    }
    let rates: Vec<String> = on(country, day)?.map(ToString::to_string).collect();
    let message = format!(
        "{country} has no VAT rate of {percent} % on {day}; it has {} and 0",
        rates.join(", ")
    );
    Some(Issue::new("unknown_tax_rate", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn rates_follow_the_state_and_the_day() {
        for (country, rate, day, expected) in [
            ("SI", "22", "2026-11-22", true),
            ("si", "9.50", "2026-11-22", true),
            ("SI", "0", "2026-11-22", true),
            ("SI", "21", "2026-11-22", false),
            ("SI", "5", "2019-12-31", false),
            ("SI", "5", "2020-01-01", true),
            ("HR", "25", "2026-11-22", true),
            ("HR", "22", "2026-11-22", false),
            ("SK", "20", "2025-01-01", false),
            // Unknown: before the table begins, and in countries without this tax.
            ("SK", "20", "2024-12-31", true),
            ("US", "8.25", "2026-11-22", true),
            ("FI", "14", "2025-12-31", true),
            ("FI", "14", "2026-01-01", false),
            ("FI", "13.5", "2026-01-01", true),
            ("PT", "22", "2026-11-22", true),
        ] {
            let day = parse_date(day).unwrap();
            assert_eq!(may_be(country, &percent(rate), day), expected, "{country} {rate} {day}");
        }
    }

    #[test]
    fn every_line_can_be_read() {
        let day = parse_date("2026-11-22").unwrap();
        assert_eq!(TABLE.lines().count(), 27);
        for line in TABLE.lines() {
            let parts: Vec<&str> = line.split('\t').collect();
            let ended = parts[2].matches('<').count();
            let rates = on(parts[0], day).unwrap().count();
            assert_eq!(rates + ended, parts[2].split(' ').count(), "{line}");
        }
    }
}
