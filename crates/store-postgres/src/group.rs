//! One transaction for one unit or for several of one series: load and hold, decide, write, commit.
//!
//! Two flights to the server: what is held, then everything that is written together with COMMIT.

use std::collections::BTreeSet;

use diesel::QueryResult;
use futures_util::FutureExt;
use futures_util::future::{join_all, join4, ready};
use racun_kernel::{Event, Loaded, Put, Series, StoreError, Tenant, TransactError, Writes};

use crate::error::{is_deadlock, of_write, unavailable};
use crate::hold::{Holding, Wanted};
use crate::lane::{Caller, Waiting, decide};
use crate::pool::{Connections, Held};
use crate::session::{Planning, Until, reach};
use crate::statement::{HeldRow, NumberRow, Statement, batch};
use crate::write;

/// How often a group that holds nothing yet gets into a deadlock before it gives up. Rows that are
/// named are held in one order, but those found by a field after them may be another's named ones.
const ATTEMPTS: usize = 4;

/// Runs the units of `group`, which are of one series or just one, in one transaction, and answers
/// their callers. Answers the units that must see what others of the group wrote: for the next
/// group.
pub(crate) async fn run(connections: &Connections, group: Vec<Waiting>) -> Vec<Waiting> {
    let loads = group.iter().flat_map(|waiting| &waiting.unit.loads);
    let wanted = Wanted::of(loads);
    let series = group.iter().find_map(|waiting| waiting.unit.series.clone());
    match Transaction::open(connections, wanted, series).await {
        Ok((transaction, holding)) => {
            let decided = decide_all(group, &holding);
            let written = transaction.end(&decided.wishes, &holding).await;
            let answer = written.map_err(TransactError::Store);
            for caller in decided.callers {
                caller.answer(answer.clone());
            }
            decided.deferred
        }
        Err(error) => {
            for waiting in group {
                waiting.caller.answer(Err(TransactError::Store(error.clone())));
            }
            Vec::new()
        }
    }
}

/// What the decisions of a group want written, together.
#[derive(Default)]
struct Wishes {
    puts: Vec<Put>,
    events: Vec<Event>,
    /// The series and its last number, when a number is used.
    used: Option<(Series, i64)>,
}

impl Wishes {
    fn is_empty(&self) -> bool {
        self.puts.is_empty() && self.events.is_empty() && self.used.is_none()
    }

    fn tenants(&self) -> impl Iterator<Item = &Tenant> {
        let puts = self.puts.iter().map(|put| &put.tenant);
        puts.chain(self.events.iter().map(|event| &event.tenant))
    }
}

/// A group after its decisions.
#[derive(Default)]
struct Decided {
    wishes: Wishes,
    /// Whose decisions are to be written.
    callers: Vec<Caller>,
    deferred: Vec<Waiting>,
}

/// Runs the decisions one after another; callers whose decision refuses are answered at once.
fn decide_all(group: Vec<Waiting>, holding: &Holding) -> Decided {
    let mut decided = Decided::default();
    let wishes = &mut decided.wishes;
    for Waiting { unit, caller } in group {
        let is_outdated = |load| wishes.puts.iter().any(|put: &Put| holding.is_outdated(load, put));
        if unit.loads.iter().any(is_outdated) {
            decided.deferred.push(Waiting { unit, caller });
            continue;
        }
        let last = wishes.used.as_ref().map(|(_, number)| *number).or(holding.last);
        let number = unit.series.as_ref().map(|series| last.map_or(series.start, |last| last + 1));
        let loaded = Loaded { rows: holding.show(&unit.loads), number };
        match decide(unit.decide, loaded) {
            Ok(Writes { puts, events, takes_number }) => {
                wishes.puts.extend(puts);
                wishes.events.extend(events);
                if takes_number && let Some(used) = unit.series.zip(number) {
                    wishes.used = Some(used);
                }
                decided.callers.push(caller);
            }
            Err(error) => caller.answer(Err(error)),
        }
    }
    decided
}

