//! Which values are taken, and what errors mean.

use racun_fiscal::{
    Authority, Buyer, ErrorClass, ProtectiveCode, SaleKind, check_device_name, check_premise_name,
    check_starting_number, fina, furs,
};
use racun_kernel::Step;

use crate::world::{group, invoice, read, sale, text};

#[test]
fn slovenian_values_are_taken_and_refused_as_known() {
    let file = read("furs.json");
    let mut left_out = Vec::new();
    for vector in group(&file, "vectors", "validation") {
        let field = text(vector, "field");
        let value = vector["value"].as_str().map_or(vector["value"].to_string(), str::to_owned);
        let taken = match field {
            "business_premise_id" => check_premise_name(&value).is_ok(),
            "electronic_device_id" => check_device_name(Authority::Furs, &value).is_ok(),
            "tax_number" => Authority::Furs.check_number(&value).is_ok(),
            "customer_vat_number" => is_sent(&value),
            "protected_id" => value.parse::<ProtectiveCode>().is_ok(),
            "postal_code" => real_estate(|place| place.postal_code = value.clone()),
            "cadastral_number" => real_estate(|place| place.cadastral_number = value.clone()),
            "building_number" => real_estate(|place| place.building_number = value.clone()),
            // Our own: numbers are counted, amounts calculated; there are no books of numbered
            // forms.
            "invoice_number" | "amount" | "sales_book_serial" | "sales_book_set" => {
                left_out.push(field);
                continue;
            }
            _ => panic!("{field}"),
        };
        assert_eq!(taken, vector["valid"].as_bool().unwrap(), "{vector}");
    }
    left_out.dedup();
    assert_eq!(left_out, ["invoice_number", "amount", "sales_book_serial", "sales_book_set"]);
}

fn is_sent(number: &str) -> bool {
    let buyer = Buyer { tax_number: Some(number.to_owned()), ..Buyer::default() };
    let sold = racun_fiscal::Sale { buyer: Some(buyer), ..sale(SaleKind::Invoice, "1.00") };
    invoice(&sold).customer_vat_number.is_some()
}

fn real_estate(change: impl FnOnce(&mut furs::RealEstate)) -> bool {
    let mut place = building();
    change(&mut place);
    place.check().is_ok()
}

fn building() -> furs::RealEstate {
    furs::RealEstate {
        cadastral_number: "365".to_owned(),
        building_number: "12".to_owned(),
        building_section: "3".to_owned(),
        street: "Tržaška cesta".to_owned(),
        house_number: "24".to_owned(),
        house_number_additional: Some("B".to_owned()),
        community: "Ljubljana".to_owned(),
        city: "Ljubljana".to_owned(),
        postal_code: "1000".to_owned(),
    }
}

#[test]
fn each_wrong_field_of_a_building_is_named() {
    let long = "a".repeat(101);
    let place = furs::RealEstate {
        cadastral_number: "12345".to_owned(),
        building_number: "1234567".to_owned(),
        building_section: "1a".to_owned(),
        street: long.clone(),
        house_number: " ".to_owned(),
        house_number_additional: Some("12345678901".to_owned()),
        community: String::new(),
        city: long,
        postal_code: "SI-1".to_owned(),
    };
    let issues = place.check().unwrap_err();
    let fields: Vec<&Step> = issues.iter().map(|issue| &issue.path[0]).collect();
    let expected = [
        "cadastral_number",
        "building_number",
        "building_section",
        "street",
        "house_number",
        "house_number_additional",
        "community",
        "city",
        "postal_code",
    ];
    assert_eq!(fields, expected.map(Step::from).iter().collect::<Vec<_>>());
    assert!(issues.iter().all(|issue| issue.code == "invalid_value"));
    assert_eq!(building().check(), Ok(()));
}

#[test]
fn an_oib_is_taken_as_known() {
    let file = read("fina.json");
    for vector in group(&file, "public", "oib") {
        let taken = Authority::Fina.check_number(text(vector, "value")).is_ok();
        assert_eq!(taken, vector["valid"].as_bool().unwrap(), "{vector}");
    }
}

#[test]
fn names_of_devices_are_numbers_in_croatia() {
    for (name, in_slovenia, in_croatia) in [
        ("1", true, true),
        ("12345678901234567890", true, true),
        ("123456789012345678901", false, false),
        ("B1", true, false),
        ("01", true, false),
        ("0", true, false),
        ("", false, false),
        ("1 ", false, false),
        ("１", false, false),
    ] {
        assert_eq!(check_device_name(Authority::Furs, name).is_ok(), in_slovenia, "{name}");
        assert_eq!(check_device_name(Authority::Fina, name).is_ok(), in_croatia, "{name}");
    }
}

#[test]
fn starting_numbers_and_notes_have_bounds() {
    for (number, taken) in
        [(0, false), (1, true), (999_999_999, true), (1_000_000_000, false), (-1, false)]
    {
        assert_eq!(check_starting_number(number).is_ok(), taken, "{number}");
    }
    for (notes, taken) in
        [("", false), ("CHSEQ#1DT2026-04-25T11:02:03", true), ("a\nb", false), (" ", false)]
    {
        assert_eq!(furs::check_special_notes(notes).is_ok(), taken, "{notes:?}");
    }
    assert!(furs::check_special_notes(&"č".repeat(1000)).is_ok());
    assert!(furs::check_special_notes(&"č".repeat(1001)).is_err());
}

#[test]
fn codes_of_errors_are_classed_as_known() {
    let file = read("fina.json");
    let known = &file["public"]["retry_classes"];
    let codes = |name: &str| -> Vec<String> {
        let all = known[name].as_array().unwrap().iter().map(|code| code.as_str().unwrap());
        // What is no code is no refusal: `Unknown`.
        let codes: Vec<_> = all.filter(|c| c.len() == 4 && c.starts_with('s')).collect();
        assert!(!codes.is_empty(), "{name}");
        codes.into_iter().map(str::to_owned).collect()
    };
    for (name, class) in [
        ("retryable", ErrorClass::Retry),
        ("config", ErrorClass::Config),
        ("permanent", ErrorClass::Permanent),
    ] {
        for code in codes(name) {
            assert_eq!(fina::class(&code), class, "{code}");
            assert_eq!(fina::class(&code.to_uppercase()), class, "{code}");
            assert_eq!(class.is_final(), name != "retryable");
        }
    }
}

#[test]
fn the_permanent_codes_of_furs_fail_and_the_others_are_repeated() {
    for code in ["S001", "s002", "S003", "S004", "s005", "S006", "S007", "S008"] {
        assert!(furs::class(code).is_final(), "{code}");
    }
    for (code, class) in [
        ("S001", ErrorClass::Permanent),
        ("s004", ErrorClass::Config),
        ("S008", ErrorClass::Config),
        ("s006", ErrorClass::PremiseUnknown),
        ("S100", ErrorClass::Retry),
        ("s100", ErrorClass::Retry),
        ("S999", ErrorClass::Retry),
        ("", ErrorClass::Retry),
    ] {
        assert_eq!(furs::class(code), class, "{code}");
    }
    assert_eq!(fina::class("s999"), ErrorClass::Retry);
}
