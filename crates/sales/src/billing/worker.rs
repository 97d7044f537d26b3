//! Subscriptions of all tenants whose month or period ends.

use std::convert::Infallible;

use async_trait::async_trait;
use racun_background::jobs::{self, DueWork, Limits, Report, Setback};
use racun_billing::{DUE_SUBSCRIPTIONS, DueSubscription, SUBSCRIPTIONS, Subscription, due_by};
use racun_kernel::{Principal, Stamp, Tenant};
use racun_store::{Decision, Store, StoreError, Table, Writes};
use time::Duration;

use super::beside;

/// How much one run usually does at most: it advances 10,000 subscriptions.
pub const LIMITS: Limits = Limits { rows: 10_000, each: 1 };

/// How long a subscription waits that cannot be advanced.
const STUCK_WAIT: Duration = Duration::hours(1);

/// Advances all subscriptions whose month or period is over: they are renewed, changed, or ended.
///
/// Any number of workers may run at once, beside requests: the first unit that locks a subscription
/// advances it, and the others find it advanced. Readers and limits compute the state from the time
/// that passed, so they never wait for a run; only the events of a change do.
///
/// # Errors
/// When what is due cannot be read.
pub async fn run_due(
    store: &dyn Store,
    stamp: &Stamp,
    limits: Limits,
) -> Result<Report, StoreError> {
    jobs::run_due(store, Worker { store, stamp }, due_by(stamp.now()), limits).await
}

struct Worker<'a> {
    store: &'a dyn Store,
    stamp: &'a Stamp,
}

#[async_trait]
impl DueWork for Worker<'_> {
    const AT_ONCE: usize = 64;

    type Row = DueSubscription;
    type Alarm = Infallible;

    fn table(&self) -> &'static Table {
        &DUE_SUBSCRIPTIONS
    }

    async fn attempt(&self, row: &DueSubscription, report: &mut Report) -> Result<(), Setback> {
        let did_something = usize::from(self.advance(row).await?);
        report.attempts += did_something;
        report.done += did_something;
        Ok(())
    }

    fn put_off(&self, row: &DueSubscription) -> DueSubscription {
        DueSubscription { due_at: self.stamp.now() + STUCK_WAIT, ..row.clone() }
    }
}

impl Worker<'_> {
    /// Advances one subscription; answers whether there was something to do.
    async fn advance(&self, row: &DueSubscription) -> Result<bool, StoreError> {
        let (tenant, id) = (Tenant::entity(row.entity_id), row.id.to_string());
        let (seen, stamp, now) = (row.due_at, self.stamp.clone(), self.stamp.now());
        let after: Subscription = self
            .store
            .amend(&SUBSCRIPTIONS, &tenant, id, move |before: Subscription| {
                let advanced = before.clone().advance(now);
                let after = advanced.subscription;
                if after == before {
                    return Ok::<_, StoreError>(Decision::Unchanged(before));
                }
                let actor = Principal::System.id();
                let (ended, happened) = (advanced.ended, advanced.happened);
                let Writes { puts, events, .. } =
                    beside(&before, &after, ended, happened, &actor, &stamp);
                Ok(Decision::Changed { record: after, beside: puts, events })
            })
            .await?;
        Ok(after.due_row().is_none_or(|row| row.due_at != seen))
    }
}
