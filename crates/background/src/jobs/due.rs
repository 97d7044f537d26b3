//! Rows that say when something is due next, worked off in the order of their time.
//!
//! What comes round at times of its own, as a recurring invoice does, has a row in the directory,
//! which is written in each commit that changes when it is due ([`racun_store::Put::between`]).
//! Workers of any process find it by that. The unit that does what is due holds the record itself,
//! and writes nothing when another worker was first. So no lease is needed, and nothing is written
//! but the effect; only an exchange with a tax authority has a lease, in its record. What is done
//! once, and is given up after some attempts, is a [job](super::Job) instead.

use std::convert::Infallible;

use async_trait::async_trait;
use futures_util::future::join_all;
use racun_access::AccessError;
use racun_kernel::Tenant;
use racun_store::{Decision, ListQuery, Record, Store, StoreError, Table, Walk};

/// How much one run does at most. What is left is done by the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Rows that are looked at.
    pub rows: usize,
    /// Times that one of them is done, where it may be due several times over.
    pub each: usize,
}

/// Units that may fail for want of the store in one run before it ends: then the next one tries.
const MAX_INTERRUPTIONS: usize = 3;

/// What a run did. `A` is what it found that an operator has to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report<A = Infallible> {
    /// How often it tried to do what was due.
    pub attempts: usize,
    /// How often that was done.
    pub done: usize,
    /// What was left alone, or was not done, for the log.
    pub problems: Vec<Problem>,
    /// What an operator has to look at.
    pub alarms: Vec<A>,
    /// How many units failed for want of the store.
    pub interruptions: usize,
    /// Whether a limit ended the run before all was done.
    pub has_more: bool,
}

impl<A> Default for Report<A> {
    /// A run that found nothing.
    fn default() -> Self {
        let (problems, alarms) = (Vec::new(), Vec::new());
        Self { attempts: 0, done: 0, problems, alarms, interruptions: 0, has_more: false }
    }
}

impl<A> Report<A> {
    /// How many attempts did not do it.
    #[must_use]
    pub const fn failed(&self) -> usize {
        self.attempts - self.done
    }

    /// Whether the next run should begin at once.
    #[must_use]
    pub const fn goes_on(&self) -> bool {
        self.has_more && self.done > 0 && self.interruptions == 0
    }

    /// Adds what `other` did after it.
    fn add(&mut self, other: Self) {
        self.attempts += other.attempts;
        self.done += other.done;
        self.problems.extend(other.problems);
        self.alarms.extend(other.alarms);
        self.interruptions += other.interruptions;
        self.has_more |= other.has_more;
    }

    /// Notes that what `row` stands for was not done.
    pub fn note(&mut self, row: &impl Record, reason: impl Into<String>) {
        self.problems.push(Problem { id: row.id(), reason: reason.into() });
    }
}

/// Something that was left alone, or was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The id of its record.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// Why a row is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setback {
    /// The store did not answer: the next run tries again.
    Interrupted(String),
    /// It cannot be worked on: its row is put off, so that it is in the way of no other.
    Stuck(String),
}

impl From<StoreError> for Setback {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(reason) => Self::Interrupted(reason),
            other => Self::Stuck(other.to_string()),
        }
    }
}

impl From<AccessError> for Setback {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::Store(error) => error.into(),
            other => Self::Stuck(other.to_string()),
        }
    }
}

/// Work that rows of one table stand for.
#[async_trait]
pub trait DueWork: Send + Sync {
    /// Rows that are worked on at once: units of several tenants then share commits. One, where the
    /// order matters.
    const AT_ONCE: usize;

    /// The row.
    type Row: Record + PartialEq + Sync;
    /// What an operator has to look at; [`Infallible`] where there is no such thing.
    type Alarm: Send;

    /// Where the rows are.
    fn table(&self) -> &'static Table;

    /// Does what `row` says is due, if it still is, and counts it in `report`. Any number of
    /// workers may do so at once, and may be dropped at any moment.
    ///
    /// # Errors
    /// [`Setback`], when that cannot even be tried.
    async fn attempt(
        &self,
        row: &Self::Row,
        report: &mut Report<Self::Alarm>,
    ) -> Result<(), Setback>;

    /// `row` as it is found again later, for it cannot be worked on now.
    fn put_off(&self, row: &Self::Row) -> Self::Row;
}

/// One run over rows that are due.
pub struct DueRun<'a, W: DueWork> {
    store: &'a dyn Store,
    /// What is done for each row.
    pub work: W,
    left: usize,
    /// What was done so far.
    pub report: Report<W::Alarm>,
}

impl<'a, W: DueWork> DueRun<'a, W> {
    /// A run that looks at up to [`Limits::rows`] rows; the work sees to [`Limits::each`].
    pub fn new(store: &'a dyn Store, work: W, limits: Limits) -> Self {
        Self { store, work, left: limits.rows, report: Report::default() }
    }

    /// Works off all rows that `query` finds, page by page.
    ///
    /// # Errors
    /// When what is due cannot be read.
    pub async fn work_off(&mut self, query: ListQuery) -> Result<(), StoreError> {
        let mut walk = Walk::through(self.work.table(), Tenant::directory(), query);
        while let Some(rows) = walk.next::<W::Row>(self.store).await? {
            for some in rows.chunks(W::AT_ONCE) {
                if self.report.interruptions >= MAX_INTERRUPTIONS {
                    return Ok(());
                }
                let (some, beyond) = some.split_at(some.len().min(self.left));
                self.left -= some.len();
                for report in join_all(some.iter().map(|row| self.visited(row))).await {
                    self.report.add(report);
                }
                if !beyond.is_empty() {
                    self.report.has_more = true;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Works off one row.
    pub async fn visit(&mut self, row: &W::Row) {
        let report = self.visited(row).await;
        self.report.add(report);
    }

    async fn visited(&self, row: &W::Row) -> Report<W::Alarm> {
        let mut report = Report::default();
        let (reason, is_interrupted) = match self.work.attempt(row, &mut report).await {
            Ok(()) => return report,
            Err(Setback::Interrupted(reason)) => (reason, true),
            Err(Setback::Stuck(reason)) => match self.put_off(row).await {
                Ok(true) => (reason, false),
                // It was made due, or not due, meanwhile.
                Ok(false) => return report,
                Err(error) => (error.to_string(), true),
            },
        };
        report.interruptions += usize::from(is_interrupted);
        report.note(row, reason);
        report
    }

    /// Lets `row`, unless it changed meanwhile, be found again later. Its record stays as it is.
    /// Answers whether it does so.
    async fn put_off(&self, row: &W::Row) -> Result<bool, StoreError> {
        let (table, directory) = (self.work.table(), Tenant::directory());
        let (seen, later) = (row.clone(), self.work.put_off(row));
        let put_off = later.clone();
        let decided = self.store.amend(table, &directory, row.id(), move |held: W::Row| {
            Ok(if held == seen {
                Decision::changed(put_off, Vec::new())
            } else {
                Decision::Unchanged(held)
            })
        });
        match decided.await {
            Ok(after) => Ok(after == later),
            Err(StoreError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Works off what `query` finds, in a run of its own.
///
/// # Errors
/// When what is due cannot be read.
pub async fn run_due<W: DueWork>(
    store: &dyn Store,
    work: W,
    query: ListQuery,
    limits: Limits,
) -> Result<Report<W::Alarm>, StoreError> {
    let mut run = DueRun::new(store, work, limits);
    run.work_off(query).await?;
    Ok(run.report)
}
