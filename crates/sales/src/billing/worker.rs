//! Subscriptions of all tenants whose month or period ends.

use racun_billing::{DUE_SUBSCRIPTIONS, DueSubscription, SUBSCRIPTIONS, Subscription, due_by};
use racun_kernel::id::SubscriptionId;
use racun_kernel::{Principal, Stamp, Tenant};
use racun_store::{Cursor, Decision, Direction, Store, StoreError, Writes};

use super::beside;

/// How much one run does at most. What is left is done by the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Subscriptions that are looked at.
    pub subscriptions: usize,
}

impl Default for Limits {
    /// 10,000 subscriptions.
    fn default() -> Self {
        Self { subscriptions: 10_000 }
    }
}

/// Units that may fail for want of the store in one run before it ends: then the next one tries.
const MAX_INTERRUPTIONS: usize = 3;

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Subscriptions that went on to another month, to another period, or to their end.
    pub advanced: usize,
    /// Those that were left alone.
    pub problems: Vec<Problem>,
    /// How many of those were for want of the store.
    pub interruptions: usize,
    /// Whether a limit ended the run before all was done.
    pub has_more: bool,
}

/// A subscription that was left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which.
    pub id: SubscriptionId,
    /// Why.
    pub reason: String,
}

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
    let mut report = Report::default();
    let (mut query, mut left) = (due_by(stamp.now()), limits.subscriptions);
    loop {
        let page = store.page(&DUE_SUBSCRIPTIONS, &Tenant::directory(), &query).await?;
        for row in &page.rows {
            if left == 0 || report.interruptions >= MAX_INTERRUPTIONS {
                report.has_more |= left == 0;
                return Ok(report);
            }
            left -= 1;
            visit(store, row, stamp, &mut report).await;
        }
        let Some(last) = page.rows.last().filter(|_| page.pagination.has_more) else {
            return Ok(report);
        };
        query.cursor = Some(behind(last));
    }
}

async fn visit(store: &dyn Store, row: &DueSubscription, stamp: &Stamp, report: &mut Report) {
    match advance(store, row, stamp).await {
        Ok(true) => report.advanced += 1,
        Ok(false) => {}
        Err(error) => {
            report.interruptions += usize::from(matches!(error, StoreError::Unavailable(_)));
            report.problems.push(Problem { id: row.id, reason: error.to_string() });
        }
    }
}

/// Advances one subscription; answers whether there was something to do.
async fn advance(
    store: &dyn Store,
    row: &DueSubscription,
    stamp: &Stamp,
) -> Result<bool, StoreError> {
    let (tenant, id, now) = (Tenant::entity(row.entity_id), row.id.to_string(), stamp.now());
    let (seen, stamp) = (row.due_at, stamp.clone());
    let after: Subscription = store
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

/// The place behind `row` in the order of [`due_by`].
fn behind(row: &DueSubscription) -> Cursor {
    let keys = vec![row.due_at.into()];
    Cursor { direction: Direction::Next, keys, id: row.id.to_string() }
}
