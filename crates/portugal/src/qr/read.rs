//! A code's fields, and whether they are as the law wants them.

use std::collections::BTreeMap;

use racun_kernel::{Decimal, Issue, Issues};

use super::MAX_OTHER_CHARS;
use crate::{Atcud, CONSUMER, Code, Number, Region, Status, UNKNOWN, is_nif};

/// The fields of a code by their letters.
pub type QrFields = BTreeMap<String, String>;

/// All fields in their order.
const ORDER: [&str; 40] = [
    "A", "B", "C", "D", "E", "F", "G", "H", "I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "J1",
    "J2", "J3", "J4", "J5", "J6", "J7", "J8", "K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8", "L",
    "M", "N", "O", "P", "Q", "R", "S",
];

/// Those that each code has.
const REQUIRED: [&str; 13] = ["A", "B", "C", "D", "E", "F", "G", "H", "I1", "N", "O", "Q", "R"];

/// Reads the text of a code.
///
/// # Errors
/// All that is wrong with it, by field.
pub fn read_qr(payload: &str) -> Result<QrFields, Issues> {
    let mut issues = Issues::default();
    let mut refuse = |at: &str, what: &str| {
        issues.push(Issue::new("invalid_value", what).at(at));
    };
    let mut fields = QrFields::new();
    let mut next = 0;
    for part in payload.split('*') {
        let Some((key, value)) = part.split_once(':') else {
            refuse(part, "expected a field, a colon and its value");
            continue;
        };
        match ORDER.iter().position(|known| *known == key) {
            None => refuse(key, "there is no such field"),
            Some(place) if place < next => refuse(key, "the field is repeated or out of order"),
            Some(place) => next = place + 1,
        }
        fields.insert(key.to_owned(), value.to_owned());
    }
    for key in REQUIRED {
        if fields.get(key).is_none_or(String::is_empty) {
            refuse(key, "the field is required");
        }
    }
    for (key, value) in &fields {
        if let Err(what) = check(key, value, &fields) {
            refuse(key, what);
        }
    }
    if issues.is_empty() {
        check_sums(&fields, &mut issues);
    }
    issues.into_result(fields)
}

fn check(key: &str, value: &str, fields: &QrFields) -> Result<(), &'static str> {
    let verdict = |holds: bool, what: &'static str| if holds { Ok(()) } else { Err(what) };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let other = |key: &str| fields.get(key).map_or("", String::as_str);
    match key {
        "A" => verdict(is_nif(value), "expected the issuer's number: nine digits"),
        "B" => {
            let is_own = other("C") != Region::Mainland.code() || is_nif(value);
            let fits = is_own || value == CONSUMER;
            verdict(fits && value.chars().count() <= 30, "expected the buyer's number")
        }
        "C" => {
            let is_code = value.len() == 2 && value.bytes().all(|byte| byte.is_ascii_uppercase());
            verdict(is_code || value == UNKNOWN, "expected a country in capitals")
        }
        "D" => verdict(Code::from_text(value).is_some(), "expected a type of document"),
        "E" => {
            verdict(Status::from_letter(value).is_some(), "expected a state: N, S, A, R, F or T")
        }
        "F" => verdict(value.len() == 8 && digits(value), "expected a date as YYYYMMDD"),
        "G" => verdict(value.parse::<Number>().is_ok(), "expected a document's number"),
        "H" => {
            let number = other("G").parse::<Number>();
            let atcud = value.parse::<Atcud>();
            let fits = atcud.is_ok_and(|atcud| number.is_ok_and(|number| atcud.is_of(&number)));
            verdict(fits, "expected the validation code and the digits of the number")
        }
        "I1" => {
            verdict(value == "0" || Region::from_code(value).is_some(), "expected a region, or 0")
        }
        "J1" | "K1" => verdict(Region::from_code(value).is_some(), "expected a region"),
        "Q" => {
            let is_receipt = value == "0" && Code::from_text(other("D")).is_some_and(is_unsigned);
            verdict(
                is_receipt || value.chars().count() == 4,
                "expected four characters of the hash",
            )
        }
        "R" => verdict(
            (1..=4).contains(&value.len()) && digits(value),
            "expected the number of the certificate: up to four digits",
        ),
        "S" => verdict(value.chars().count() <= MAX_OTHER_CHARS, "expected at most 65 characters"),
        amount => {
            let has_base = match amount.as_bytes() {
                [space, place @ (b'4' | b'6' | b'8')] => {
                    let base = [*space, place - 1];
                    fields.keys().any(|key| key.as_bytes() == base)
                }
                _ => true,
            };
            verdict(has_base, "a tax stands behind its base")?;
            verdict(is_amount(value), "expected an amount with a point and two decimals")
        }
    }
}

fn is_unsigned(code: Code) -> bool {
    !code.is_signed()
}

fn is_amount(text: &str) -> bool {
    let Some((whole, decimals)) = text.split_once('.') else { return false };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (1..=13).contains(&whole.len()) && digits(whole) && decimals.len() == 2 && digits(decimals)
}

/// Taxes and bases come to N and O, but for documents that show none.
fn check_sums(fields: &QrFields, issues: &mut Issues) {
    if fields.get("I1").is_some_and(|region| region == "0") {
        return;
    }
    let (mut bases, mut taxes) = (Decimal::zero(), Decimal::zero());
    let amount = |text: &String| text.parse::<Decimal>().unwrap_or_else(|_| Decimal::zero());
    for (key, value) in fields {
        match key.as_bytes() {
            [b'I'..=b'K', b'4' | b'6' | b'8'] | [b'M'] => taxes += &amount(value),
            [b'I'..=b'K', b'2' | b'3' | b'5' | b'7'] | [b'L'] => bases += &amount(value),
            _ => {}
        }
    }
    let stated = |key: &str| fields.get(key).map_or_else(Decimal::zero, amount);
    if stated("N") != taxes {
        let message = format!("the taxes come to {taxes}");
        issues.push(Issue::new("invalid_value", message).at("N"));
    }
    let rest = &(&stated("O") - &bases) - &taxes;
    if rest.abs() > Decimal::new(1, 2) {
        let message = format!("bases and taxes come to {}", &bases + &taxes);
        issues.push(Issue::new("invalid_value", message).at("O"));
    }
}
