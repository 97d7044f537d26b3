//! What a body declares to hold of it, and what is wrong where it does not.

use std::borrow::Cow;
use std::collections::BTreeMap;

use racun_kernel::{Issue, Issues, Step};
use validator::{ValidationError, ValidationErrors, ValidationErrorsKind};

/// `issues` of a domain's rule as those of a body that declares it, so that one answer tells them
/// beside the reader's. An issue within what another one is of is left out.
pub(crate) fn as_declared(issues: &Issues) -> ValidationErrors {
    let mut errors = ValidationErrors::new();
    for issue in issues.iter() {
        let error = ValidationError::new(issue.code).with_message(issue.message.clone().into());
        put(&mut errors, &issue.path, error);
    }
    errors
}

/// Puts `error` at `path` in `errors`.
fn put(errors: &mut ValidationErrors, path: &[Step], error: ValidationError) {
    let (Some(Step::Key(key)), rest) = (path.first(), path.get(1..).unwrap_or_default()) else {
        return;
    };
    let key: Cow<'static, str> = Cow::Owned(key.clone());
    let kinds = errors.errors_mut();
    match rest.first() {
        None => {
            kinds.insert(key, ValidationErrorsKind::Field(vec![error]));
        }
        Some(Step::Key(_)) => {
            let inner = || ValidationErrorsKind::Struct(Box::new(ValidationErrors::new()));
            if let ValidationErrorsKind::Struct(inner) = kinds.entry(key).or_insert_with(inner) {
                put(inner, rest, error);
            }
        }
        Some(Step::Index(index)) => {
            let none = || ValidationErrorsKind::List(BTreeMap::new());
            if let ValidationErrorsKind::List(list) = kinds.entry(key).or_insert_with(none) {
                put(list.entry(*index).or_default(), rest.get(1..).unwrap_or_default(), error);
            }
        }
    }
}

/// Issues of checks that a body declares. The refused value stays out of them.
pub(super) fn collect(errors: &ValidationErrors, issues: &mut Issues) {
    let mut fields: Vec<_> = errors.errors().iter().collect();
    fields.sort_by_key(|(field, _)| *field);
    for (field, kind) in fields {
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
    if let (Cow::Borrowed(code), Some(message)) = (&error.code, &error.message) {
        return Issue::new(code, message.as_ref());
    }
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
