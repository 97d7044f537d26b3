//! A batch of units that share a transaction: each unit's decision sees what the ones before it
//! decided, and all is written together. When the write fails, each unit is tried alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use racun_kernel::Tenant;
use racun_store::{
    Load, Loaded, PutKind, Refusal, Series, StoreError, TransactError, Unit, Writes,
};
use tokio::sync::oneshot;

use crate::batcher::CommitPhase;
use crate::conflict_set::ConflictSet;
use crate::lock::{LockRequest, LockedRows};
use crate::transaction::{Base, Transaction};
use crate::write_set::WriteSet;

/// A unit and the caller that waits for it.
pub(crate) struct Waiting {
    unit: Unit,
    caller: Caller,
}

impl Waiting {
    /// `unit`, and the receiver of its answer.
    pub(crate) fn new(unit: Unit) -> (Self, oneshot::Receiver<Result<(), TransactError>>) {
        let (sender, receiver) = oneshot::channel();
        (Self { unit, caller: Caller(sender) }, receiver)
    }

    /// The tenant whose batches the unit joins. `None` when it locks nothing, and so never waits.
    pub(crate) fn batch_key(&self) -> Option<Tenant> {
        let series = self.unit.series.as_ref().map(|series| &series.tenant);
        let loads = self.unit.loads.first().map(|load| match load {
            Load::One { tenant, .. } | Load::Where { tenant, .. } => tenant,
        });
        series.or(loads).cloned()
    }
}

/// The caller of a unit, which may have stopped waiting.
struct Caller(oneshot::Sender<Result<(), TransactError>>);

impl Caller {
    fn answer(self, answer: Result<(), TransactError>) {
        // The receiver is gone when the caller was dropped; the unit is finished nevertheless.
        let _: Result<(), _> = self.0.send(answer);
    }
}

/// Runs the units of `group` and answers their callers. Their series are of one tenant. When all
/// have decided, only the commit is left: units that do not conflict may start.
pub(crate) async fn run(base: &Base, group: Vec<Waiting>, commit_phase: CommitPhase<Waiting>) {
    let loads = group.iter().flat_map(|waiting| &waiting.unit.loads);
    let requests = LockRequest::of(loads);
    let series: Vec<Series> =
        group.iter().filter_map(|waiting| waiting.unit.series.clone()).collect();
    let opened = Transaction::open(base, requests, &series).await;
    let (transaction, locked) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            for waiting in group {
                waiting.caller.answer(Err(TransactError::Store(error.clone())));
            }
            return;
        }
    };
    let (decided, is_sure) = decide_all(group, locked);
    let conflict_set = ConflictSet::by(&decided);
    commit_phase.begins(move |next| conflict_set.allows(&next.unit));
    let written = transaction.end(WriteSet::of(&decided, is_sure)).await;
    match written {
        Err(failure) if failure.is_late || (failure.is_undone && decided.len() > 1) => {
            for decided in decided {
                decided.run_alone(base).await;
            }
        }
        written => {
            let answer = written.map_err(|failure| TransactError::Store(failure.error));
            for decided in decided {
                decided.caller.answer(answer.clone());
            }
        }
    }
}

/// A unit that has decided what to write.
pub(crate) struct Decided {
    loads: Vec<Load>,
    series: Option<Series>,
    /// What it was shown.
    shown: Loaded,
    pub(crate) writes: Writes,
    caller: Caller,
}

impl Decided {
    /// The series of which it uses a number, and the number.
    pub(crate) fn used(&self) -> Option<(&Series, i64)> {
        self.series.as_ref().zip(self.shown.number).filter(|_| self.writes.takes_number)
    }

    /// The series that it holds.
    pub(crate) const fn series(&self) -> Option<&Series> {
        self.series.as_ref()
    }

    /// The rows that it holds: table, tenant, id.
    pub(crate) fn held(&self) -> impl Iterator<Item = (&'static str, Tenant, String)> {
        self.loads.iter().zip(&self.shown.rows).flat_map(|(load, rows)| {
            let (Load::One { table, tenant, .. } | Load::Where { table, tenant, .. }) = load;
            rows.iter().map(|row| (table.name, tenant.clone(), row.id.clone()))
        })
    }

    /// Shows what it decided to those who decide after it. Answers whether all rows that it
    /// replaces or deletes are certain to be there.
    fn leave(&self, locked: &mut LockedRows) -> bool {
        let mut is_sure = true;
        for put in &self.writes.puts {
            is_sure &= put.kind == PutKind::Insert || locked.has(put);
            locked.apply(put);
        }
        if let Some((series, number)) = self.used() {
            locked.use_number(series, number);
        }
        is_sure
    }

    /// Writes in a transaction of its own what it decided, if it would be shown the same again.
    async fn run_alone(self, base: &Base) {
        let answer = self.write_alone(base).await;
        self.caller.answer(answer.map_err(TransactError::Store));
    }

    async fn write_alone(&self, base: &Base) -> Result<(), StoreError> {
        let requests = LockRequest::of(self.loads.iter());
        let (transaction, mut locked) =
            Transaction::open(base, requests, self.series.as_slice()).await?;
        let number = self.series.as_ref().map(|series| locked.next_number(series));
        if number != self.shown.number || locked.show(&self.loads) != self.shown.rows {
            transaction.roll_back().await;
            let reason = "what a unit decided on has changed; it may be repeated";
            return Err(StoreError::Unavailable(reason.to_owned()));
        }
        let is_sure = self.leave(&mut locked);
        let write_set = WriteSet::of(std::slice::from_ref(self), is_sure);
        transaction.end(write_set).await.map_err(|failure| failure.error)
    }
}

/// Runs the decisions one after another; callers whose decision refuses are answered at once.
/// Answers whether all rows that are replaced or deleted are certain to be there.
fn decide_all(group: Vec<Waiting>, mut locked: LockedRows) -> (Vec<Decided>, bool) {
    let mut all = Vec::with_capacity(group.len());
    let mut is_sure = true;
    for Waiting { unit, caller } in group {
        let number = unit.series.as_ref().map(|series| locked.next_number(series));
        let shown = Loaded { rows: locked.show(&unit.loads), number, now: locked.now };
        match decide(unit.decide, shown.clone()) {
            Ok(writes) => {
                let decided =
                    Decided { loads: unit.loads, series: unit.series, shown, writes, caller };
                is_sure &= decided.leave(&mut locked);
                all.push(decided);
            }
            Err(error) => caller.answer(Err(error)),
        }
    }
    (all, is_sure)
}

/// Runs a decision; one that panics has decided nothing.
fn decide(
    decide: Box<dyn FnOnce(Loaded) -> Result<Writes, Refusal> + Send>,
    loaded: Loaded,
) -> Result<Writes, TransactError> {
    match catch_unwind(AssertUnwindSafe(|| decide(loaded))) {
        Ok(decided) => decided.map_err(|Refusal| TransactError::Refused),
        Err(_) => {
            let reason = "a decision panicked".to_owned();
            Err(TransactError::Store(StoreError::Unavailable(reason)))
        }
    }
}
