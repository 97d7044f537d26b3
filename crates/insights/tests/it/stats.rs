//! Statistics: what queries are understood, and what they mean.

use std::collections::BTreeMap;

use proptest::prelude::*;
use racun_insights::{
    Partial, StatFold, StatRow, StatTable, StatValue, overdue_bucket, parse_queries,
};
use racun_kernel::Decimal;
use serde_json::{Value as Json, json};
use time::Date;

use crate::world::{date, decimal};

const TODAY: &str = "2026-11-26";

/// A row of invoices of which some fields are known.
fn invoice(fields: &[(&str, StatValue)]) -> Vec<StatValue> {
    let table = StatTable::Invoices;
    let known: BTreeMap<&str, &StatValue> =
        fields.iter().map(|(name, value)| (*name, value)).collect();
    let value = |name: &str| known.get(name).map_or(StatValue::Null, |value| (*value).clone());
    assert!(fields.iter().all(|(name, _)| table.field(name).is_some()));
    table.fields().iter().map(|field| value(field.name)).collect()
}

fn row(day: &str, currency: &str, total: &str, converted: Option<&str>) -> Vec<StatValue> {
    invoice(&[
        ("date", date(day).into()),
        ("date_due", date(day).into()),
        ("currency_code", currency.into()),
        ("quote_currency", converted.map(|_| "EUR").into()),
        ("is_draft", false.into()),
        ("total_with_tax", decimal(total).into()),
        ("total_with_tax_converted", converted.map(decimal).into()),
    ])
}

fn answer(query: &Json, rows: &[Vec<StatValue>]) -> Vec<Vec<String>> {
    let queries = parse_queries(query).unwrap_or_else(|issues| panic!("{issues}"));
    let mut fold = StatFold::new(&queries[0], date(TODAY));
    rows.iter().for_each(|row| fold.add(row));
    let text = |value: &StatValue| match value {
        StatValue::Null => "null".to_owned(),
        StatValue::Text(text) => text.clone(),
        StatValue::Number(number) => number.to_string(),
        StatValue::Bool(value) => value.to_string(),
        StatValue::Date(date) => date.to_string(),
        StatValue::Instant(instant) => instant.to_string(),
    };
    fold.finish().iter().map(|StatRow(values)| values.iter().map(text).collect()).collect()
}

fn rows() -> Vec<Vec<StatValue>> {
    vec![
        row("2026-10-01", "EUR", "100", None),
        row("2026-10-31", "USD", "115", Some("100.50")),
        row("2026-11-01", "EUR", "30", None),
        row("2025-11-01", "EUR", "7", None),
    ]
}

#[test]
fn a_year_by_month_with_converted_sums_that_fall_back() {
    let query = json!([{
        "table": "invoices",
        "metrics": [
            {"type": "sum", "field": "total_with_tax_converted", "alias": "revenue"},
            {"type": "count"},
            {"type": "avg", "field": "total_with_tax"},
        ],
        "date_from": "2026-01-01",
        "date_to": "2026-12-31",
        "group_by": ["month"],
        "order_by": [{"field": "revenue", "direction": "asc"}],
    }]);
    let expected = [["2026-11", "30", "1", "30"], ["2026-10", "200.5", "2", "107.5"]];
    assert_eq!(answer(&query, &rows()), expected);
}

