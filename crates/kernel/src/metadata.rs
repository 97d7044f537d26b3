//! The string map that a caller attaches to a resource.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Issue, Issues, text};

/// Up to 50 properties, each a string of at most 250 characters. Keys are opaque.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(BTreeMap<String, String>);

impl Metadata {
    /// Properties that one map may hold.
    pub const MAX_PROPERTIES: usize = 50;
    /// Characters that one value may hold.
    pub const MAX_VALUE_CHARS: usize = 250;
    /// Characters that one key may hold, where [`Metadata::checked`] limits them.
    pub const MAX_KEY_CHARS: usize = 250;

    /// Accepts `entries` within the limits.
    ///
    /// # Errors
    /// One issue for each value that is too long, and one for too many properties; the paths are
    /// relative to the map.
    pub fn new(entries: BTreeMap<String, String>) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        if entries.len() > Self::MAX_PROPERTIES {
            let message = format!("at most {} properties", Self::MAX_PROPERTIES);
            issues.push(Issue::new("too_many_properties", message));
        }
        for (key, value) in &entries {
            if value.chars().count() > Self::MAX_VALUE_CHARS {
                let message = format!("at most {} characters", Self::MAX_VALUE_CHARS);
                issues.push(Issue::new("too_long", message).at(key.as_str()));
            }
        }
        issues.into_result(Self(entries))
    }

    /// Accepts `entries` as [`Metadata::new`] does, when keys are not too long either and no text
    /// holds a NUL, which no store keeps.
    ///
    /// # Errors
    /// One issue for each key and each value that is wrong; those of [`Metadata::new`] when none
    /// is.
    pub fn checked(entries: BTreeMap<String, String>) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        for (key, value) in &entries {
            // An answer does not repeat a key that is as long as the request.
            let end = key.char_indices().nth(Self::MAX_KEY_CHARS).map_or(key.len(), |(end, _)| end);
            let path = &key[..end];
            text::check_field(&mut issues, path, Some(key), Self::MAX_KEY_CHARS);
            text::check_field(&mut issues, path, Some(value), Self::MAX_VALUE_CHARS);
        }
        issues.into_result(())?;
        Self::new(entries)
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// All properties, in the order of their keys.
    #[must_use]
    pub const fn entries(&self) -> &BTreeMap<String, String> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize, chars: usize) -> BTreeMap<String, String> {
        (0..count).map(|n| (format!("key.{n}"), "ž".repeat(chars))).collect()
    }

    #[test]
    fn limits_hold_at_their_edge() {
        assert!(Metadata::new(entries(50, 250)).is_ok());
        assert_eq!(Metadata::new(entries(51, 1)).unwrap_err().len(), 1);
        assert_eq!(Metadata::new(entries(2, 251)).unwrap_err().len(), 2);
        assert!(Metadata::checked(entries(50, 250)).is_ok());
        assert_eq!(Metadata::checked(entries(51, 1)).unwrap_err().len(), 1);
        assert_eq!(Metadata::checked(entries(2, 251)).unwrap_err().len(), 2);
    }

    #[test]
    fn keys_are_limited_and_no_text_holds_a_nul() {
        let code = |key: &str, value: &str| {
            let entries = BTreeMap::from([(key.to_owned(), value.to_owned())]);
            let wrong = Metadata::checked(entries).err()?;
            Some(wrong.iter().map(|issue| issue.code).collect::<Vec<_>>().join(" "))
        };
        let (edge, long) = ("ž".repeat(250), "ž".repeat(251));
        assert_eq!(code(&edge, &edge), None);
        assert_eq!(code(&long, "a").as_deref(), Some("too_long"));
        assert_eq!(code(&long, &long).as_deref(), Some("too_long too_long"));
        assert_eq!(code("a\0", "b").as_deref(), Some("invalid_value"));
        assert_eq!(code("a", "b\0").as_deref(), Some("invalid_value"));
    }
}
