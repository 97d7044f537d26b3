//! Values of rows as statistics have them, and back.

use racun_insights::StatValue;
use racun_store::Value;

pub(super) fn value(value: &StatValue) -> Value {
    match value {
        StatValue::Null => Value::Null,
        StatValue::Text(text) => Value::Text(text.clone()),
        StatValue::Number(number) => Value::Number(number.clone()),
        StatValue::Bool(value) => Value::Bool(*value),
        StatValue::Date(date) => Value::Date(*date),
        StatValue::Instant(instant) => Value::Instant(*instant),
    }
}

pub(super) fn stat(value: &Value) -> StatValue {
    match value {
        Value::Text(text) => StatValue::Text(text.clone()),
        Value::Number(number) => StatValue::Number(number.clone()),
        Value::Bool(value) => StatValue::Bool(*value),
        Value::Date(date) => StatValue::Date(*date),
        Value::Instant(instant) => StatValue::Instant(*instant),
        Value::Null | Value::Map(_) | Value::List(_) => StatValue::Null,
    }
}
