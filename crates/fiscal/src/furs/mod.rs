//! Slovenia: what is said to FURS, by the technical specification of davčno potrjevanje računov,
//! version 3.2.

mod book;
mod checks;
mod invoice;
mod premise;
mod text;

pub use book::BookInvoice;
pub use checks::check_special_notes;
pub use invoice::{Invoice, IssueArguments, Operator, TaxBreakdown, TaxLine};
pub use premise::{MovableKind, Premise, PremiseKind, RealEstate, SoftwareMaker};
pub use racun_kernel::SalesBook;
pub use text::ELEMENT_ID;

use crate::ErrorClass;

/// What the code of an error means, however its letters are written.
///
/// Source: technical specification 3.2, chapter 8.
#[must_use]
pub fn class(code: &str) -> ErrorClass {
    match code.to_ascii_uppercase().as_str() {
        // Against the schemas, or wrongly signed: what we wrote is wrong, and will be again.
        "S001" | "S002" | "S003" => ErrorClass::Permanent,
        // Certificate unknown, of another taxpayer, revoked, expired.
        "S004" | "S005" | "S007" | "S008" => ErrorClass::Config,
        "S006" => ErrorClass::PremiseUnknown,
        // S100 is a fault at FURS. A code that we do not know may be one as well.
        _ => ErrorClass::Retry,
    }
}
