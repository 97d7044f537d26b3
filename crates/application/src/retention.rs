//! What is kept for a time only: removed in small steps, a few accounts at a time.
//!
//! | What                                              | For how long                   |
//! | ------------------------------------------------- | ------------------------------ |
//! | deliveries of events that ended                   | 30 days                        |
//! | deliveries that wait for a replay                 | 90 days                        |
//! | entries of the log of requests                    | 30 days                        |
//! | keys of requests, with their answers              | 30 days                        |
//! | consents for accounts at the card processor       | until they run out             |
//! | jobs that were given up; one that is done is gone | 90 days from their last change |
//! | what records looked like in the log               | 30 days, and until it is read  |
//!
//! The entries of the log of what happened stay. A reader that is new begins at the start of the
//! log, and finds old entries without what their records looked like.
//!
//! A round through all accounts begins once a day. Where it stands is a row of the directory under
//! a lease, so that of several processes one goes on with it. A process that dies leaves the lease,
//! and what it was to remove is found again.

use racun_access::{ACCOUNTS, Account, ENTITIES, Entity};
use racun_background::consumer::{ConsumerOffset, LOG_READERS};
use racun_background::idempotency;
use racun_background::jobs::{JOBS, Job, JobState};
use racun_background::request_log::{self, REQUEST_LOGS, RequestLog};
use racun_card_payments::{CONSENTS, Consent};
use racun_kernel::id::AccountId;
use racun_kernel::{Stamp, Tenant};
use racun_store::{
    Clause, Field, ListQuery, Operator, Order, Put, Record, Store, StoreError, Table, Value, Walk,
    Writes,
};
use racun_webhooks::{DELIVERIES, Delivery, DeliveryStatus};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// For how long a delivery is kept that ended.
pub const DELIVERIES_KEPT: Duration = Duration::days(30);
/// For how long a delivery is kept that waits for a replay.
pub const PARKED_KEPT: Duration = Duration::days(90);
/// For how long the log keeps what a record looked like, once all readers are past the entry.
pub const SNAPSHOTS_KEPT: Duration = Duration::days(30);
/// For how long a job is kept that was given up.
pub const DEAD_JOBS_KEPT: Duration = Duration::days(90);

/// From the end of a round through all accounts to the next one.
const ROUND: Duration = Duration::days(1);
/// How long a process has for a step.
const LEASE: Duration = Duration::minutes(10);
/// Accounts of one step, at most.
const ACCOUNTS_AT_ONCE: usize = 20;
/// Rows that one step removes, at most.
const ROWS_AT_ONCE: usize = 1_000;
/// The id of the one row.
const ID: &str = "retention";

racun_store::record! {
    /// Where [`RetentionRound`] is kept: in the directory, one row.
    pub static RETENTION_ROUNDS: RetentionRound = "retention_rounds";
    |round|
    id: ID,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("due_at") => round.due_at,
        Field::instant("created_at") => round.created_at,
    }
}

/// Where the round through all accounts stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionRound {
    /// Behind which account it goes on; `None` at its beginning.
    behind: Option<String>,
    /// When the next step is due; while one is under way, when its process is taken for dead.
    #[serde(with = "time::serde::rfc3339")]
    due_at: OffsetDateTime,
    /// When the first one began.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

/// What a step did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Rows that it removed.
    pub rows: usize,
    /// Whether the round goes on.
    pub has_more: bool,
}

