//! Reading a list's query parameters against the declared fields of a table.

use racun_kernel::calendar::{
    midnight, parse_date, parse_document_date, parse_instant, to_microsecond,
};
use racun_kernel::text::fold;
use racun_kernel::{Decimal, Issue, Issues};
use serde_json::Value as Json;

use super::{Clause, ListQuery, Operator, Order};
use crate::{Field, FieldKind, Table, Value};

pub(super) fn parse_limit(text: Option<&str>) -> Result<usize, Issues> {
    let Some(text) = text else { return Ok(ListQuery::DEFAULT_LIMIT) };
    let limit = text.parse().ok().filter(|limit| (1..=ListQuery::MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| Issue::new("out_of_range", "expected a whole number from 1 to 100").into())
}

pub(super) fn parse_flag(text: Option<&str>, default: bool) -> Result<bool, Issues> {
    match text {
        None => Ok(default),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(_) => Err(Issue::new("invalid_type", "expected true or false").into()),
    }
}

pub(super) fn parse_search(text: Option<&str>) -> Result<Option<String>, Issues> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.chars().count() > ListQuery::MAX_SEARCH_CHARS {
        let message = format!("at most {} characters", ListQuery::MAX_SEARCH_CHARS);
        return Err(Issue::new("too_long", message).into());
    }
    no_nul(text)?;
    Ok(Some(fold(text)))
}

/// No store keeps a NUL in text, so none can be looked for.
fn no_nul(text: &str) -> Result<(), Issue> {
    let refused = || Issue::new("invalid_value", "text cannot hold a NUL character");
    if text.contains('\0') { Err(refused()) } else { Ok(()) }
}

pub(super) fn parse_order(
    table: &'static Table,
    sent: &[String],
    default: Vec<Order>,
) -> Result<Vec<Order>, Issues> {
    let names: Vec<&str> =
        sent.iter().flat_map(|names| names.split(',')).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Ok(default);
    }
    if names.len() > ListQuery::MAX_ORDER_FIELDS {
        let message = format!("at most {} fields", ListQuery::MAX_ORDER_FIELDS);
        return Err(Issue::new("too_many", message).into());
    }
    let mut issues = Issues::default();
    let mut order = Vec::new();
    for name in names {
        let (plain, descending) = match name.strip_prefix('-') {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let orderable = |field: &Field| !matches!(field.kind, FieldKind::Map | FieldKind::List);
        match public_field(table, plain).filter(|(_, field)| orderable(field)) {
            Some((place, field)) => order.push(Order { field, place, descending }),
            None => issues.push(unknown_field(table, plain)),
        }
    }
    issues.into_result(order)
}

fn public_field(table: &'static Table, name: &str) -> Option<(usize, &'static Field)> {
    table.field(name).filter(|(_, field)| field.public)
}

fn unknown_field(table: &Table, name: &str) -> Issue {
    let known: Vec<&str> =
        table.fields.iter().filter(|field| field.public).map(|field| field.name).collect();
    Issue::new("unknown_field", format!("no such field {name:?}; there are {}", known.join(", ")))
}

pub(super) fn parse_filter(
    table: &'static Table,
    text: Option<&str>,
) -> Result<Vec<Clause>, Issues> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(Vec::new()) };
    if text.len() > ListQuery::MAX_FILTER_BYTES {
        return Err(Issue::new("too_long", "a filter holds at most 8 KiB").into());
    }
    let Ok(Json::Object(conditions)) = serde_json::from_str(text) else {
        let message = r#"expected a JSON object, such as {"total":{"gte":100}}"#;
        return Err(Issue::new("invalid_json", message).into());
    };
    few(&conditions)?;
    let mut issues = Issues::default();
    let mut clauses = Vec::new();
    for (name, condition) in &conditions {
        let parsed = parse_condition(table, name, condition);
        clauses.extend(issues.collect(name.as_str(), parsed).unwrap_or_default());
    }
    if clauses.len() > ListQuery::MAX_CLAUSES {
        issues.push(too_many_conditions());
    }
    issues.into_result(clauses)
}