#[test]
fn filters_groups_limits_and_an_answer_over_nothing() {
    let base = json!({"table": "invoices", "metrics": [{"type": "count"}]});
    let with = |name: &str, value: Json| {
        let mut query = base.clone();
        query[name] = value;
        query
    };
    for (name, value, expected) in [
        ("filters", json!({"currency_code": "USD"}), vec![vec!["1"]]),
        ("filters", json!({"currency_code": ["USD", "EUR"]}), vec![vec!["4"]]),
        ("filters", json!({"total_with_tax": {"gte": 30, "lt": 100}}), vec![vec!["1"]]),
        ("filters", json!({"voided_at": null, "is_draft": false}), vec![vec!["4"]]),
        ("filters", json!({"voided_at": {"not": null}}), vec![vec!["0"]]),
        ("group_by", json!(["quote_currency"]), vec![vec!["EUR", "4"]]),
        ("group_by", json!(["year"]), vec![vec!["2025", "1"], vec!["2026", "3"]]),
        (
            "group_by",
            json!(["overdue_bucket"]),
            vec![vec!["1-30", "2"], vec!["31-60", "1"], vec!["90+", "1"]],
        ),
    ] {
        assert_eq!(answer(&with(name, value.clone()), &rows()), expected, "{value}");
    }
    let mut least = with("limit", json!(1));
    least["group_by"] = json!(["year"]);
    assert_eq!(answer(&least, &rows()), [["2025", "1"]]);
    let sums = json!({"table": "invoices", "metrics": [
        {"type": "sum", "field": "total"}, {"type": "max", "field": "date"}]});
    assert_eq!(answer(&sums, &[]), [["0", "null"]]);
}

#[test]
fn what_is_unknown_is_refused_at_its_place_with_the_nearest_name() {
    for (query, path, says) in [
        (json!([{"table": "invoice", "metrics": []}]), "[0].table", "\"invoices\""),
        (json!([{"metrics": [{"type": "count"}]}]), "[0].table", "name a table"),
        (json!({"table": "invoices"}), "metrics", "ask for something"),
        (
            json!([{"table": "invoices", "metrics": [{"type": "sum", "field": "totl"}]}]),
            "[0].metrics[0].field",
            "\"total\"",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "summ", "field": "total"}]}]),
            "[0].metrics[0].type",
            "\"sum\"",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "sum", "field": "number"}]}]),
            "[0].metrics[0].field",
            "no such field to sum",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "count"}], "group_by": ["mounth"]}]),
            "[0].group_by[0]",
            "\"month\"",
        ),
        (
            json!([{"table": "customers", "metrics": [{"type": "count"}],
                    "group_by": ["overdue_bucket"]}]),
            "[0].group_by[0]",
            "no such field",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "count"}],
                    "filters": {"is_drft": true}}]),
            "[0].filters.is_drft",
            "\"is_draft\"",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "count"}],
                    "filters": {"total": {"gteq": 1}}}]),
            "[0].filters.total.gteq",
            "\"gte\"",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "count", "alias": "n"}],
                    "order_by": [{"field": "m"}]}]),
            "[0].order_by[0].field",
            "group or alias",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "count"}], "groupby": []}]),
            "[0].groupby",
            "\"group_by\"",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "count"}, {"type": "count"}]}]),
            "[0].metrics[1].alias",
            "another metric",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "count"}], "limit": 0}]),
            "[0].limit",
            "1 to 10000",
        ),
        (
            json!([{"table": "invoices", "metrics": [{"type": "count"}],
                    "date_from": "2026-02-01", "date_to": "2026-01-01"}]),
            "[0].date_to",
            "not be before",
        ),
        (
            json!([{"table": "invoices", "group_by": ["month"], "metrics": [{"type": "count"},
                    {"type": "sum", "field": "total", "alias": "month"}]}]),
            "[0].metrics[1].alias",
            "name of a group",
        ),
        (
            json!([{"table": "customers", "metrics": [{"type": "sum", "field": "city"}]}]),
            "[0].metrics[0].field",
            "there is none in this table",
        ),
        (json!([]), "", "1 to 25"),
        (json!(vec![json!({}); 26]), "", "1 to 25"),
    ] {
        let issues = parse_queries(&query).unwrap_err();
        let said: Vec<String> = issues.iter().map(ToString::to_string).collect();
        let is_it = |one: &String| one.starts_with(path) && one.contains(says);
        assert!(said.iter().any(is_it), "{query}: {said:?}");
    }
}

