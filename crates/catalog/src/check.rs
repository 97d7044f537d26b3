//! Limits of what callers send: texts, metadata, free JSON.

use std::collections::BTreeMap;

use racun_kernel::{Decimal, Issue, Issues, Metadata, Patch, check_country_code, text};
use serde_json::{Map, Value as Json};

/// Characters that a text may hold where the interface names no other limit.
pub const MAX_TEXT_CHARS: usize = 500;
/// Characters that an e-mail address may hold.
pub const MAX_EMAIL_CHARS: usize = 255;
/// Bytes that a free JSON object, such as a business unit's settings, may hold.
pub const MAX_JSON_BYTES: usize = 64 * 1024;

/// A text of at most `max` characters, as a rule for [`Check::optional`].
pub(crate) fn text(max: usize) -> impl Fn(String) -> Result<String, Issues> {
    move |text| Ok(text::check(&text, max).map(|()| text)?)
}

/// A text of at most `max` characters of which one at least is not blank.
pub(crate) fn not_blank(text: String, max: usize) -> Result<String, Issues> {
    if text.trim().is_empty() {
        return Err(required("must hold at least one character that is not blank").into());
    }
    Ok(text::check(&text, max).map(|()| text)?)
}

/// The issue of something that must be given.
pub(crate) fn required(message: &str) -> Issue {
    Issue::new("required", message)
}

/// What looks like an e-mail address: one `@`, something before it and a dotted domain behind it.
/// Whether it exists only a message can tell.
///
/// # Errors
/// `invalid_email`, or more than [`MAX_EMAIL_CHARS`].
pub fn check_email(address: String) -> Result<String, Issues> {
    text::check(&address, MAX_EMAIL_CHARS)?;
    let spaced = address.chars().any(|c| c.is_whitespace() || c.is_control());
    let dotted = |domain: &str| {
        let labels: Vec<&str> = domain.split('.').collect();
        labels.len() > 1 && !labels.iter().any(|label| label.is_empty())
    };
    match address.split_once('@') {
        Some((local, domain))
            if !local.is_empty() && !domain.contains('@') && dotted(domain) && !spaced =>
        {
            Ok(address)
        }
        _ => {
            let message = "expected an e-mail address such as ana@example.com, or null for none";
            Err(Issue::new("invalid_email", message).into())
        }
    }
}

/// Two letters, in capitals whatever was sent.
fn country_code(code: String) -> Result<String, Issues> {
    check_country_code(&code)?;
    Ok(code.to_ascii_uppercase())
}

/// A JSON object that every store can keep: no NUL in its texts, no number that a decimal cannot
/// hold, at most [`MAX_JSON_BYTES`].
pub(crate) fn json_object(object: &Map<String, Json>) -> Result<(), Issues> {
    let bytes = serde_json::to_string(object).map_or(usize::MAX, |text| text.len());
    if bytes > MAX_JSON_BYTES {
        let message = format!("at most {MAX_JSON_BYTES} bytes of JSON");
        return Err(Issue::new("too_long", message).into());
    }
    json_entries(object)
}

fn json_entries(object: &Map<String, Json>) -> Result<(), Issues> {
    let mut issues = Issues::default();
    for (key, value) in object {
        issues.collect(key.as_str(), text::check(key, MAX_JSON_BYTES).map_err(Issues::from));
        issues.collect(key.as_str(), json(value));
    }
    issues.into_result(())
}

fn json(value: &Json) -> Result<(), Issues> {
    match value {
        Json::Null | Json::Bool(_) => Ok(()),
        Json::Number(number) => match number.as_str().parse::<Decimal>() {
            Ok(_) => Ok(()),
            Err(error) => Err(Issue::new("invalid_value", error.to_string()).into()),
        },
        Json::String(text) => Ok(text::check(text, MAX_JSON_BYTES)?),
        Json::Array(values) => {
            let mut issues = Issues::default();
            for (n, value) in values.iter().enumerate() {
                issues.collect(n, json(value));
            }
            issues.into_result(())
        }
        Json::Object(object) => json_entries(object),
    }
}

/// Takes an input's fields over into a record, and collects what is wrong with them.
#[derive(Debug, Default)]
pub(crate) struct Check {
    issues: Issues,
}

impl Check {
    /// Notes an issue whose path is complete.
    pub fn refuse(&mut self, issue: Issue) {
        self.issues.push(issue);
    }

    /// The value of `result`, or its issues noted inside `field`.
    pub fn keep<T, E: Into<Issues>>(&mut self, field: &str, result: Result<T, E>) -> Option<T> {
        self.issues.collect(field, result.map_err(Into::into))
    }

    /// A field that may be null.
    pub fn optional<T>(
        &mut self,
        field: &str,
        sent: Patch<T>,
        kept: &mut Option<T>,
        rule: impl FnOnce(T) -> Result<T, Issues>,
    ) {
        if let Some(sent) = self.keep(field, sent.try_map(rule)) {
            sent.apply(kept);
        }
    }

    /// Texts that may be null, of at most [`MAX_TEXT_CHARS`] each.
    pub fn texts<const N: usize>(
        &mut self,
        fields: [(&str, Patch<String>, &mut Option<String>); N],
    ) {
        for (field, sent, kept) in fields {
            self.optional(field, sent, kept, text(MAX_TEXT_CHARS));
        }
    }

    /// The field `name`, without which no record is. A new record's is empty until it is sent.
    pub fn name(&mut self, sent: Patch<String>, kept: &mut String, max: usize) {
        let missing = || Err(required("a name is needed").into());
        let name = match sent {
            Patch::Absent if !kept.is_empty() => return,
            Patch::Absent | Patch::Null => missing(),
            Patch::Value(name) => not_blank(name, max),
        };
        if let Some(name) = self.keep("name", name) {
            *kept = name;
        }
    }

    /// The field `email`.
    pub fn email(&mut self, sent: Patch<String>, kept: &mut Option<String>) {
        self.optional("email", sent, kept, check_email);
    }

    /// The field `country_code`.
    pub fn country_code(&mut self, sent: Patch<String>, kept: &mut Option<String>) {
        self.optional("country_code", sent, kept, country_code);
    }

    /// The field `metadata`: replaced as a whole; null empties it.
    pub fn metadata(&mut self, sent: Patch<BTreeMap<String, String>>, kept: &mut Metadata) {
        if let Some(sent) = self.keep("metadata", sent.try_map(Metadata::checked)) {
            sent.apply_or(kept, Metadata::default());
        }
    }

    /// Whether nothing was wrong.
    ///
    /// # Errors
    /// All that was.
    pub fn finish(self) -> Result<(), Issues> {
        self.issues.into_result(())
    }
}
