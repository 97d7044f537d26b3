//! A process that is alone caches what it reads; no read ever returns an outdated row.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use racun_kernel::{Decimal, Tenant};
use racun_store::testing::contract::{SAMPLES, Sample};
use racun_store::{Decision, Put, Record as _, Store, StoreError};
use racun_store_postgres::{Options, PgStore};
use tokio::runtime::Runtime;
use tokio::time::sleep;

use crate::support::{PATIENCE, connect, database, entity, patient};

/// How the reason begins of a write that was not begun, as its process has no epoch to write in.
const NOT_YET: &str = "nothing can be written: ";

fn tenant() -> Tenant {
    Tenant::entity(entity(1))
}

fn counted(count: i64) -> Sample {
    Sample {
        group: Some("counted".to_owned()),
        amount: Some(count.into()),
        ..Sample::new(entity(1), "smp_1")
    }
}

async fn open(url: &str) -> Arc<PgStore> {
    let store = PgStore::connect(url, patient()).await;
    Arc::new(store.expect("the database answers"))
}

fn port(store: &Arc<PgStore>) -> Arc<dyn Store> {
    Arc::<PgStore>::clone(store)
}

fn is_alone(store: &PgStore) -> bool {
    store.changed(&SAMPLES, &tenant()).is_some()
}

/// Waits until `store` is alone, or is not.
async fn until(store: &PgStore, alone: bool) {
    let deadline = Instant::now() + PATIENCE;
    while is_alone(store) != alone {
        assert!(Instant::now() < deadline, "it does not become {alone}");
        sleep(Duration::from_millis(5)).await;
    }
}

async fn insert(store: &Arc<PgStore>, sample: &Sample) {
    port(store).insert(vec![Put::insert(sample)], Vec::new()).await.expect("it is new");
}

/// Sets the counter, one more than it was, and answers what it is; again while the process may not
/// write yet. A write gives up on that after some seconds, which a busy machine may take.
async fn count_up(store: &Arc<PgStore>) -> i64 {
    let next = |before: Sample| {
        let amount = before.amount.as_ref().map(|amount| amount + &Decimal::from(1));
        let after = Sample { amount, ..before };
        Ok::<_, StoreError>(Decision::changed(after, Vec::new()))
    };
    let deadline = Instant::now() + PATIENCE;
    loop {
        let counted = port(store).amend(&SAMPLES, &tenant(), "smp_1".to_owned(), next).await;
        match counted {
            Err(StoreError::Unavailable(why)) if why.starts_with(NOT_YET) => {
                assert!(Instant::now() < deadline, "{why}");
            }
            counted => return amount(&counted.expect("a server that is there counts")),
        }
    }
}

fn amount(sample: &Sample) -> i64 {
    sample.amount.as_ref().expect("an amount").to_string().parse().expect("a whole number")
}

/// Reads, again while connections are being ended.
async fn read(store: &Arc<PgStore>) -> i64 {
    loop {
        let found = port(store).get::<Sample>(&SAMPLES, &tenant(), "smp_1").await;
        if let Ok(found) = found {
            return amount(&found.expect("it is there"));
        }
    }
}

/// The same by a field.
async fn look_up(store: &Arc<PgStore>) -> i64 {
    loop {
        let found = port(store).look_up::<Sample>(&SAMPLES, "group", "counted").await;
        if let Ok(found) = found {
            return amount(&found[0]);
        }
    }
}

/// Readers of `store` who see to it that nothing is older than what was told before they asked.
struct Readers {
    told: Arc<AtomicI64>,
    is_over: Arc<AtomicBool>,
    tasks: Vec<tokio::task::JoinHandle<(u32, u32)>>,
}

impl Readers {
    fn of(store: &Arc<PgStore>, told: &Arc<AtomicI64>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let tasks = (0..4).map(|reader| {
            let (store, told) = (Arc::clone(store), Arc::clone(told));
            let is_over = Arc::clone(&is_over);
            tokio::spawn(async move {
                let (mut reads, mut near, mut least) = (0, 0, 0);
                while !is_over.load(Ordering::SeqCst) {
                    let before = told.load(Ordering::SeqCst).max(least);
                    let changed = store.changed(&SAMPLES, &tenant());
                    let seen =
                        if reader % 2 == 0 { read(&store).await } else { look_up(&store).await };
                    assert!(seen >= before, "{seen} after {before}");
                    let again = read(&store).await;
                    assert!(again >= seen, "{again} after {seen}");
                    let still = store.changed(&SAMPLES, &tenant());
                    if changed.is_some() && changed == still {
                        assert_eq!(seen, again, "nothing changed in between");
                        near += 1;
                    }
                    (reads, least) = (reads + 1, again);
                    tokio::task::yield_now().await;
                }
                (reads, near)
            })
        });
        Self { told: Arc::clone(told), tasks: tasks.collect(), is_over }
    }

