//! What strangers send to lists: any text in any parameter ends in a query or in a short refusal.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use racun_kernel::Decimal;
use racun_kernel::calendar::{parse_date, parse_document_date, parse_instant};
use racun_store::{Field, ListQuery, RawQuery, Table};

static ROWS: Table = Table::new::<racun_store::Activity>(
    "rows",
    &[
        Field::instant("created_at"),
        Field::text("name").searched(),
        Field::number("amount"),
        Field::date("due"),
        Field::bool("paid"),
        Field::map("metadata"),
        Field::list("tags"),
    ],
);

/// Bytes of a refusal, at most: a filter is refused in fewer than eight times its own size.
const MOST: usize = 64 * 1024;

/// Reads `raw`; a refusal says something, and not too much.
fn read(raw: &RawQuery) {
    if let Err(issues) = ListQuery::parse(&ROWS, raw) {
        let told: usize = issues.iter().map(|issue| issue.to_string().len()).sum();
        assert!((1..MOST).contains(&told), "{told} bytes are told");
    }
}

fn words(words: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    prop::sample::select(words.to_vec()).prop_map(str::to_owned)
}

/// JSON, of the names and values that lists know and of others.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        words(&["null", "true", "0", "-1.5", "1e400", "1e-99999999999", "[]", "{}", "\"\""]),
        words(&["\"2026-02-30\"", "\"2026-11-20T08:30:00Z\"", "\"\\u0000\"", "\"\\ud800\""]),
        any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    leaf.prop_recursive(6, 48, 6, |inner| {
        let name = prop_oneof![
            words(&["name", "amount", "due", "paid", "metadata", "metadata.a", "tags", "x"]),
            words(&["equals", "not", "gt", "in", "notIn", "contains", "between", "endsWith"]),
        ];
        let property =
            (name, inner.clone()).prop_map(|(name, value)| format!("\"{name}\":{value}"));
        let object = prop::collection::vec(property, 0..6);
        prop_oneof![
            object.prop_map(|properties| format!("{{{}}}", properties.join(","))),
            prop::collection::vec(inner, 0..6).prop_map(|values| format!("[{}]", values.join(","))),
        ]
    })
}

fn text() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop_oneof![
        any::<String>(),
        json(),
        words(&["", "true", "100", "101", "-1", "99999999999999999999", "0x10"]),
    ])
}

/// What looks like a cursor.
fn cursor() -> impl Strategy<Value = Option<String>> {
    let order = words(&["-created_at", "name", "amount,-due", "", "secret"]);
    let direction = words(&["n", "p", "x"]);
    let whole = (order, direction, json(), any::<String>()).prop_map(|(order, way, keys, id)| {
        let id = serde_json::Value::from(id);
        URL_SAFE_NO_PAD.encode(format!("[\"{order}\",\"{way}\",[{keys}],{id}]"))
    });
    prop::option::of(prop_oneof![whole, json().prop_map(|json| URL_SAFE_NO_PAD.encode(json))])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_parameter_ends_in_a_query_or_a_short_refusal(
        limit in text(),
        flag in text(),
        order_by in prop::collection::vec(any::<String>(), 0..8),
        query in prop::option::of(json()),
        search in text(),
    ) {
        let include_total_count = flag;
        let rest = RawQuery::default();
        read(&RawQuery { limit, include_total_count, order_by, query, search, ..rest });
    }

    #[test]
    fn any_text_ends_in_a_number_a_date_or_a_refusal(
        text in prop_oneof![
            any::<String>(),
            "[-+0-9.eE:TZ ]{0,40}",
            "[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2}))?",
            "-?[0-9]{0,400}([.][0-9]{0,400})?([eE][-+]?[0-9]{1,20})?",
        ],
    ) {
        let number = text.parse::<Decimal>().map(|number| number.to_string().len());
        prop_assert!(number.unwrap_or_default() < 64);
        let _ = (parse_date(&text), parse_document_date(&text), parse_instant(&text));
    }

    #[test]
    fn any_cursor_ends_in_a_place_or_a_refusal(
        next_cursor in cursor(),
        prev_cursor in cursor(),
        order_by in prop::option::of(words(&["name", "amount,-due", "-created_at"])),
    ) {
        let order_by = order_by.into_iter().collect();
        read(&RawQuery { next_cursor, prev_cursor, order_by, ..RawQuery::default() });
    }
}

#[test]
fn a_filter_of_nonsense_is_refused_in_few_words() {
    let names = |each: &dyn Fn(usize) -> String| {
        let all: Vec<String> = (0..).map(each).take(500).collect();
        format!("{{{}}}", all.join(","))
    };
    for query in [
        names(&|n| format!("\"{n}\":1")),
        format!("{{\"metadata\":{}}}", names(&|n| format!("\"{n}\":[]"))),
        format!("{{\"amount\":{}}}", names(&|n| format!("\"{n}\":1"))),
        format!("{{\"amount\":{{\"in\":[{}1]}}}}", "0,".repeat(4_000)),
        format!("{{\"amount\":{}", "[".repeat(8_000)),
        format!("{{\"amount\":1{}}}", "0".repeat(8_000)),
    ] {
        let raw = RawQuery { query: Some(query.clone()), ..RawQuery::default() };
        let issues = ListQuery::parse(&ROWS, &raw).unwrap_err();
        let told: usize = issues.iter().map(|issue| issue.to_string().len()).sum();
        assert!(told < 1_000, "{told} bytes to {} of {:.40}", query.len(), query);
    }
}
