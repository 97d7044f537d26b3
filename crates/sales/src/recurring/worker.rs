//! What is due: of all tenants, or of one account's sandbox up to what its test clock is to show.

use racun_access::{
    AccessError, AccountScope, TEST_CLOCKS, TestClock, check_advance, enter_as_system,
    get_test_clock, move_test_clock, sandbox_now,
};
use racun_documents::recurrence::{
    DUE_SCHEDULES, DueSchedule, RecurrenceError, RecurringInvoice, due_by, latest_day,
};
use racun_fiscalization::OutsideServices;
use racun_kernel::calendar::{midnight, start_of_day};
use racun_kernel::id::{AccountId, RecurringInvoiceId};
use racun_kernel::{Environment, Stamp, Tenant};
use racun_store::{
    Clause, Cursor, Decision, Direction, ListQuery, Operator, Order, Store, StoreError, Value,
};
use time::{Date, OffsetDateTime};

use super::generate::{Failure, GenerationContext};
use crate::documents;

/// How much one run does at most. What is left is done by the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Recurring invoices that are looked at.
    pub schedules: usize,
    /// Invoices that are made for one of them.
    pub periods: usize,
    /// Test clocks ahead of real time that are looked at, those moved last first.
    pub clocks: usize,
}

impl Default for Limits {
    /// 10,000 recurring invoices, 100 invoices of each, 1,000 clocks.
    fn default() -> Self {
        Self { schedules: 10_000, periods: 100, clocks: 1000 }
    }
}

/// Units that may fail for want of the store in one run before it ends: then the next one tries.
const MAX_INTERRUPTIONS: usize = 3;
/// How often one period is decided again because its recurring invoice has changed.
const ATTEMPTS: usize = 3;

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Invoices made.
    pub invoices: usize,
    /// Invoices that could not be made; the recurring invoices say why.
    pub failures: usize,
    /// What was left alone, for the log.
    pub problems: Vec<Problem>,
    /// How many of those were for want of the store.
    pub interruptions: usize,
    /// Whether a limit ended the run before all was done.
    pub has_more: bool,
}

/// A recurring invoice that was left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which.
    pub id: RecurringInvoiceId,
    /// Why.
    pub reason: String,
}

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
    let mut worker = Worker::new(store, services, stamp, limits);
    worker.work_off(due_by(stamp.now())).await?;
    for clock in clocks_ahead(store, stamp, limits.clocks).await? {
        worker.put_off_to = day_after(clock.now);
        worker.work_off(due_in_sandbox(clock.account_id, clock.now)).await?;
    }
    Ok(worker.report)
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
/// runs that are overdue at the start, [`Limits::periods`] are made, and the rest soon after by the
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
    let mut worker = Worker::new(store, services, stamp, Limits::default());
    worker.put_off_to = day_after(to);
    let mut query = due_in_sandbox(scope.account, to);
    loop {
        let rows: Vec<DueSchedule> =
            store.page(&DUE_SCHEDULES, &Tenant::directory(), &query).await?.rows;
        let Some(day) = rows.first().map(|row| row.run_on) else { break };
        // What is made on this day may be due again on one before those that follow.
        for row in rows.iter().take_while(|row| row.run_on == day) {
            worker.visit(row, Moment::Passing { from: now, to }).await;
            query.cursor = Some(behind(row));
        }
        if worker.report.interruptions > 0 {
            let reason = worker.report.problems.pop().map(|problem| problem.reason);
            return Err(StoreError::Unavailable(reason.unwrap_or_default()).into());
        }
    }
    let now = move_test_clock(store, scope, to, stamp).await?;
    Ok(Advanced { now, report: worker.report })
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
    limits: Limits,
    /// The day on which what cannot be looked at is found again.
    put_off_to: Date,
    report: Report,
}

/// Why a recurring invoice is left alone.
enum Aside {
    /// Until another day.
    PutOff(String),
    /// Until the store answers.
    Interrupted(String),
}

impl From<StoreError> for Aside {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(reason) => Self::Interrupted(reason),
            other => Self::PutOff(other.to_string()),
        }
    }
}

impl From<AccessError> for Aside {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::Store(error) => error.into(),
            other => Self::PutOff(other.to_string()),
        }
    }
}

impl From<RecurrenceError> for Aside {
    fn from(error: RecurrenceError) -> Self {
        match error {
            RecurrenceError::Store(error) => error.into(),
            other => Self::PutOff(other.to_string()),
        }
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
        Self { store, services, stamp, limits, put_off_to, report: Report::default() }
    }

