//! Amounts as processors count them: in whole numbers of the smallest unit.

use racun_kernel::{Currency, Decimal};

/// `amount` in the smallest unit of `currency`; `None` where that is no whole number.
#[must_use]
pub fn minor_units(amount: &Decimal, currency: Currency) -> Option<i64> {
    currency.check(amount).ok()?;
    let digits = amount.padded(usize::from(currency.decimals()));
    digits.replace('.', "").parse().ok()
}

/// `units` of the smallest unit of `currency` as an amount.
#[must_use]
pub fn amount_of(units: i64, currency: Currency) -> Decimal {
    Decimal::new(units, currency.decimals())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_come_back_as_they_went() {
        for (text, code, units) in [
            ("12.5", "EUR", 1_250),
            ("0.01", "EUR", 1),
            ("1200", "JPY", 1_200),
            ("1.234", "KWD", 1_234),
            ("10000000", "EUR", 1_000_000_000),
        ] {
            let (amount, currency) = (text.parse::<Decimal>().unwrap(), code.parse().unwrap());
            assert_eq!(minor_units(&amount, currency), Some(units), "{text} {code}");
            assert_eq!(amount_of(units, currency), amount);
        }
        for (text, code) in [("0.001", "EUR"), ("0.5", "JPY")] {
            let (amount, currency) = (text.parse::<Decimal>().unwrap(), code.parse().unwrap());
            assert_eq!(minor_units(&amount, currency), None, "{text} {code}");
        }
    }
}
