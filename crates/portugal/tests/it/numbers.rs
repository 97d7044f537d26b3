//! Numbers, ATCUD, identifiers, codes, forms.

use racun_portugal::{
    Atcud, Class, Code, ManualNumber, Number, Purpose, SeriesCode, ValidationCode,
};

use crate::world::{faults, group, read, text};

#[test]
fn an_atcud_has_the_digits_of_the_number_as_they_are_written() {
    let file = read("atcud_vectors.json");
    for vector in group(&file, "document_to_atcud") {
        let number: Number = text(vector, "document_number").parse().unwrap();
        let code = ValidationCode::new(text(vector, "validation_code")).unwrap();
        let atcud = Atcud::new(&code, &number);
        assert_eq!(atcud.as_str(), text(vector, "atcud"));
        assert_eq!(atcud.printed(), text(vector, "printed"));
        assert!(atcud.is_of(&number));
        assert_eq!(text(vector, "atcud").parse(), Ok(atcud));
    }
    for vector in group(&file, "invalid_atcud") {
        let atcud = text(vector, "atcud");
        assert!(atcud.parse::<Atcud>().is_err(), "{atcud}: {}", text(vector, "why"));
    }
}

#[test]
fn a_number_has_one_blank_one_slash_and_digits() {
    let file = read("atcud_vectors.json");
    for vector in group(&file, "invalid_document_numbers") {
        let number = text(vector, "document_number");
        assert!(number.parse::<Number>().is_err(), "{number}: {}", text(vector, "why"));
    }
    let number: Number = "FT LOJA_2026/00001".parse().unwrap();
    assert_eq!(
        (number.prefix(), number.series(), number.digits(), number.sequence()),
        ("FT", "LOJA_2026", "00001", Some(1))
    );
    let longest = format!("FT {}/1", "A".repeat(55));
    assert!(longest.parse::<Number>().is_ok());
    assert!(format!("{longest}0").parse::<Number>().is_err(), "61 characters");
    let code = SeriesCode::new("2026A").unwrap();
    assert_eq!(Number::new(Code::Nc, &code, 7, 0).as_str(), "NC 2026A/7");
    let padded = Number::new(Code::Nc, &code, 7, 4);
    assert_eq!(padded.as_str().parse(), Ok(padded));
}

#[test]
fn identifiers_are_as_the_authority_takes_them() {
    let file = read("atcud_vectors.json");
    for vector in group(&file, "series_identifiers") {
        let (series, valid) = (text(vector, "series"), vector["valid"].as_bool().unwrap());
        assert_eq!(SeriesCode::new(series).is_ok(), valid, "{series}");
    }
    let (upper, lower) = (SeriesCode::new("A1").unwrap(), SeriesCode::new("a1").unwrap());
    assert!(upper.is_same_as(&lower) && upper != lower && upper.folded() == lower.folded());
    assert!(SeriesCode::new(&"A".repeat(35)).is_ok());
}

#[test]
fn validation_codes_have_eight_capitals_and_digits_or_more() {
    for (code, valid) in [
        ("AAJFB7NT", true),
        ("AB12CD34EF", true),
        ("AAJFB7N", false),
        ("aajfb7nt", false),
        ("AAJF-7NT", false),
        ("", false),
    ] {
        assert_eq!(ValidationCode::new(code).is_ok(), valid, "{code}");
    }
    assert!(ValidationCode::new(&"A".repeat(32)).is_ok());
    assert!(ValidationCode::new(&"A".repeat(33)).is_err());
}

#[test]
fn types_of_documents_stand_in_their_part_of_the_file() {
    let file = read("enums.json");
    let known = &file["series"]["tipoDoc"];
    for class in [Class::Sales, Class::Movement, Class::Working, Class::Payments] {
        let listed: Vec<&str> = text(known, class.code()).split(' ').collect();
        for code in Code::ALL.iter().filter(|code| code.class() == class) {
            assert!(listed.contains(&code.text()), "{code:?}");
            assert_eq!(Code::from_text(code.text()), Some(*code));
            assert_eq!(serde_json::to_value(code).unwrap(), code.text());
        }
    }
    assert_eq!(Code::from_text("XX"), None);
    for (purpose, code) in [
        (Purpose::Invoice, "FT"),
        (Purpose::InvoiceReceipt, "FR"),
        (Purpose::AdvanceInvoice, "FT"),
        (Purpose::CreditNote, "NC"),
        (Purpose::DebitNote, "ND"),
        (Purpose::Estimate, "OR"),
        (Purpose::DeliveryNote, "GT"),
        (Purpose::Payment, "RG"),
    ] {
        assert_eq!(purpose.code().text(), code);
        assert_eq!(Purpose::from_name(purpose.name()), Some(purpose));
        assert_eq!(serde_json::to_value(purpose).unwrap(), purpose.name());
    }
}

#[test]
fn a_form_is_named_by_its_series_and_number() {
    let form = ManualNumber::new(Code::Ft, Some("V"), Some(23)).unwrap();
    assert_eq!(form.to_string(), "FTM V/23");
    let other = ManualNumber::new(Code::Ft, Some("v"), Some(23)).unwrap();
    assert_eq!(form.key(), other.key());
    for (series, number, expected) in [
        (None, None, vec!["manual_series_code: required", "manual_sequential_number: required"]),
        (Some("V"), Some(0), vec!["manual_sequential_number: invalid_value"]),
        (Some("A B"), Some(1), vec!["manual_series_code: invalid_value"]),
        (Some("A/B"), Some(1), vec!["manual_series_code: invalid_value"]),
        (Some(""), Some(1), vec!["manual_series_code: invalid_value"]),
    ] {
        let issues = ManualNumber::new(Code::Ft, series, number).unwrap_err();
        assert_eq!(faults(&issues), expected, "{series:?} {number:?}");
    }
    assert!(ManualNumber::new(Code::Ft, Some(&"A".repeat(35)), Some(1)).is_ok());
    assert!(ManualNumber::new(Code::Ft, Some(&"A".repeat(36)), Some(1)).is_err());
}
