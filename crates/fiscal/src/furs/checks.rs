//! Which values the messages to FURS can carry.

use racun_kernel::{Issue, Issues};

use super::RealEstate;
use crate::checks::{check_line, refused};

/// Accepts notes to FURS: 1 to 1,000 characters in one line.
///
/// # Errors
/// `invalid_value`.
pub fn check_special_notes(text: &str) -> Result<(), Issue> {
    check_line(text, 1000)
}

impl RealEstate {
    /// Accepts a building that can be reported.
    ///
    /// # Errors
    /// One issue for each field that is wrong, at its name.
    pub fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        let mut note = |field: &str, result: Result<(), Issue>| {
            issues.collect(field, result.map_err(Issues::from));
        };
        note("cadastral_number", check_digits(&self.cadastral_number, 4));
        note("building_number", check_digits(&self.building_number, 5));
        note("building_section", check_digits(&self.building_section, 4));
        note("street", check_line(&self.street, 100));
        note("house_number", check_line(&self.house_number, 10));
        if let Some(additional) = &self.house_number_additional {
            note("house_number_additional", check_line(additional, 10));
        }
        note("community", check_line(&self.community, 100));
        // As the schemas say; the specification's table names 40.
        note("city", check_line(&self.city, 100));
        note("postal_code", check_postal_code(&self.postal_code));
        issues.into_result(())
    }
}

fn check_digits(text: &str, max: usize) -> Result<(), Issue> {
    let is_number = (1..=max).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if is_number { Ok(()) } else { Err(refused(format!("expected 1 to {max} digits"))) }
}

fn check_postal_code(text: &str) -> Result<(), Issue> {
    if text.len() == 4 && check_digits(text, 4).is_ok() {
        return Ok(());
    }
    Err(refused("expected a postal code of four digits, such as 1000"))
}
