//! Amounts as the law writes them: a point, and two decimals.

use racun_kernel::{Currency, Decimal};

/// `amount` with exactly two decimals: `10.10`.
#[must_use]
pub fn amount_text(amount: &Decimal) -> String {
    figure_text(&Currency::EUR.round(amount))
}

/// `amount` with all the decimals that it has, two at least.
#[must_use]
pub(crate) fn figure_text(amount: &Decimal) -> String {
    amount.padded(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_two_decimals_and_figures_two_at_least() {
        for (text, amount, figure) in [
            ("0", "0.00", "0.00"),
            ("10.1", "10.10", "10.10"),
            ("1234567.89", "1234567.89", "1234567.89"),
            ("0.005", "0.01", "0.005"),
            ("1e3", "1000.00", "1000.00"),
            ("2201.7838", "2201.78", "2201.7838"),
        ] {
            let number: Decimal = text.parse().unwrap();
            assert_eq!(
                (amount_text(&number), figure_text(&number)),
                (amount.into(), figure.into())
            );
        }
    }
}
