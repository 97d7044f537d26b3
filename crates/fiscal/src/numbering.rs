//! Which sequence a fiscal number is of.

use racun_kernel::{Series, Tenant};

use crate::{Authority, Numbering, Place};

/// Where a sequence starts that another program began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Start {
    /// The first number; 1 when missing.
    pub number: Option<i64>,
    /// The year whose sequence it is.
    pub year: Option<i32>,
}

/// The sequence that documents issued at `place` in `year`, of the authority's zone, are numbered in.
///
/// Invoices, credit notes and advance invoices share it. It has no gaps within the year and starts
/// again with each: at 1, but for the year of `start`.
#[must_use]
pub fn series(
    tenant: Tenant,
    authority: Authority,
    place: &Place,
    year: i32,
    start: Start,
) -> Series {
    let name = authority.name();
    let key = match place.numbering {
        Numbering::PerPremise => format!("{name}/{year}/{}", place.premise),
        Numbering::PerDevice => format!("{name}/{year}/{}/{}", place.premise, place.device),
    };
    let of_this_year = start.number.filter(|_| start.year == Some(year));
    Series { tenant, key, start: of_this_year.unwrap_or(1) }
}
