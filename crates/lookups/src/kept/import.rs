//! Taking a register or tax rates out of a file.
//!
//! A file is the whole of what its countries, or its states, have: what it no longer names goes. It
//! is read to its end before anything is written, so that a file with a mistake changes nothing. An
//! import that dies half-way is done again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use racun_kernel::{Stamp, Tenant};
use racun_store::{
    Clause, ListQuery, Operator, Put, Record, Store, StoreError, Table, Walk, Writes,
};
use time::OffsetDateTime;

use super::records::{COMPANIES, KeptCompany, KeptTaxRate, TAX_RATE_ESTIMATES};
use super::refresh::keep_days;
use crate::company::read_companies;
use crate::csv_reader::BadFile;
use crate::ecb;
use crate::tax_rate::read_tax_rates;

/// Rows that one commit writes.
const BATCH: usize = 200;

/// Why a file is not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A line of it is wrong. Nothing was changed.
    #[error(transparent)]
    File(#[from] BadFile),
    /// The store failed. What was written stays; import the file again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Rows of the file.
    pub rows: usize,
    /// Rows of before that the file no longer names.
    pub removed: usize,
    /// The countries, or states, of which it is the whole.
    pub of: BTreeSet<String>,
}

/// A row that an import writes.
trait Imports: Record {
    /// What of the file it is a part of: a country, or a state.
    fn part(&self) -> &str;
    /// When it was imported last.
    fn imported_at(&self) -> OffsetDateTime;
    /// The same row, first imported when `before` was.
    fn after(self, before: &Self) -> Self;
}

impl Imports for KeptCompany {
    fn part(&self) -> &str {
        &self.company.country_code
    }

    fn imported_at(&self) -> OffsetDateTime {
        self.imported_at
    }

    fn after(self, before: &Self) -> Self {
        Self { created_at: before.created_at, ..self }
    }
}

impl Imports for KeptTaxRate {
    fn part(&self) -> &str {
        &self.estimate.state
    }

    fn imported_at(&self) -> OffsetDateTime {
        self.imported_at
    }

    fn after(self, before: &Self) -> Self {
        Self { created_at: before.created_at, ..self }
    }
}

/// Imports reference rates out of a file of the European Central Bank, XML or CSV, and answers how
/// many days are new. Days that are kept stay as they are.
///
/// # Errors
/// [`ImportError`].
pub async fn import_rates(
    store: &dyn Store,
    file: impl Read,
    stamp: &Stamp,
) -> Result<usize, ImportError> {
    let bad = |message: String| BadFile { line: 1, message };
    let most = u64::try_from(ecb::MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(|error| bad(error.to_string()))?;
    let is_xml = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<');
    let read = if is_xml { ecb::read_xml(&bytes) } else { ecb::read_csv(&bytes) };
    let days = read.map_err(|what| bad(what.to_string()))?;
    Ok(keep_days(store, days, stamp).await?)
}

/// Imports a register of companies.
///
/// # Errors
/// [`ImportError`].
pub async fn import_companies(
    store: &dyn Store,
    file: impl Read,
    stamp: &Stamp,
) -> Result<Imported, ImportError> {
    let (mut all, now) = (BTreeMap::new(), stamp.now());
    read_companies(file, |company| {
        let kept = KeptCompany { company, imported_at: now, created_at: now };
        all.insert(kept.id(), kept);
        Ok::<_, BadFile>(())
    })?;
    import(store, &COMPANIES, "country_code", all, now).await
}

/// Imports estimated rates of tax.
///
/// # Errors
/// [`ImportError`].
pub async fn import_tax_rates(
    store: &dyn Store,
    file: impl Read,
    stamp: &Stamp,
) -> Result<Imported, ImportError> {
    let (mut all, now) = (BTreeMap::new(), stamp.now());
    read_tax_rates(file, |estimate| {
        let kept = KeptTaxRate { estimate, imported_at: now, created_at: now };
        all.insert(Record::id(&kept), kept);
        Ok::<_, BadFile>(())
    })?;
    import(store, &TAX_RATE_ESTIMATES, "state", all, now).await
}

/// Writes `all`, and removes what else there is of the same parts.
async fn import<A: Imports>(
    store: &dyn Store,
    table: &'static Table,
    part: &'static str,
    all: BTreeMap<String, A>,
    now: OffsetDateTime,
) -> Result<Imported, ImportError> {
    let of: BTreeSet<String> = all.values().map(|row| row.part().to_owned()).collect();
    let rows: Vec<A> = all.into_values().collect();
    for batch in rows.chunks(BATCH) {
        keep(store, table, batch.to_vec()).await?;
    }
    let mut removed = 0;
    for of in &of {
        removed += sweep::<A>(store, table, part, of, now).await?;
    }
    Ok(Imported { rows: rows.len(), removed, of })
}

async fn keep<A: Imports>(
    store: &dyn Store,
    table: &'static Table,
    rows: Vec<A>,
) -> Result<(), StoreError> {
    let mut unit = store.unit(Tenant::directory());
    let before = unit.hold_each::<A>(rows.iter().map(|row| (table, row.id())));
    unit.decide(move |held| {
        let known: BTreeMap<String, A> =
            held.all(before)?.into_iter().map(|row: A| (row.id(), row)).collect();
        let puts = rows.into_iter().map(|row| match known.get(&row.id()) {
            Some(before) => Put::update(before, &row.after(before)),
            None => Put::insert(&row),
        });
        Ok::<_, StoreError>(((), Writes::default().puts(puts)))
    })
    .await
}

/// Removes the rows whose field `part` is `of` and that were imported before `now`.
async fn sweep<A: Imports>(
    store: &dyn Store,
    table: &'static Table,
    part: &'static str,
    of: &str,
    now: OffsetDateTime,
) -> Result<usize, StoreError> {
    let clauses = vec![
        Clause::on(table, part, Operator::Equals(of.to_owned().into())),
        Clause::on(table, "imported_at", Operator::Lt(now.into())),
    ];
    let query = ListQuery { clauses, ..ListQuery::first_page(table) };
    let mut walk = Walk::through(table, Tenant::directory(), query);
    let mut removed = 0;
    while let Some(rows) = walk.next::<A>(store).await? {
        let mut unit = store.unit(Tenant::directory());
        let held = unit.hold_each::<A>(rows.iter().map(|row| (table, row.id())));
        removed += unit
            .decide(move |all| {
                let mut old: Vec<A> = all.all(held)?;
                // Another import may have found it again.
                old.retain(|row| row.imported_at() < now);
                let count = old.len();
                Ok::<_, StoreError>((count, Writes::default().puts(old.iter().map(Put::delete))))
            })
            .await?;
    }
    Ok(removed)
}
