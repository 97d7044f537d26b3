//! Units that share a transaction: each decides on what the ones before it decided, and what they
//! decided is written together. When it cannot be written, each tries alone what it decided.

use std::panic::{AssertUnwindSafe, catch_unwind};

use racun_kernel::{
    Load, Loaded, PutKind, Refusal, Series, StoreError, Tenant, TransactError, Unit, Writes,
};
use tokio::sync::oneshot;

use crate::hold::{Holding, Wanted};
use crate::lane::Ending;
use crate::touched::Touched;
use crate::transaction::{Base, Transaction};
use crate::wishes::Wishes;

/// A unit and whoever waits for it.
pub(crate) struct Waiting {
    unit: Unit,
    caller: Caller,
}

impl Waiting {
    /// `unit`, and where its answer will be.
    pub(crate) fn new(unit: Unit) -> (Self, oneshot::Receiver<Result<(), TransactError>>) {
        let (sender, receiver) = oneshot::channel();
        (Self { unit, caller: Caller(sender) }, receiver)
    }

    /// Whose lane the unit takes: none when it names nothing to hold, and so waits for nobody.
    pub(crate) fn lane(&self) -> Option<Tenant> {
        let series = self.unit.series.as_ref().map(|series| &series.tenant);
        let loads = self.unit.loads.first().map(|load| match load {
            Load::One { tenant, .. } | Load::Where { tenant, .. } => tenant,
        });
        series.or(loads).cloned()
    }
}

/// Whoever waits for a unit, or has stopped waiting.
struct Caller(oneshot::Sender<Result<(), TransactError>>);

impl Caller {
    fn answer(self, answer: Result<(), TransactError>) {
        // Nobody listens when the caller was dropped; the unit is finished nevertheless.
        let _: Result<(), _> = self.0.send(answer);
    }
}

/// Runs the units of `group` and answers their callers. Their series are of one tenant. When all
/// have decided, it is only to be written: those who are apart from it may begin.
pub(crate) async fn run(base: &Base, group: Vec<Waiting>, ending: Ending<Waiting>) {
    let loads = group.iter().flat_map(|waiting| &waiting.unit.loads);
    let wanted = Wanted::of(loads);
    let series: Vec<Series> =
        group.iter().filter_map(|waiting| waiting.unit.series.clone()).collect();
    let opened = Transaction::open(base, wanted, &series).await;
    let (transaction, holding) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            for waiting in group {
                waiting.caller.answer(Err(TransactError::Store(error.clone())));
            }
            return;
        }
    };
    let (decided, is_sure) = decide_all(group, holding);
    let touched = Touched::by(&decided);
    ending.begins(move |next| touched.is_apart_from(&next.unit));
    let written = transaction.end(Wishes::of(&decided, is_sure)).await;
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
    fn leave(&self, holding: &mut Holding) -> bool {
        let mut is_sure = true;
        for put in &self.writes.puts {
            is_sure &= put.kind == PutKind::Insert || holding.has(put);
            holding.apply(put);
        }
        if let Some((series, number)) = self.used() {
            holding.use_number(series, number);
        }
        is_sure
    }

    /// Writes in a transaction of its own what it decided, if it would be shown the same again.
    async fn run_alone(self, base: &Base) {
        let answer = self.write_alone(base).await;
        self.caller.answer(answer.map_err(TransactError::Store));
    }

    async fn write_alone(&self, base: &Base) -> Result<(), StoreError> {
        let wanted = Wanted::of(self.loads.iter());
        let (transaction, mut holding) =
            Transaction::open(base, wanted, self.series.as_slice()).await?;
        let number = self.series.as_ref().map(|series| holding.next_number(series));
        if number != self.shown.number || holding.show(&self.loads) != self.shown.rows {
            transaction.roll_back().await;
            let reason = "what a unit decided on has changed; it may be repeated";
            return Err(StoreError::Unavailable(reason.to_owned()));
        }
        let is_sure = self.leave(&mut holding);
        let wishes = Wishes::of(std::slice::from_ref(self), is_sure);
        transaction.end(wishes).await.map_err(|failure| failure.error)
    }
}

/// Runs the decisions one after another; callers whose decision refuses are answered at once.
/// Answers whether all rows that are replaced or deleted are certain to be there.
fn decide_all(group: Vec<Waiting>, mut holding: Holding) -> (Vec<Decided>, bool) {
    let mut all = Vec::with_capacity(group.len());
    let mut is_sure = true;
    for Waiting { unit, caller } in group {
        let number = unit.series.as_ref().map(|series| holding.next_number(series));
        let shown = Loaded { rows: holding.show(&unit.loads), number, now: holding.now };
        match decide(unit.decide, shown.clone()) {
            Ok(writes) => {
                let decided =
                    Decided { loads: unit.loads, series: unit.series, shown, writes, caller };
                is_sure &= decided.leave(&mut holding);
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
