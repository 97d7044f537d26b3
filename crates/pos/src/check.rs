//! Limits of what callers send.

use std::collections::BTreeMap;

use racun_kernel::{Issue, Issues, Metadata, Patch};

/// Characters that a key of `metadata` may hold.
const MAX_METADATA_KEY_CHARS: usize = 250;

/// A text of at most `max` characters without a NUL, which no store keeps.
pub fn text(text: String, max: usize) -> Result<String, Issues> {
    check(&text, max).map(|()| text)
}

/// A text as [`text`] accepts it, of which at least one character is not blank.
pub fn not_blank(text: String, max: usize) -> Result<String, Issues> {
    if text.trim().is_empty() {
        return Err(required("must hold at least one character that is not blank").into());
    }
    check(&text, max).map(|()| text)
}

fn check(text: &str, max: usize) -> Result<(), Issues> {
    if text.chars().count() > max {
        return Err(Issue::new("too_long", format!("at most {max} characters")).into());
    }
    if text.contains('\0') {
        return Err(Issue::new("invalid_value", "text cannot hold a NUL character").into());
    }
    Ok(())
}

/// The issue of something that must be given.
pub fn required(message: &str) -> Issue {
    Issue::new("required", message)
}

/// The map that a caller attaches, within its limits.
fn metadata(entries: BTreeMap<String, String>) -> Result<Metadata, Issues> {
    let mut issues = Issues::default();
    for (key, value) in &entries {
        issues.collect(key.as_str(), check(key, MAX_METADATA_KEY_CHARS));
        issues.collect(key.as_str(), check(value, Metadata::MAX_VALUE_CHARS));
    }
    issues.into_result(())?;
    Metadata::new(entries)
}

/// Takes over the field `metadata`: replaced as a whole; null empties it.
pub fn apply_metadata(
    issues: &mut Issues,
    sent: Patch<BTreeMap<String, String>>,
    kept: &mut Metadata,
) {
    if let Some(sent) = issues.collect("metadata", sent.try_map(metadata)) {
        sent.apply_or(kept, Metadata::default());
    }
}