/// Takes the next step of a round, if one is due.
///
/// # Errors
/// When the store fails; the lease then runs out by itself.
pub async fn step(store: &dyn Store, stamp: &Stamp) -> Result<Pruned, StoreError> {
    let now = stamp.now();
    let Some(round) = take(store, now).await? else { return Ok(Pruned::default()) };
    let read = read_by_all(store).await?;
    let mut step = Step { store, now, read, left: ROWS_AT_ONCE };
    let (behind, has_more) = step.accounts(round.behind.clone()).await?;
    let rows = ROWS_AT_ONCE - step.left;
    let due_at = if has_more { now } else { now + ROUND };
    let after = RetentionRound { behind, due_at, ..round.clone() };
    let mut unit = store.unit(Tenant::directory());
    let own = unit.hold(&RETENTION_ROUNDS, ID);
    unit.decide(move |held| {
        // Another process took this one for dead, and has the round.
        let held: Option<RetentionRound> = held.find(own)?;
        let is_own = held.as_ref() == Some(&round);
        let put = is_own.then(|| Put::update(&round, &after));
        Ok::<_, StoreError>(((), Writes::default().puts(put)))
    })
    .await?;
    Ok(Pruned { rows, has_more })
}

/// Leases the round, if its next step is due.
async fn take(
    store: &dyn Store,
    now: OffsetDateTime,
) -> Result<Option<RetentionRound>, StoreError> {
    let mut unit = store.unit(Tenant::directory());
    let own = unit.hold(&RETENTION_ROUNDS, ID);
    let taken = unit.decide(move |held| {
        let before: Option<RetentionRound> = held.find(own)?;
        let is_due = before.as_ref().is_none_or(|round| round.due_at <= now);
        if !is_due {
            return Ok((None, Writes::default()));
        }
        let first = RetentionRound { behind: None, due_at: now, created_at: now };
        let due_at = now + LEASE;
        let after = RetentionRound { due_at, ..before.clone().unwrap_or(first) };
        let put = Put::write(before.as_ref(), &after);
        Ok((Some(after), Writes::default().put(put)))
    });
    match taken.await {
        // Two processes began at one moment.
        Err(StoreError::Duplicate { table, .. }) if table == RETENTION_ROUNDS.name => Ok(None),
        taken => taken,
    }
}

/// Up to which position all readers have read the log.
async fn read_by_all(store: &dyn Store) -> Result<i64, StoreError> {
    let mut readers = Walk::of(&LOG_READERS, Tenant::directory());
    let mut least = None;
    while let Some(page) = readers.next::<ConsumerOffset>(store).await? {
        let positions = page.into_iter().map(|reader| reader.position);
        least = least.into_iter().chain(positions).min();
    }
    Ok(least.unwrap_or_default())
}

/// A step under way.
struct Step<'a> {
    store: &'a dyn Store,
    now: OffsetDateTime,
    /// Up to which position the log is read.
    read: i64,
    /// Rows that it may still remove.
    left: usize,
}