    /// Looks at all rows that `query` finds, page by page.
    async fn work_off(&mut self, mut query: ListQuery) -> Result<(), StoreError> {
        loop {
            let page = self.store.page(&DUE_SCHEDULES, &Tenant::directory(), &query).await?;
            for row in &page.rows {
                if self.limits.schedules == 0 || self.report.interruptions >= MAX_INTERRUPTIONS {
                    self.report.has_more |= self.limits.schedules == 0;
                    return Ok(());
                }
                self.limits.schedules -= 1;
                self.visit(row, Moment::Now).await;
            }
            let Some(last) = page.rows.last().filter(|_| page.pagination.has_more) else {
                return Ok(());
            };
            query.cursor = Some(behind(last));
        }
    }

    /// Makes what is due of one recurring invoice.
    async fn visit(&mut self, row: &DueSchedule, moment: Moment) {
        let reason = match self.try_visit(row, moment).await {
            Ok(()) => return,
            Err(Aside::Interrupted(reason)) => self.interrupted(reason),
            Err(Aside::PutOff(reason)) => match self.put_off(row).await {
                Ok(true) => reason,
                // Another unit changed when it is due.
                Ok(false) => return,
                Err(error) => self.interrupted(error.to_string()),
            },
        };
        self.report.problems.push(Problem { id: row.id, reason });
    }

    const fn interrupted(&mut self, reason: String) -> String {
        self.report.interruptions += 1;
        reason
    }

    async fn try_visit(&mut self, row: &DueSchedule, moment: Moment) -> Result<(), Aside> {
        let (store, services) = (self.store, self.services);
        let (scope, entity) = enter_as_system(store, row.account_id, row.entity_id).await?;
        let now = match (moment, row.environment) {
            (Moment::Now, Environment::Live) => self.stamp.now(),
            (Moment::Now, Environment::Sandbox) => {
                sandbox_now(store, row.account_id, self.stamp).await?
            }
            (Moment::Passing { from, to }, _) => {
                let begins = start_of_day(row.run_on, &entity.timezone);
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
        let gone = || Aside::PutOff("a row says that it is due, and it is not".to_owned());
        let found = context.read(&row.id.to_string()).await?;
        let recurring = found.ok_or_else(gone)?;
        if recurring.due(today).is_none() {
            return Err(gone());
        }
        self.catch_up(&context, recurring).await
    }

    /// Makes an invoice for each period that is due, oldest first.
    async fn catch_up(
        &mut self,
        context: &GenerationContext<'_>,
        mut recurring: RecurringInvoice,
    ) -> Result<(), Aside> {
        let (mut made, mut attempts) = (0, 0);
        while let Some(period) = recurring.due(context.today) {
            if made == self.limits.periods {
                self.report.has_more = true;
                return Ok(());
            }
            match context.generate(&recurring, period).await {
                Ok(after) => {
                    (made, attempts) = (made + 1, 0);
                    self.report.invoices += 1;
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
                    context.note_failure(&recurring, period, cause).await?;
                    self.report.failures += 1;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Puts `row` off to another day, unless it has changed since it was read: one that cannot be
    /// processed must not block the others. The recurring invoice stays as it is. Answers whether
    /// it does so.
    async fn put_off(&self, row: &DueSchedule) -> Result<bool, StoreError> {
        let (seen, run_on) = (row.clone(), self.put_off_to);
        let (table, tenant) = (&DUE_SCHEDULES, Tenant::directory());
        let decided = self.store.amend(table, &tenant, row.id.to_string(), move |held| {
            Ok(if held == seen {
                Decision::changed(DueSchedule { run_on, ..held }, Vec::new())
            } else {
                Decision::Unchanged(held)
            })
        });
        match decided.await {
            Ok(after) => Ok(after.run_on == run_on),
            Err(StoreError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The day after the last on which a run at `instant` looks for what is due.
fn day_after(instant: OffsetDateTime) -> Date {
    latest_day(instant).next_day().unwrap_or(Date::MAX)
}

/// The place behind `row` in the order of [`due_by`].
fn behind(row: &DueSchedule) -> Cursor {
    let keys = vec![Value::Date(row.run_on)];
    Cursor { direction: Direction::Next, keys, id: row.id.to_string() }
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

async fn clocks_ahead(
    store: &dyn Store,
    stamp: &Stamp,
    limit: usize,
) -> Result<Vec<TestClock>, StoreError> {
    let ahead = Operator::Gt(Value::Instant(stamp.now()));
    let query = ListQuery {
        limit,
        count: false,
        clauses: vec![Clause::on(&TEST_CLOCKS, "now", ahead)],
        order: vec![Order::on(&TEST_CLOCKS, "updated_at", true)],
        ..ListQuery::first_page(&TEST_CLOCKS)
    };
    Ok(store.page(&TEST_CLOCKS, &Tenant::directory(), &query).await?.rows)
}
