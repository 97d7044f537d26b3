//! Documents in Portugal: numbered in series that the authority knows, signed in a chain, and put
//! together for SAF-T.
//!
//! | Module     | Owns                                                                      |
//! | ---------- | ------------------------------------------------------------------------- |
//! | `settings` | who calls the authority for an entity                                     |
//! | `series`   | series: made, registered with the authority, changed, closed              |
//! | `request`  | what a caller says of a document                                          |
//! | `prepare`  | before the unit: in which series, by whom, with which program             |
//! | `credits`  | what earlier credit notes gave back of what another one is over           |
//! | `issue`    | inside the unit: the chain, the code, what a certified program refuses    |
//! | `figures`  | amounts in euros that agree with each other                               |
//! | `totals`   | totals that no lines come to are refused                                  |
//! | `facts`    | a stored document as SAF-T, the QR code and the authority ask for it      |
//! | `voiding`  | voided documents: status A, with a reason                                 |
//! | `receipts` | receipts of payments                                                      |
//! | `report`   | the job that tells the authority of one document                          |
//! | `pages`    | documents and receipts of some days, in the order of their numbers        |
//! | `saft`     | the file of a period                                                      |
//!
//! **Invariants.** The series' row holds the last document of its chain, and the unit that takes a
//! number holds that row: number, date and signature have one order. Nothing is stored that is not
//! signed, and what was signed is not changed.

mod credits;
mod facts;
mod figures;
mod issue;
mod pages;
mod prepare;
mod receipts;
mod report;
mod request;
mod saft;
pub mod series;
pub mod settings;
mod totals;
mod voiding;

use racun_access::Entity;
use racun_kernel::Issue;
use racun_portugal::restrictions;

use crate::Ports;

pub use issue::{Certifying, FoundSeries, HeldSeries};
pub use prepare::{Sale, certifying, home, next_number};
pub use receipts::{FoundReceipts, HeldReceipts, Receipting, check_paid, receipting, void_receipt};
pub use report::PtReportHandler;
pub use request::PtRequest;
pub use saft::{
    LOOKS, MOST_AT_ONCE, SaftPeriod, SaftWatch, Unwatched, check_at_once, check_saft, count_saft,
    write_saft,
};
pub use voiding::{HeldForm, check_void, reported_void, voided};

/// Whether documents of `entity` are certified.
#[must_use]
pub fn is_portugal(entity: &Entity) -> bool {
    restrictions::check_country(entity.country_code.as_deref()).is_ok()
}

/// Whether documents of `entity` are certified by this server.
#[must_use]
pub fn certifies(ports: Ports<'_>, entity: &Entity) -> bool {
    ports.portugal.is_some() && is_portugal(entity)
}

/// Accepts what is made of `entity`: where documents are certified, no draft.
///
/// # Errors
/// `not_in_portugal`, at `is_draft`.
pub fn check_draft(ports: Ports<'_>, entity: &Entity, is_draft: bool) -> Result<(), Issue> {
    restrictions::check_draft(is_draft && certifies(ports, entity))
}
