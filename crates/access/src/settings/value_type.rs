//! What a value of the settings may be, and what is wrong with it.

use racun_kernel::spelling::{nearest, suggestion};
use racun_kernel::text::{self, LOCALES};
use racun_kernel::{Issue, Issues};
use serde_json::{Map, Value as Json, json};

use super::as_whole;

/// What a value may be. Null is accepted wherever a value is not required: it means *not set*.
pub(super) enum ValueType {
    /// True or false.
    Bool,
    /// Text of at most so many characters.
    Text(usize),
    /// A whole number from the first to the second, both included.
    Whole(i64, i64),
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// Text of a form: the test, and how to describe the form.
    Form(fn(&str) -> bool, &'static str),
    /// An object with these properties; others are kept as they are, unless they are slips of
    /// these.
    Object(&'static [Property]),
    /// An object whose keys are the caller's, each of this type.
    Each(&'static ValueType),
    /// An object whose keys are locales, each with text of at most so many characters.
    Localized(usize),
    /// An array of at most so many, each of this type.
    List(usize, &'static ValueType),
}

/// A known property of an object.
pub(super) struct Property {
    pub name: &'static str,
    pub value_type: ValueType,
    pub required: bool,
    /// What it means, for readers of the interface; empty where the names say it.
    pub meaning: &'static str,
    /// Whether a business unit may have it, too.
    pub is_of_units: bool,
}

impl Property {
    pub const fn optional(name: &'static str, value_type: ValueType) -> Self {
        Self { name, value_type, required: false, meaning: "", is_of_units: false }
    }

    pub const fn required(name: &'static str, value_type: ValueType) -> Self {
        Self { name, value_type, required: true, meaning: "", is_of_units: false }
    }

    /// The same, also of business units.
    pub const fn of_units(self) -> Self {
        Self { is_of_units: true, ..self }
    }

    /// The same, explained.
    pub const fn means(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }
}

impl ValueType {
    /// What is wrong with `value`.
    pub fn check(&self, value: &Json) -> Issues {
        match (self, value) {
            (_, Json::Null) | (Self::Bool, Json::Bool(_)) => Issues::default(),
            (Self::Bool, _) => wrong_type("expected true or false"),
            (Self::Text(max), Json::String(text)) => {
                text::check(text, *max).map_or_else(Issues::from, |()| Issues::default())
            }
            (Self::OneOf(names), Json::String(text)) if names.contains(&text.as_str()) => {
                Issues::default()
            }
            (Self::OneOf(names), _) => refused(format!("expected one of {}", names.join(", "))),
            (Self::Form(is_formed, _), Json::String(text)) if is_formed(text) => Issues::default(),
            (Self::Form(_, expected), _) => refused(format!("expected {expected}")),
            (Self::Text(_), _) => wrong_type("expected text"),
            (Self::Whole(least, most), value) => check_whole(value, *least, *most),
            (Self::Object(properties), Json::Object(map)) => check_properties(properties, map),
            (Self::Each(value_type), Json::Object(map)) => check_each(value_type, map),
            (Self::Localized(max), Json::Object(map)) => check_localized(*max, map),
            (Self::Object(_) | Self::Each(_) | Self::Localized(_), _) => {
                wrong_type("expected an object")
            }
            (Self::List(most, value_type), Json::Array(values)) => {
                check_list(*most, value_type, values)
            }
            (Self::List(..), _) => wrong_type("expected an array"),
        }
    }
}

impl ValueType {
    /// The same as a JSON schema. Null is a value that is not set.
    pub fn schema(&self) -> Json {
        match self {
            Self::Bool => json!({ "type": ["boolean", "null"] }),
            Self::Text(most) => json!({ "type": ["string", "null"], "maxLength": most }),
            Self::Whole(least, most) => {
                json!({ "type": ["integer", "null"], "minimum": least, "maximum": most })
            }
            Self::OneOf(names) => {
                let names = names.iter().map(|name| json!(name)).chain([Json::Null]);
                json!({ "type": ["string", "null"], "enum": names.collect::<Vec<_>>() })
            }
            Self::Form(_, expected) => {
                json!({ "type": ["string", "null"], "description": format!("Expected: \
                                                                            {expected}.") })
            }
            Self::Object(properties) => object_schema(properties),
            Self::Each(value_type) => {
                json!({ "type": ["object", "null"], "additionalProperties": value_type.schema() })
            }
            Self::Localized(most) => json!({
                "type": ["object", "null"],
                "description": "Texts by locale.",
                "additionalProperties": { "type": ["string", "null"], "maxLength": most },
            }),
            Self::List(most, value_type) => {
                json!({ "type": ["array", "null"], "maxItems": most, "items": value_type.schema() })
            }
        }
    }
}

/// An object with these properties, and others.
pub(super) fn object_schema(properties: &[Property]) -> Json {
    let described = properties.iter().map(|it| {
        let mut schema = it.value_type.schema();
        if !it.meaning.is_empty() {
            schema["description"] = it.meaning.into();
        }
        (it.name.to_owned(), schema)
    });
    let mut schema = json!({
        "type": ["object", "null"],
        "properties": described.collect::<Map<_, _>>(),
        "additionalProperties": true,
    });
    let required: Vec<&str> =
        properties.iter().filter(|it| it.required).map(|it| it.name).collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn wrong_type(message: &str) -> Issues {
    Issue::new("invalid_type", message).into()
}

fn refused(message: String) -> Issues {
    Issue::new("invalid_value", message).into()
}

fn check_whole(value: &Json, least: i64, most: i64) -> Issues {
    if as_whole(value).is_some_and(|number| (least..=most).contains(&number)) {
        return Issues::default();
    }
    let message = format!("expected a whole number from {least} to {most}");
    Issue::new(if value.is_number() { "out_of_range" } else { "invalid_type" }, message).into()
}

/// What is wrong with the known `properties` of `map`, and which others were meant to be known
/// ones: those that are near to one, or lack words of it. Other keys are the
/// caller's. Null removes a key, also one that was kept before its slip was noticed.
pub(super) fn check_properties(properties: &[Property], map: &Map<String, Json>) -> Issues {
    let mut issues = Issues::default();
    for Property { name, value_type, required, .. } in properties {
        match map.get(*name) {
            None | Some(Json::Null) if *required => {
                issues.push(Issue::new("required", "this is needed here").at(*name));
            }
            None => {}
            Some(value) => issues.extend_at(*name, value_type.check(value)),
        }
    }
    let names: Vec<&str> = properties.iter().map(|property| property.name).collect();
    for (key, value) in map {
        if names.contains(&key.as_str()) || value.is_null() {
            continue;
        }
        if let Some(near) = suggestion(key, &names) {
            issues.push(slip(near).at(key.as_str()));
        }
    }
    issues
}

/// A key that was meant to be `near`.
pub(super) fn slip(near: &str) -> Issue {
    let message = format!("there is no such setting; did you mean `{near}`?");
    Issue::new("unknown_field", message)
}

/// Which keys of `map` are none of `properties`, at any depth.
pub(super) fn unknown(properties: &[&Property], map: &Map<String, Json>) -> Issues {
    let mut issues = Issues::default();
    for (key, value) in map {
        if let Some(property) = properties.iter().find(|property| property.name == key) {
            issues.extend_at(key.as_str(), unknown_within(&property.value_type, value));
            continue;
        }
        let names = || properties.iter().map(|property| property.name);
        let message = match nearest(key, names()) {
            Some(near) => format!("there is no such setting; did you mean `{near}`?"),
            None => {
                let names: Vec<&str> = names().collect();
                format!("there is no such setting; there are {}", names.join(", "))
            }
        };
        issues.push(Issue::new("unknown_field", message).at(key.as_str()));
    }
    issues
}

fn unknown_within(value_type: &ValueType, value: &Json) -> Issues {
    let mut issues = Issues::default();
    match (value_type, value) {
        (ValueType::Object(properties), Json::Object(map)) => {
            return unknown(&properties.iter().collect::<Vec<_>>(), map);
        }
        (ValueType::Each(value_type), Json::Object(map)) => {
            for (key, value) in map {
                issues.extend_at(key.as_str(), unknown_within(value_type, value));
            }
        }
        (ValueType::List(_, value_type), Json::Array(values)) => {
            for (index, value) in values.iter().enumerate() {
                issues.extend_at(index, unknown_within(value_type, value));
            }
        }
        _ => {}
    }
    issues
}

fn check_each(value_type: &ValueType, map: &Map<String, Json>) -> Issues {
    let mut issues = Issues::default();
    for (key, value) in map {
        issues.extend_at(key.as_str(), value_type.check(value));
    }
    issues
}

fn check_localized(max: usize, map: &Map<String, Json>) -> Issues {
    let mut issues = Issues::default();
    for (locale, text) in map {
        if LOCALES.contains(&locale.as_str()) {
            issues.extend_at(locale.as_str(), ValueType::Text(max).check(text));
        } else {
            let message = format!("no such locale; there are {}", LOCALES.join(", "));
            issues.push(Issue::new("invalid_value", message).at(locale.as_str()));
        }
    }
    issues
}

fn check_list(most: usize, value_type: &ValueType, values: &[Json]) -> Issues {
    let mut issues = Issues::default();
    if values.len() > most {
        issues.push(Issue::new("too_many", format!("at most {most} elements")));
    }
    for (index, value) in values.iter().enumerate() {
        issues.extend_at(index, value_type.check(value));
    }
    issues
}
