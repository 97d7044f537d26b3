//! Exact decimals, from a request's bytes to the database and back.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use std::str::FromStr;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode, Signed, Zero};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An exact decimal number.
///
/// Input holds at most [`Decimal::MAX_INTEGER_DIGITS`] digits before the point and
/// [`Decimal::MAX_FRACTION_DIGITS`] behind it; intermediate results of arithmetic may hold more and
/// become money by [`crate::Currency::round`]. Equality and order are by value: 29.90 equals 29.9.
/// In JSON it is a number with its own digits, never a binary approximation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(BigDecimal);

/// The text is not a decimal, or holds more digits than are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDecimal {
    /// Not digits with an optional sign, point and exponent.
    #[error("not a decimal number")]
    Syntax,
    /// More digits than [`Decimal::MAX_INTEGER_DIGITS`] or [`Decimal::MAX_FRACTION_DIGITS`].
    #[error("a number may hold at most 15 digits before the decimal point and 10 behind it")]
    TooLong,
}

impl Decimal {
    /// Digits that an input may hold before the decimal point.
    pub const MAX_INTEGER_DIGITS: usize = 15;
    /// Digits that an input may hold behind the decimal point.
    pub const MAX_FRACTION_DIGITS: usize = 10;

    /// Zero.
    #[must_use]
    pub fn zero() -> Self {
        Self(BigDecimal::zero())
    }

    /// `units` × 10^-`scale`: `Decimal::new(2990, 2)` is 29.90.
    #[must_use]
    pub fn new(units: i64, scale: u8) -> Self {
        Self(BigDecimal::new(BigInt::from(units), i64::from(scale)))
    }

    /// Reads plain digits that a program computed, a sum for one: there may be more of them than an
    /// input holds. `None` when it is no number.
    #[must_use]
    pub fn computed(text: &str) -> Option<Self> {
        text.parse().ok().or_else(|| {
            let number: BigDecimal = text.parse().ok()?;
            Some(Self(number))
        })
    }

    /// Whether this is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// Whether this is above zero.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.0.is_positive()
    }

    /// The number with all its decimals, and zeros behind them up to `decimals`: 10.1 is `10.10`
    /// with two, 0.125 stays `0.125`.
    #[must_use]
    pub fn padded(&self, decimals: usize) -> String {
        let text = self.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        match decimals.max(fraction.len()) {
            0 => text,
            _ => format!("{whole}.{fraction:0<decimals$}"),
        }
    }

    /// The distance from zero.
    #[must_use]
    pub fn abs(&self) -> Self {
        Self(self.0.abs())
    }

    /// Hundredths: `rate.percent()` of 22 is 0.22.
    #[must_use]
    pub fn percent(&self) -> Self {
        let (digits, scale) = self.0.as_bigint_and_exponent();
        Self(BigDecimal::new(digits, scale + 2))
    }

    /// The whole number nearest to this at `scale` decimals; halves go away from zero.
    ///
    /// Private to the kernel on purpose: a computed value becomes money through
    /// [`crate::Currency::round`] and nowhere else.
    pub(crate) fn round_half_up(&self, scale: u8) -> Self {
        Self(self.0.with_scale_round(i64::from(scale), RoundingMode::HalfUp))
    }

    /// `self ÷ divisor`, rounded half away from zero at `scale` decimals; `None` when `divisor` is
    /// zero.
    pub(crate) fn divide_half_up(&self, divisor: &Self, scale: u8) -> Option<Self> {
        if divisor.is_zero() {
            return None;
        }
        let (n, n_scale) = self.0.as_bigint_and_exponent();
        let (d, d_scale) = divisor.0.as_bigint_and_exponent();
        // n/10^ns ÷ d/10^ds at `scale` decimals is n·10^(scale+ds-ns) ÷ d, rounded to an integer.
        let shift = i64::from(scale) + d_scale - n_scale;
        let power = BigInt::from(10).pow(u32::try_from(shift.unsigned_abs()).unwrap_or(u32::MAX));
        let (n, d) = if shift >= 0 { (n * power, d) } else { (n, d * power) };
        let doubled = n.abs() * 2 + d.abs();
        let whole: BigInt = doubled / (d.abs() * 2);
        let signed = if n.is_negative() == d.is_negative() { whole } else { -whole };
        Some(Self(BigDecimal::new(signed, i64::from(scale))))
    }

    /// `self ÷ divisor`, rounded half away from zero at the decimals that an input may hold: a rate
    /// or the price of one, which are no money. `None` when `divisor` is zero.
    #[must_use]
    pub fn ratio(&self, divisor: &Self) -> Option<Self> {
        self.divide_half_up(divisor, RATIO_DECIMALS)
    }

    /// Whether this needs no more than `scale` decimals.
    #[must_use]
    pub fn fits_scale(&self, scale: u8) -> bool {
        self.round_half_up(scale) == *self
    }
}

