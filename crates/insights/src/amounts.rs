//! Amounts with two decimals, as the forms of this crate have them.

use racun_kernel::{Currency, Decimal};

/// `amount` in hundredths, halves away from zero.
pub fn cents(amount: &Decimal) -> Decimal {
    Currency::EUR.round(amount)
}

/// `amount` with exactly two decimals: `-10.10`.
pub fn amount_text(amount: &Decimal) -> String {
    let mut text = cents(amount).to_string();
    match text.split_once('.').map(|(_, decimals)| decimals.len()) {
        None => text.push_str(".00"),
        Some(1) => text.push('0'),
        Some(_) => {}
    }
    text
}

/// `amount` × `of` ÷ `all` in hundredths; zero when `all` is zero.
pub fn share(amount: &Decimal, of: i64, all: i64) -> Decimal {
    let product = amount * &Decimal::from(of);
    Currency::EUR.divide(&product, &Decimal::from(all)).unwrap_or_else(Decimal::zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_two_decimals() {
        for (number, text) in
            [("0", "0.00"), ("10.1", "10.10"), ("-0.005", "-0.01"), ("1e3", "1000.00")]
        {
            assert_eq!(amount_text(&number.parse().unwrap()), text, "{number}");
        }
    }

    #[test]
    fn a_share_is_rounded_once() {
        let hundred = Decimal::from(100);
        assert_eq!(share(&hundred, 1, 3), "33.33".parse().unwrap());
        assert_eq!(share(&hundred, 2, 3), "66.67".parse().unwrap());
        assert_eq!(share(&hundred, 1, 0), Decimal::zero());
    }
}
