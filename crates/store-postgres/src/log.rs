//! The log of all tenants in its order, as far as nothing can come in between any more.
//!
//! A transaction takes its positions some time before it commits, so another one may be seen with a
//! greater position first; and one that fails leaves a gap that is never filled. What is settled is
//! found out in two steps, each of which is exact:
//!
//! 1. The greatest position that is seen is noted, and **then** a transaction of the reader's own
//!    takes an id, which is above all existing ids. A writer that took a smaller position had an id
//!    by then (the column's default takes it first), so a smaller one.
//! 2. Once `pg_snapshot_xmin`, below which nothing is running, has reached the reader's id,
//!    all transactions of step 1 have ended. Entries up to the noted position are visible to every
//!    later snapshot, or were rolled back.
//!
//! (`pg_snapshot_xmax` would not do for the reader's id: transactions that run may have ids above
//! it.) Without writers both steps succeed at once; under load the second does a moment later, when
//! the running transactions have ended. A long write transaction, in any database of the server,
//! delays the log until it ends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use futures_util::future::{join, join3};
use racun_kernel::Tenant;
use racun_store::{ACTIVITIES, BYTES, Entry, StoreError, Stored};
use time::OffsetDateTime;

use crate::error::unavailable;
use crate::read::see;
use crate::session::{ALL_TENANTS, Planning};
use crate::statement::{Bind, EntryRow, NumberRow, SnapshotRow, Statement};

/// The greatest position that is seen.
const NEWEST: &str = "SELECT position AS number FROM activities ORDER BY position DESC LIMIT 1";
/// An id of the reader's own.
const OWN: &str = "SELECT pg_current_xact_id()::text::bigint AS number";
/// The id below which nothing is running.
const OLDEST: &str = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS number";
const ENTRIES: &str = "SELECT position, id, body::text AS body FROM activities \
                       WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3";
const SNAPSHOTS: &str = "SELECT position, snapshot FROM activities \
                         WHERE position = ANY ($1) AND snapshot IS NOT NULL";

const FORGET: &str = "WITH old AS ( \
    SELECT position, octet_length(snapshot) AS bytes FROM activities \
    WHERE tenant = $1 AND position <= $2 AND created_at < $3 AND snapshot IS NOT NULL \
    ORDER BY created_at LIMIT $4 \
), gone AS ( \
    UPDATE activities SET snapshot = NULL FROM old \
    WHERE tenant = $1 AND activities.position = old.position AND snapshot IS NOT NULL \
    RETURNING old.bytes \
), lessened AS ( \
    UPDATE list_counts SET live = live - (SELECT sum(bytes) FROM gone) \
    WHERE tenant = $1 AND table_name = $5 AND EXISTS (SELECT FROM gone) AND shard = ( \
        SELECT min(shard) FROM list_counts WHERE tenant = $1 AND table_name = $5 \
    ) \
) SELECT count(*) AS number FROM gone";

/// What is known of the log. Facts: they stay true.
#[derive(Debug, Default)]
pub(crate) struct Settled(Mutex<SettledPositions>);

#[derive(Debug, Default)]
struct SettledPositions {
    /// Nothing comes to light any more up to this position.
    until: i64,
    /// Nothing does up to the position, once nothing runs whose id is below the other number.
    next: Option<(i64, i64)>,
}

impl Settled {
    fn positions(&self) -> MutexGuard<'_, SettledPositions> {
        // No step leaves it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns that nothing is running whose id is below `oldest`.
    fn learn(&self, oldest: i64) {
        let mut positions = self.positions();
        if let Some((until, _)) = positions.next.take_if(|(_, own)| *own <= oldest) {
            positions.until = positions.until.max(until);
        }
    }

    /// Finds out how far the log is settled.
    async fn until(&self, connection: &AsyncPgConnection) -> QueryResult<i64> {
        let seen = see(connection, ALL_TENANTS, Planning::Ordered);
        let newest = Statement::new(NEWEST).rows::<NumberRow>(connection);
        let oldest = Statement::new(OLDEST).rows::<NumberRow>(connection);
        let (seen, newest, oldest) = join3(seen, newest, oldest).await;
        seen?;
        let newest = number(newest?);
        self.learn(number(oldest?));
        let is_due = {
            let positions = self.positions();
            positions.next.is_none() && positions.until < newest
        };
        if is_due {
            let own = Statement::new(OWN).rows::<NumberRow>(connection);
            let oldest = Statement::new(OLDEST).rows::<NumberRow>(connection);
            let (own, oldest) = join(own, oldest).await;
            self.positions().next = Some((newest, number(own?)));
            self.learn(number(oldest?));
        }
        Ok(self.positions().until)
    }

    /// Entries behind `position`, in their order, as far as they are settled.
    pub(crate) async fn entries(
        &self,
        connection: &AsyncPgConnection,
        position: i64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let until = self.until(connection).await.map_err(|error| unavailable(&error))?;
        if until <= position {
            return Ok(Vec::new());
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let numbers = [position, until, limit].map(Bind::Int);
        let rows = numbers.into_iter().fold(Statement::new(ENTRIES), Statement::bind);
        let rows = rows.rows::<EntryRow>(connection);
        let (seen, rows) = join(see(connection, ALL_TENANTS, Planning::Ordered), rows).await;
        let rows = seen.and(rows).map_err(|error| unavailable(&error))?;
        let entry = |EntryRow { position, id, body }| {
            Ok(Entry { position, activity: Stored { id, body }.read(&ACTIVITIES)? })
        };
        rows.into_iter().map(entry).collect()
    }
}

/// What the records of the entries at `positions` looked like.
pub(crate) async fn snapshots(
    connection: &AsyncPgConnection,
    positions: &[i64],
) -> Result<Vec<(i64, String)>, StoreError> {
    let rows = Statement::new(SNAPSHOTS).bind(Bind::Ints(positions.to_vec()));
    let rows = rows.rows::<SnapshotRow>(connection);
    let (seen, rows) = join(see(connection, ALL_TENANTS, Planning::Indexed), rows).await;
    let rows = seen.and(rows).map_err(|error| unavailable(&error))?;
    Ok(rows.into_iter().map(|row| (row.position, row.snapshot)).collect())
}

/// Forgets snapshots of entries of `tenant`; see [`racun_store::Store::forget_snapshots`].
pub(crate) async fn forget(
    connection: &AsyncPgConnection,
    tenant: &Tenant,
    until: i64,
    before: OffsetDateTime,
    limit: usize,
) -> Result<usize, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let binds = [tenant.as_str().into(), Bind::Int(until), Bind::Instant(Some(before))];
    let binds = binds.into_iter().chain([Bind::Int(limit), BYTES.into()]);
    let forgotten = binds.fold(Statement::new(FORGET), Statement::bind);
    let forgotten = forgotten.rows::<NumberRow>(connection);
    let seen = see(connection, tenant.as_str(), Planning::Indexed);
    let (seen, rows) = join(seen, forgotten).await;
    let rows = seen.and(rows).map_err(|error| unavailable(&error))?;
    Ok(usize::try_from(number(rows)).unwrap_or_default())
}

fn number(rows: Vec<NumberRow>) -> i64 {
    rows.first().and_then(|row| row.number).unwrap_or(0)
}
