//! A unit of work with types: each part of a transaction names the rows that it holds, and reads
//! them by the handles that it was given.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use racun_kernel::Tenant;
use time::OffsetDateTime;

use super::put::bytes_of;
use super::{
    Decision, Event, Load, Loaded, Put, Refusal, Series, Store, StoreError, Stored, TransactError,
    Unit, Writes,
};
use crate::context::Actor;
use crate::{Record, Table, log};

/// Tells units apart, so that no handle is read in another unit than its own.
static UNITS: AtomicU64 = AtomicU64::new(0);

/// The decision of a unit that a decorator of its store adds to; see [`Unit::beside`].
pub type Inner = Box<dyn FnOnce() -> Result<Writes, Refusal>>;

/// One record that a unit holds, there or not. It is read once.
#[must_use = "what is held is meant to be read"]
#[derive(Debug)]
pub struct One<A> {
    unit: u64,
    place: usize,
    record: PhantomData<fn() -> A>,
}

/// Records that a unit holds. They are read once.
#[must_use = "what is held is meant to be read"]
#[derive(Debug)]
pub struct Many<A> {
    unit: u64,
    places: Range<usize>,
    record: PhantomData<fn() -> A>,
}

/// The next number of the series that a unit holds.
#[must_use = "what is held is meant to be read"]
#[derive(Debug)]
pub struct Number {
    unit: u64,
}

/// A row that a unit holds, and that is only asked whether it is there.
#[must_use = "what is held is meant to be read"]
#[derive(Debug)]
pub struct Row {
    unit: u64,
    place: usize,
}

/// A transaction that is being put together: what it holds. `By` is who decides in it, if they act
/// in an entity.
pub struct UnitBuilder<'a, By = Actor> {
    store: &'a dyn Store,
    tenant: Tenant,
    by: By,
    unit: u64,
    loads: Vec<Load>,
    series: Option<Series>,
}

impl<'a, By> UnitBuilder<'a, By> {
    /// An empty unit on the rows of `tenant`.
    #[must_use]
    pub(crate) fn new(store: &'a dyn Store, tenant: Tenant, by: By) -> Self {
        let unit = UNITS.fetch_add(1, Ordering::Relaxed);
        Self { store, tenant, by, unit, loads: Vec::new(), series: None }
    }

    /// Whose rows it holds where nothing else is said.
    #[must_use]
    pub const fn tenant(&self) -> &Tenant {
        &self.tenant
    }

    /// Who decides.
    #[must_use]
    pub const fn by(&self) -> &By {
        &self.by
    }

    /// Holds the record `id`.
    pub fn hold<A: Record>(&mut self, table: &'static Table, id: impl ToString) -> One<A> {
        self.hold_of(self.tenant.clone(), table, id)
    }

    /// Holds the record `id` of `tenant`.
    pub fn hold_of<A: Record>(
        &mut self,
        tenant: Tenant,
        table: &'static Table,
        id: impl ToString,
    ) -> One<A> {
        let place = self.load(Load::One { table, tenant, id: id.to_string() });
        One { unit: self.unit, place, record: PhantomData }
    }

    /// Holds the row `id` of `tenant`, to ask whether it is there.
    pub fn hold_row(&mut self, tenant: Tenant, table: &'static Table, id: impl ToString) -> Row {
        let place = self.load(Load::One { table, tenant, id: id.to_string() });
        Row { unit: self.unit, place }
    }