/// Refuses more conditions than a filter may have before each of them is refused for its own sake:
/// a refusal of an unknown name lists those that there are, so 8 KiB would get an answer of some
/// hundred KiB.
fn few(conditions: &serde_json::Map<String, Json>) -> Result<(), Issue> {
    if conditions.len() > ListQuery::MAX_CLAUSES { Err(too_many_conditions()) } else { Ok(()) }
}

fn too_many_conditions() -> Issue {
    Issue::new("too_many", format!("at most {} conditions", ListQuery::MAX_CLAUSES))
}

fn parse_condition(
    table: &'static Table,
    name: &str,
    condition: &Json,
) -> Result<Vec<Clause>, Issues> {
    if let Some((place, field)) = public_field(table, name) {
        if field.kind != FieldKind::Map {
            return parse_operators(place, field, None, condition);
        }
        let Json::Object(properties) = condition else {
            let message =
                format!(r#"expected an object of properties, such as {{"{name}":{{"key":"x"}}}}"#);
            return Err(Issue::new("invalid_type", message).into());
        };
        few(properties)?;
        let mut issues = Issues::default();
        let mut clauses = Vec::new();
        for (key, condition) in properties {
            let parsed = no_nul(key)
                .map_err(Issues::from)
                .and_then(|()| parse_operators(place, field, Some(key), condition));
            clauses.extend(issues.collect(key.as_str(), parsed).unwrap_or_default());
        }
        return issues.into_result(clauses);
    }
    // `metadata.order_id` says the same as {"metadata":{"order_id":…}}; keys may hold dots.
    if let Some((map, key)) = name.split_once('.')
        && let Some((place, field)) = public_field(table, map)
        && field.kind == FieldKind::Map
    {
        no_nul(key)?;
        return parse_operators(place, field, Some(key), condition);
    }
    Err(unknown_field(table, name).into())
}

fn parse_operators(
    place: usize,
    field: &'static Field,
    key: Option<&str>,
    condition: &Json,
) -> Result<Vec<Clause>, Issues> {
    let kind = if key.is_some() { FieldKind::Text } else { field.kind };
    let clause = |operator| Clause { field, place, key: key.map(str::to_owned), operator };
    let Json::Object(operators) = condition else {
        return Ok(vec![clause(parse_direct(kind, condition)?)]);
    };
    if operators.is_empty() {
        return Err(Issue::new("invalid_value", "expected a value or an operator").into());
    }
    few(operators)?;
    let mut issues = Issues::default();
    let mut clauses = Vec::new();
    for (name, operand) in operators {
        let parsed = if kind == FieldKind::List {
            parse_list_operator(name, operand)
        } else {
            parse_operator(kind, name, operand).map(Some)
        };
        let operator = issues.collect(name.as_str(), parsed.map_err(Issues::from)).flatten();
        clauses.extend(operator.map(clause));
    }
    issues.into_result(clauses)
}

fn parse_direct(kind: FieldKind, value: &Json) -> Result<Operator, Issue> {
    if kind == FieldKind::List {
        return Ok(Operator::HasAll(vec![read_text(value)?]));
    }
    Ok(Operator::Equals(read_value(kind, value)?))
}

fn parse_operator(kind: FieldKind, name: &str, operand: &Json) -> Result<Operator, Issue> {
    let bound = || match read_value(kind, operand)? {
        Value::Null => Err(Issue::new("invalid_value", "cannot be compared with null")),
        value => Ok(value),
    };
    let text = || {
        if kind == FieldKind::Text {
            return read_text(operand);
        }
        let message = format!("{name} goes with text fields only");
        Err(Issue::new("unsupported_operator", message))
    };
    Ok(match name {
        "equals" => Operator::Equals(read_value(kind, operand)?),
        "not" => Operator::Not(read_value(kind, operand)?),
        "gt" => Operator::Gt(bound()?),
        "gte" => Operator::Gte(bound()?),
        "lt" => Operator::Lt(bound()?),
        "lte" => Operator::Lte(bound()?),
        "in" => Operator::In(read_values(kind, operand)?),
        "notIn" => Operator::NotIn(read_values(kind, operand)?),
        "contains" => Operator::Contains(fold(&text()?)),
        "startsWith" => Operator::StartsWith(text()?),
        "endsWith" => Operator::EndsWith(text()?),
        "between" => {
            let refused = || Issue::new("invalid_value", "expected an array [min, max]");
            let ends = read_values(kind, operand).map_err(|_| refused())?;
            match <[Value; 2]>::try_from(ends) {
                Ok([min, max]) if min != Value::Null && max != Value::Null => {
                    Operator::Between(min, max)
                }
                _ => return Err(refused()),
            }
        }
        _ => return Err(unknown_operator()),
    })
}

/// Operators of array fields; scalar ones say nothing about an array and are left out.
fn parse_list_operator(name: &str, operand: &Json) -> Result<Option<Operator>, Issue> {
    let texts = || match operand {
        Json::Array(values) if values.len() > ListQuery::MAX_IN_VALUES => Err(too_many_values()),
        Json::Array(values) => values.iter().map(read_text).collect::<Result<Vec<_>, _>>(),
        one => Ok(vec![read_text(one)?]),
    };
    Ok(Some(match name {
        "equals" | "contains" => Operator::HasAll(texts()?),
        "in" => Operator::HasAny(texts()?),
        "not" | "notIn" => Operator::HasNone(texts()?),
        "gt" | "gte" | "lt" | "lte" | "between" | "startsWith" | "endsWith" => return Ok(None),
        _ => return Err(unknown_operator()),
    }))
}

fn unknown_operator() -> Issue {
    let message = "no such operator; there are equals, not, gt, gte, lt, lte, in, notIn, contains, \
                   startsWith, endsWith, between";
    Issue::new("unknown_operator", message)
}

fn read_values(kind: FieldKind, operand: &Json) -> Result<Vec<Value>, Issue> {
    let Json::Array(values) = operand else {
        return Err(Issue::new("invalid_type", "expected an array of values"));
    };
    if values.len() > ListQuery::MAX_IN_VALUES {
        return Err(too_many_values());
    }
    values.iter().map(|value| read_value(kind, value)).collect()
}

fn too_many_values() -> Issue {
    Issue::new("too_many", format!("at most {} values", ListQuery::MAX_IN_VALUES))
}

fn read_text(value: &Json) -> Result<String, Issue> {
    match value {
        Json::String(text) => no_nul(text).map(|()| text.clone()),
        _ => Err(Issue::new("invalid_type", "expected text")),
    }
}

pub(super) fn read_value(kind: FieldKind, value: &Json) -> Result<Value, Issue> {
    let refused = |expected: &str| Issue::new("invalid_type", format!("expected {expected}"));
    Ok(match (kind, value) {
        (_, Json::Null) => Value::Null,
        (FieldKind::Text, Json::String(text)) => {
            no_nul(text)?;
            Value::Text(text.clone())
        }
        (FieldKind::Number, Json::Number(number)) => {
            let number = number.as_str().parse::<Decimal>();
            Value::Number(number.map_err(|error| Issue::new("invalid_value", error.to_string()))?)
        }
        (FieldKind::Bool, Json::Bool(value)) => Value::Bool(*value),
        (FieldKind::Date, Json::String(text)) => Value::Date(parse_document_date(text)?),
        (FieldKind::Instant, Json::String(text)) => Value::Instant(match parse_date(text) {
            Ok(date) => midnight(date),
            Err(_) => to_microsecond(parse_instant(text)?),
        }),
        (FieldKind::Text, _) => return Err(refused("text")),
        (FieldKind::Number, _) => return Err(refused("a number")),
        (FieldKind::Bool, _) => return Err(refused("true or false")),
        (FieldKind::Date | FieldKind::Instant, _) => return Err(refused("a date as text")),
        (FieldKind::Map | FieldKind::List, _) => return Err(refused("text")),
    })
}
