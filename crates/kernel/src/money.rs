//! Currencies, amounts in them, and the one place where a computed value becomes money.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Decimal, Issue};

/// A currency of ISO 4217 with its minor unit.
///
/// Where one currency holds for many amounts, as on a document, each is a [`Decimal`] and the
/// currency is said once; an amount that goes alone is [`Money`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency {
    code: &'static str,
    decimals: u8,
}

/// An amount with its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Money {
    /// How much; below zero for what is owed the other way.
    pub amount: Decimal,
    /// In which currency.
    pub currency: Currency,
}

impl Money {
    /// Whether the amount has no more decimals than its currency.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.currency.check(&self.amount).is_ok()
    }
}

/// The text is not an active currency code of ISO 4217.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an active ISO 4217 currency code, such as EUR")]
pub struct UnknownCurrency;

/// Active codes by minor unit: ISO 4217 list one, amendment 179; funds and metals left out but for
/// those that are money of account.
const ISO_4217: [(u8, &str); 4] = [
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
    (
        2,
        "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD \
    CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP \
    GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK \
    LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO \
    NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS \
    SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST \
    XCD XCG YER ZAR ZMW ZWG",
    ),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
    (4, "CLF UYW"),
];

impl Currency {
    /// The euro.
    pub const EUR: Self = Self { code: "EUR", decimals: 2 };

    /// The three-letter code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.code
    }

    /// Decimals of the minor unit: 2 for EUR, 0 for JPY, 3 for KWD.
    #[must_use]
    pub const fn decimals(self) -> u8 {
        self.decimals
    }

    /// The only place where a computed value becomes money: halves round away from zero.
    #[must_use]
    pub fn round(self, exact: &Decimal) -> Decimal {
        exact.round_half_up(self.decimals)
    }

    /// `exact ÷ divisor` as money, rounded once, halves away from zero. `None` when `divisor` is 0.
    #[must_use]
    pub fn divide(self, exact: &Decimal, divisor: &Decimal) -> Option<Decimal> {
        exact.divide_half_up(divisor, self.decimals)
    }

    /// Accepts an amount that has no more decimals than the currency.
    ///
    /// # Errors
    /// `too_many_decimals`.
    pub fn check(self, amount: &Decimal) -> Result<(), Issue> {
        if amount.fits_scale(self.decimals) {
            return Ok(());
        }
        let message = format!("an amount in {self} has at most {} decimals", self.decimals);
        Err(Issue::new("too_many_decimals", message))
    }

    /// The smallest amount above zero: 0.01 for EUR.
    #[must_use]
    pub fn minor_unit(self) -> Decimal {
        Decimal::new(1, self.decimals)
    }
}

impl FromStr for Currency {
    type Err = UnknownCurrency;

    fn from_str(text: &str) -> Result<Self, UnknownCurrency> {
        if text.len() != 3 {
            return Err(UnknownCurrency);
        }
        ISO_4217
            .into_iter()
            .find_map(|(decimals, codes)| {
                let code = codes.split(' ').find(|code| code.eq_ignore_ascii_case(text))?;
                Some(Self { code, decimals })
            })
            .ok_or(UnknownCurrency)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code)
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_half_away_from_zero_at_the_minor_unit() {
        for (code, exact, rounded) in [
            ("EUR", "0.335", "0.34"),
            ("EUR", "-0.335", "-0.34"),
            ("EUR", "0.3349", "0.33"),
            ("JPY", "10.5", "11"),
            ("KWD", "1.0005", "1.001"),
        ] {
            let currency: Currency = code.parse().unwrap();
            let exact: Decimal = exact.parse().unwrap();
            assert_eq!(
                currency.round(&exact),
                rounded.parse::<Decimal>().unwrap(),
                "{code} {exact}"
            );
        }
    }

    #[test]
    fn an_amount_has_at_most_the_decimals_of_its_currency() {
        for (amount, code, is_exact) in [
            ("0.10", "EUR", true),
            ("0.105", "EUR", false),
            ("10.5", "JPY", false),
            ("9", "JPY", true),
        ] {
            let (amount, currency) = (amount.parse().unwrap(), code.parse().unwrap());
            assert_eq!(Money { amount, currency }.is_exact(), is_exact, "{code}");
        }
    }

    #[test]
    fn only_active_codes_are_currencies_in_either_case() {
        for text in ["", "EU", "EUR ", "HRK", "hrk", "XXX", "E R"] {
            assert_eq!(text.parse::<Currency>(), Err(UnknownCurrency), "{text}");
        }
        for text in ["EUR", "eur", "Eur"] {
            assert_eq!(text.parse::<Currency>().unwrap().code(), "EUR", "{text}");
        }
    }
}
