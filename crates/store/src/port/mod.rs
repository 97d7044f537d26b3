//! The one port through which anything is stored.
//!
//! A transaction never crosses this port; a decision does. [`Store::transact`] loads and holds what
//! a [`Unit`] names, shows it to the unit's decision, which is pure and not async, and commits what
//! it answers, or nothing. Typed access is by the methods on `dyn Store`.

mod fullness;
mod put;
mod typed;
mod unit;

use std::collections::BTreeMap;

use async_trait::async_trait;
use racun_kernel::id::EventId;
use racun_kernel::{Stamp, Tenant};
use time::OffsetDateTime;

use crate::log::{Activity, Entry, Logged};
use crate::{EventKind, ListQuery, Record, Table, Tally, TallyRow};

pub use fullness::{Fullness, Look, Probe};
pub use put::{BYTES, Put, PutKind};
pub use typed::Decision;
pub use unit::{Held, Inner, Many, Number, One, Row, UnitBuilder};

/// Why a store could not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no such row in this tenant.
    #[error("there is no {id} here")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// Another row has this value, which must be unique.
    #[error("another {table} row has the same {field}")]
    Duplicate {
        /// The table.
        table: &'static str,
        /// The declared field.
        field: &'static str,
    },
    /// The store cannot answer now; the same request may succeed later.
    #[error("the store is not available")]
    Unavailable(
        /// For the log.
        String,
    ),
    /// There is no room on the disk: reads go on, and writes succeed when there is room again.
    #[error("the store's disk is full")]
    Full,
    /// The account would store more bytes than it may: nothing is written. A layer that knows the
    /// account's budget answers this; a store itself has none.
    #[error("the account stores {used} bytes of {limit} that it may")]
    OverBudget {
        /// Bytes that it stores.
        used: i64,
        /// Bytes that it may.
        limit: i64,
    },
    /// The query ran past the store's deadline; the same query would run past it again.
    #[error("this takes too long to put together")]
    TooExpensive,
    /// A row cannot be read back.
    #[error("a stored {table} row cannot be read")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The row's id.
        id: String,
        /// For the log.
        reason: String,
    },
}

/// A row as a store keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stored {
    /// Its id.
    pub id: String,
    /// The record as JSON.
    pub body: String,
}

impl Stored {
    /// Reads the record.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when the body is not one of an `A`.
    pub fn read<A: Record>(&self, table: &'static Table) -> Result<A, StoreError> {
        serde_json::from_str(&self.body).map_err(|error| StoreError::Corrupt {
            table: table.name,
            id: self.id.clone(),
            reason: error.to_string(),
        })
    }
}

/// Something that happened, which goes into the log in the same commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// Whose it is.
    pub tenant: Tenant,
    /// What happened.
    pub kind: EventKind,
    /// The id it happened to.
    pub subject: String,
    /// The id of who did it.
    pub actor: String,
    /// When.
    pub at: OffsetDateTime,
    /// The names of the fields of the record that are not as they were. They are
    /// computed from the writes of the [`Decision`]; use cases leave them empty.
    pub fields: Vec<String>,
    /// The record's body as it is left; found in the same way.
    pub snapshot: Option<String>,
}

impl Event {
    /// That `actor` did `kind` to the record `subject` of `tenant`.
    #[must_use]
    pub fn new(
        tenant: Tenant,
        kind: EventKind,
        subject: String,
        actor: String,
        stamp: &Stamp,
    ) -> Self {
        let (id, at) = (stamp.id(), stamp.now());
        Self { id, tenant, kind, subject, actor, at, fields: Vec::new(), snapshot: None }
    }

    /// The row of the log that says it, without the snapshot.
    #[must_use]
    pub fn entry(&self) -> Put {
        let put = Put::insert(&Activity::of(self));
        Put { bytes_delta: put.bytes_delta + self.snapshot_bytes(), ..put }
    }

    fn snapshot_bytes(&self) -> i64 {
        self.snapshot.as_ref().map_or(0, |body| put::size(body.len()))
    }

