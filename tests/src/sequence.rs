//! Numbers without gaps.

use std::collections::BTreeSet;

use serde_json::Value;

/// The number of an invoice's sequence: what stands behind the last hyphen of `2026-00042`.
///
/// # Panics
/// When the invoice has no such number.
#[must_use]
pub fn number(invoice: &Value) -> u64 {
    let text = invoice["number"].as_str().unwrap_or_else(|| panic!("no number in {invoice}"));
    let digits = text.rsplit('-').next().unwrap_or_default();
    digits.parse().unwrap_or_else(|_| panic!("{text} does not end with a number"))
}

/// Checks that `numbers` are exactly `start`, `start` + 1 and so on, each once, in any order.
///
/// # Panics
/// When one is missing or there twice; the message names the first.
pub fn check_sequence(start: u64, numbers: impl IntoIterator<Item = u64>) {
    let mut seen = BTreeSet::new();
    for number in numbers {
        assert!(seen.insert(number), "the number {number} was given twice");
    }
    for (expected, number) in (start..).zip(&seen) {
        assert_eq!(expected, *number, "the number {expected} is missing");
    }
}