/// [`Decimal::MAX_FRACTION_DIGITS`], as a scale.
const RATIO_DECIMALS: u8 = 10;

impl From<i64> for Decimal {
    fn from(whole: i64) -> Self {
        Self(BigDecimal::from(whole))
    }
}

impl FromStr for Decimal {
    type Err = InvalidDecimal;

    /// Reads `-12.50`, `3`, `1.2e3`: what JSON calls a number.
    fn from_str(text: &str) -> Result<Self, InvalidDecimal> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let malformed = whole.is_empty()
            || (fraction.is_empty() && mantissa.contains('.'))
            || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit());
        if malformed {
            return Err(InvalidDecimal::Syntax);
        }
        let digits = [whole, fraction].concat();
        let point = i64::try_from(whole.len()).map_err(|_| InvalidDecimal::TooLong)? + exponent;
        bounded(&digits, point, negative)
    }
}

/// An exponent of at most four digits; longer ones cannot belong to a number that is kept.
fn parse_exponent(text: &str) -> Result<i64, InvalidDecimal> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(InvalidDecimal::Syntax);
    }
    let significant = digits.trim_start_matches('0');
    if significant.len() > 4 {
        return Err(InvalidDecimal::TooLong);
    }
    let size: i64 = if significant.is_empty() {
        0
    } else {
        significant.parse().map_err(|_| InvalidDecimal::Syntax)?
    };
    Ok(if text.starts_with('-') { -size } else { size })
}

/// The number whose `digits` have their decimal point after the first `point` ones.
fn bounded(digits: &str, point: i64, negative: bool) -> Result<Decimal, InvalidDecimal> {
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Ok(Decimal::zero());
    }
    let length = |n: usize| i64::try_from(n).map_err(|_| InvalidDecimal::TooLong);
    let integer_digits = point - length(leading)?;
    let fraction_digits = length(significant.len())? - integer_digits;
    if integer_digits > length(Decimal::MAX_INTEGER_DIGITS)?
        || fraction_digits > length(Decimal::MAX_FRACTION_DIGITS)?
    {
        return Err(InvalidDecimal::TooLong);
    }
    // Most numbers are short.
    let magnitude: BigInt = match significant.parse::<i64>() {
        Ok(short) => short.into(),
        Err(_) => significant.parse().map_err(|_| InvalidDecimal::Syntax)?,
    };
    let signed = if negative { -magnitude } else { magnitude };
    // A negative scale (1.2e3 = 12 × 10^2) is spelled out, so that later scales stay small.
    let number = BigDecimal::new(signed, fraction_digits);
    Ok(Decimal(if fraction_digits < 0 { number.with_scale(0) } else { number }))
}

impl fmt::Display for Decimal {
    /// Plain digits without an exponent and without trailing zeros: `29.9`, `1200`, `-0.05`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (digits, scale) = self.0.as_bigint_and_scale();
        match (i64::try_from(&*digits), usize::try_from(scale)) {
            (Ok(units), Ok(scale)) if scale <= SHORT_SCALE => fmt_short(units, scale, f),
            _ => fmt_long(&self.0, f),
        }
    }
}

/// Decimals that [`fmt_short`] writes, at most.
const SHORT_SCALE: usize = 18;

/// Writes `units` × 10^-`scale` by the arithmetic of the processor. Nearly all numbers are as
/// short, and a document is written several times on its way.
fn fmt_short(units: i64, scale: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (mut digits, mut decimals) = (units.unsigned_abs(), scale);
    while decimals > 0 && digits.is_multiple_of(10) {
        (digits, decimals) = (digits / 10, decimals - 1);
    }
    let power = (0..decimals).fold(1_u64, |power, _| power * 10);
    let (whole, fraction) = (digits / power, digits % power);
    let sign = if units < 0 { "-" } else { "" };
    match decimals {
        0 => write!(f, "{sign}{whole}"),
        _ => write!(f, "{sign}{whole}.{fraction:0decimals$}"),
    }
}

