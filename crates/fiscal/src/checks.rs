//! Which names and numbers of premises and devices both authorities take.

use racun_kernel::Issue;

use crate::Authority;
use crate::message::is_line;

/// The longest name of a premise or a device.
const MOST_CHARACTERS: usize = 20;

/// The highest number that a sequence can start with.
const HIGHEST_START: i64 = 999_999_999;

/// Accepts the name of a business premise: 1 to 20 letters and digits of ASCII.
///
/// # Errors
/// `invalid_value`.
pub fn check_premise_name(name: &str) -> Result<(), Issue> {
    let is_short = (1..=MOST_CHARACTERS).contains(&name.len());
    if is_short && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err(refused("expected 1 to 20 letters (a to z, A to Z) and digits"))
}

/// Accepts the name of an electronic device: 1 to 20 letters and digits of ASCII in Slovenia, 1 to
/// 20 digits without leading zeros in Croatia.
///
/// # Errors
/// `invalid_value`.
pub fn check_device_name(authority: Authority, name: &str) -> Result<(), Issue> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit()) && !name.starts_with('0');
    match authority {
        Authority::Furs => check_premise_name(name),
        Authority::Fina if check_premise_name(name).is_ok() && is_number => Ok(()),
        Authority::Fina => Err(refused("expected 1 to 20 digits without leading zeros, such as 1")),
    }
}

/// Accepts the first number of a sequence: 1 to 999,999,999.
///
/// # Errors
/// `invalid_value`.
pub fn check_starting_number(number: i64) -> Result<(), Issue> {
    if (1..=HIGHEST_START).contains(&number) {
        return Ok(());
    }
    Err(refused(format!("expected a whole number from 1 to {HIGHEST_START}")))
}

/// Accepts one line of 1 to `max` characters.
pub(crate) fn check_line(text: &str, max: usize) -> Result<(), Issue> {
    if is_line(text, max) {
        return Ok(());
    }
    Err(refused(format!("expected 1 to {max} characters in one line")))
}

pub(crate) fn refused(message: impl Into<String>) -> Issue {
    Issue::new("invalid_value", message)
}
