//! Rows that say when something is due: worked off by one loop, whatever they stand for.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use racun_background::jobs::{self, DueWork, Limits, Report, Setback};
use racun_billing::{DUE_SUBSCRIPTIONS, DueSubscription, due_by};
use racun_kernel::Tenant;
use racun_kernel::id::SubscriptionId;
use racun_store::testing::stamp;
use racun_store::{Put, Store, StoreError, Table};
use time::{Duration, OffsetDateTime};

use crate::fixture::NOW;
use crate::jobs::stores;

const ALL: Limits = Limits { rows: 1_000, each: 1 };

/// Does what `N` rows at once stand for, but for those that it is told to leave alone.
#[derive(Default)]
struct Scripted<'a, const N: usize> {
    setbacks: BTreeMap<SubscriptionId, Setback>,
    /// Moves this row before it answers, as another worker would.
    moved: Option<(&'a dyn Store, SubscriptionId)>,
    seen: Mutex<Vec<SubscriptionId>>,
}

impl<const N: usize> Scripted<'_, N> {
    fn seen(&self) -> Vec<SubscriptionId> {
        self.seen.lock().unwrap().clone()
    }
}

async fn moved_to(store: &dyn Store, row: &DueSubscription, due_at: OffsetDateTime) {
    let after = DueSubscription { due_at, ..row.clone() };
    store.insert(vec![Put::update(row, &after)], Vec::new()).await.unwrap();
}

#[async_trait]
impl<const N: usize> DueWork for &Scripted<'_, N> {
    const AT_ONCE: usize = N;

    type Row = DueSubscription;
    type Alarm = SubscriptionId;

    fn table(&self) -> &'static Table {
        &DUE_SUBSCRIPTIONS
    }

    async fn attempt(
        &self,
        row: &DueSubscription,
        report: &mut Report<SubscriptionId>,
    ) -> Result<(), Setback> {
        self.seen.lock().unwrap().push(row.id);
        report.attempts += 1;
        if let Some((store, id)) = self.moved
            && id == row.id
        {
            moved_to(store, row, NOW - Duration::DAY).await;
        }
        match self.setbacks.get(&row.id) {
            Some(setback) => Err(setback.clone()),
            None => {
                report.done += 1;
                Ok(())
            }
        }
    }

    fn put_off(&self, row: &DueSubscription) -> DueSubscription {
        DueSubscription { due_at: NOW + Duration::HOUR, ..row.clone() }
    }
}

/// `count` rows, a second apart, the earliest first; the last one is due now.
async fn rows(store: &dyn Store, count: i32) -> Vec<DueSubscription> {
    let stamp = stamp(NOW);
    let row = |n| DueSubscription {
        id: stamp.id(),
        entity_id: stamp.id(),
        due_at: NOW - Duration::SECOND * (count - 1 - n),
        created_at: NOW,
    };
    let rows: Vec<_> = (0..count).map(row).collect();
    // Written in another order than they are due in.
    store.insert(rows.iter().rev().map(Put::insert).collect(), Vec::new()).await.unwrap();
    rows
}

async fn run<const N: usize>(
    store: &dyn Store,
    work: &Scripted<'_, N>,
    limits: Limits,
) -> Report<SubscriptionId> {
    jobs::run_due(store, work, due_by(NOW), limits).await.unwrap()
}

async fn due_at(store: &dyn Store, id: SubscriptionId) -> OffsetDateTime {
    let (table, directory) = (&DUE_SUBSCRIPTIONS, Tenant::directory());
    let row = store.get::<DueSubscription>(table, &directory, &id.to_string()).await;
    row.unwrap().unwrap().due_at
}

/// Works off 250 rows, `N` at once, within several limits.
async fn page_by_page<const N: usize>(store: &dyn Store, ids: &[SubscriptionId]) {
    for (most, has_more) in [(1_000, false), (130, true), (250, false), (249, true)] {
        let work = Scripted::<N>::default();
        let report = run(store, &work, Limits { rows: most, ..ALL }).await;
        let done = most.min(ids.len());
        assert_eq!((&work.seen()[..], report.done), (&ids[..done], done), "{N} at once");
        assert_eq!((report.has_more, report.goes_on()), (has_more, has_more), "{most}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_worked_off_page_by_page_in_the_order_of_their_time() {
    for (store, _database) in stores().await {
        let ids: Vec<_> = rows(&*store, 250).await.into_iter().map(|row| row.id).collect();
        page_by_page::<1>(&*store, &ids).await;
        page_by_page::<64>(&*store, &ids).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_cannot_be_worked_on_is_put_off_and_in_the_way_of_none() {
    for (store, _database) in stores().await {
        let rows = rows(&*store, 3).await;
        let stuck = Setback::Stuck("disabled".to_owned());
        let setbacks = BTreeMap::from([(rows[0].id, stuck.clone()), (rows[1].id, stuck)]);
        let moved = Some((&*store, rows[1].id));
        let work = Scripted::<1> { setbacks, moved, ..Scripted::<1>::default() };
        let report = run(&*store, &work, ALL).await;
        assert_eq!((report.attempts, report.done, report.failed()), (3, 1, 2));
        let problems: Vec<_> = report.problems.iter().map(|one| (&*one.id, &*one.reason)).collect();
        let first = rows[0].id.to_string();
        assert_eq!(problems, [(&*first, "disabled")], "the other one moved meanwhile");
        assert_eq!(due_at(&*store, rows[0].id).await, NOW + Duration::HOUR);
        assert_eq!(due_at(&*store, rows[1].id).await, NOW - Duration::DAY);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_does_not_answer_ends_the_run_and_puts_nothing_off() {
    for (store, _database) in stores().await {
        let rows = rows(&*store, 5).await;
        let away = Setback::from(StoreError::Unavailable("away".to_owned()));
        let setbacks = rows.iter().map(|row| (row.id, away.clone())).collect();
        let work = Scripted::<1> { setbacks, ..Scripted::<1>::default() };
        let report = run(&*store, &work, ALL).await;
        assert_eq!((work.seen().len(), report.interruptions, report.problems.len()), (3, 3, 3));
        assert!(!report.goes_on());
        for row in rows {
            assert_eq!(due_at(&*store, row.id).await, row.due_at);
        }
    }
}
