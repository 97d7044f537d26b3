//! The addresses that a request names.

use racun_kernel::{Issue, check_address, fold_address};

/// Addresses that one mail goes to at most.
pub const MAX_RECIPIENTS: usize = 4;

/// Reads one to four addresses with commas between them. An address that is named twice counts
/// once.
///
/// # Errors
/// `required` for none, `too_many`, or `invalid_email`, which says which one.
pub fn parse_addresses(list: &str) -> Result<Vec<String>, Issue> {
    let mut addresses: Vec<String> = Vec::new();
    for part in list.split(',').map(str::trim) {
        if part.is_empty() {
            let message = "expected one to four addresses with commas between them";
            let code = if list.trim().is_empty() { "required" } else { "invalid_email" };
            return Err(Issue::new(code, message));
        }
        check_address(part).map_err(|issue| {
            let shown: String = part.chars().take(80).collect();
            Issue { message: format!("{shown:?}: {}", issue.message), ..issue }
        })?;
        if !addresses.iter().any(|known| fold_address(known) == fold_address(part)) {
            addresses.push(part.to_owned());
        }
        if addresses.len() > MAX_RECIPIENTS {
            let message = format!("a mail goes to at most {MAX_RECIPIENTS} addresses");
            return Err(Issue::new("too_many", message));
        }
    }
    Ok(addresses)
}
