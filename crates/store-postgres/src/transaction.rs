//! One transaction: load and lock, write, commit, in two round trips. The first loads and locks,
//! the second sends all writes together with COMMIT.

use std::collections::BTreeSet;
use std::sync::Arc;

use diesel::QueryResult;
use diesel::result::{DatabaseErrorKind, Error};
use futures_util::FutureExt;
use futures_util::future::{join_all, join4, ready};
use racun_kernel::Tenant;
use racun_store::read_cache::{CacheScope, Writing};
use racun_store::{ACTIVITIES, Series, StoreError};

use crate::error::{is_deadlock, is_epoch_over, of_write, unavailable};
use crate::lease::Lease;
use crate::lock::{LockRequest, LockedRows};
use crate::pool::{Connections, Held};
use crate::session::{begin_in, reach_until_committed};
use crate::statement::{ClockRow, HeldRow, SeriesRow, Statement, batch};
use crate::write;
use crate::write_set::WriteSet;

/// Attempts of a batch that has locked nothing yet and meets a deadlock or an ended epoch. Rows
/// that are named are locked in one order, but those found by a field after them may be rows that
/// another batch names.
const ATTEMPTS: usize = 4;

/// What transactions need of a store.
#[derive(Clone)]
pub(crate) struct Base {
    pub(crate) connections: Connections,
    pub(crate) lease: Arc<Lease>,
}

/// A transaction, which may not have begun: a batch that locks nothing begins when it writes.
pub(crate) struct Transaction<'a> {
    lease: &'a Lease,
    /// The epoch that it is to write in.
    epoch: i64,
    connection: Held,
    /// The tenants that row-level security lets it reach; none before it has begun.
    tenants: BTreeSet<Tenant>,
}

/// A failure after which it is not known that anything was written.
pub(crate) struct Failure {
    pub(crate) error: StoreError,
    /// Whether the server said that nothing was written.
    pub(crate) is_undone: bool,
    /// Whether it began in an epoch that has ended. The next attempt finds another one.
    pub(crate) is_late: bool,
}

/// What a commit changes, from before it is sent until its answer.
struct Committing<'a> {
    lease: &'a Lease,
    /// Whether the server answered.
    is_answered: bool,
    _writing: Writing<'a>,
}

impl<'a> Committing<'a> {
    fn of(lease: &'a Lease, write_set: &WriteSet<'_>) -> Self {
        let changed = write_set.changed().flat_map(CacheScope::changed_by).collect();
        let writing = lease.cache().writing(changed);
        Self { lease, is_answered: false, _writing: writing }
    }
}

impl Drop for Committing<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.lease.lose();
        }
    }
}

/// What a transaction holds when it decides.
struct HeldRows {
    rows: Vec<Vec<HeldRow>>,
    series: Vec<SeriesRow>,
    clock: Vec<ClockRow>,
}

impl<'a> Transaction<'a> {
    /// Loads and holds what is `wanted`, and `series`, which are of one tenant, last.
    pub(crate) async fn open(
        base: &'a Base,
        wanted: Vec<LockRequest>,
        series: &[Series],
    ) -> Result<(Self, LockedRows), StoreError> {
        let tenants = wanted.iter().map(|wanted| &wanted.tenant);
        let tenants = tenants.chain(series.iter().map(|series| &series.tenant)).cloned().collect();
        let (lease, epoch) = (&*base.lease, base.lease.epoch().await?);
        let connection = Held::take(&base.connections).await?;
        let mut transaction = Self { lease, epoch, connection, tenants };
        if transaction.tenants.is_empty() {
            return Ok((transaction, LockedRows::default()));
        }
        let mut attempts = ATTEMPTS;
        loop {
            let statements = wanted.iter().map(LockRequest::statement).collect::<Result<_, _>>()?;
            let error = match transaction.hold(statements, series).await {
                Ok(HeldRows { rows, series, clock }) => {
                    let now = clock.first().map(|row| row.now);
                    return Ok((transaction, LockedRows::of(&wanted, rows, series, now)));
                }
                Err(error) => error,
            };
            attempts -= 1;
            let is_late = is_epoch_over(&error);
            if attempts == 0 || !(is_late || is_deadlock(&error)) {
                transaction.roll_back().await;
                return Err(unavailable(&error));
            }
            let ended = batch(&transaction.connection, "ROLLBACK").await;
            ended.map_err(|error| unavailable(&error))?;
            if is_late {
                lease.ended(transaction.epoch);
                transaction.epoch = lease.epoch().await?;
            }
        }
    }

    /// The tenants, in the form that the fence takes.
    fn reached(&self) -> String {
        let tenants: Vec<&str> = self.tenants.iter().map(Tenant::as_str).collect();
        tenants.join(",")
    }