    /// The bytes of [`Event::entry`], which is not put together for that.
    fn stored_bytes(&self) -> i64 {
        put::bytes_of(&Activity::of(self)) + self.snapshot_bytes()
    }
}

/// What a unit wants to see, and to hold until it commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Load {
    /// One row, or none when there is none.
    One {
        /// Where.
        table: &'static Table,
        /// Whose.
        tenant: Tenant,
        /// Which.
        id: String,
    },
    /// All rows of a tenant whose indexed `field` has `value`, in the order of their ids. Rows that
    /// other units insert are not held: hold their parent too.
    Where {
        /// Where.
        table: &'static Table,
        /// Whose.
        tenant: Tenant,
        /// An indexed text field's name.
        field: &'static str,
        /// Its value.
        value: String,
    },
}

impl Load {
    /// Where it looks.
    #[must_use]
    pub const fn table(&self) -> &'static Table {
        match self {
            Self::One { table, .. } | Self::Where { table, .. } => table,
        }
    }
}

/// A sequence of numbers without gaps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Series {
    /// Whose.
    pub tenant: Tenant,
    /// Which: `invoice/2026`, `credit_note/2026/unit_…`.
    pub key: String,
    /// The first number of a series that has none yet; at least 1.
    pub start: i64,
}

/// What a unit is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The rows of each [`Load`], in the unit's order.
    pub rows: Vec<Vec<Stored>>,
    /// The next number of the unit's series.
    pub number: Option<i64>,
    /// The time on the store's own clock, where processes with clocks of their own share the store;
    /// a little before the rows were held. Where there is none, the process's clock is the store's.
    /// Leases are decided on it.
    pub now: Option<OffsetDateTime>,
}

/// What a decision wants written: all of it, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writes {
    /// Rows.
    pub puts: Vec<Put>,
    /// What happened.
    pub events: Vec<Event>,
    /// Whether the number that was shown is used. An unused number is shown again to the next unit.
    pub takes_number: bool,
}

/// The decision refused: nothing is written. The code that made the unit keeps the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal;

/// One transaction: what it holds, and the decision on it.
///
/// Not async on purpose: nothing can wait for a network inside a transaction.
pub struct Unit {
    /// Rows to load and hold. Stores hold them in one order, whatever order they are named in.
    pub loads: Vec<Load>,
    /// The series to take a number from.
    pub series: Option<Series>,
    /// The decision.
    pub decide: Box<dyn FnOnce(Loaded) -> Result<Writes, Refusal> + Send>,
}

/// Why a unit was not committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransactError {
    /// Its decision refused.
    Refused,
    /// The store failed. Whether it was committed is then unknown only for `Unavailable`.
    Store(StoreError),
}

/// Rows that a lookup answers, at most.
pub const LOOKUP_LIMIT: usize = 1_000;

/// A read of rows: one of the port's first three, as a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Read {
    /// [`Store::find`].
    Find(&'static Table, Tenant, Vec<String>),
    /// [`Store::lookup`].
    Lookup(&'static Table, &'static str, String),
    /// [`Store::list`].
    List(&'static Table, Tenant, ListQuery),
}

impl Read {
    /// What `store` answers to this.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn ask<S: Store + ?Sized>(&self, store: &S) -> Rows {
        match self {
            Self::Find(table, tenant, ids) => {
                store.find(table, tenant, ids).await.map(|rows| (rows, 0))
            }
            Self::Lookup(table, field, value) => {
                store.lookup(table, field, value).await.map(|rows| (rows, 0))
            }
            Self::List(table, tenant, query) => store.list(table, tenant, query).await,
        }
    }
}

/// What a [`Read`] answers: rows, and for a list the number of all that match.
pub type Rows = Result<(Vec<Stored>, i64), StoreError>;

/// Where everything is kept.
#[async_trait]
pub trait Store: Send + Sync {
    /// The rows of `tenant` with these ids, in no particular order. Ids that are not there are left
    /// out.
    async fn find(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        ids: &[String],
    ) -> Result<Vec<Stored>, StoreError>;

    /// Rows of all tenants whose indexed text `field` has `value`, in the order of their ids; at
    /// most [`LOOKUP_LIMIT`]. For `access`, which finds out who a request's tenant is.
    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError>;

