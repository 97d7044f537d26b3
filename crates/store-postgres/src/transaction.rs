//! One transaction: load and hold, write, commit.
//!
//! Two flights to the server: what is held, then everything that is written together with COMMIT.

use std::collections::BTreeSet;

use diesel::QueryResult;
use diesel::result::{DatabaseErrorKind, Error};
use futures_util::FutureExt;
use futures_util::future::{join_all, join4, ready};
use racun_kernel::{ACTIVITIES, Series, StoreError, Tenant};

use crate::error::{is_deadlock, of_write, unavailable};
use crate::hold::{Holding, Wanted};
use crate::pool::{Connections, Held};
use crate::session::{Planning, Until, reach};
use crate::statement::{ClockRow, HeldRow, SeriesRow, Statement, batch};
use crate::wishes::Wishes;
use crate::write;

/// How often a group that holds nothing yet gets into a deadlock before it gives up. Rows that are
/// named are held in one order, but those found by a field after them may be another's named ones.
const ATTEMPTS: usize = 4;

/// A transaction, which may not have begun: a group that holds nothing begins when it writes.
pub(crate) struct Transaction {
    connection: Held,
    /// The tenants that the fence lets it reach; none before it has begun.
    tenants: BTreeSet<Tenant>,
}

/// Why nothing is known to be written.
pub(crate) struct Failure {
    pub(crate) error: StoreError,
    /// Whether it is certain that nothing was: the server said so.
    pub(crate) is_undone: bool,
}

/// What a transaction holds when it decides.
struct HeldRows {
    rows: Vec<Vec<HeldRow>>,
    series: Vec<SeriesRow>,
    clock: Vec<ClockRow>,
}

impl Transaction {
    /// Loads and holds what is `wanted`, and `series`, which are of one tenant, last.
    pub(crate) async fn open(
        connections: &Connections,
        wanted: Vec<Wanted>,
        series: &[Series],
    ) -> Result<(Self, Holding), StoreError> {
        let tenants = wanted.iter().map(|wanted| &wanted.tenant);
        let tenants = tenants.chain(series.iter().map(|series| &series.tenant)).cloned().collect();
        let transaction = Self { connection: Held::take(connections).await?, tenants };
        if transaction.tenants.is_empty() {
            return Ok((transaction, Holding::default()));
        }
        let mut attempts = ATTEMPTS;
        loop {
            let statements = wanted.iter().map(Wanted::statement).collect::<Result<_, _>>()?;
            let error = match transaction.hold(statements, series).await {
                Ok(HeldRows { rows, series, clock }) => {
                    let now = clock.first().map(|row| row.now);
                    return Ok((transaction, Holding::of(&wanted, rows, series, now)));
                }
                Err(error) => error,
            };
            attempts -= 1;
            if attempts == 0 || !is_deadlock(&error) {
                transaction.roll_back().await;
                return Err(unavailable(&error));
            }
            let ended = batch(&transaction.connection, "ROLLBACK").await;
            ended.map_err(|error| unavailable(&error))?;
        }
    }

    fn reach(&self) -> Statement {
        let tenants: Vec<&str> = self.tenants.iter().map(Tenant::as_str).collect();
        reach(&tenants.join(","), Planning::Indexed, Until::Committed)
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
        let reach = self.reach().rows(connection);
        let (begun, clock, rows, series) =
            join4(batch(connection, "BEGIN"), reach, join_all(rows), series).await;
        // The first failure is the cause of those behind it.
        begun?;
        let clock = clock?;
        let rows = rows.into_iter().collect::<QueryResult<_>>()?;
        Ok(HeldRows { rows, series: series?, clock })
    }

    /// Writes `wishes` and commits them, or nothing of them.
    pub(crate) async fn end(mut self, wishes: Wishes<'_>) -> Result<(), Failure> {
        let begun = !self.tenants.is_empty();
        if wishes.is_empty() {
            if begun {
                self.roll_back().await;
            } else {
                self.connection.release();
            }
            return Ok(());
        }
        let (batches, before, statements) = match self.statements(&wishes) {
            Ok(statements) => statements,
            Err(error) => {
                self.roll_back().await;
                return Err(Failure { error, is_undone: true });
            }
        };
        let written = self.send(statements).await;
        let written = written.map_err(|error| {
            let tables = batches.iter().map(|batch| batch.table);
            let tables: Vec<_> = tables.chain([&ACTIVITIES]).collect();
            Failure { error: of_write(&error, &tables), is_undone: is_answer(&error) }
        });
        let missing = written.and_then(|ids| {
            let answers = batches.iter().zip(ids.into_iter().skip(before));
            let missing = answers.filter_map(|(batch, ids)| batch.missing(ids)).next();
            missing.map_or(Ok(()), |id| {
                Err(Failure { error: StoreError::NotFound { id }, is_undone: true })
            })
        });
        match missing {
            Ok(()) if wishes.is_sure => self.connection.release(),
            Ok(()) => {
                let committed = batch(&self.connection, "COMMIT").await;
                committed.map_err(|error| Failure {
                    error: unavailable(&error),
                    is_undone: is_answer(&error),
                })?;
                self.connection.release();
            }
            Err(failure) => {
                self.roll_back().await;
                return Err(failure);
            }
        }
        Ok(())
    }

    /// The statements that write `wishes`, how many stand before those of the batches, and the
    /// batches.
    fn statements<'a>(
        &mut self,
        wishes: &'a Wishes<'_>,
    ) -> Result<(Vec<write::Batch<'a>>, usize, Vec<Statement>), StoreError> {
        let batches = write::batches(wishes.puts.iter().map(AsRef::as_ref), wishes.is_of_one)?;
        let mut statements = Vec::new();
        if self.tenants.is_empty() {
            statements.push(Statement::new("BEGIN"));
        }
        let reached = self.tenants.len();
        self.tenants.extend(wishes.tenants().cloned());
        if self.tenants.len() > reached {
            statements.push(self.reach());
        }
        let before = statements.len();
        statements.extend(batches.iter().map(write::Batch::statement));
        statements.extend(write::keep(&wishes.puts, &wishes.entries, &wishes.used));
        // Where a row may be missing, nothing must be committed before the answer is seen.
        if wishes.is_sure {
            statements.push(Statement::new("COMMIT"));
        }
        Ok((batches, before, statements))
    }

    /// Sends `statements` in one flight and answers the ids that each names.
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
