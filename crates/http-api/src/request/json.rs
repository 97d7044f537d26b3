//! From a body's bytes to a value, or to what is wrong with them.

use racun_kernel::{Issue, Issues};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};
use validator::{Validate, ValidationError, ValidationErrors, ValidationErrorsKind};

use crate::error::ApiError;
use crate::services::Limits;

/// Reads and checks a body.
///
/// # Errors
/// 400 for what is not JSON, 422 with the fields' paths for JSON that is not a `T`.
pub(super) fn parse<T: DeserializeOwned + Validate>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| ApiError::bad_request("the body is not UTF-8 text"))?;
    scan(text)?;
    if text.trim_start().starts_with('[') {
        // A derived reader takes an array's elements for a type's fields, in their order.
        return Err(Issue::new("invalid_type", "expected an object").into());
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let value: T = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| mismatch(error.path(), error.inner()))?;
    reader.end().map_err(|error| malformed(&error))?;
    value.validate().map_err(|errors| {
        let mut issues = Issues::default();
        collect(&errors, &mut issues);
        issues
    })?;
    Ok(value)
}

/// Refuses what the reader would let pass inside properties that it skips: deep nesting; and the
/// NUL character, which no store keeps.
fn scan(text: &str) -> Result<(), ApiError> {
    let bytes = text.as_bytes();
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (n, byte) in bytes.iter().enumerate() {
        match byte {
            b'u' if escaped && bytes[n + 1..].starts_with(b"0000") => {
                let message = "text cannot hold a NUL character; leave \\u0000 out";
                return Err(Issue::new("invalid_value", message).into());
            }
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => depth += 1,
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > Limits::MAX_JSON_DEPTH {
            let message = format!("JSON nests at most {} levels deep", Limits::MAX_JSON_DEPTH);
            return Err(ApiError::bad_request(message));
        }
    }
    Ok(())
}

fn malformed(error: &serde_json::Error) -> ApiError {
    let (line, column) = (error.line(), error.column());
    ApiError::bad_request(format!("the body is not JSON: look at line {line}, column {column}"))
}

fn mismatch(path: &Path, error: &serde_json::Error) -> ApiError {
    if error.classify() != Category::Data {
        return malformed(error);
    }
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    let mut keys: Vec<Segment> = path.iter().cloned().collect();
    let named = |text: &str| text.split('`').nth(1).unwrap_or_default().to_owned();
    let (code, message) = if text.starts_with("missing field") {
        keys.push(Segment::Map { key: named(text) });
        ("required", "is required".to_owned())
    } else if text.starts_with("unknown field") {
        push_once(&mut keys, named(text));
        let known = text.split_once(", ").map_or("", |(_, known)| known).replace('`', "");
        ("unknown_field", format!("there is no such property; {known}"))
    } else if text.starts_with("duplicate field") {
        push_once(&mut keys, named(text));
        ("duplicate_field", "send this property once".to_owned())
    } else if let Some((kind, expected)) = text.split_once(", expected ") {
        let code = if kind.starts_with("invalid type") { "invalid_type" } else { "invalid_value" };
        (code, format!("expected {}", in_json_words(expected)))
    } else {
        ("invalid_value", text.to_owned())
    };
    let issue = Issue::new(code, message);
    keys.into_iter().rev().fold(issue, at).into()
}

/// What a reader expected, in words of JSON instead of those of our source.
fn in_json_words(expected: &str) -> String {
    let first = expected.split(' ').next().unwrap_or_default();
    match first {
        "struct" | "map" => "an object".to_owned(),
        "enum" => "text".to_owned(),
        _ if expected.starts_with("a map") => "an object".to_owned(),
        _ if expected.starts_with("a sequence") => "an array".to_owned(),
        _ if expected.starts_with("a boolean") => "true or false".to_owned(),
        _ if expected.starts_with("a string") || expected.starts_with("a borrowed string") => {
            "text".to_owned()
        }
        _ => expected.replace('`', ""),
    }
}

/// Some readers name the property at fault in the path already.
fn push_once(keys: &mut Vec<Segment>, key: String) {
    let there = matches!(keys.last(), Some(Segment::Map { key: last }) if *last == key);
    if !there {
        keys.push(Segment::Map { key });
    }
}

fn at(issue: Issue, segment: Segment) -> Issue {
    match segment {
        Segment::Map { key } => issue.at(key),
        Segment::Seq { index } => issue.at(index),
        Segment::Enum { variant } => issue.at(variant),
        Segment::Unknown => issue,
    }
}

/// Issues of checks that a body declares. The refused value stays out of them.
fn collect(errors: &ValidationErrors, issues: &mut Issues) {
    for (field, kind) in errors.errors() {
        let mut inside = Issues::default();
        match kind {
            ValidationErrorsKind::Field(found) => {
                found.iter().for_each(|error| inside.push(refused(error)));
            }
            ValidationErrorsKind::Struct(nested) => collect(nested, &mut inside),
            ValidationErrorsKind::List(elements) => {
                for (index, nested) in elements {
                    let mut element = Issues::default();
                    collect(nested, &mut element);
                    inside.extend_at(*index, element);
                }
            }
        }
        issues.extend_at(field.as_ref(), inside);
    }
}

fn refused(error: &ValidationError) -> Issue {
    let bound = |name: &str| error.params.get(name).map(ToString::to_string);
    match (error.code.as_ref(), bound("min"), bound("max")) {
        ("length", Some(min), Some(max)) => {
            Issue::new("invalid_length", format!("expected {min} to {max} characters"))
        }
        ("length", Some(min), None) => {
            Issue::new("too_short", format!("expected at least {min} characters"))
        }
        ("length", None, Some(max)) => {
            Issue::new("too_long", format!("expected at most {max} characters"))
        }
        ("email", ..) => Issue::new("invalid_email", "expected an e-mail address"),
        ("range", Some(min), None) => {
            Issue::new("out_of_range", format!("expected a number of at least {min}"))
        }
        ("range", Some(min), Some(max)) => {
            Issue::new("out_of_range", format!("expected a number from {min} to {max}"))
        }
        _ => Issue::new("invalid_value", error.message.as_deref().unwrap_or("is not accepted")),
    }
}
