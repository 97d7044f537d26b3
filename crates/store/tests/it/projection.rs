//! What tallies look at is read of a body, whatever else is in it.

use proptest::prelude::*;
use racun_store::{
    CountedRow, Counter, Field, FieldKind, Figure, JsonPath, Part, Projection, Table, Tally,
};
use serde_json::{Value as Json, json};

static ROWS: Table = Table::new::<racun_store::Activity>("rows", &[Field::instant("created_at")]);

/// Some lead through others, and one leads to the body itself.
const PATHS: [JsonPath; 7] =
    [&[], &["a"], &["b"], &["a", "b"], &["a", "a", "b"], &["b", "a"], &["c", "\u{161}"]];

fn kinds() -> impl Strategy<Value = FieldKind> {
    prop_oneof![Just(FieldKind::Text), Just(FieldKind::Number)]
}

fn parts() -> impl Strategy<Value = Part> {
    (any::<bool>(), prop::sample::select(&PATHS[..]), kinds()).prop_map(|(inside, path, kind)| {
        if inside { Part::Element(path, kind) } else { Part::Body(path, kind) }
    })
}

fn tallies() -> impl Strategy<Value = Tally> {
    let each = prop::option::of(prop::sample::select(&PATHS[..]));
    let figures = prop::collection::vec(parts(), 0..3);
    (each, prop::collection::vec(parts(), 0..3), figures).prop_map(|(each, by, figures)| Tally {
        each,
        by,
        figures: figures.into_iter().map(Figure::CountDistinct).collect(),
        ..Tally::of(&ROWS)
    })
}

fn bodies() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        (-5_i64..5).prop_map(|value| json!(value)),
        Just(json!(0.10)),
        "[a-c\\\\\"\u{161}]{0,2}".prop_map(|value| json!(value)),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let keys = prop::sample::select(&["a", "b", "c", "\u{161}", "a\"", ""][..]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((keys, inner), 0..4).prop_map(|pairs| {
                pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn tallies_count_the_same_over_what_is_read_as_over_the_whole(
        tallies in prop::collection::vec(tallies(), 1..4),
        bodies in prop::collection::vec(bodies(), 1..5),
    ) {
        let projection = Projection::of(&tallies.iter().collect::<Vec<_>>());
        for tally in &tallies {
            let (mut read, mut whole) = (Counter::new(tally), Counter::new(tally));
            for body in &bodies {
                let part = projection.read(&body.to_string()).unwrap();
                read.add(CountedRow { values: &[], named: &[], body: &part });
                whole.add(CountedRow { values: &[], named: &[], body });
            }
            prop_assert_eq!(read.rows(), whole.rows());
        }
    }
}

#[test]
fn unused_properties_are_not_kept() {
    let tally = Tally {
        each: Some(&["lines"]),
        by: vec![Part::Element(&["kind"], FieldKind::Text)],
        figures: vec![Figure::Sum(Part::Body(&["amounts", "total"], FieldKind::Number))],
        ..Tally::of(&ROWS)
    };
    let body = r#"{"id": 1, "amounts": {"total": 1.10, "taxes": [1]}, "note": {"total": 2},
        "lines": [{"kind": "item", "name": "Kava"}, 3, {"name": "Sok"}]}"#;
    let read = Projection::of(&[&tally]).read(body).unwrap();
    let kept = r#"{"amounts":{"total":1.10},"lines":[{"kind":"item"},null,{}]}"#;
    assert_eq!(read.to_string(), kept);
}

#[test]
fn malformed_json_is_refused_wherever_the_mistake_is() {
    let tally = Tally { by: vec![Part::Body(&["a"], FieldKind::Text)], ..Tally::of(&ROWS) };
    let projection = Projection::of(&[&tally]);
    for body in ["", "{", r#"{"a": "x"} 1"#, r#"{"a": "x", "b": [1,}"#, r#"{"b": tru, "a": 1}"#] {
        assert!(projection.read(body).is_err(), "{body}");
    }
}