/// Of what is due since 30 days only that is late which is neither paid, nor voided, nor a draft.
#[test]
fn what_is_settled_is_not_late() {
    let due = |settled: Option<(&'static str, StatValue)>| {
        let mut fields = vec![
            ("date_due", date("2026-10-27").into()),
            ("is_draft", false.into()),
            ("paid_in_full", false.into()),
        ];
        if let Some((name, value)) = settled {
            fields.retain(|(field, _)| *field != name);
            fields.push((name, value));
        }
        invoice(&fields)
    };
    let voided = time::macros::datetime!(2026-11-01 10:00 UTC);
    let rows = [
        due(None),
        due(Some(("is_draft", true.into()))),
        due(Some(("paid_in_full", true.into()))),
        due(Some(("voided_at", voided.into()))),
    ];
    let query = json!({"table": "invoices", "metrics": [{"type": "count"}],
        "group_by": ["overdue_bucket"]});
    assert_eq!(answer(&query, &rows), [["1-30", "1"], ["current", "3"]]);
}

#[test]
fn buckets_end_where_their_names_say() {
    for (days, bucket) in [
        (-1, "current"),
        (0, "current"),
        (1, "1-30"),
        (30, "1-30"),
        (31, "31-60"),
        (60, "31-60"),
        (61, "61-90"),
        (90, "61-90"),
        (91, "90+"),
    ] {
        let today = date(TODAY);
        assert_eq!(overdue_bucket(Some(today - time::Duration::days(days)), today), bucket);
    }
    assert_eq!(overdue_bucket(None, date(TODAY)), "current");
}

fn any_row() -> impl Strategy<Value = Vec<StatValue>> {
    let currency = prop_oneof![Just("EUR"), Just("USD")];
    (0_i64..500, currency, -10_000_i64..10_000, any::<bool>()).prop_map(
        |(day, currency, cents, is_paid)| {
            let day: Date = date("2025-06-01") + time::Duration::days(day);
            let total = Decimal::new(cents, 2);
            let converted = (currency == "USD").then(|| total.clone());
            invoice(&[
                ("date", day.into()),
                ("currency_code", currency.into()),
                ("paid_in_full", is_paid.into()),
                ("total", total.into()),
                ("total_converted", converted.into()),
            ])
        },
    )
}

proptest! {
    /// Groups come to what the whole comes to, and what a store counted by day makes the same
    /// answer as the rows.
    #[test]
    fn groups_come_to_the_whole_and_may_be_counted_beforehand(
        rows in proptest::collection::vec(any_row(), 0..40),
    ) {
        let metrics = json!([
            {"type": "count", "alias": "n"},
            {"type": "sum", "field": "total_converted", "alias": "s"},
            {"type": "min", "field": "total", "alias": "least"},
            {"type": "avg", "field": "total", "alias": "mean"},
        ]);
        let query = |groups: Json| {
            let query = json!({"table": "invoices", "metrics": metrics, "group_by": groups});
            parse_queries(&query).unwrap().remove(0)
        };
        let (whole, by_month) = (query(json!([])), query(json!(["month", "paid_in_full"])));
        let fold = |query| {
            let mut fold = StatFold::new(query, date(TODAY));
            rows.iter().for_each(|row| fold.add(row));
            fold.finish()
        };
        let number = |value: &StatValue| match value {
            StatValue::Number(number) => number.clone(),
            _ => Decimal::zero(),
        };
        let (all, grouped) = (fold(&whole), fold(&by_month));
        for metric in [0, 1] {
            let parts: Vec<_> = grouped.iter().map(|row| number(&row.0[2 + metric])).collect();
            prop_assert_eq!(parts.iter().sum::<Decimal>(), number(&all[0].0[metric]));
        }

        let table = StatTable::Invoices;
        let mut counted = StatFold::new(&by_month, date(TODAY));
        for row in &rows {
            let of = |name: &str| table.value(row, table.field(name).unwrap().1);
            let partials = ["total_converted", "total", "total"].map(|name| Partial::of(of(name)));
            let partials = std::iter::once(Partial::none()).chain(partials).collect();
            counted.add_group(vec![of("date"), of("paid_in_full")], 1, partials);
        }
        prop_assert_eq!(counted.finish(), grouped);
    }
}
