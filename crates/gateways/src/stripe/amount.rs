//! Amounts as Stripe counts them.
//!
//! It counts in the currency's smallest unit, but for three whose unit it has otherwise than ISO
//! 4217 (<https://docs.stripe.com/currencies#special-cases>).

use racun_kernel::Currency;

/// Written with two decimals that are always noughts.
const WITH_NOUGHTS: [&str; 2] = ["ISK", "UGX"];
/// Written without the decimals that ISO 4217 has.
const WITHOUT_DECIMALS: [&str; 1] = ["MGA"];
/// How many smallest units make the other unit.
const FACTOR: i64 = 100;

/// The least that is charged (`#minimum-and-maximum-charge-amounts` on the page above). In other
/// currencies it depends on what the money is changed into.
const LEAST: [(&str, i64); 24] = [
    ("AED", 200),
    ("AUD", 50),
    ("BGN", 100),
    ("BRL", 50),
    ("CAD", 50),
    ("CHF", 50),
    ("CZK", 1_500),
    ("DKK", 250),
    ("EUR", 50),
    ("GBP", 30),
    ("HKD", 400),
    ("HUF", 17_500),
    ("INR", 50),
    ("JPY", 50),
    ("MXN", 1_000),
    ("MYR", 200),
    ("NOK", 300),
    ("NZD", 50),
    ("PLN", 200),
    ("RON", 200),
    ("SEK", 300),
    ("SGD", 50),
    ("THB", 1_000),
    ("USD", 50),
];

/// The least that is charged in `currency`, in smallest units; 1 where Stripe names none.
pub fn minimum(currency: Currency) -> i64 {
    let named = LEAST.iter().find(|(code, _)| *code == currency.code());
    named.map_or(1, |(_, least)| *least)
}

/// `amount` of smallest units as Stripe has it; `None` for what it cannot write.
pub fn written(amount: i64, currency: Currency) -> Option<i64> {
    match currency.code() {
        code if WITH_NOUGHTS.contains(&code) => amount.checked_mul(FACTOR),
        code if WITHOUT_DECIMALS.contains(&code) => exact(amount),
        _ => Some(amount),
    }
}

/// What Stripe wrote, in smallest units; `None` for what has no such number.
pub fn read(amount: i64, currency: Currency) -> Option<i64> {
    match currency.code() {
        code if WITH_NOUGHTS.contains(&code) => exact(amount),
        code if WITHOUT_DECIMALS.contains(&code) => amount.checked_mul(FACTOR),
        _ => Some(amount),
    }
}

fn exact(amount: i64) -> Option<i64> {
    (amount % FACTOR == 0).then_some(amount / FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_charge_follows_from_the_currency() {
        for (code, least) in [("EUR", 50), ("GBP", 30), ("HUF", 17_500), ("JPY", 50), ("ISK", 1)] {
            assert_eq!(minimum(code.parse().unwrap()), least, "{code}");
        }
    }

    #[test]
    fn three_currencies_are_written_otherwise() {
        for (code, ours, theirs) in [
            ("EUR", 1_900, Some(1_900)),
            ("JPY", 500, Some(500)),
            ("KWD", 1_000, Some(1_000)),
            ("ISK", 500, Some(50_000)),
            ("UGX", 7, Some(700)),
            ("MGA", 1_200, Some(12)),
            ("MGA", 1_250, None),
            ("ISK", i64::MAX, None),
        ] {
            let currency: Currency = code.parse().unwrap();
            assert_eq!(written(ours, currency), theirs, "{code}");
            if let Some(theirs) = theirs {
                assert_eq!(read(theirs, currency), Some(ours), "{code}");
            }
        }
        assert_eq!(read(50_001, "ISK".parse().unwrap()), None);
    }
}
