//! Whether a record is stored as its table says.

use std::fmt::Debug;

use crate::{FieldKind, Record, Value};

/// Asserts that the values of `record` are of the kinds that its table declares, that it has an
/// id, and that its body reads back as it was.
///
/// # Panics
/// When one of these does not hold.
pub fn assert_stored_as_declared<R: Record + PartialEq + Debug>(record: &R) {
    let table = record.table();
    let values = record.values();
    assert_eq!(values.len(), table.fields.len(), "{}", table.name);
    for (field, value) in table.fields.iter().zip(&values) {
        let fits = match value {
            Value::Null => field.name != "id",
            Value::Text(_) => field.kind == FieldKind::Text,
            Value::Number(_) => field.kind == FieldKind::Number,
            Value::Bool(_) => field.kind == FieldKind::Bool,
            Value::Date(_) => field.kind == FieldKind::Date,
            Value::Instant(_) => field.kind == FieldKind::Instant,
            Value::Map(_) => field.kind == FieldKind::Map,
            Value::List(_) => field.kind == FieldKind::List,
        };
        assert!(fits, "{} of {} holds {value:?}", field.name, table.name);
    }
    let body = serde_json::to_string(record).expect("a record is JSON");
    let read: R = serde_json::from_str(&body).expect("what was stored reads back");
    assert_eq!(&read, record);
}