    /// Holds each record that is named by table and id.
    pub fn hold_each<A: Record>(
        &mut self,
        ids: impl IntoIterator<Item = (&'static Table, String)>,
    ) -> Many<A> {
        let start = self.loads.len();
        let tenant = &self.tenant;
        let load = |(table, id)| Load::One { table, tenant: tenant.clone(), id };
        self.loads.extend(ids.into_iter().map(load));
        Many { unit: self.unit, places: start..self.loads.len(), record: PhantomData }
    }

    /// Holds the records whose indexed text `field` has `value`. Those that other units
    /// insert are not held: hold their parent too, by its id.
    pub fn hold_where<A: Record>(
        &mut self,
        table: &'static Table,
        field: &'static str,
        value: impl ToString,
    ) -> Many<A> {
        self.hold_where_of(self.tenant.clone(), table, field, value)
    }

    /// Holds the records of `tenant` whose indexed text `field` has `value`.
    pub fn hold_where_of<A: Record>(
        &mut self,
        tenant: Tenant,
        table: &'static Table,
        field: &'static str,
        value: impl ToString,
    ) -> Many<A> {
        let place = self.load(Load::Where { table, tenant, field, value: value.to_string() });
        Many { unit: self.unit, places: place..place + 1, record: PhantomData }
    }

    /// Holds the records whose indexed text `field` has one of `values`, value by value.
    pub fn hold_where_each<A: Record>(
        &mut self,
        table: &'static Table,
        field: &'static str,
        values: impl IntoIterator<Item = String>,
    ) -> Many<A> {
        let start = self.loads.len();
        let tenant = &self.tenant;
        let load = |value| Load::Where { table, tenant: tenant.clone(), field, value };
        self.loads.extend(values.into_iter().map(load));
        Many { unit: self.unit, places: start..self.loads.len(), record: PhantomData }
    }

    /// Holds `series`, and asks for its next number.
    ///
    /// # Panics
    /// When the unit holds a series already: a mistake in the program.
    pub fn number(&mut self, series: Series) -> Number {
        assert!(self.series.is_none(), "a unit takes one number");
        self.series = Some(series);
        Number { unit: self.unit }
    }

    /// The same unit, which holds all this; for `decide` of a store.
    #[cfg(feature = "testing")]
    pub(super) fn holding(mut self, loads: Vec<Load>, series: Option<Series>) -> Self {
        (self.loads, self.series) = (loads, series);
        self
    }

    fn load(&mut self, load: Load) -> usize {
        self.loads.push(load);
        self.loads.len() - 1
    }

    /// Holds what was named, shows it to `decide`, and commits what that answers.
    ///
    /// # Errors
    /// The decision's reason as it is, or the store's failure.
    pub async fn decide<T, E>(
        self,
        decide: impl FnOnce(&Held<By>) -> Result<(T, Writes), E> + Send + 'static,
    ) -> Result<T, E>
    where
        By: Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let Self { store, by, unit, loads, series, .. } = self;
        let slot: Arc<Mutex<Option<Result<T, E>>>> = Arc::default();
        let (answer, named) = (Arc::clone(&slot), loads.clone());
        let decide = move |loaded: Loaded| {
            let held = Held { by, unit, loads: named, loaded };
            let (answered, writes) = match decide(&held) {
                Ok((value, mut writes)) => {
                    log::complete(&held.shown(), &mut writes);
                    (Ok(value), Ok(writes))
                }
                Err(reason) => (Err(reason), Err(Refusal)),
            };
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answered);
            writes
        };
        match store.transact(Unit { loads, series, decide: Box::new(decide) }).await {
            Ok(()) | Err(TransactError::Refused) => {
                let answered = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
                answered.unwrap_or_else(|| {
                    let reason = "a unit ended without a decision".to_owned();
                    Err(StoreError::Unavailable(reason).into())
                })
            }
            Err(TransactError::Store(error)) => Err(error.into()),
        }
    }
}

/// What a unit holds, as its decision is shown it.
///
/// # Panics
/// All that reads a handle panics when it is of another unit: a mistake in the program.
pub struct Held<By = Actor> {
    by: By,
    unit: u64,
    loads: Vec<Load>,
    pub(super) loaded: Loaded,
}

impl Held<Actor> {
    /// Who acts, and when.
    #[must_use]
    pub const fn actor(&self) -> &Actor {
        &self.by
    }

    /// Who acts, at [`Held::now`] where the store has a clock of its own.
    #[must_use]
    pub fn actor_by_clock(&self) -> Actor {
        self.by.at(self.now().unwrap_or_else(|| self.by.now()))
    }
}

impl<By> Held<By> {
    /// The record.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none, [`StoreError::Corrupt`] when it cannot be read.
    pub fn one<A: Record>(&self, handle: One<A>) -> Result<A, StoreError> {
        let place = handle.place;
        self.find(handle)?.ok_or_else(|| StoreError::NotFound { id: self.id(place) })
    }

    /// The record, or `None`; also `None` where none was to be held.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when it cannot be read.
    pub fn find<A: Record>(
        &self,
        handle: impl Into<Option<One<A>>>,
    ) -> Result<Option<A>, StoreError> {
        let Some(handle) = handle.into() else { return Ok(None) };
        let (table, rows) = self.rows(handle.unit, handle.place);
        rows.first().map(|row| row.read(table)).transpose()
    }

    /// The records that there are: of those held by a field, in the order of their ids; else in the
    /// order in which they were named. None where none were to be held.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when one cannot be read.
    pub fn all<A: Record>(&self, handle: impl Into<Option<Many<A>>>) -> Result<Vec<A>, StoreError> {
        let Some(handle) = handle.into() else { return Ok(Vec::new()) };
        let Many { unit, places, .. } = handle;
        let rows = places.map(|place| self.rows(unit, place));
        rows.flat_map(|(table, rows)| rows.iter().map(|row| row.read(table))).collect()
    }

    /// How many records there are, without reading any.
    #[must_use]
    pub fn count<A>(&self, handle: &Many<A>) -> usize {
        handle.places.clone().map(|place| self.rows(handle.unit, place).1.len()).sum()
    }

    /// Whether the row is there.
    #[must_use]
    pub fn has(&self, handle: &Row) -> bool {
        !self.rows(handle.unit, handle.place).1.is_empty()
    }

