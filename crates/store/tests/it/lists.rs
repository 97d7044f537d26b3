//! The list language: what it understands, what it refuses, and what it means.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use racun_kernel::id::EntityId;
use racun_kernel::{Step, Tenant};
use racun_store::{Field, ListQuery, Page, RawQuery, Value, evaluate};
use serde::{Deserialize, Serialize};
use time::macros::datetime;

racun_store::record! {
    static ROWS: Row = "rows";
    |row|
    id: row.id,
    tenant: Tenant::entity(EntityId::new(1_u128.into())),
    where {
        let metadata = [("order.id".to_owned(), row.id.clone())].into();
    }
    fields: {
        Field::instant("created_at") => datetime!(2026-11-20 08:30 UTC),
        Field::text("name").searched() => row.name,
        Field::number("amount") => row.amount,
        Field::map("metadata") => Value::Map(metadata),
        Field::list("tags") => row.tags,
        Field::text("secret").hidden() => "secret",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    id: String,
    name: Option<String>,
    amount: Option<i64>,
    tags: Vec<String>,
}

/// Five rows: a to e.
fn rows() -> Vec<Row> {
    let row = |id: &str, name: Option<&str>, amount, tags: &[&str]| Row {
        id: id.to_owned(),
        name: name.map(str::to_owned),
        amount,
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
    };
    vec![
        row("a", Some("Žiga"), Some(2), &["red", "blue"]),
        row("b", None, Some(10), &["red"]),
        row("c", Some("100%"), None, &[]),
        row("d", Some("žiga & Ana"), Some(-1), &["blue"]),
        row("e", Some(""), Some(2), &[]),
    ]
}

fn ids(page: &Page<Row>) -> String {
    page.rows.iter().map(|row| row.id.as_str()).collect()
}

fn parse(raw: &RawQuery) -> ListQuery {
    ListQuery::parse(&ROWS, raw).unwrap()
}

fn ordered(by: &str) -> RawQuery {
    RawQuery { order_by: vec![by.to_owned()], ..RawQuery::default() }
}

fn filter(text: &str) -> RawQuery {
    RawQuery { query: Some(text.to_owned()), ..ordered("created_at") }
}

#[test]
fn filters_mean_what_the_reference_says() {
    fn check(query: &str, expected: &str) {
        let page = evaluate(&rows(), &parse(&filter(query)));
        assert_eq!(ids(&page), expected, "{query}");
        assert_eq!(usize::try_from(page.pagination.total), Ok(expected.len()), "{query}");
    }
    check("{}", "abcde");
    check(r#"{"name":"Žiga"}"#, "a");
    check(r#"{"name":null}"#, "b");
    check(r#"{"name":{"equals":""}}"#, "e");
    check(r#"{"name":{"not":"Žiga"}}"#, "bcde");
    check(r#"{"name":{"not":null}}"#, "acde");
    check(r#"{"name":{"contains":"ŽIGA"}}"#, "ad");
    check(r#"{"name":{"contains":"%"}}"#, "c");
    check(r#"{"name":{"contains":""}}"#, "acde");
    check(r#"{"name":{"startsWith":"Ž"}}"#, "a");
    check(r#"{"name":{"endsWith":"Ana"}}"#, "d");
    check(r#"{"name":{"in":[null,"","x"]}}"#, "be");
    check(r#"{"name":{"notIn":["","x"]}}"#, "abcd");
    check(r#"{"name":{"notIn":[null,""]}}"#, "acd");
    check(r#"{"name":{"in":[]}}"#, "");
    check(r#"{"amount":{"gt":2}}"#, "b");
    check(r#"{"amount":{"gte":2.00}}"#, "abe");
    check(r#"{"amount":{"lt":2,"gt":-1}}"#, "");
    check(r#"{"amount":{"between":[-1,2]}}"#, "ade");
    check(r#"{"amount":2,"name":{"not":""}}"#, "a");
    check(r#"{"tags":"red"}"#, "ab");
    check(r#"{"tags":{"equals":["red","blue"]}}"#, "a");
    check(r#"{"tags":{"in":["red","blue"]}}"#, "abd");
    check(r#"{"tags":{"notIn":["red"]}}"#, "cde");
    check(r#"{"tags":{"gt":"red"}}"#, "abcde");
    check(r#"{"metadata":{"order.id":"c"}}"#, "c");
    check(r#"{"metadata.order.id":{"in":["c","d"]}}"#, "cd");
    check(r#"{"metadata.other":null}"#, "abcde");
    check(r#"{"created_at":{"gte":"2026-11-20"}}"#, "abcde");
    check(r#"{"created_at":{"gt":"2026-11-20T09:30:00+01:00"}}"#, "");
    // No store compares what is finer than a microsecond.
    check(r#"{"created_at":{"lt":"2026-11-20T08:30:00.000001Z"}}"#, "abcde");
    check(r#"{"created_at":{"lt":"2026-11-20T08:30:00.000000999Z"}}"#, "");
}

#[test]
fn orders_put_nulls_first_and_break_ties_by_id() {
    fn check(order: &str, expected: &str) {
        assert_eq!(ids(&evaluate(&rows(), &parse(&ordered(order)))), expected, "{order}");
    }
    check("", "edcba");
    check("created_at", "abcde");
    check("amount", "cdaeb");
    check("-amount", "beadc");
    check("name", "becad");
    check("amount,-name", "cdaeb");
    check("-created_at,name", "becad");
}

#[test]
fn pages_follow_one_another_and_lead_back() {
    let mut raw = RawQuery { limit: Some("2".to_owned()), ..ordered("-amount") };
    let mut walked = Vec::new();
    let page = loop {
        let page = evaluate(&rows(), &parse(&raw));
        assert_eq!(page.pagination.total, 5);
        assert_eq!(page.pagination.has_more, page.pagination.next_cursor.is_some());
        walked.push(ids(&page));
        raw.next_cursor.clone_from(&page.pagination.next_cursor);
        if raw.next_cursor.is_none() {
            break page;
        }
    };
    assert_eq!(walked, ["be", "ad", "c"]);
    raw.prev_cursor = page.pagination.prev_cursor;
    let page = evaluate(&rows(), &parse(&raw));
    assert_eq!(ids(&page), "ad");
    // The row that both cursors stand on may go: the place between its neighbours stays.
    let left: Vec<Row> = rows().into_iter().filter(|row| row.id != "a").collect();
    raw.prev_cursor = page.pagination.prev_cursor;
    assert_eq!(ids(&evaluate(&left, &parse(&raw))), "be");
    raw.prev_cursor = None;
    raw.next_cursor = page.pagination.next_cursor;
    assert_eq!(ids(&evaluate(&left, &parse(&raw))), "c");
}

#[test]
fn a_walk_goes_on_behind_any_row_of_a_page() {
    let query = parse(&RawQuery { limit: Some("3".to_owned()), ..ordered("-amount") });
    let page = evaluate(&rows(), &query);
    assert_eq!(ids(&page), "bea");
    for (row, expected) in page.rows.iter().zip(["ead", "adc", "dc"]) {
        let behind = query.clone().behind(&query.cursor_behind(row)).unwrap();
        assert_eq!(ids(&evaluate(&rows(), &behind)), expected);
    }
    let last = query.cursor_behind(&page.rows[2]);
    assert_eq!(Some(&last), page.pagination.next_cursor.as_ref());
    for (other, cursor) in [(ordered("name"), &*last), (ordered("-amount"), "x")] {
        assert!(parse(&other).behind(cursor).is_none());
    }
}

#[test]
fn search_looks_into_searched_fields_and_counting_can_be_left_out() {
    let raw = RawQuery {
        search: Some("ŽIGA".to_owned()),
        include_total_count: Some("false".to_owned()),
        ..ordered("created_at")
    };
    let page = evaluate(&rows(), &parse(&raw));
    assert_eq!((ids(&page).as_str(), page.pagination.total), ("ad", -1));
    let raw = RawQuery { search: Some("secret".to_owned()), ..RawQuery::default() };
    assert_eq!(ids(&evaluate(&rows(), &parse(&raw))), "");
}

/// `raw` must be refused with exactly this path and code.
fn refused(raw: RawQuery, path: &[&str], code: &str) {
    let issues = ListQuery::parse(&ROWS, &raw).unwrap_err();
    let path: Vec<Step> = path.iter().map(|&step| step.into()).collect();
    let found: Vec<_> = issues.iter().map(|issue| (issue.path.clone(), issue.code)).collect();
    assert_eq!(found, [(path, code)], "{raw:?}: {issues}");
}

#[test]
fn filters_that_cannot_be_understood_are_refused_where_they_are_wrong() {
    let check = |query: &str, path: &[&str], code| {
        let path: Vec<&str> = ["query"].into_iter().chain(path.iter().copied()).collect();
        refused(filter(query), &path, code);
    };
    check("{", &[], "invalid_json");
    check("[]", &[], "invalid_json");
    check("null", &[], "invalid_json");
    check(&"[".repeat(5000), &[], "invalid_json");
    check(r#"{"nmae":"a"}"#, &["nmae"], "unknown_field");
    check(r#"{"secret":"a"}"#, &["secret"], "unknown_field");
    check(r#"{"name.first":"a"}"#, &["name.first"], "unknown_field");
    check(r#"{"name":{"like":"a"}}"#, &["name", "like"], "unknown_operator");
    check(r#"{"tags":{"like":"a"}}"#, &["tags", "like"], "unknown_operator");
    check(r#"{"name":{}}"#, &["name"], "invalid_value");
    check(r#"{"name":1}"#, &["name"], "invalid_type");
    check(r#"{"amount":"1"}"#, &["amount"], "invalid_type");
    check(r#"{"amount":{"gt":null}}"#, &["amount", "gt"], "invalid_value");
    check(r#"{"amount":1e400}"#, &["amount"], "invalid_value");
    check(r#"{"amount":{"contains":"1"}}"#, &["amount", "contains"], "unsupported_operator");
    check(r#"{"amount":{"between":[1]}}"#, &["amount", "between"], "invalid_value");
    check(r#"{"amount":{"between":[1,null]}}"#, &["amount", "between"], "invalid_value");
    check(r#"{"amount":{"in":1}}"#, &["amount", "in"], "invalid_type");
    check(r#"{"created_at":"yesterday"}"#, &["created_at"], "invalid_date_time");
    check(r#"{"created_at":"9999-12-31T23:59:59-23:59"}"#, &["created_at"], "invalid_date_time");
    check(r#"{"metadata":"a"}"#, &["metadata"], "invalid_type");
    check(r#"{"metadata":{"a":{"gt":1}}}"#, &["metadata", "a", "gt"], "invalid_type");
    check(r#"{"name":"\u0000"}"#, &["name"], "invalid_value");
    check(r#"{"metadata":{"\u0000":"a"}}"#, &["metadata", "\0"], "invalid_value");
    let values = |n: usize| vec![r#""a""#; n].join(",");
    check(&format!(r#"{{"name":{{"in":[{}]}}}}"#, values(201)), &["name", "in"], "too_many");
    check(
        &format!(r#"{{"tags":{{"equals":[{}]}}}}"#, values(201)),
        &["tags", "equals"],
        "too_many",
    );
    let properties = |n: usize| {
        let all: Vec<String> = (0..n).map(|n| format!(r#""metadata.{n}":"a""#)).collect();
        format!("{{{}}}", all.join(","))
    };
    parse(&filter(&properties(50)));
    check(&properties(51), &[], "too_many");
    check(&format!(r#"{{"name":"{}"}}"#, "a".repeat(8192)), &[], "too_long");
}

#[test]
fn other_parameters_that_cannot_be_understood_are_refused_by_name() {
    let text = |text: &str| Some(text.to_owned());
    for limit in ["0", "101", "-1", "1.5", "ten", ""] {
        refused(RawQuery { limit: text(limit), ..RawQuery::default() }, &["limit"], "out_of_range");
    }
    assert_eq!(parse(&RawQuery { limit: text("100"), ..RawQuery::default() }).limit, 100);
    let raw = RawQuery { deleted: text("1"), ..RawQuery::default() };
    refused(raw, &["deleted"], "invalid_type");
    let raw = RawQuery { include_total_count: text("no"), ..RawQuery::default() };
    refused(raw, &["include_total_count"], "invalid_type");
    refused(ordered("nothing"), &["order_by"], "unknown_field");
    refused(ordered("metadata"), &["order_by"], "unknown_field");
    refused(ordered("-secret"), &["order_by"], "unknown_field");
    refused(ordered("name,name,name,name,name,name"), &["order_by"], "too_many");
    let raw = RawQuery { search: text("a\0"), ..RawQuery::default() };
    refused(raw, &["search"], "invalid_value");
    let raw = RawQuery { search: Some("ž".repeat(201)), ..RawQuery::default() };
    refused(raw, &["search"], "too_long");
}

#[test]
fn only_a_cursor_of_the_same_order_and_direction_is_taken() {
    let raw = RawQuery { limit: Some("2".to_owned()), ..ordered("-amount") };
    let first = evaluate(&rows(), &parse(&raw)).pagination;
    let next = first.next_cursor.unwrap();
    let raw = RawQuery { next_cursor: Some(next.clone()), ..raw };
    let previous = evaluate(&rows(), &parse(&raw)).pagination.prev_cursor.unwrap();

    let check = |next: Option<&str>, previous: Option<&str>, order: &str, path: &str| {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let raw =
            RawQuery { next_cursor: owned(next), prev_cursor: owned(previous), ..ordered(order) };
        refused(raw, &[path], "invalid_cursor");
    };
    for garbage in ["", "garbage", "bm90IGpzb24", "W10", "WyItYW1vdW50IiwibiIsW10sImEiXQ"] {
        check(Some(garbage), None, "-amount", "next_cursor");
        check(None, Some(garbage), "-amount", "prev_cursor");
    }
    check(Some(&next), None, "amount", "next_cursor");
    check(Some(&next), None, "-amount,name", "next_cursor");
    check(Some(&previous), None, "-amount", "next_cursor");
    check(None, Some(&next), "-amount", "prev_cursor");
    check(Some(&next), Some(&previous), "-amount", "prev_cursor");
}

#[test]
fn all_that_is_wrong_is_reported_at_once() {
    let raw = RawQuery {
        limit: Some("0".to_owned()),
        query: Some(r#"{"a":1,"name":{"like":"a"}}"#.to_owned()),
        ..ordered("b")
    };
    assert_eq!(ListQuery::parse(&ROWS, &raw).unwrap_err().len(), 4);
}