/// Writes a number of any length.
fn fmt_long(number: &BigDecimal, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = number.to_plain_string();
    if text.contains('.') {
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    } else {
        f.write_str(&text)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number =
            serde_json::Number::from_str(&self.to_string()).map_err(serde::ser::Error::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        number.as_str().parse().map_err(serde::de::Error::custom)
    }
}

impl Add for &Decimal {
    type Output = Decimal;
    fn add(self, other: Self) -> Decimal {
        Decimal(&self.0 + &other.0)
    }
}

impl Sub for &Decimal {
    type Output = Decimal;
    fn sub(self, other: Self) -> Decimal {
        Decimal(&self.0 - &other.0)
    }
}

impl Mul for &Decimal {
    type Output = Decimal;
    fn mul(self, other: Self) -> Decimal {
        Decimal(&self.0 * &other.0)
    }
}

impl Neg for &Decimal {
    type Output = Decimal;
    fn neg(self) -> Decimal {
        Decimal(-&self.0)
    }
}

impl AddAssign<&Decimal> for Decimal {
    fn add_assign(&mut self, other: &Self) {
        self.0 += &other.0;
    }
}

impl SubAssign<&Decimal> for Decimal {
    fn sub_assign(&mut self, other: &Self) {
        self.0 -= &other.0;
    }
}

impl<'a> Sum<&'a Decimal> for Decimal {
    fn sum<I: Iterator<Item = &'a Decimal>>(numbers: I) -> Self {
        numbers.fold(Self::zero(), |mut sum, number| {
            sum += number;
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn digits_survive_json_both_ways() {
        for (sent, answered) in [
            ("29.90", "29.9"),
            ("0.1", "0.1"),
            ("140737488355327.99", "140737488355327.99"),
            ("-0.0000000001", "-0.0000000001"),
            ("1.2e3", "1200"),
            ("12E-1", "1.2"),
            ("0e9999", "0"),
            ("-0", "0"),
        ] {
            let read: Decimal = serde_json::from_str(sent).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), answered, "{sent}");
        }
    }

    #[test]
    fn zeros_fill_up_decimals_and_take_none_away() {
        for (number, decimals, text) in [
            ("0", 2, "0.00"),
            ("10.1", 2, "10.10"),
            ("-0.05", 2, "-0.05"),
            ("1e3", 2, "1000.00"),
            ("2201.7838", 2, "2201.7838"),
            ("7", 0, "7"),
            ("7.5", 0, "7.5"),
        ] {
            assert_eq!(decimal(number).padded(decimals), text, "{number}");
        }
    }

    #[test]
    fn numbers_beyond_a_decimal_are_refused() {
        use InvalidDecimal::{Syntax, TooLong};
        for (text, expected) in [
            ("1e400", TooLong),
            ("1e99999999999", TooLong),
            ("1234567890123456", TooLong),
            ("0.12345678901", TooLong),
            ("NaN", Syntax),
            ("", Syntax),
            ("-", Syntax),
            ("1.", Syntax),
            (".5", Syntax),
            ("+1", Syntax),
            ("1e", Syntax),
            ("1_000", Syntax),
        ] {
            assert_eq!(text.parse::<Decimal>(), Err(expected), "{text}");
        }
    }

    #[test]
    fn division_rounds_halves_away_from_zero() {
        for (n, d, scale, expected) in [
            ("1", "8", 2, "0.13"),
            ("-1", "8", 2, "-0.13"),
            ("81", "1.22", 2, "66.39"),
            ("1", "3", 0, "0"),
            ("250", "100", 0, "3"),
        ] {
            let quotient = decimal(n).divide_half_up(&decimal(d), scale).unwrap();
            assert_eq!(quotient, decimal(expected), "{n} / {d}");
        }
        assert_eq!(decimal("1").divide_half_up(&Decimal::zero(), 2), None);
    }

    proptest! {
        #[test]
        fn cents_are_cents(units in any::<i32>()) {
            let number = Decimal::new(i64::from(units), 2);
            let text = serde_json::to_string(&number).unwrap();
            prop_assert_eq!(serde_json::from_str::<Decimal>(&text).unwrap(), number);
        }

        /// The short way and the general one.
        #[test]
        fn short_numbers_are_written_as_long_ones_are(
            units in prop_oneof![any::<i64>(), any::<i16>().prop_map(i64::from)],
            scale in 0..=18_u8,
        ) {
            struct Long<'a>(&'a Decimal);
            impl fmt::Display for Long<'_> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt_long(&self.0.0, f)
                }
            }
            let number = Decimal::new(units, scale);
            prop_assert_eq!(number.to_string(), Long(&number).to_string());
        }

        #[test]
        fn division_agrees_with_integer_arithmetic(
            n in -1_000_000_i64..1_000_000,
            d in 1_i64..10_000,
        ) {
            let quotient = Decimal::from(n).divide_half_up(&Decimal::from(d), 0).unwrap();
            let expected = (2 * n.abs() + d) / (2 * d) * n.signum();
            prop_assert_eq!(quotient, Decimal::from(expected));
        }
    }
}
