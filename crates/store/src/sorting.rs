//! Numbers as text that sorts as they do: for indexes that compare bytes.

use racun_kernel::Decimal;

/// What the exponents of keys are counted from, so that none is negative.
const EXPONENT_ZERO: i64 = 50_000;

/// Text that sorts, byte by byte, as `number` does among numbers; equal for equal numbers.
///
/// A number is ±0.d₁d₂d₃… × 10ᵉ with d₁ ≠ 0. Its key is `1`, e in five digits and the digits; zero
/// is `1` alone. A negative number has `0` and the nines' complement of all digits, closed by `~`:
/// of two negatives with the same beginning the longer one is less. Exponents of five digits hold
/// whatever arithmetic makes of inputs of 15 digits.
#[must_use]
pub fn number_key(number: &Decimal) -> String {
    let text = number.to_string();
    let unsigned = text.trim_start_matches('-');
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_start_matches('0');
    let leading = digits.len() - significant.len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return "1".to_owned();
    }
    let length = |n: usize| i64::try_from(n).expect("no text is that long");
    let exponent = EXPONENT_ZERO + length(whole.len()) - length(leading);
    let magnitude = format!("{exponent:05}{significant}");
    if number.is_negative() {
        format!("0{}~", complement_of(&magnitude))
    } else {
        format!("1{magnitude}")
    }
}

/// The number that has this key; `None` when none has.
#[must_use]
pub fn number(key: &str) -> Option<Decimal> {
    let (negative, magnitude) = match key.split_at_checked(1)? {
        ("1", "") => return Some(Decimal::zero()),
        ("1", magnitude) => (false, magnitude.to_owned()),
        ("0", complement) => (true, complement_of(complement.strip_suffix('~')?)),
        _ => return None,
    };
    let (exponent, digits) = magnitude.split_at_checked(5)?;
    let exponent = exponent.parse::<i64>().ok()? - EXPONENT_ZERO;
    let sign = if negative { "-" } else { "" };
    Decimal::computed(&format!("{sign}0.{digits}e{exponent}"))
}

/// The nines' complement of `digits`.
fn complement_of(digits: &str) -> String {
    digits.bytes().map(|digit| char::from(b'0' + (b'9' - digit))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn keys_of_growing_numbers_grow() {
        let numbers = [
            "-999999999999999.9999999999",
            "-1000",
            "-100.01",
            "-100",
            "-99",
            "-12.5",
            "-12",
            "-10",
            "-9",
            "-1.01",
            "-1",
            "-0.2",
            "-0.11",
            "-0.1",
            "-0.0000000002",
            "-0.0000000001",
            "0",
            "0.0000000001",
            "0.01",
            "0.1",
            "0.11",
            "0.2",
            "1",
            "1.01",
            "9",
            "10",
            "12",
            "12.5",
            "99",
            "100",
            "100.01",
            "1000",
            "999999999999999.9999999999",
        ];
        let keys: Vec<String> = numbers.iter().map(|text| number_key(&decimal(text))).collect();
        for pair in keys.windows(2) {
            assert!(pair[0] < pair[1], "{pair:?}");
        }
    }

    #[test]
    fn numbers_that_are_equal_have_one_key() {
        assert_eq!(number_key(&decimal("29.90")), number_key(&decimal("29.9")));
        assert_eq!(number_key(&decimal("1.2e3")), number_key(&decimal("1200")));
        assert_eq!(number_key(&decimal("-0")), number_key(&Decimal::zero()));
    }

    fn numbers() -> impl Strategy<Value = Decimal> {
        let any = (any::<i64>(), 0_u8..=18).prop_map(|(units, scale)| Decimal::new(units, scale));
        let near = (-200_i64..200, 0_u8..=3).prop_map(|(units, scale)| Decimal::new(units, scale));
        prop_oneof![any, near]
    }

    #[test]
    fn invalid_keys_have_no_number() {
        for key in ["", "2", "0", "0~", "1500", "ž", "149999x"] {
            assert_eq!(number(key), None, "{key}");
        }
    }

    proptest! {
        #[test]
        fn a_key_gives_its_number_back(a in numbers()) {
            let product = &(&a * &a) * &a;
            for a in [a, product] {
                prop_assert_eq!(number(&number_key(&a)), Some(a));
            }
        }

        #[test]
        fn keys_order_as_numbers_do(a in numbers(), b in numbers()) {
            prop_assert_eq!(number_key(&a).cmp(&number_key(&b)), a.cmp(&b));
            // Products are longer than any input.
            let (a, b) = (&(&a * &a) * &b, &(&b * &b) * &a);
            prop_assert_eq!(number_key(&a).cmp(&number_key(&b)), a.cmp(&b));
        }
    }
}
