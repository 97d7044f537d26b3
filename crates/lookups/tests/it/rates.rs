//! The rate for a date.

use racun_kernel::{Currency, Decimal, ExchangeRate};
use racun_lookups::{CurrencyCode, DayRates, Found, Kept, NoRate, Question, ecb};
use serde_json::Value;
use time::Date;
use time::macros::date;

fn code(text: &str) -> CurrencyCode {
    text.parse().unwrap()
}

fn sample() -> Vec<DayRates> {
    ecb::read_xml(include_bytes!("../data/ecb_hist_90d_sample.xml")).unwrap()
}

/// What a store would find of `days`, the newest first, around `date`.
fn kept(days: &[DayRates], date: Date) -> Kept {
    Kept {
        day: days.iter().find(|day| day.date <= date).cloned(),
        goes_on: days.iter().any(|day| day.date > date),
    }
}

fn ask(from: &str, to: &str, date: Date, today: Date) -> Result<Found, NoRate> {
    let question = Question { from: code(from), to: code(to), date, today };
    question.answer(&kept(&sample(), date))
}

const TODAY: Date = date!(2026 - 10 - 11);

#[test]
fn each_vector_comes_out() {
    let vectors: Value =
        serde_json::from_str(include_str!("../data/ecb_lookup_vectors.json")).unwrap();
    let vectors = vectors["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 8);
    for vector in vectors {
        let text = |name: &str| vector[name].as_str().unwrap();
        let date = racun_kernel::calendar::parse_date(text("date")).unwrap();
        let found = ask(text("from"), text("to"), date, TODAY);
        let expected = &vector["expected"];
        match expected.as_str() {
            Some("no rate in this sample") => {
                assert!(matches!(found, Err(NoRate::NotKept { .. })), "{vector}");
            }
            Some(_) => assert!(matches!(found, Err(NoRate::Unknown { .. })), "{vector}"),
            None => meets(&found.unwrap(), text("to"), expected),
        }
    }
}

fn meets(found: &Found, to: &str, expected: &Value) {
    if let Some(rate) = expected["rate"].as_str() {
        assert_eq!(found.rate.to_string(), rate);
        return;
    }
    assert_eq!(found.date.to_string(), expected["rate_date"].as_str().unwrap());
    let exact = Decimal::computed(expected["rate_unrounded"].as_str().unwrap()).unwrap();
    let off = (&found.rate - &exact).abs();
    assert!(off <= Decimal::new(5, 11), "{} for {exact}", found.rate);
    let quote_currency: Currency = to.parse().unwrap();
    let (rate, date, source) = (found.rate.clone(), found.date, "ecb".to_owned());
    let converted = ExchangeRate { rate, source, date, quote_currency }.convert(&100.into());
    let hundred: Decimal = expected["converted_100"].as_str().unwrap().parse().unwrap();
    assert_eq!(converted, hundred, "{expected}");
}

#[test]
fn what_has_no_rate_is_refused_by_name() {
    let refused = |from, to, on| ask(from, to, on, TODAY).unwrap_err();
    let (day, old) = (date!(2026 - 10 - 09), date!(1998 - 12 - 31));
    for (refusal, code, says) in [
        (refused("AED", "EUR", day), "unknown_currency", "AED"),
        (refused("EUR", "XXX", day), "unknown_currency", "XXX"),
        (refused("HRK", "EUR", day), "currency_ended", "2022-12-30"),
        (refused("EUR", "BGN", date!(2026 - 01 - 01)), "currency_ended", "2025-12-31"),
        (refused("USD", "EUR", date!(2026 - 10 - 12)), "date_in_future", "2026-10-12"),
        (refused("USD", "EUR", old), "date_too_early", "1999-01-04"),
        (refused("JPY", "EUR", day), "rate_not_published", "2026-10-09"),
        (refused("USD", "EUR", date!(2026 - 09 - 30)), "rate_unavailable", "it has none"),
    ] {
        assert_eq!(refusal.code(), code, "{refusal}");
        assert!(refusal.to_string().contains(says), "{refusal}");
        assert_eq!(refusal.may_pass(), code == "rate_unavailable");
    }
    assert!(matches!(ask("JPY", "JPY", old, TODAY), Err(NoRate::TooEarly { .. })));
}

#[test]
fn a_rate_is_never_older_than_the_last_business_day() {
    // The sample ends on Friday, the 9th; Monday has no rates before its afternoon.
    let rate = |on: Date, today: Date| ask("USD", "EUR", on, today).map(|found| found.date);
    let friday = date!(2026 - 10 - 09);
    assert_eq!(rate(date!(2026 - 10 - 12), date!(2026 - 10 - 12)), Ok(friday));
    let missing = rate(date!(2026 - 10 - 12), date!(2026 - 10 - 13));
    assert_eq!(missing, Err(NoRate::NotKept { date: date!(2026 - 10 - 12), newest: Some(friday) }));
    assert!(missing.unwrap_err().to_string().contains("2026-10-09"));
    assert!(rate(date!(2026 - 10 - 13), date!(2026 - 10 - 13)).is_err());
    // Between days with rates nothing is missing, unless it is a hole.
    let mut days = sample();
    days.retain(|day| day.date != date!(2026 - 10 - 02) && day.date != date!(2026 - 10 - 07));
    days.push(DayRates { date: date!(2026 - 09 - 25), per_euro: days[0].per_euro.clone() });
    let (from, to) = (code("USD"), CurrencyCode::EUR);
    let asked = |date| Question { from, to, date, today: TODAY }.answer(&kept(&days, date));
    assert!(asked(date!(2026 - 10 - 02)).is_ok());
    assert!(matches!(asked(date!(2026 - 10 - 06)), Err(NoRate::NotKept { .. })));
}

#[test]
fn cross_rates_are_divided_once() {
    let rate = |from, to| ask(from, to, date!(2026 - 10 - 07), TODAY).unwrap().rate.to_string();
    assert_eq!(rate("EUR", "GBP"), "0.8699");
    assert_eq!(rate("GBP", "EUR"), "1.1495574204");
    assert_eq!(rate("GBP", "USD"), "1.320841476");
    assert_eq!(rate("CHF", "USD"), "1.235616733");
}
