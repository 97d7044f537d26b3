//! Values as SQLite keeps them: ordered there exactly as [`racun_store::Value::order`] orders
//! them.

use racun_kernel::calendar::format_date;
use racun_store::Value;
use racun_store::sorting::number_key;
use rusqlite::types::Value as Cell;
use time::OffsetDateTime;

/// The cell that holds `value`.
pub(crate) fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Text(text) => Cell::Text(text.clone()),
        Value::Number(number) => Cell::Text(number_key(number)),
        Value::Bool(value) => Cell::Integer(i64::from(*value)),
        Value::Date(date) => Cell::Text(format_date(*date)),
        Value::Instant(instant) => Cell::Integer(microseconds(*instant)),
        Value::Map(map) => Cell::Text(serde_json::json!(map).to_string()),
        Value::List(list) => Cell::Text(serde_json::json!(list).to_string()),
    }
}

/// The cells that hold `values`, but for nulls, as a JSON array for `json_each`.
pub(crate) fn array(values: &[Value]) -> Cell {
    let cells = values.iter().filter_map(|value| match cell(value) {
        Cell::Integer(number) => Some(serde_json::json!(number)),
        Cell::Text(text) => Some(serde_json::Value::String(text)),
        Cell::Null | Cell::Real(_) | Cell::Blob(_) => None,
    });
    Cell::Text(serde_json::Value::Array(cells.collect()).to_string())
}

/// `texts` as a JSON array for `json_each`.
pub(crate) fn text_array(texts: &[String]) -> Cell {
    Cell::Text(serde_json::json!(texts).to_string())
}

/// Microseconds since 1970.
pub(crate) fn microseconds(instant: OffsetDateTime) -> i64 {
    let micros = instant.unix_timestamp_nanos().div_euclid(1000);
    i64::try_from(micros)
        .expect("an OffsetDateTime is within ±10,000 years, an i64 within ±292,000")
}

/// The instant that is `micros` microseconds after 1970; `None` when there is none.
pub(crate) fn instant(micros: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1000).ok()
}
