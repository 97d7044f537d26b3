//! The errors for which CIS gives no JIR: the numbers in the text of `s013`.

use jiff::civil::DateTime;
use jiff::{Span, Timestamp, ToSpan as _};
use racun_fiscal::Authority;
use serde_json::Value;

use crate::clock::instant;
use crate::schema::croatian;

/// How far ahead the time of issue may be.
fn slack() -> Span {
    1.hour()
}

/// The numbers of all errors of `receipt`, in order.
pub fn errors(receipt: &Value, now: Timestamp) -> Vec<u16> {
    let mut errors = Vec::new();
    let mut check = |number: u16, is_error: bool| {
        if is_error {
            errors.push(number);
        }
    };
    let means = text(receipt, "NacinPlac");
    let total = cents(receipt, "IznosUkupno").unwrap_or_default();
    let is_cash_or_card = matches!(means, "G" | "K");
    let fees = lines(receipt, "Naknade", "Naknada");
    let too_high = |fee: &&Value| cents(fee, "IznosN").unwrap_or_default().abs() > 13_500;
    check(164, fees.iter().any(|fee| too_high(&fee)));
    check(
        166,
        text(receipt, "USustPdv") != "false"
            && text(receipt, "USustPdv") != "0"
            && (sum(receipt) - total).abs() > 1,
    );
    check(167, !is_cash_or_card && total.abs() > 15_000_000);
    check(168, is_cash_or_card && total.abs() > 1_000_000);
    let issued = croatian(text(receipt, "DatVrijeme")).and_then(moment);
    if let Some(issued) = issued {
        check(176, issued + (30 * 24).hours() < now);
        check(177, issued > now + slack());
    }
    let number = receipt.get("BrRac").unwrap_or(&Value::Null);
    check(178, text(number, "BrOznRac") == "0");
    check(179, !is_oib(text(receipt, "OibOper")));
    let buyer = receipt.get("OibPrimateljaRacuna").and_then(Value::as_str);
    check(180, buyer.is_some_and(|buyer| !is_oib(buyer)));
    check(181, buyer.is_some() && means == "T");
    errors
}

/// The moment of a local time.
fn moment(at: DateTime) -> Option<Timestamp> {
    instant(at, Authority::Fina)
}

/// What the parts of the total sum up to, by the formula of rule 166: margin and other taxes are
/// not in it.
fn sum(receipt: &Value) -> i128 {
    let taxes = |name| -> i128 {
        lines(receipt, name, "Porez")
            .iter()
            .map(|line| match name {
                "Pdv" => {
                    cents(line, "Osnovica").unwrap_or_default()
                        + cents(line, "Iznos").unwrap_or_default()
                }
                _ => cents(line, "Iznos").unwrap_or_default(),
            })
            .sum()
    };
    let fees: i128 =
        lines(receipt, "Naknade", "Naknada").iter().filter_map(|fee| cents(fee, "IznosN")).sum();
    let single = ["IznosOslobPdv", "IznosNePodlOpor"];
    let single: i128 = single.into_iter().filter_map(|name| cents(receipt, name)).sum();
    taxes("Pdv") + taxes("Pnp") + fees + single
}

pub(super) fn lines<'a>(receipt: &'a Value, group: &str, line: &str) -> &'a [Value] {
    let lines = receipt.get(group).and_then(|group| group.get(line)).and_then(Value::as_array);
    lines.map(Vec::as_slice).unwrap_or_default()
}

/// An amount of two decimals, in hundredths.
pub(super) fn cents(object: &Value, name: &str) -> Option<i128> {
    let text = object.get(name)?.as_str()?.trim_start_matches('+');
    text.replace('.', "").parse().ok()
}

pub(super) fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Whether the check digit is right: ISO 7064, MOD 11,10.
pub fn is_oib(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let Some((check, rest)) = digits.split_last().filter(|_| digits.len() == 11) else {
        return false;
    };
    let remainder = rest.iter().fold(10, |remainder, digit| {
        let sum = (remainder + digit) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - remainder) % 10 == *check
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// 20 November 2026, noon in Zagreb.
    fn now() -> Timestamp {
        "2026-11-20T11:00:00Z".parse().unwrap()
    }

    fn receipt(changes: &[(&str, Value)]) -> Value {
        let mut receipt = json!({
            "USustPdv": "true", "DatVrijeme": "20.11.2026T11:59:00",
            "BrRac": { "BrOznRac": "1", "OznPosPr": "P", "OznNapUr": "1" },
            "Pdv": { "Porez": [{ "Stopa": "25.00", "Osnovica": "100.00", "Iznos": "25.00" }] },
            "IznosUkupno": "125.00", "NacinPlac": "G", "OibOper": "69435151530"
        });
        for (name, value) in changes {
            receipt[*name] = value.clone();
        }
        receipt
    }

    #[test]
    fn each_restrictive_error_has_its_number() {
        let fee = |amount: &str| json!({ "Naknada": [{ "NazivN": "x", "IznosN": amount }] });
        type Case<'a> = (&'a [(&'a str, Value)], &'a [u16]);
        let table: &[Case<'_>] = &[
            (&[], &[]),
            (&[("IznosUkupno", json!("125.01"))], &[]),
            (&[("IznosUkupno", json!("125.02"))], &[166]),
            (&[("IznosUkupno", json!("125.02")), ("USustPdv", json!("false"))], &[]),
            (&[("IznosMarza", json!("9.00"))], &[]),
            (&[("IznosOslobPdv", json!("5.00")), ("IznosUkupno", json!("130.00"))], &[]),
            (&[("Naknade", fee("135.00")), ("IznosUkupno", json!("260.00"))], &[]),
            (&[("Naknade", fee("135.01")), ("IznosUkupno", json!("260.01"))], &[164]),
            (&[("USustPdv", json!("0")), ("IznosUkupno", json!("10000.01"))], &[168]),
            (
                &[
                    ("USustPdv", json!("0")),
                    ("IznosUkupno", json!("-150000.01")),
                    ("NacinPlac", json!("T")),
                ],
                &[167],
            ),
            (&[("DatVrijeme", json!("21.10.2026T12:59:00"))], &[176]),
            (&[("DatVrijeme", json!("21.10.2026T13:01:00"))], &[]),
            (&[("DatVrijeme", json!("20.11.2026T13:01:00"))], &[177]),
            (&[("BrRac", json!({ "BrOznRac": "0" }))], &[178]),
            (&[("OibOper", json!("12345678901"))], &[179]),
            (&[("OibPrimateljaRacuna", json!("69435151530"))], &[]),
            (&[("OibPrimateljaRacuna", json!("12345678901"))], &[180]),
            (&[("OibPrimateljaRacuna", json!("69435151530")), ("NacinPlac", json!("T"))], &[181]),
            (&[("OibOper", json!("1")), ("BrRac", json!({ "BrOznRac": "0" }))], &[178, 179]),
        ];
        for (changes, numbers) in table {
            assert_eq!(errors(&receipt(changes), now()), *numbers, "{changes:?}");
        }
    }
}