/// A transaction, which may not have begun: a group that holds nothing begins when it writes.
struct Transaction {
    connection: Held,
    /// The tenants that the fence lets it reach; none before it has begun.
    tenants: BTreeSet<Tenant>,
}

impl Transaction {
    /// Loads and holds what is `wanted`, and the series last.
    async fn open(
        connections: &Connections,
        wanted: Vec<Wanted>,
        series: Option<Series>,
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
            let error = match transaction.hold(statements, series.as_ref()).await {
                Ok((rows, last)) => return Ok((transaction, Holding::of(&wanted, rows, last))),
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
    async fn hold(
        &self,
        statements: Vec<Statement>,
        series: Option<&Series>,
    ) -> QueryResult<(Vec<Vec<HeldRow>>, Option<i64>)> {
        let connection = &*self.connection;
        let rows = statements.into_iter().map(|statement| statement.rows(connection));
        let last = match series {
            Some(series) => write::hold_series(series).rows::<NumberRow>(connection),
            None => ready(Ok(Vec::new())).boxed(),
        };
        let (begun, seen, rows, last) =
            join4(batch(connection, "BEGIN"), self.reach().run(connection), join_all(rows), last)
                .await;
        // The first failure is the cause of those behind it.
        begun?;
        seen?;
        let rows = rows.into_iter().collect::<QueryResult<_>>()?;
        Ok((rows, last?.first().and_then(|row| row.number)))
    }

    /// Writes what was decided and commits it, or nothing of it.
    async fn end(mut self, wishes: &Wishes, holding: &Holding) -> Result<(), StoreError> {
        let begun = !self.tenants.is_empty();
        if wishes.is_empty() {
            if begun {
                self.roll_back().await;
            } else {
                self.connection.release();
            }
            return Ok(());
        }
        let batches = write::batches(&wishes.puts)?;
        let mut statements = Vec::new();
        if !begun {
            statements.push(Statement::new("BEGIN"));
        }
        let reached = self.tenants.len();
        self.tenants.extend(wishes.tenants().cloned());
        if self.tenants.len() > reached {
            statements.push(self.reach());
        }
        let before = statements.len();
        statements.extend(batches.iter().map(write::Batch::statement));
        statements.extend(write::count(&wishes.puts));
        statements.extend(write::announce(&wishes.events));
        statements.extend(wishes.used.as_ref().map(|(series, last)| write::use_up(series, *last)));
        // Where a row may be missing, nothing must be committed before the answer is seen.
        let sure = holding.has_all(&wishes.puts);
        if sure {
            statements.push(Statement::new("COMMIT"));
        }
        let written = self.send(statements).await;
        let written = written.map_err(|error| {
            of_write(&error, &batches.iter().map(|batch| batch.table).collect::<Vec<_>>())
        });
        let missing = written.and_then(|ids| {
            let answers = batches.iter().zip(ids.into_iter().skip(before));
            let missing = answers.filter_map(|(batch, ids)| batch.missing(ids)).next();
            missing.map_or(Ok(()), |id| Err(StoreError::NotFound { id }))
        });
        match missing {
            Ok(()) if sure => self.connection.release(),
            Ok(()) => {
                batch(&self.connection, "COMMIT").await.map_err(|error| unavailable(&error))?;
                self.connection.release();
            }
            Err(error) => {
                self.roll_back().await;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Sends `statements` in one flight and answers the ids that each names.
    async fn send(&self, statements: Vec<Statement>) -> QueryResult<Vec<Vec<String>>> {
        let connection = &*self.connection;
        let sent = statements.into_iter().map(|statement| statement.ids(connection));
        join_all(sent).await.into_iter().collect()
    }

    /// Gives the connection back when the server confirms the end of the transaction.
    async fn roll_back(self) {
        if batch(&self.connection, "ROLLBACK").await.is_ok() {
            self.connection.release();
        }
    }
}
