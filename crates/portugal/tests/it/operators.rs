//! Who issues a document.

use racun_portugal::{OperatorInput, source_id};

use crate::world::faults;

fn input(first: &str, last: &str, number: &str) -> OperatorInput {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    OperatorInput { first_name: text(first), last_name: text(last), tax_number: text(number) }
}

#[test]
fn the_request_comes_first_then_the_user_then_the_entity() {
    let request = input("Ana", "", "");
    let user = input("Eva", "Silva", "");
    let entity = input("Rui", "Costa", "508025338");
    let found = OperatorInput::resolve([request, user, entity]).unwrap();
    let OperatorInput { first_name, last_name, tax_number } = input("Ana", "Silva", "508025338");
    assert_eq!(Some(found.first_name), first_name);
    assert_eq!(Some(found.last_name), last_name);
    assert_eq!(Some(found.tax_number), tax_number);
    let blank = OperatorInput { first_name: Some(" ".to_owned()), ..OperatorInput::default() };
    let found = OperatorInput::resolve([blank, input("Rui", "Costa", "508025338")]).unwrap();
    assert_eq!(found.first_name, "Rui");
}

#[test]
fn each_part_is_required_and_right() {
    let long = "a".repeat(101);
    for (sources, expected) in [
        (
            vec![],
            vec![
                "operator_first_name: required",
                "operator_last_name: required",
                "operator_tax_number: required",
            ],
        ),
        (vec![input("Ana", "Silva", "508025339")], vec!["operator_tax_number: invalid_value"]),
        (vec![input(&long, "Silva", "508025338")], vec!["operator_first_name: too_long"]),
        (
            vec![input("Ana", "", "508025338"), input("", " ", "")],
            vec!["operator_last_name: required"],
        ),
    ] {
        assert_eq!(faults(&OperatorInput::resolve(sources).unwrap_err()), expected);
    }
}

#[test]
fn a_user_is_named_by_the_end_of_the_id_which_differs() {
    let id = "usr_01jd0000000000000000000000";
    assert_eq!(source_id(id), id);
    assert_eq!(source_id("ana"), "ana");
    assert_eq!(source_id(&format!("operator_{id}")), id);
}