    /// Counts up through `store`, `times`.
    async fn count(&self, store: &Arc<PgStore>, times: usize) {
        for _ in 0..times {
            let now = count_up(store).await;
            self.told.fetch_max(now, Ordering::SeqCst);
        }
    }

    /// How often they read, and how often nothing had changed.
    async fn end(self) -> (u32, u32) {
        self.is_over.store(true, Ordering::SeqCst);
        let (mut reads, mut near) = (0, 0);
        for task in self.tasks {
            let (read, was_near) = task.await.expect("a reader saw nothing old");
            (reads, near) = (reads + read, near + was_near);
        }
        (reads, near)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_process_alone_never_answers_what_was_before_its_own_writes() {
    let database = database();
    let store = open(&database.url).await;
    insert(&store, &counted(0)).await;
    until(&store, true).await;
    let readers = Readers::of(&store, &Arc::default());
    // Several connections write the same part at once.
    let other = |n: usize| Sample::new(entity(1), format!("smp_other_{n}"));
    for n in 0..100 {
        let sample = other(n);
        tokio::join!(readers.count(&store, 3), insert(&store, &sample));
    }
    let (reads, near) = readers.end().await;
    assert!(near > 100, "{near} of {reads}");
    assert_eq!(read(&store).await, 300);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_second_process_writes_only_when_the_first_keeps_nothing() {
    let database = database();
    let first = open(&database.url).await;
    insert(&first, &counted(0)).await;
    let told = Arc::new(AtomicI64::new(0));
    let readers = Readers::of(&first, &told);
    for turn in 0..6 {
        until(&first, true).await;
        let second = open(&database.url).await;
        let of_second = Readers::of(&second, &told);
        // The first one writes on while it is asked to leave.
        tokio::join!(readers.count(&second, 40), readers.count(&first, 40));
        assert!(!is_alone(&first) && !is_alone(&second), "turn {turn}: they are two");
        of_second.end().await;
    }
    let (reads, near) = readers.end().await;
    assert!(near > 100, "{near} of {reads}");
    assert_eq!(read(&first).await, 480);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_session_that_is_ended_makes_no_answer_old() {
    let database = database();
    let first = open(&database.url).await;
    insert(&first, &counted(0)).await;
    let told = Arc::new(AtomicI64::new(0));
    let readers = Readers::of(&first, &told);
    let owner = connect(&database.url).await;
    for _ in 0..4 {
        until(&first, true).await;
        let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                   WHERE datname = current_database() AND application_name = 'racun lease'";
        let ended: i64 = owner.query_one(end, &[]).await.unwrap().get(0);
        assert_eq!(ended, 1);
        let second = open(&database.url).await;
        tokio::join!(readers.count(&second, 20), readers.count(&first, 20));
    }
    assert!(readers.end().await.1 > 0);
    assert_eq!(read(&first).await, 160);
}

/// A store on a runtime that can be made to stand still, with what it believes.
struct Paused {
    /// None only while it is dropped.
    runtime: Option<Runtime>,
    store: Arc<PgStore>,
}

impl Paused {
    fn open(url: &str) -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().expect("a runtime");
        let url = url.to_owned();
        let store = std::thread::scope(|scope| {
            let opening = scope.spawn(|| runtime.block_on(async { open(&url).await }));
            opening.join().expect("it opens")
        });
        Self { runtime: Some(runtime), store }
    }

    /// Its only thread does nothing until what is answered is dropped.
    fn stand_still(&self) -> std::sync::mpsc::Sender<()> {
        let runtime = self.runtime.as_ref().expect("it is there");
        let (goes_on, standing) = std::sync::mpsc::channel::<()>();
        runtime.spawn(async move {
            let _ = standing.recv();
        });
        goes_on
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_that_stands_still_believes_nothing_when_others_write() {
    let database = database();
    let first = Paused::open(&database.url);
    insert(&first.store, &counted(0)).await;
    until(&first.store, true).await;
    assert_eq!(read(&first.store).await, 0);
    assert_eq!(read(&first.store).await, 0, "from memory");

    let goes_on = first.stand_still();
    let second = open(&database.url).await;
    let told = Arc::new(AtomicI64::new(0));
    let watching = {
        let (store, told) = (Arc::clone(&first.store), Arc::clone(&told));
        tokio::spawn(async move {
            // Cached rows can be read from other threads; uncached ones would wait.
            let mut looks = 0;
            while is_alone(&store) {
                let before = told.load(Ordering::SeqCst);
                let near = tokio::time::timeout(Duration::from_millis(50), read(&store)).await;
                assert!(near.is_err() || near == Ok(before), "{near:?} after {before}");
                looks += 1;
                tokio::task::yield_now().await;
            }
            looks
        })
    };
    // A stopped first process answers no caller: the second one waits until the first one's lease
    // has expired.
    let now = tokio::time::timeout(PATIENCE, count_up(&second)).await.expect("it waits no longer");
    told.store(now, Ordering::SeqCst);
    assert!(!is_alone(&first.store), "its validity has run out");
    assert!(watching.await.unwrap() > 0, "the first one read from memory while it was sure");
    drop(goes_on);
    assert_eq!(read(&first.store).await, 1, "it reads what is there when it goes on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_of_unknown_outcome_clears_the_cache() {
    let database = database();
    let store = open(&database.url).await;
    insert(&store, &counted(0)).await;
    let told = Arc::new(AtomicI64::new(0));
    let readers = Readers::of(&store, &told);
    let owner = connect(&database.url).await;
    for _ in 0..10 {
        until(&store, true).await;
        // Connections die while it writes; what was written nevertheless is seen by all.
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE datname = current_database() AND query LIKE 'COMMIT%' \
                   AND application_name <> 'racun lease'";
        let killing = async {
            for _ in 0..5 {
                owner.execute(end, &[]).await.unwrap();
                sleep(Duration::from_millis(3)).await;
            }
        };
        let writing = async {
            for _ in 0..10 {
                let next = |before: Sample| {
                    let amount = before.amount.as_ref().map(|amount| amount + &Decimal::from(1));
                    let after = Sample { amount, ..before };
                    Ok::<_, racun_store::StoreError>(racun_store::Decision::changed(
                        after,
                        Vec::new(),
                    ))
                };
                let written =
                    port(&store).amend(&SAMPLES, &tenant(), "smp_1".to_owned(), next).await;
                if let Ok(written) = written {
                    told.fetch_max(amount(&written), Ordering::SeqCst);
                }
            }
        };
        tokio::join!(writing, killing);
    }
    readers.end().await;
    let row = owner.query_one("SELECT amount::bigint FROM samples WHERE id = 'smp_1'", &[]).await;
    let stored: i64 = row.unwrap().get(0);
    assert_eq!(read(&store).await, stored);
}

/// Waits until the session of the lease has asked `times` again.
async fn looks(owner: &tokio_postgres::Client, times: usize) {
    let last = "SELECT max(query_start)::text FROM pg_stat_activity \
                WHERE datname = current_database() AND application_name = 'racun lease'";
    let deadline = Instant::now() + PATIENCE;
    let (mut seen, mut before) = (0, None);
    while seen <= times {
        assert!(Instant::now() < deadline, "it asked {seen} of {times} times");
        let asked: Option<String> = owner.query_one(last, &[]).await.expect("it answers").get(0);
        seen += usize::from(asked.is_some() && asked != before);
        before = asked;
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_others_are_said_to_write_nothing_is_kept() {
    let database = database();
    let options = Options { others_write: true, ..patient() };
    let store = Arc::new(PgStore::connect(&database.url, options).await.unwrap());
    let sample = counted(0);
    insert(&store, &sample).await;
    let owner = connect(&database.url).await;
    for count in 1..4 {
        looks(&owner, 2).await;
        assert!(!is_alone(&store));
        let amount = count.to_string();
        let update = "UPDATE samples SET body = jsonb_set(body, '{amount}', $1::text::jsonb) \
                      WHERE id = 'smp_1'";
        assert_eq!(owner.execute(update, &[&amount]).await.unwrap(), 1, "{}", sample.id());
        assert_eq!(read(&store).await, count);
    }
}
