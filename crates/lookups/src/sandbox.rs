//! The rates of the sandbox: they need no network and stand still, so that a test of a caller knows
//! what comes out.
//!
//! | Currency                                 | Units for one euro                            |
//! | ---------------------------------------- | --------------------------------------------- |
//! | USD                                      | 1.25                                          |
//! | GBP                                      | 0.8                                           |
//! | CHF                                      | 0.95                                          |
//! | JPY                                      | 160                                           |
//! | CZK                                      | 25                                            |
//! | HUF                                      | 400                                           |
//! | HRK, until it ended                      | 7.5345                                        |
//! | ILS                                      | none: a server that lacks the rates of a day  |
//! | the others that the bank quotes          | 10                                            |
//!
//! All else is as in life: the same days have no rates, the same currencies are refused.

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use time::Date;

use crate::code::CurrencyCode;
use crate::rates::{DayRates, Found, KNOWN_CURRENCIES, Kept, NoRate, Question};
use crate::target::last_business_day;

/// What is said of the source of a rate of the sandbox.
pub const SOURCE: &str = "sandbox";

/// The currency without rates.
const WITHOUT: &str = "ILS";

/// The answer of the sandbox.
///
/// # Errors
/// [`NoRate`].
pub fn answer(question: &Question) -> Result<Found, NoRate> {
    if let Some(found) = question.alone()? {
        return Ok(found);
    }
    let is_without = [question.from, question.to].iter().any(|code| code.as_str() == WITHOUT);
    let day = (!is_without).then(|| day(question.date));
    question.answer(&Kept { day, goes_on: false })
}

/// The rates for `date`: those of the last business day.
#[must_use]
pub fn day(date: Date) -> DayRates {
    let date = last_business_day(date);
    let is_quoted = |(code, last): &(&'static str, Option<Date>)| {
        let is_over = last.is_some_and(|last| last < date);
        (!is_over && !matches!(*code, WITHOUT | "EUR")).then_some(*code)
    };
    let codes = KNOWN_CURRENCIES.iter().filter_map(is_quoted);
    let codes = codes.filter_map(|code| code.parse().ok());
    let per_euro: BTreeMap<CurrencyCode, Decimal> =
        codes.map(|code: CurrencyCode| (code, units(code.as_str()))).collect();
    DayRates { date, per_euro }
}

fn units(code: &str) -> Decimal {
    match code {
        "USD" => Decimal::new(125, 2),
        "GBP" => Decimal::new(8, 1),
        "CHF" => Decimal::new(95, 2),
        "JPY" => Decimal::from(160),
        "CZK" => Decimal::from(25),
        "HUF" => Decimal::from(400),
        "HRK" => Decimal::new(75_345, 4),
        _ => Decimal::from(10),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    fn ask(from: &str, to: &str, on: time::Date) -> Result<Found, NoRate> {
        let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
        answer(&Question { from, to, date: on, today: date!(2026 - 11 - 26) })
    }

    #[test]
    fn it_answers_as_documented_and_refuses_as_in_life() {
        let (sunday, friday) = (date!(2026 - 11 - 22), date!(2026 - 11 - 20));
        for (from, to, rate) in [
            ("USD", "EUR", "0.8"),
            ("EUR", "USD", "1.25"),
            ("GBP", "USD", "1.5625"),
            ("SEK", "EUR", "0.1"),
        ] {
            let found = ask(from, to, sunday).unwrap();
            assert_eq!((found.rate.to_string().as_str(), found.date), (rate, friday), "{from}");
        }
        let code = |from, on| ask(from, "EUR", on).unwrap_err().code();
        assert_eq!(code("ILS", sunday), "rate_unavailable");
        assert_eq!(code("HRK", sunday), "currency_ended");
        assert_eq!(code("AED", sunday), "unknown_currency");
        assert_eq!(code("USD", date!(2026 - 11 - 27)), "date_in_future");
        assert!(ask("HRK", "EUR", date!(2022 - 12 - 30)).is_ok());
    }
}