    /// Begins, holds the rows of `statements` in their order, and the series last.
    async fn hold(&self, statements: Vec<Statement>, series: &[Series]) -> QueryResult<HeldRows> {
        let connection = &*self.connection;
        let rows = statements.into_iter().map(|statement| statement.rows(connection));
        let keys = series.iter().map(|series| &*series.key).collect();
        let series = match series.first() {
            Some(first) => write::hold_series(&first.tenant, &keys).rows(connection),
            None => ready(Ok(Vec::new())).boxed(),
        };
        let reach = begin_in(self.epoch, &self.reached()).rows(connection);
        let (begun, clock, rows, series) =
            join4(batch(connection, "BEGIN"), reach, join_all(rows), series).await;
        // The first failure is the cause of those behind it.
        begun?;
        let clock = clock?;
        let rows = rows.into_iter().collect::<QueryResult<_>>()?;
        Ok(HeldRows { rows, series: series?, clock })
    }

    /// Writes `write_set` and commits them, or nothing of them.
    pub(crate) async fn end(mut self, write_set: WriteSet<'_>) -> Result<(), Failure> {
        let begun = !self.tenants.is_empty();
        if write_set.is_empty() {
            if begun {
                self.roll_back().await;
            } else {
                self.connection.release();
            }
            return Ok(());
        }
        let (batches, before, statements) = match self.statements(&write_set) {
            Ok(statements) => statements,
            Err(error) => {
                self.roll_back().await;
                return Err(Failure { error, is_undone: true, is_late: false });
            }
        };
        let mut committing = Committing::of(self.lease, &write_set);
        let written = self.send(statements).await;
        let written = written.map_err(|error| {
            let tables = batches.iter().map(|batch| batch.table);
            let tables: Vec<_> = tables.chain([&ACTIVITIES]).collect();
            let is_late = is_epoch_over(&error);
            if is_late {
                self.lease.ended(self.epoch);
            }
            Failure { error: of_write(&error, &tables), is_undone: is_answer(&error), is_late }
        });
        committing.is_answered = match &written {
            Ok(_) => write_set.is_sure,
            Err(failure) => failure.is_undone,
        };
        let missing = written.and_then(|ids| {
            let answers = batches.iter().zip(ids.into_iter().skip(before));
            let mut answers = answers.filter(|_| !write_set.is_sure);
            let missing = answers.find_map(|(batch, ids)| batch.missing(ids));
            missing.map_or(Ok(()), |id| {
                Err(Failure { error: StoreError::NotFound { id }, is_undone: true, is_late: false })
            })
        });
        match missing {
            Ok(()) if write_set.is_sure => self.connection.release(),
            Ok(()) => {
                let committed = batch(&self.connection, "COMMIT").await;
                committing.is_answered = committed.as_ref().err().is_none_or(is_answer);
                committed.map_err(|error| Failure {
                    error: unavailable(&error),
                    is_undone: is_answer(&error),
                    is_late: false,
                })?;
                self.connection.release();
            }
            Err(failure) => {
                // Nothing was committed if this is why it failed, and nothing will be.
                committing.is_answered |= failure.is_undone;
                self.roll_back().await;
                return Err(failure);
            }
        }
        Ok(())
    }

    /// The statements that write `write_set`, how many stand before those of the batches, and the
    /// batches.
    fn statements<'w>(
        &mut self,
        write_set: &'w WriteSet<'_>,
    ) -> Result<(Vec<write::Batch<'w>>, usize, Vec<Statement>), StoreError> {
        let batches =
            write::batches(write_set.puts.iter().map(AsRef::as_ref), write_set.is_of_one)?;
        let mut statements = Vec::new();
        let reached = self.tenants.len();
        self.tenants.extend(write_set.tenants().cloned());
        if reached == 0 {
            statements.push(Statement::new("BEGIN"));
            statements.push(begin_in(self.epoch, &self.reached()));
        } else if self.tenants.len() > reached {
            statements.push(reach_until_committed(&self.reached()));
        }
        let before = statements.len();
        statements.extend(write::statements(&batches, write_set));
        // Where a row may be missing, nothing must be committed before the answer is seen.
        if write_set.is_sure {
            statements.push(Statement::new("COMMIT"));
        }
        Ok((batches, before, statements))
    }

    /// Sends `statements` in one round trip and answers the ids that each names.
    async fn send(&self, statements: Vec<Statement>) -> QueryResult<Vec<Vec<String>>> {
        let connection = &*self.connection;
        let sent = statements.into_iter().map(|statement| statement.ids(connection));
        join_all(sent).await.into_iter().collect()
    }

    /// Gives the connection back when the server confirms the end of the transaction.
    pub(crate) async fn roll_back(self) {
        if batch(&self.connection, "ROLLBACK").await.is_ok() {
            self.connection.release();
        }
    }
}

/// Whether the server answered `error`, and so wrote nothing of the transaction.
fn is_answer(error: &Error) -> bool {
    use DatabaseErrorKind::{ClosedConnection, UnableToSendCommand};
    matches!(error, Error::DatabaseError(kind, _)
        if !matches!(kind, ClosedConnection | UnableToSendCommand))
}
