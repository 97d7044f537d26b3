//! What callers may send: names, numbers, texts.

use racun_kernel::{Issue, Issues, text};

use crate::Authority;

/// Characters that a premise's or device's name has at most, by both authorities' schemas.
const MAX_NAME_CHARS: usize = 20;
/// Characters that an operator's mark has at most.
const MAX_LABEL_CHARS: usize = 255;
/// The highest first number of a sequence.
const MAX_START: i64 = 999_999_999;

/// The issue of something that must be given.
pub fn required(message: &str) -> Issue {
    Issue::new("required", message)
}

fn refused(message: impl Into<String>) -> Issue {
    Issue::new("invalid_value", message)
}

/// Accepts a premise's name: 1 to 20 ASCII letters and digits.
pub fn premise_name(name: &str) -> Result<(), Issues> {
    name_of(name, u8::is_ascii_alphanumeric, "letters (a to z, A to Z) and digits")
}

/// Accepts a device's name: as a premise's; in Croatia digits alone (`OznNapUr`).
pub fn device_name(authority: Authority, name: &str) -> Result<(), Issues> {
    match authority {
        Authority::Furs => premise_name(name),
        Authority::Fina => name_of(name, u8::is_ascii_digit, "digits"),
    }
}

fn name_of(name: &str, accepts: fn(&u8) -> bool, what: &str) -> Result<(), Issues> {
    let is_long = name.chars().count() > MAX_NAME_CHARS;
    if name.is_empty() || is_long || !name.as_bytes().iter().all(accepts) {
        return Err(refused(format!("expected 1 to {MAX_NAME_CHARS} {what}")).into());
    }
    Ok(())
}

/// Accepts the first number of a sequence.
pub fn starting_number(number: i64) -> Result<i64, Issues> {
    if (1..=MAX_START).contains(&number) {
        return Ok(number);
    }
    let message = format!("expected a number from 1 to {MAX_START}");
    Err(Issue::new("out_of_range", message).into())
}

/// Accepts 1 to `max` characters that are not all blank.
pub fn text_of(value: &str, max: usize) -> Result<(), Issues> {
    if value.trim().is_empty() {
        return Err(required("must hold at least one character that is not blank").into());
    }
    text::check(value, max).map_err(Issues::from)
}

/// Accepts 1 to `max` digits.
pub fn digits(value: &str, max: usize) -> Result<(), Issues> {
    if value.is_empty() || value.len() > max || !is_digits(value) {
        return Err(refused(format!("expected 1 to {max} digits")).into());
    }
    Ok(())
}

/// Accepts exactly `count` digits.
pub fn exact_digits(value: &str, count: usize) -> Result<(), Issues> {
    if value.len() == count && is_digits(value) {
        return Ok(());
    }
    Err(refused(format!("expected {count} digits")).into())
}

/// Accepts what `authority` knows a person by: a tax number of eight digits, an OIB.
pub fn operator_number(authority: Authority, number: &str) -> Result<(), Issues> {
    match authority {
        Authority::Furs => exact_digits(number, 8),
        Authority::Fina if is_oib(number) => Ok(()),
        Authority::Fina => {
            let message = "expected an OIB: eleven digits, of which the last one checks the others";
            Err(refused(message).into())
        }
    }
}

/// Accepts an operator's mark.
pub fn operator_label(label: &str) -> Result<(), Issues> {
    text_of(label, MAX_LABEL_CHARS)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether `text` is an OIB: the last of its eleven digits is what ISO 7064, MOD 11,10 makes of the
/// others.
fn is_oib(text: &str) -> bool {
    if text.len() != 11 || !is_digits(text) {
        return false;
    }
    let mut digits = text.bytes().map(|byte| u32::from(byte - b'0'));
    let Some(last) = digits.next_back() else { return false };
    let rest = digits.fold(10, |rest, digit| {
        let sum = (rest + digit) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - rest) % 10 == last
}
