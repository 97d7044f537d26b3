//! Croatia: what is said to CIS, by the technical specification of fiskalizacija, version 2.7, and
//! its schema, version 1.9.

mod judged;
mod receipt;
mod restrictive;
mod text;
mod window;

pub use judged::news;
pub use receipt::{Change, IssueArguments, PaymentMeans, Receipt, TaxLine, Tip, ZkiAlgorithm};
pub use restrictive::{TooHigh, check_total, explained};
pub use window::{WindowClosed, change_window, takes_tips};

use racun_kernel::Issue;

use crate::ErrorClass;
use crate::checks::check_line;

/// Accepts the number of a receipt of a bound book, `ParagonBrRac`: 1 to 100 characters in one
/// line.
///
/// # Errors
/// `invalid_value`.
pub fn check_paragon(number: &str) -> Result<(), Issue> {
    check_line(number, 100)
}

/// What the code of an error means, however its letters are written.
///
/// Source: technical specification 2.7, chapter 4.
#[must_use]
pub fn class(code: &str) -> ErrorClass {
    match code.to_ascii_lowercase().as_str() {
        // Against the schema, or wrongly signed.
        "s001" | "s004" => ErrorClass::Permanent,
        // Certificate not trusted, without an OIB, of another taxpayer.
        "s002" | "s003" | "s005" => ErrorClass::Config,
        // A change or a tip that comes too late or is not of a fiscalized receipt.
        "s007" | "s008" | "s009" | "s010" | "s011" | "s012" => ErrorClass::Permanent,
        // Restrictive errors; the text lists their numbers.
        "s013" => ErrorClass::Permanent,
        // s006 is a fault at CIS. A code that we do not know may be one as well.
        _ => ErrorClass::Retry,
    }
}
