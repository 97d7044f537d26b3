//! Limits of what callers send.

use std::collections::BTreeMap;

use racun_kernel::{Issue, Issues, Metadata};

/// Characters that a key of `metadata` may hold.
pub const MAX_METADATA_KEY_CHARS: usize = 250;

/// Notes at `field` when `text` holds more than `max` characters, or a NUL, which no store keeps.
pub fn text(issues: &mut Issues, field: &str, text: Option<&str>, max: usize) {
    if let Some(issue) = text.and_then(|text| wrong_text(text, max)) {
        issues.push(issue.at(field));
    }
}

fn wrong_text(text: &str, max: usize) -> Option<Issue> {
    if text.chars().count() > max {
        return Some(Issue::new("too_long", format!("at most {max} characters")));
    }
    text.contains('\0').then(|| Issue::new("invalid_value", "text cannot hold a NUL character"))
}

/// The map that a caller attaches, within its limits.
pub fn metadata(entries: BTreeMap<String, String>) -> Result<Metadata, Issues> {
    let mut issues = Issues::default();
    for (key, value) in &entries {
        let key_issue = wrong_text(key, MAX_METADATA_KEY_CHARS);
        let value_issue = wrong_text(value, Metadata::MAX_VALUE_CHARS);
        for issue in key_issue.into_iter().chain(value_issue) {
            issues.push(issue.at(key.as_str()));
        }
    }
    issues.into_result(())?;
    Metadata::new(entries)
}
