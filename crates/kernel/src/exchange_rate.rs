//! Rates of exchange.

use serde::{Deserialize, Serialize};
use time::Date;

use crate::{Currency, Decimal};

/// A rate of exchange from a document's currency into its entity's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExchangeRate {
    /// One unit of the document's currency in the entity's. Above zero.
    pub rate: Decimal,
    /// Who published it.
    pub source: String,
    /// The day it is of.
    #[serde(with = "crate::calendar::date")]
    pub date: Date,
    /// The entity's currency.
    pub quote_currency: Currency,
}

impl ExchangeRate {
    /// `amount`, in the document's currency, in the entity's: multiplied by the rate and rounded
    /// once, halves away from zero.
    #[must_use]
    pub fn convert(&self, amount: &Decimal) -> Decimal {
        self.quote_currency.round(&(amount * &self.rate))
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_converted_amount_has_the_decimals_of_the_entitys_currency() {
        for (amount, rate, code, converted) in [
            ("100", "0.9217", "EUR", "92.17"),
            ("10.50", "1.08335", "EUR", "11.38"),
            ("-0.01", "0.5", "EUR", "-0.01"),
            ("12.34", "164.55", "JPY", "2031"),
        ] {
            let exchange = ExchangeRate {
                rate: rate.parse().unwrap(),
                source: "ecb".to_owned(),
                date: date!(2026 - 11 - 20),
                quote_currency: code.parse().unwrap(),
            };
            let expected: Decimal = converted.parse().unwrap();
            assert_eq!(exchange.convert(&amount.parse().unwrap()), expected, "{amount} at {rate}");
        }
    }
}
