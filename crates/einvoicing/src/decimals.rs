//! Kernel decimals as amounts, prices, quantities and rates of the terms, exactly.
//!
//! The crate of the model counts in `rust_decimal`. Values go over by their digits, so nothing is
//! rounded, and what does not fit is refused. Nothing is calculated there that a document states.

use en16931::{InvoiceAmount, Percentage, Quantity, UnitPriceAmount};
use racun_kernel::{Currency, Decimal};

/// Money with at most two decimals: `Amount. Type`. `None` when it has more, or more digits than an
/// amount holds.
pub fn amount(money: &Decimal) -> Option<InvoiceAmount> {
    InvoiceAmount::parse(&money.to_string()).ok()
}

/// A price, with as many decimals as it has.
pub fn price(money: &Decimal) -> Option<UnitPriceAmount> {
    exact(money).map(UnitPriceAmount::new)
}

/// A quantity.
pub fn quantity(number: &Decimal) -> Option<Quantity> {
    exact(number).map(Quantity::new)
}

/// A rate in percent.
pub fn percentage(number: &Decimal) -> Option<Percentage> {
    exact(number).map(Percentage::new)
}

fn exact(number: &Decimal) -> Option<rust_decimal::Decimal> {
    rust_decimal::Decimal::from_str_exact(&number.to_string()).ok()
}

/// `dividend ÷ divisor` at `2 + 2 × pairs` decimals, halves away from zero; `None` when `divisor`
/// is zero.
pub fn quotient(dividend: &Decimal, divisor: &Decimal, pairs: usize) -> Option<Decimal> {
    let hundred = Decimal::from(100);
    let larger = (0..pairs).fold(dividend.clone(), |number, _| &number * &hundred);
    // The euro has two decimals; the hundreds are taken out again.
    let rounded = Currency::EUR.divide(&larger, divisor)?;
    Some((0..pairs).fold(rounded, |number, _| number.percent()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn digits_go_over_as_they_are() {
        for (text, written) in [("0", "0.00"), ("12.5", "12.50"), ("-0.05", "-0.05")] {
            assert_eq!(amount(&decimal(text)).unwrap().to_string(), written);
        }
        assert_eq!(amount(&decimal("0.005")), None);
        assert_eq!(quantity(&decimal("-1.0000000001")).unwrap().to_string(), "-1.0000000001");
        let long = "999999999999999.9999999999";
        assert_eq!(price(&decimal(long)).unwrap().to_string(), long);
        assert_eq!(percentage(&decimal("9.50")).unwrap().to_string(), "9.5");
    }

    #[test]
    fn quotients_are_rounded_once() {
        for (pairs, expected) in [(0, "0.67"), (1, "0.6667"), (3, "0.66666667")] {
            assert_eq!(quotient(&decimal("2"), &decimal("3"), pairs), Some(decimal(expected)));
        }
        assert_eq!(quotient(&decimal("2"), &Decimal::zero(), 1), None);
    }
}
