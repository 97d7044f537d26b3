//! Known answers, and who acts in tests.

use std::fs;
use std::path::PathBuf;

use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Issue, Issues, Principal, calendar};
use racun_portugal::{PortugalError, WallTime};
use racun_store::{Actor, Decision};
use serde_json::Value;
use time::Date;
use time::macros::datetime;

/// Where the vectors are.
pub fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/portugal")
}

/// A file of vectors.
pub fn read(name: &str) -> Value {
    serde_json::from_slice(&fs::read(vectors().join(name)).unwrap()).unwrap()
}

/// The entries of a group, which must have some.
pub fn group<'a>(file: &'a Value, name: &str) -> &'a [Value] {
    let entries = file[name].as_array().unwrap();
    assert!(!entries.is_empty(), "{name}");
    entries
}

pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is no text in {value}"))
}

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

pub fn date(text: &str) -> Date {
    calendar::parse_date(text).unwrap()
}

pub fn wall(text: &str) -> WallTime {
    text.parse().unwrap()
}

/// Codes with the places at which they were found: `pt.series_id required`.
pub fn faults(issues: &Issues) -> Vec<String> {
    let said = |issue: &Issue| {
        let issue = Issue { message: issue.code.to_owned(), ..issue.clone() };
        issue.to_string()
    };
    issues.iter().map(said).collect()
}

/// The same of an error.
pub fn said(error: &PortugalError) -> Vec<String> {
    match error {
        PortugalError::Invalid(issues) => faults(issues),
        PortugalError::Refused(refusal) => vec![refusal.code().to_owned()],
        other => panic!("{other}"),
    }
}

/// An admin of an entity, on 23 November 2026.
pub fn actor() -> Actor {
    let stamp = racun_store::testing::stamp(datetime!(2026-11-23 12:00 UTC));
    let entity: EntityId = stamp.id();
    racun_store::testing::actor(entity, Principal::System, stamp)
}

/// The record that a decision changes, and the kinds of what happened.
pub fn changed<A>(decision: Decision<A>) -> (A, Vec<&'static str>) {
    match decision {
        Decision::Changed { record, events, .. } => {
            (record, events.into_iter().map(|event| event.kind.name()).collect())
        }
        Decision::Unchanged(_) => panic!("nothing is changed"),
    }
}
