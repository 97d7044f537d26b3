//! Conditions, in the operators of lists.

use std::cmp::Ordering;

use racun_kernel::calendar::{midnight, parse_date, parse_document_date, parse_instant};
use racun_kernel::spelling::suggestion;
use racun_kernel::{Decimal, Issue, Issues};
use serde_json::Value as Json;

use super::{StatField, StatKind, StatTable, StatValue};

/// Conditions of a query.
const MOST: usize = 50;
/// Values that one condition names.
const MOST_VALUES: usize = 200;

/// A condition on a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatFilter {
    /// The field.
    pub field: &'static StatField,
    /// What must hold of it.
    pub condition: StatCondition,
}

/// What must hold of a value. Comparisons are never true of null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatCondition {
    /// Equal; null equals null.
    Equals(StatValue),
    /// Not equal.
    Not(StatValue),
    /// Greater.
    Gt(StatValue),
    /// Greater or equal.
    Gte(StatValue),
    /// Less.
    Lt(StatValue),
    /// Less or equal.
    Lte(StatValue),
    /// Equal to one of them.
    In(Vec<StatValue>),
    /// Different from all of them.
    NotIn(Vec<StatValue>),
}

const OPERATORS: [&str; 8] = ["equals", "not", "gt", "gte", "lt", "lte", "in", "notIn"];

impl StatCondition {
    /// Whether it holds of `value`.
    #[must_use]
    pub fn holds(&self, value: &StatValue) -> bool {
        let compares = |other: &StatValue, wanted: &[Ordering]| {
            !value.is_null() && wanted.contains(&value.order(other))
        };
        match self {
            Self::Equals(other) => value == other,
            Self::Not(other) => value != other,
            Self::Gt(other) => compares(other, &[Ordering::Greater]),
            Self::Gte(other) => compares(other, &[Ordering::Greater, Ordering::Equal]),
            Self::Lt(other) => compares(other, &[Ordering::Less]),
            Self::Lte(other) => compares(other, &[Ordering::Less, Ordering::Equal]),
            Self::In(others) => others.contains(value),
            Self::NotIn(others) => !others.contains(value),
        }
    }
}

/// That there is no `what` called `name`, and which one may be meant.
pub(super) fn unknown(code: &'static str, what: &str, name: &str, known: &[&str]) -> Issue {
    let near = suggestion(name, known);
    let advice = match near {
        Some(near) => format!("did you mean {near:?}?"),
        None if known.is_empty() => "there is none in this table".to_owned(),
        None => format!("there are {}", known.join(", ")),
    };
    Issue::new(code, format!("no such {what} {name:?}; {advice}"))
}

/// The conditions of `filters`, an object from fields to values or operators; an array means that
/// one of its values is there.
pub(super) fn parse(table: StatTable, filters: &Json) -> Result<Vec<StatFilter>, Issues> {
    let Json::Object(filters) = filters else {
        let message = "expected an object of fields, such as {\"is_draft\": false}";
        return Err(Issue::new("invalid_type", message).into());
    };
    if filters.len() > MOST {
        return Err(Issue::new("too_many", format!("at most {MOST} conditions")).into());
    }
    let (mut parsed, mut issues) = (Vec::new(), Issues::default());
    for (name, condition) in filters {
        let Some((_, field)) = table.field(name) else {
            let known: Vec<&str> = table.fields().iter().map(|field| field.name).collect();
            issues.push(unknown("unknown_field", "field", name, &known).at(name.as_str()));
            continue;
        };
        let conditions = issues.collect(name.as_str(), conditions(field.kind, condition));
        let of_field = |condition| StatFilter { field, condition };
        parsed.extend(conditions.into_iter().flatten().map(of_field));
    }
    issues.into_result(parsed)
}

fn conditions(kind: StatKind, sent: &Json) -> Result<Vec<StatCondition>, Issues> {
    match sent {
        Json::Array(_) => Ok(vec![StatCondition::In(values(kind, sent)?)]),
        Json::Object(operators) => {
            let (mut parsed, mut issues) = (Vec::new(), Issues::default());
            if operators.is_empty() {
                issues.push(Issue::new("invalid_value", "expected a value or an operator"));
            }
            for (name, operand) in operators {
                let one = operator(kind, name, operand).map_err(Issues::from);
                parsed.extend(issues.collect(name.as_str(), one));
            }
            issues.into_result(parsed)
        }
        one => Ok(vec![StatCondition::Equals(value(kind, one)?)]),
    }
}

fn operator(kind: StatKind, name: &str, operand: &Json) -> Result<StatCondition, Issue> {
    let bound = || match value(kind, operand)? {
        StatValue::Null => Err(Issue::new("invalid_value", "cannot be compared with null")),
        value => Ok(value),
    };
    Ok(match name {
        "equals" => StatCondition::Equals(value(kind, operand)?),
        "not" => StatCondition::Not(value(kind, operand)?),
        "gt" => StatCondition::Gt(bound()?),
        "gte" => StatCondition::Gte(bound()?),
        "lt" => StatCondition::Lt(bound()?),
        "lte" => StatCondition::Lte(bound()?),
        "in" => StatCondition::In(values(kind, operand)?),
        "notIn" => StatCondition::NotIn(values(kind, operand)?),
        _ => return Err(unknown("unknown_operator", "operator", name, &OPERATORS)),
    })
}

fn values(kind: StatKind, sent: &Json) -> Result<Vec<StatValue>, Issue> {
    let Json::Array(sent) = sent else {
        return Err(Issue::new("invalid_type", "expected an array of values"));
    };
    if sent.len() > MOST_VALUES {
        return Err(Issue::new("too_many", format!("at most {MOST_VALUES} values")));
    }
    sent.iter().map(|one| value(kind, one)).collect()
}

fn value(kind: StatKind, sent: &Json) -> Result<StatValue, Issue> {
    let refused = |expected: &str| Issue::new("invalid_type", format!("expected {expected}"));
    Ok(match (kind, sent) {
        (_, Json::Null) => StatValue::Null,
        (StatKind::Text, Json::String(text)) if text.contains('\0') => {
            return Err(Issue::new("invalid_value", "text cannot hold a NUL character"));
        }
        (StatKind::Text, Json::String(text)) => StatValue::Text(text.clone()),
        (StatKind::Number, Json::Number(number)) => {
            let number = number.as_str().parse::<Decimal>();
            StatValue::Number(
                number.map_err(|error| Issue::new("invalid_value", error.to_string()))?,
            )
        }
        (StatKind::Bool, Json::Bool(value)) => StatValue::Bool(*value),
        (StatKind::Date, Json::String(text)) => StatValue::Date(parse_document_date(text)?),
        (StatKind::Instant, Json::String(text)) => StatValue::Instant(match parse_date(text) {
            Ok(date) => midnight(date),
            Err(_) => parse_instant(text)?,
        }),
        (StatKind::Text, _) => return Err(refused("text")),
        (StatKind::Number, _) => return Err(refused("a number")),
        (StatKind::Bool, _) => return Err(refused("true or false")),
        (StatKind::Date | StatKind::Instant, _) => return Err(refused("a date as text")),
    })
}
