//! What is due: of all tenants, or of one account's sandbox up to what its test clock is to show.

use std::convert::Infallible;

use async_trait::async_trait;
use racun_access::{
    AccessError, AccountScope, TEST_CLOCKS, TestClock, check_advance, enter_as_system,
    get_test_clock, move_test_clock, sandbox_now,
};
use racun_background::jobs::{DueRun, DueWork, Limits, Report, Setback};
use racun_documents::recurrence::{
    DUE_SCHEDULES, DueSchedule, RecurrenceError, RecurringInvoice, due_by, latest_day,
};
use racun_fiscalization::OutsideServices;
use racun_kernel::calendar::{midnight, start_of_day};
use racun_kernel::id::AccountId;
use racun_kernel::{Environment, Stamp, Tenant};
use racun_store::{Clause, ListQuery, Operator, Order, Store, StoreError, Table, Value};
use time::{Date, OffsetDateTime};

use super::generate::{Failure, GenerationContext};
use crate::documents;

/// How much one run usually does at most: it looks at 10,000 recurring invoices, and makes 100
/// invoices of each.
pub const LIMITS: Limits = Limits { rows: 10_000, each: 100 };

/// Test clocks ahead of real time that a run looks at, those moved last first.
const MAX_CLOCKS: usize = 1_000;
/// How often one period is decided again because its recurring invoice has changed.
const ATTEMPTS: usize = 3;

/// Makes all invoices that are due now: of all tenants, and for the sandbox entities of an account
/// whose test clock is ahead, by that clock.
///
/// Any number of workers may run at once. An invoice that cannot be made is noted on its recurring
/// invoice and tried again the next day; the others go on. When this is dropped between two units,
/// the next run goes on from there.
///
/// # Errors
/// When what is due cannot be read.
pub async fn run_due(
    store: &dyn Store,
    services: OutsideServices<'_>,
    stamp: &Stamp,
    limits: Limits,
) -> Result<Report, StoreError> {
    let worker = Worker::new(store, services, stamp, limits);
    let mut run = DueRun::new(store, worker, limits);
    run.work_off(due_by(stamp.now())).await?;
    for clock in clocks_ahead(store, stamp).await? {
        run.work.put_off_to = day_after(clock.now);
        run.work_off(due_in_sandbox(clock.account_id, clock.now)).await?;
    }
    Ok(run.report)
}

/// What moving a test clock did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advanced {
    /// What the clock shows.
    pub now: OffsetDateTime,
    /// What was made on the way.
    pub report: Report,
}

/// Moves the test clock of the caller's account to `to`. Before it shows that, the invoices that
/// become due on the way are made for all its sandbox entities, day by day, each at the beginning
/// of its day. The clock moves jobs only: requests go on in real time.
///
/// Should this end half-way, the same call again goes on from there. Of one recurring invoice's
/// runs that are overdue at the start, [`Limits::each`] are made, and the rest soon after by the
/// ordinary job.
///
/// # Errors
/// [`AccessError::NotFound`] for a caller without access to the sandbox; an issue at `advance_to`,
/// as [`check_advance`] says; or the store's failure.
pub async fn advance_clock(
    store: &dyn Store,
    services: OutsideServices<'_>,
    scope: &AccountScope,
    to: OffsetDateTime,
    stamp: &Stamp,
) -> Result<Advanced, AccessError> {
    let now = get_test_clock(store, scope, stamp).await?;
    check_advance(now, to)?;
    let mut worker = Worker::new(store, services, stamp, LIMITS);
    worker.moment = Moment::Passing { from: now, to };
    worker.put_off_to = day_after(to);
    let mut run = DueRun::new(store, worker, LIMITS);
    let mut query = due_in_sandbox(scope.account, to);
    loop {
        let rows: Vec<DueSchedule> =
            store.page(&DUE_SCHEDULES, &Tenant::directory(), &query).await?.rows;
        let Some(day) = rows.first().map(|row| row.run_on) else { break };
        // What is made on this day may be due again on one before those that follow.
        for row in rows.iter().take_while(|row| row.run_on == day) {
            run.visit(row).await;
            query.cursor = Some(query.place_behind(row));
        }
        if run.report.interruptions > 0 {
            let reason = run.report.problems.pop().map(|problem| problem.reason);
            return Err(StoreError::Unavailable(reason.unwrap_or_default()).into());
        }
    }
    let now = move_test_clock(store, scope, to, stamp).await?;
    Ok(Advanced { now, report: run.report })
}

/// When a recurring invoice is looked at.
#[derive(Clone, Copy)]
enum Moment {
    /// Now: in the sandbox, when its account's test clock says.
    Now,
    /// As a clock passes the beginning of its day on the way.
    Passing { from: OffsetDateTime, to: OffsetDateTime },
}

struct Worker<'a> {
    store: &'a dyn Store,
    services: OutsideServices<'a>,
    stamp: &'a Stamp,
    /// Invoices that are made of one recurring invoice.
    periods: usize,
    moment: Moment,
    /// The day on which what cannot be looked at is found again.
    put_off_to: Date,
}

