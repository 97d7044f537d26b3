//! What payment codes say, by vectors whose source is beside them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use racun_kernel::{Currency, Decimal, Money, PaymentReference};
use racun_paper::codes::{Side, Transfer, epc, hub3, upn};
use racun_paper::{Symbol, modules};
use serde_json::Value;
use time::Date;
use time::macros::format_description;

fn vectors(of: &str) -> Vec<(String, String)> {
    let all: Value = serde_json::from_str(include_str!("vectors/payment_codes.json")).unwrap();
    let rows = all[of].as_array().unwrap().clone();
    assert!(!rows.is_empty());
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.iter().map(|row| (text(row, "id"), text(row, "payload"))).collect()
}

fn cents(text: &str) -> Decimal {
    Decimal::new(text.parse().unwrap(), 2)
}

fn side(lines: &[&str]) -> Side {
    let text = |n: usize| lines[n].to_owned();
    Side { name: text(0), street: text(1), town: text(2) }
}

fn reference(text: &str) -> Option<PaymentReference> {
    PaymentReference::parse(text).unwrap()
}

fn euros(amount: Decimal) -> Money {
    Money { amount, currency: Currency::EUR }
}

fn transfer(amount: Decimal, payee: Side, iban: &str) -> Transfer {
    Transfer {
        money: euros(amount),
        due: None,
        payer: Side::default(),
        payee,
        iban: iban.to_owned(),
        bic: None,
        reference: None,
        purpose: String::new(),
        purpose_code: "OTHR".to_owned(),
    }
}

fn latin_2(text: &str) -> Vec<u8> {
    encoding_rs::ISO_8859_2.encode(text).0.into_owned()
}

#[test]
fn upn_payloads_are_those_of_the_instructions() {
    for (id, payload) in vectors("upn") {
        let lines: Vec<&str> = payload.lines().collect();
        let due = format_description!("[day].[month].[year]");
        let asked = Transfer {
            due: Date::parse(lines[13], due).ok(),
            payer: side(&lines[5..8]),
            reference: reference(lines[15]),
            purpose: lines[12].to_owned(),
            purpose_code: lines[11].to_owned(),
            ..transfer(cents(lines[8]), side(&lines[16..19]), lines[14])
        };
        assert_eq!(upn(&asked), Some(latin_2(&payload)), "{id}");
    }
}

#[test]
fn hub3_payloads_have_fourteen_lines_in_their_order() {
    for (id, payload) in vectors("hub3") {
        let lines: Vec<&str> = payload.split('\n').collect();
        let asked = Transfer {
            payer: side(&lines[3..6]),
            reference: reference(&format!("{}{}", lines[10], lines[11])),
            purpose: lines[13].to_owned(),
            purpose_code: lines[12].to_owned(),
            ..transfer(cents(lines[2]), side(&lines[6..9]), lines[9])
        };
        assert_eq!(String::from_utf8(hub3(&asked).unwrap()).unwrap(), payload, "{id}");
    }
}

#[test]
fn epc_payloads_are_of_version_2() {
    for (id, payload) in vectors("epc") {
        let lines: Vec<&str> = payload.split('\n').collect();
        let amount: Decimal = lines[7].trim_start_matches("EUR").parse().unwrap();
        let payee = Side { name: lines[5].to_owned(), ..Side::default() };
        let asked = Transfer { purpose: lines[10].to_owned(), ..transfer(amount, payee, lines[6]) };
        assert_eq!(String::from_utf8(epc(&asked).unwrap()).unwrap(), payload, "{id}");
    }
    let payee = Side { name: "Žan".to_owned(), ..Side::default() };
    let asked = Transfer {
        bic: Some("LJBASI2X".to_owned()),
        reference: reference("RF18 5390 0754 7034"),
        purpose: "Invoice".to_owned(),
        ..transfer(cents("1230"), payee, "SI56 1920 0123 4567 892")
    };
    let payload = String::from_utf8(epc(&asked).unwrap()).unwrap();
    let expected = "BCD\n002\n1\nSCT\nLJBASI2X\nŽan\nSI56192001234567892\nEUR12.30\n\n\
                    RF18539007547034";
    assert_eq!(payload, expected, "the reference or a text, never both");
}

#[test]
fn a_code_asks_for_euros_above_zero_on_an_account_that_checks() {
    let payee = || Side { name: "Klas".to_owned(), ..Side::default() };
    let slovenian = Transfer {
        purpose: "Račun".to_owned(),
        ..transfer(cents("100"), payee(), "SI56192001234567892")
    };
    assert!(upn(&slovenian).is_some() && epc(&slovenian).is_some() && hub3(&slovenian).is_none());
    let in_dollars = Money { currency: "USD".parse().unwrap(), ..euros(cents("100")) };
    let wrong = [
        Transfer { money: euros(Decimal::zero()), ..slovenian.clone() },
        Transfer { money: euros(cents("-100")), ..slovenian.clone() },
        Transfer { money: euros(Decimal::new(1005, 3)), ..slovenian.clone() },
        Transfer { money: in_dollars, ..slovenian.clone() },
        Transfer { iban: "SI56192001234567893".to_owned(), ..slovenian.clone() },
        Transfer { payee: Side::default(), ..slovenian.clone() },
        Transfer { money: euros(cents("100000000000")), ..slovenian.clone() },
    ];
    for asked in wrong {
        assert_eq!((upn(&asked), epc(&asked)), (None, None), "{asked:?}");
    }
    let croatian = transfer(cents("100"), payee(), "HR1723600001101234565");
    assert!(upn(&croatian).is_none() && hub3(&croatian).is_some());
}

#[test]
fn texts_of_others_stay_in_their_line_and_their_letters() {
    let evil = "Zlo\nSI56\r\nčšž Ж\u{202e}".repeat(60);
    let payee = Side { name: evil.clone(), street: evil.clone(), town: evil.clone() };
    let asked = Transfer {
        payer: payee.clone(),
        purpose: evil.clone(),
        ..transfer(cents("100"), payee, "SI56192001234567892")
    };
    let payload = upn(&asked).unwrap();
    assert_eq!(payload.split(|byte| *byte == b'\n').count(), 21, "twenty lines, each ended");
    assert!(payload.len() <= 411 && !payload.contains(&b'\r'));
    let drawn = modules(Symbol::Qr { version: Some(15), eci: Some(4) }, &payload).unwrap();
    assert_eq!((drawn.width, drawn.dark.len()), (77, 77 * 77), "version 15");
    let text = String::from_utf8(epc(&asked).unwrap()).unwrap();
    assert!(text.len() <= 331 && text.lines().count() == 11, "{text}");
    let croatian = Transfer { iban: "HR1723600001101234565".to_owned(), ..asked };
    let payload = hub3(&croatian).unwrap();
    assert_eq!(String::from_utf8_lossy(&payload).lines().count(), 14);
    let symbol = Symbol::Pdf417 { error_level: 4, max_columns: 9 };
    assert!(modules(symbol, &payload).is_ok());
}
