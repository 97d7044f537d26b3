//! Checks JSON.

use serde_json::{Map, Value};

use super::xml::put;
use super::{Field, Holds, Invalid, Part, Parts, Simple};

/// Checks `object`, which is the value of the property `name`.
///
/// # Errors
/// What is wrong, and where.
pub fn json(name: &str, object: &Value, parts: Parts) -> Result<Value, Invalid> {
    let Value::Object(properties) = object else {
        return Err(Invalid::at(name, "is not an object"));
    };
    properties_of(properties, parts).map_err(|invalid| invalid.within(name))
}

fn properties_of(properties: &Map<String, Value>, parts: Parts) -> Result<Value, Invalid> {
    let mut found = Map::new();
    let mut known: Vec<&str> = Vec::new();
    for part in parts {
        let fields = match part {
            Part::One(field) => std::slice::from_ref(field),
            Part::Either(fields) => *fields,
        };
        known.extend(fields.iter().map(|field| field.name));
        let present: Vec<&Field> =
            fields.iter().filter(|field| properties.contains_key(field.name)).collect();
        match (part, present.as_slice()) {
            (Part::One(field), []) if field.least_in_json == 0 => {}
            (_, []) => return Err(Invalid::at(fields[0].name, "is missing")),
            (_, [field]) => {
                let values = values(&properties[field.name], field)?;
                put(&mut found, field, values);
            }
            (_, [_, other, ..]) => {
                return Err(Invalid::at(other.name, "excludes another that is there, too"));
            }
        }
    }
    match properties.keys().find(|key| !known.contains(&key.as_str())) {
        Some(unknown) => Err(Invalid::at(unknown, "is not expected here")),
        None => Ok(Value::Object(found)),
    }
}

fn values(value: &Value, field: &Field) -> Result<Vec<Value>, Invalid> {
    if field.most == 1 {
        return Ok(vec![content(value, field)?]);
    }
    let Value::Array(items) = value else {
        return Err(Invalid::at(field.name, "is not an array"));
    };
    if items.is_empty() || items.len() > field.most {
        return Err(Invalid::at(field.name, format!("holds not 1 to {} items", field.most)));
    }
    items.iter().map(|item| content(item, field)).collect()
}

fn content(value: &Value, field: &Field) -> Result<Value, Invalid> {
    let simple = match &field.holds {
        Holds::Parts(parts) => return json(field.name, value, parts),
        Holds::Value(simple) => *simple,
    };
    let text = match value {
        Value::Bool(is) if simple == Simple::Truth => is.to_string(),
        Value::Number(number) if simple.is_number() => number.to_string(),
        Value::String(text) if !simple.is_number() && simple != Simple::Truth => text.clone(),
        _ => return Err(Invalid::at(field.name, "is of another type")),
    };
    match simple.fault(&text) {
        Some(fault) => Err(Invalid::at(field.name, fault)),
        None => Ok(Value::String(text)),
    }
}
