//! Which numbers of this year's sequences were issued.

use std::collections::BTreeMap;

use racun_fiscal::{Authority, PlaceOfIssue, Start, series, year_of};
use racun_kernel::Tenant;
use racun_store::{Context, Series, StoreError};

/// The last numbers of an entity's sequences, and the year that it is in the authority's zone.
pub struct Numbers {
    tenant: Tenant,
    authority: Authority,
    /// The year.
    pub year: i32,
    used: BTreeMap<String, i64>,
}

impl Numbers {
    /// As they are now.
    pub async fn read(cx: Context<'_>, authority: Authority) -> Result<Self, StoreError> {
        let tenant = cx.tenant();
        let used = cx.store.series(&tenant).await?.into_iter().collect();
        Ok(Self { tenant, authority, year: year_of(authority, cx.now()), used })
    }

    /// The last number that was issued at `place` this year; 0 when none was.
    pub fn last(&self, place: &PlaceOfIssue) -> i64 {
        let series =
            series(self.tenant.clone(), self.authority, place, self.year, Start::default());
        self.used.get(&series.key).copied().unwrap_or_default()
    }
}

/// The sequence of `place` in this year, which starts at 1. When its next number is 1, no number of
/// it was issued yet.
pub fn probe(cx: Context<'_>, authority: Authority, place: &PlaceOfIssue) -> Series {
    let year = year_of(authority, cx.now());
    series(cx.tenant(), authority, place, year, Start::default())
}