    /// Up to `query.limit` + 1 rows of `tenant` from the cursor on, in the order of the walk, as
    /// far as [`ListQuery::reads_on`] says, and the number of all that match (anything unless
    /// `count`).
    ///
    /// MUST mean the same as [`crate::evaluate`]. The number for an unfiltered query is kept, not
    /// counted.
    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError>;

    /// What each of `reads` answers, in their order. A store that is far away goes there once for
    /// all of them.
    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        let mut answers = Vec::with_capacity(reads.len());
        for read in reads {
            answers.push(read.ask(self).await);
        }
        answers
    }

    /// What each of `tallies` comes to over the rows of `tenant`, in their order, and all of them
    /// at one moment: figures of one report agree.
    ///
    /// MUST mean the same as [`crate::evaluate_tally`], and read no row's body for a tally that
    /// needs none.
    async fn tallies(
        &self,
        tenant: &Tenant,
        tallies: &[Tally],
    ) -> Result<Vec<Vec<TallyRow>>, StoreError>;

    /// When a row of `tenant` in `table` changed last, for a store that knows without reading: of
    /// two equal answers, all that was read between them is as it was. `None` while rows are being
    /// changed, and where others may change them unseen.
    fn changed(&self, _table: &'static Table, _tenant: &Tenant) -> Option<u64> {
        None
    }

    /// Loads and holds what `unit` names, shows it to its decision, and commits what that answers.
    ///
    /// MUST be atomic and durable: after `Ok`, all of it survives a crash; after `Err(Refused)` or
    /// a crash before the commit, none of it happened. Units that hold the same row or series take
    /// turns, each seeing what the one before it wrote. Numbers of a series are used without gaps
    /// and once. A unit that is started is finished even when the caller stops waiting.
    ///
    /// A value or an id (the field `id`) that is taken is [`StoreError::Duplicate`]; an update or a
    /// deletion of a row that is not there is [`StoreError::NotFound`].
    async fn transact(&self, unit: Unit) -> Result<(), TransactError>;

    /// Entries of the log of all tenants that stand behind `position`, in their order; `limit` at
    /// most, and perhaps fewer than there are. For a consumer that reads the whole log once.
    ///
    /// MUST be a stable prefix: nothing that is committed later ever stands before an entry that
    /// was answered. Of two changes of one record, the one that was committed first stands first.
    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Entry>, StoreError>;

    /// The snapshots of the entries at `positions`, in no particular order. Entries that have none
    /// are left out. Most of what happens interests no reader, so entries are read without.
    async fn snapshots(&self, positions: &[i64]) -> Result<Vec<(i64, String)>, StoreError>;

    /// Forgets the snapshots of entries of `tenant` that stand at or before the position `until`
    /// and were written before `before`; those of `limit` entries at most. Answers of how many. The
    /// entries themselves stay as they are, and the tenant stores so many bytes less.
    async fn forget_snapshots(
        &self,
        tenant: &Tenant,
        until: i64,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// `entries` with their snapshots.
    async fn recall(&self, entries: Vec<Entry>) -> Result<Vec<Logged>, StoreError> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let positions: Vec<i64> = entries.iter().map(|entry| entry.position).collect();
        let snapshots = self.snapshots(&positions).await?;
        let mut snapshots: BTreeMap<i64, String> = snapshots.into_iter().collect();
        let logged = |Entry { position, activity }| {
            let snapshot = snapshots.remove(&position);
            Logged { position, activity, snapshot }
        };
        Ok(entries.into_iter().map(logged).collect())
    }

    /// The last used number of each series of `tenant`, by key.
    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError>;

    /// The bytes that `tenants` store together: of records, of the log about them, and of what
    /// records keep elsewhere. It is counted in the unit that writes; what was written before that
    /// was counted is not in it.
    async fn stored_bytes(&self, tenants: &[Tenant]) -> Result<i64, StoreError>;

    /// Whether the store answers, and takes writes: [`StoreError::Full`] where its disk has no
    /// room.
    async fn ping(&self) -> Result<(), StoreError>;
}
