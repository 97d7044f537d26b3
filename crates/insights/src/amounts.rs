//! Amounts with two decimals, as the forms of this crate have them.

use racun_kernel::{Currency, Decimal};

/// `amount` in hundredths, halves away from zero.
pub fn cents(amount: &Decimal) -> Decimal {
    Currency::EUR.round(amount)
}

/// `amount` with exactly two decimals: `-10.10`.
pub fn amount_text(amount: &Decimal) -> String {
    cents(amount).padded(2)
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
}
