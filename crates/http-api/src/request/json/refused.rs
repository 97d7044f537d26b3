//! What a type's reader says when it refuses what was sent.

use std::fmt;

use racun_kernel::{Issue, Step};
use serde::de::{Error, Expected, Unexpected};

/// A refusal, and where once that is known.
#[derive(Debug)]
pub(super) struct Refused {
    /// What is wrong; its path is that of the value, once `is_placed`.
    pub issue: Issue,
    /// The property that is missing inside of the value, when that is what is wrong.
    pub missing: Option<&'static str>,
    is_placed: bool,
}

impl Refused {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { issue: Issue::new(code, message), missing: None, is_placed: false }
    }

    /// A value of another type than `expected`, in words of a reader.
    pub(super) fn other_type(expected: &dyn fmt::Display) -> Self {
        Self::new("invalid_type", format!("expected {}", in_json_words(&expected.to_string())))
    }

    /// The same refusal of the value at `path`, unless it is of one further inside.
    pub(super) fn at(mut self, path: impl FnOnce() -> Vec<Step>) -> Self {
        if !self.is_placed {
            self.issue.path = path();
            self.is_placed = true;
        }
        self
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.issue.fmt(f)
    }
}

impl std::error::Error for Refused {}

impl Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let text = message.to_string();
        // Numbers are read by a reader whose errors are text.
        match text.split_once(", expected ") {
            Some((kind, expected)) if kind.starts_with("invalid type") => {
                Self::other_type(&expected)
            }
            Some((kind, expected)) if kind.starts_with("invalid value") => {
                Self::new("invalid_value", format!("expected {}", in_json_words(expected)))
            }
            _ => Self::new("invalid_value", text),
        }
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::other_type(&expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let expected = in_json_words(&expected.to_string());
        Self::new("invalid_value", format!("expected {expected}"))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        let expected = in_json_words(&expected.to_string());
        Self::new("invalid_value", format!("expected {expected}"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new("invalid_value", format!("expected {}", one_of(expected)))
    }

    fn missing_field(field: &'static str) -> Self {
        let issue = Issue::new("required", "is required");
        Self { issue, missing: Some(field), is_placed: false }
    }
}

/// The words that are taken, for people.
pub(super) fn one_of(words: &[&str]) -> String {
    match words {
        [word] => (*word).to_owned(),
        words => format!("one of {}", words.join(", ")),
    }
}

/// What a reader expected, in words of JSON instead of those of our source.
fn in_json_words(expected: &str) -> String {
    let first = expected.split(' ').next().unwrap_or_default();
    let words = match first {
        "struct" | "map" => "an object",
        "enum" => "text",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0",
        _ if expected.starts_with("a map") => "an object",
        _ if expected.starts_with("a sequence") => "an array",
        _ if expected.starts_with("a boolean") => "true or false",
        _ if expected.starts_with("a string") || expected.starts_with("a borrowed string") => {
            "text"
        }
        _ => return expected.replace('`', ""),
    };
    words.to_owned()
}