    /// The next number of the series.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the store offers none: a mistake in it.
    pub fn number(&self, handle: &Number) -> Result<i64, StoreError> {
        self.must_be_own(handle.unit);
        let missing = || StoreError::Unavailable("a series without a number".to_owned());
        self.loaded.number.ok_or_else(missing)
    }

    /// The time on the store's own clock, where it has one; see [`Loaded::now`].
    #[must_use]
    pub const fn now(&self) -> Option<OffsetDateTime> {
        self.loaded.now
    }

    /// Shows the record to `decide`: the record as it is to be, and what is written of it.
    ///
    /// # Errors
    /// As [`Held::one`], and the decision's reason as it is.
    pub fn amend<A: Record, E: From<StoreError>>(
        &self,
        handle: One<A>,
        decide: impl FnOnce(A) -> Result<Decision<A>, E>,
    ) -> Result<(A, Writes), E> {
        let before = self.one(handle)?;
        let (was_trashed, bytes) = (before.is_trashed(), bytes_of(&before));
        Ok(match decide(before)? {
            Decision::Unchanged(record) => (record, Writes::default()),
            Decision::Changed { record, beside, events } => {
                let puts = [Put::replacing(was_trashed, bytes, &record)].into_iter();
                let writes = Writes::default().puts(puts.chain(beside)).events(events);
                (record, writes)
            }
        })
    }

    fn rows(&self, unit: u64, place: usize) -> (&'static Table, &[Stored]) {
        self.must_be_own(unit);
        let table = self.loads[place].table();
        (table, self.loaded.rows.get(place).map_or(&[], Vec::as_slice))
    }

    fn id(&self, place: usize) -> String {
        match &self.loads[place] {
            Load::One { id, .. } => id.clone(),
            Load::Where { value, .. } => value.clone(),
        }
    }

    fn must_be_own(&self, unit: u64) {
        assert!(unit == self.unit, "this handle is of another unit of work");
    }

    /// All rows, by table.
    fn shown(&self) -> Vec<(&'static Table, &[Stored])> {
        let rows = self.loads.iter().zip(&self.loaded.rows);
        rows.map(|(load, rows)| (load.table(), rows.as_slice())).collect()
    }
}

impl Unit {
    /// The same unit for a decorator of a store: it holds the record `id` of `tenant` as well, and
    /// `decide` is shown that together with the unit's own decision.
    #[must_use]
    pub fn beside<A: Record>(
        mut self,
        tenant: Tenant,
        table: &'static Table,
        id: String,
        decide: impl FnOnce(Result<Option<A>, StoreError>, Inner) -> Result<Writes, Refusal>
        + Send
        + 'static,
    ) -> Self {
        self.loads.push(Load::One { table, tenant, id });
        let inner = self.decide;
        self.decide = Box::new(move |mut loaded| {
            // What is named last is shown last.
            let rows = loaded.rows.pop().unwrap_or_default();
            let found = rows.first().map(|row| row.read(table)).transpose();
            decide(found, Box::new(move || inner(loaded)))
        });
        self
    }
}

impl Writes {
    /// The same with a new record.
    #[must_use]
    pub fn insert<A: Record>(self, record: &A) -> Self {
        self.put(Put::insert(record))
    }

    /// The same with `after` in the place of `before`.
    #[must_use]
    pub fn update<A: Record>(self, before: &A, after: &A) -> Self {
        self.put(Put::update(before, after))
    }

    /// The same with the end of a record.
    #[must_use]
    pub fn delete<A: Record>(self, record: &A) -> Self {
        self.put(Put::delete(record))
    }

    /// The same with one more row.
    #[must_use]
    pub fn put(self, put: Put) -> Self {
        self.puts([put])
    }

    /// The same with more rows.
    #[must_use]
    pub fn puts(mut self, puts: impl IntoIterator<Item = Put>) -> Self {
        self.puts.extend(puts);
        self
    }

    /// The same with what happened.
    #[must_use]
    pub fn events(mut self, events: impl IntoIterator<Item = Event>) -> Self {
        self.events.extend(events);
        self
    }

    /// The same with all that `other` writes.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.takes_number |= other.takes_number;
        self.puts(other.puts).events(other.events)
    }

    /// The same, which uses the number that was shown.
    #[must_use]
    pub fn taking_number(self) -> Self {
        Self { takes_number: true, ..self }
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::testing::contract::{SAMPLES, Sample};

    #[test]
    fn a_handle_is_read_in_its_own_unit_only() {
        let load = Load::One { table: &SAMPLES, tenant: Tenant::directory(), id: "smp_1".into() };
        let loaded = Loaded { rows: vec![Vec::new()], number: None, now: None };
        let held = Held { by: (), unit: 1, loads: vec![load], loaded };
        let handle = |unit| One::<Sample> { unit, place: 0, record: PhantomData };
        assert_eq!(held.find(handle(1)), Ok(None));
        let other = std::panic::AssertUnwindSafe(|| held.find(handle(2)));
        std::panic::catch_unwind(other).expect_err("the handle is of another unit");
    }
}