impl Step<'_> {
    /// Removes what is over of the accounts behind `behind`. Answers behind which account the next
    /// step begins, and whether that is of the same round.
    async fn accounts(
        &mut self,
        behind: Option<String>,
    ) -> Result<(Option<String>, bool), StoreError> {
        let first = ListQuery {
            limit: ACCOUNTS_AT_ONCE,
            count: false,
            order: vec![Order::on(&ACCOUNTS, "created_at", false)],
            ..ListQuery::first_page(&ACCOUNTS)
        };
        // A place of another version of the program begins the round again.
        let at = behind.as_deref().and_then(|place| first.clone().behind(place));
        let query = at.unwrap_or(first);
        let page = self.store.page::<Account>(&ACCOUNTS, &Tenant::directory(), &query).await?;
        let mut behind = behind;
        for account in &page.rows {
            self.account(account.id).await?;
            if self.left == 0 {
                return Ok((behind, true));
            }
            behind = Some(query.cursor_behind(account));
        }
        if page.pagination.has_more {
            return Ok((behind, true));
        }
        self.dead_jobs().await?;
        self.consents().await?;
        Ok(if self.left == 0 { (behind, true) } else { (None, false) })
    }

    async fn account(&mut self, id: AccountId) -> Result<(), StoreError> {
        let tenant = Tenant::account(id);
        while self.left > 0 {
            let swept = idempotency::sweep(self.store, id, self.now).await?;
            self.left = self.left.saturating_sub(swept);
            if swept == 0 {
                break;
            }
        }
        self.deliveries(&tenant).await?;
        self.snapshots(&tenant).await?;
        let mut entities = Walk::of(&ENTITIES, tenant);
        while let Some(page) = entities.next::<Entity>(self.store).await? {
            for entity in page {
                let tenant = Tenant::entity(entity.id);
                self.deliveries(&tenant).await?;
                self.snapshots(&tenant).await?;
                let over = self.now - request_log::KEPT;
                let is_over = move |entry: &RequestLog| entry.created_at <= over;
                self.prune(&REQUEST_LOGS, &tenant, ("created_at", over), None, is_over).await?;
            }
        }
        Ok(())
    }

    async fn deliveries(&mut self, tenant: &Tenant) -> Result<(), StoreError> {
        use DeliveryStatus::{Failed, Parked, Success};
        for (kept, statuses) in
            [(DELIVERIES_KEPT, &[Success, Failed][..]), (PARKED_KEPT, &[Parked])]
        {
            let over = self.now - kept;
            let names = statuses.iter().map(|status| Value::from(status.name())).collect();
            let which = Clause::on(&DELIVERIES, "status", Operator::In(names));
            let is_over = move |delivery: &Delivery| {
                delivery.created_at <= over && statuses.contains(&delivery.status)
            };
            self.prune(&DELIVERIES, tenant, ("created_at", over), Some(which), is_over).await?;
        }
        Ok(())
    }

    async fn snapshots(&mut self, tenant: &Tenant) -> Result<(), StoreError> {
        let over = self.now - SNAPSHOTS_KEPT;
        while self.left > 0 {
            let most = ListQuery::MAX_LIMIT.min(self.left);
            let forgotten = self.store.forget_snapshots(tenant, self.read, over, most).await?;
            self.left = self.left.saturating_sub(forgotten);
            if forgotten == 0 {
                break;
            }
        }
        Ok(())
    }

    async fn dead_jobs(&mut self) -> Result<(), StoreError> {
        let over = self.now - DEAD_JOBS_KEPT;
        let dead = Operator::Equals(JobState::Dead.name().into());
        let which = Some(Clause::on(&JOBS, "state", dead));
        let is_over = move |job: &Job| job.state == JobState::Dead && job.updated_at <= over;
        self.prune(&JOBS, &Tenant::directory(), ("updated_at", over), which, is_over).await
    }

    async fn consents(&mut self) -> Result<(), StoreError> {
        let now = self.now;
        let is_over = move |consent: &Consent| consent.until <= now;
        self.prune(&CONSENTS, &Tenant::directory(), ("until", now), None, is_over).await
    }

    /// Removes rows of `table` whose instant `by` is not after the one given, and of which `which`
    /// holds, as far as they still are so when they are held.
    async fn prune<A: Record>(
        &mut self,
        table: &'static Table,
        tenant: &Tenant,
        (by, until): (&'static str, OffsetDateTime),
        which: Option<Clause>,
        is_over: impl Fn(&A) -> bool + Clone + Send + 'static,
    ) -> Result<(), StoreError> {
        let until = Clause::on(table, by, Operator::Lte(until.into()));
        while self.left > 0 {
            let query = ListQuery {
                limit: ListQuery::MAX_LIMIT.min(self.left),
                count: false,
                clauses: which.iter().cloned().chain([until.clone()]).collect(),
                order: vec![Order::on(table, "created_at", false)],
                ..ListQuery::first_page(table)
            };
            let rows = self.store.page::<A>(table, tenant, &query).await?.rows;
            let mut unit = self.store.unit(tenant.clone());
            let rows = unit.hold_each(rows.iter().map(|row| (table, row.id())));
            let is_over = is_over.clone();
            let removed = unit.decide(move |held| {
                let mut over: Vec<A> = held.all(rows)?;
                over.retain(is_over);
                let writes = over.iter().fold(Writes::default(), Writes::delete);
                Ok::<_, StoreError>((over.len(), writes))
            });
            let removed = removed.await?;
            self.left = self.left.saturating_sub(removed);
            if removed == 0 {
                break;
            }
        }
        Ok(())
    }
}
