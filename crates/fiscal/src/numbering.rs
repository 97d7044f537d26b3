//! Which sequence a fiscal number is of.

use racun_kernel::{Issues, Patch, SalesBook, Tenant};
use racun_store::Series;
use time::OffsetDateTime;

use crate::{
    Authority, FiscalError, FiscalRefusal, Numbering, PlaceOfIssue, check_starting_number,
};

/// Where a sequence starts that another program began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Start {
    /// The first number; 1 when missing.
    pub number: Option<i64>,
    /// The year whose sequence it is.
    pub year: Option<i32>,
}

/// The sequence that documents issued at `place` in `year`, of the authority's zone, are numbered
/// in.
///
/// Invoices, credit notes and advance invoices share it. It has no gaps within the year and starts
/// again with each: at 1, but for the year of `start`.
#[must_use]
pub fn series(
    tenant: Tenant,
    authority: Authority,
    place: &PlaceOfIssue,
    year: i32,
    start: Start,
) -> Series {
    let name = authority.name();
    let key = match place.numbering {
        Numbering::PerPremise => format!("{name}/{year}/{}", place.premise),
        Numbering::PerDevice => format!("{name}/{year}/{}/{}", place.premise, place.device),
    };
    Series { tenant, key, start: starts_at(start, year).unwrap_or(1) }
}

/// The sequence of the one document that is written on the form `book` of a bound book.
///
/// Its first number is the one on the form. A document that would take another number is refused,
/// so no form is entered twice.
#[must_use]
pub fn form_series(tenant: Tenant, book: &SalesBook) -> Series {
    let SalesBook { invoice_number, set_number, serial_number } = book;
    let name = Authority::Furs.name();
    let key = format!("{name}/book/{serial_number}/{set_number}/{invoice_number}");
    Series { tenant, key, start: book.number().unwrap_or(1) }
}

/// The year in which `authority` counts a document that is issued at `instant`.
#[must_use]
pub fn year_of(authority: Authority, instant: OffsetDateTime) -> i32 {
    authority.local(instant).year()
}

/// Where the sequence of a premise starts in this year, by what it keeps.
///
/// A start that was set in another year says nothing of this year's sequence.
pub(crate) fn starts_at(start: Start, year: i32) -> Option<i64> {
    start.number.filter(|_| start.year == Some(year))
}

/// The start that `sent` makes of `kept`, for a sequence of `year`; `is_unused` says whether no
/// number of that sequence was issued. Null resets it to 1.
///
/// # Errors
/// A number that is none; [`FiscalRefusal::StartingNumberLocked`] for a change of a sequence in
/// use.
pub(crate) fn restarted(
    kept: Start,
    sent: Patch<i64>,
    year: i32,
    is_unused: bool,
) -> Result<Start, FiscalError> {
    let number = match sent {
        Patch::Absent => return Ok(kept),
        Patch::Null => None,
        Patch::Value(number) => Some(number),
    };
    let checked = number.map_or(Ok(()), check_starting_number);
    checked.map_err(|issue| Issues::from(issue.at("starting_number")))?;
    let is_same = starts_at(kept, year).unwrap_or(1) == number.unwrap_or(1);
    if !is_same && !is_unused {
        return Err(FiscalRefusal::StartingNumberLocked.into());
    }
    Ok(Start { number, year: Some(year) })
}