/// Why the store's or the recurring invoice's rules let nothing be written.
fn setback(error: RecurrenceError) -> Setback {
    match error {
        RecurrenceError::Store(error) => error.into(),
        other => Setback::Stuck(other.to_string()),
    }
}

#[async_trait]
impl DueWork for Worker<'_> {
    /// Invoices of an entity are numbered in the order in which they are due.
    const AT_ONCE: usize = 1;

    type Row = DueSchedule;
    type Alarm = Infallible;

    fn table(&self) -> &'static Table {
        &DUE_SCHEDULES
    }

    /// Makes what is due of one recurring invoice.
    async fn attempt(&self, row: &DueSchedule, report: &mut Report) -> Result<(), Setback> {
        let (store, services) = (self.store, self.services);
        let (scope, entity) = enter_as_system(store, row.account_id, row.entity_id).await?;
        let now = match (self.moment, row.environment) {
            (Moment::Now, Environment::Live) => self.stamp.now(),
            (Moment::Now, Environment::Sandbox) => {
                sandbox_now(store, row.account_id, self.stamp).await?
            }
            (Moment::Passing { from, to }, _) => {
                let begins = start_of_day(row.run_on, documents::zone(&entity));
                let begins = begins.unwrap_or_else(|| midnight(row.run_on)).max(from);
                if begins > to {
                    return Ok(());
                }
                begins
            }
        };
        let stamp = self.stamp.at(now);
        let today = documents::today(&entity, &stamp);
        if row.run_on > today {
            return Ok(());
        }
        let context = GenerationContext { store, services, scope, entity, stamp, today };
        let gone = || Setback::Stuck("a row says that it is due, and it is not".to_owned());
        let found = context.read(&row.id.to_string()).await?;
        let recurring = found.ok_or_else(gone)?;
        if recurring.due(today).is_none() {
            return Err(gone());
        }
        self.catch_up(&context, recurring, report).await
    }

    fn put_off(&self, row: &DueSchedule) -> DueSchedule {
        DueSchedule { run_on: self.put_off_to, ..row.clone() }
    }
}

impl<'a> Worker<'a> {
    fn new(
        store: &'a dyn Store,
        services: OutsideServices<'a>,
        stamp: &'a Stamp,
        limits: Limits,
    ) -> Self {
        let put_off_to = day_after(stamp.now());
        Self { store, services, stamp, periods: limits.each, moment: Moment::Now, put_off_to }
    }

    /// Makes an invoice for each period that is due, oldest first.
    async fn catch_up(
        &self,
        context: &GenerationContext<'_>,
        mut recurring: RecurringInvoice,
        report: &mut Report,
    ) -> Result<(), Setback> {
        let (mut made, mut attempts) = (0, 0);
        while let Some(period) = recurring.due(context.today) {
            if made == self.periods {
                report.has_more = true;
                return Ok(());
            }
            match context.generate(&recurring, period).await {
                Ok(after) => {
                    (made, attempts) = (made + 1, 0);
                    report.attempts += 1;
                    report.done += 1;
                    recurring = after;
                }
                Err(Failure::Changed) if attempts < ATTEMPTS => {
                    attempts += 1;
                    let Some(changed) = context.read(&recurring.id.to_string()).await? else {
                        return Ok(());
                    };
                    recurring = changed;
                }
                Err(Failure::Changed) => return Ok(()),
                Err(Failure::Unavailable(error)) => return Err(error.into()),
                Err(Failure::Cause(cause)) => {
                    context.note_failure(&recurring, period, cause).await.map_err(setback)?;
                    report.attempts += 1;
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// The day after the last on which a run at `instant` looks for what is due.
fn day_after(instant: OffsetDateTime) -> Date {
    latest_day(instant).next_day().unwrap_or(Date::MAX)
}

/// As [`due_by`], of the sandbox entities of one account.
fn due_in_sandbox(account: AccountId, now: OffsetDateTime) -> ListQuery {
    let mut query = due_by(now);
    let account = Operator::Equals(account.into());
    let sandbox = Operator::Equals(Environment::Sandbox.name().into());
    query.clauses.push(Clause::on(&DUE_SCHEDULES, "account_id", account));
    query.clauses.push(Clause::on(&DUE_SCHEDULES, "environment", sandbox));
    query
}

async fn clocks_ahead(store: &dyn Store, stamp: &Stamp) -> Result<Vec<TestClock>, StoreError> {
    let ahead = Operator::Gt(Value::Instant(stamp.now()));
    let query = ListQuery {
        limit: MAX_CLOCKS,
        count: false,
        clauses: vec![Clause::on(&TEST_CLOCKS, "now", ahead)],
        order: vec![Order::on(&TEST_CLOCKS, "updated_at", true)],
        ..ListQuery::first_page(&TEST_CLOCKS)
    };
    Ok(store.page(&TEST_CLOCKS, &Tenant::directory(), &query).await?.rows)
}
