//! Forms, and texts in HTML.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use url::form_urlencoded::parse;

/// A form, with names as they are sent: `metadata[order]`.
#[derive(Debug, Clone, Default)]
pub struct Form(BTreeMap<String, String>);

impl Form {
    /// The form that `body` is.
    pub fn read(body: &[u8]) -> Self {
        Self(parse(body).into_owned().collect())
    }

    /// A field that has a value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A field, or nothing.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// A field as a number or text, or null.
    pub fn value(&self, name: &str) -> Value {
        self.get(name).map_or(Value::Null, |text| json!(text))
    }

    /// The fields inside `name`.
    pub fn map(&self, name: &str) -> Value {
        let inside = |key: &str| {
            key.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']').map(str::to_owned)
        };
        let fields = self.0.iter();
        let fields = fields.filter_map(|(key, value)| Some((inside(key)?, json!(value))));
        Value::Object(fields.collect::<Map<_, _>>())
    }

    /// Its fields.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The same with another field.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), value.to_owned());
        self
    }
}

/// `text` inside of HTML, attributes included.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            sign => escaped.push(sign),
        }
    }
    escaped
}
