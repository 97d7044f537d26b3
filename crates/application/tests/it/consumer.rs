//! Readers of the log: each entry makes what it makes once, however many processes read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use racun_background::consumer::{ConsumerOffset, LOG_READERS, Step, read};
use racun_background::jobs::{JOBS, Job, JobKind, NewJob};
use racun_background::log_window::LogWindow;
use racun_kernel::{Stamp, Tenant};
use racun_store::testing::stamp;
use racun_store::{Entry, Event, ListQuery, Put, Store, StoreDecorator, StoreError};

use crate::fixture::NOW;
use crate::jobs::stores;

const EVENTS: usize = 300;

racun_store::events! {
    mod happened {
        ENTRY = "a.made",
    }
}

/// A job for each entry.
fn made(entries: &[Entry], worker: u64) -> Vec<Put> {
    let stamp = stamp(NOW + time::Duration::days(i64::try_from(worker).unwrap()));
    let job = |entry: &Entry| {
        let subject = entry.activity.id.to_string();
        let new = NewJob { kind: JobKind::Mail, entity_id: None, subject, payload: String::new() };
        // An id of the worker's own: what is made twice is kept twice.
        let id = format!("job_{:026}", worker * 1_000_000_000 + entry.position.unsigned_abs());
        let id = id.parse().unwrap();
        Job { id, ..Job::new(new, &stamp) }.put()
    };
    entries.iter().map(job).collect()
}

/// Reads until `all` entries have been counted, by whichever worker.
async fn follow(store: Arc<dyn Store>, worker: u64, counted: Arc<AtomicUsize>, all: usize) {
    let mut idle = 0;
    while counted.load(Ordering::SeqCst) < all {
        let make = |entries: Vec<Entry>| async move { Ok(made(&entries, worker)) };
        match read(&*store, "test", 7, &stamp(NOW), make).await.unwrap() {
            Step::Read { count, .. } => {
                assert!((1..=7).contains(&count));
                counted.fetch_add(count, Ordering::SeqCst);
            }
            Step::Nothing => {
                idle += 1;
                assert!(idle < 10_000, "the log has no {all} entries");
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
            Step::Overtaken => {}
        }
    }
}

/// An entry of the log about `subject`.
fn entry(subject: impl Into<String>, now: &Stamp) -> Event {
    Event::new(Tenant::directory(), happened::ENTRY, subject.into(), "system".to_owned(), now)
}

/// Waits until the log shows `count` entries behind `position`: other transactions on the server
/// may hold it up for a moment.
async fn log_shows(store: &dyn Store, position: i64, count: usize) {
    while store.events_after(position, count).await.unwrap().len() < count {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_processes_that_read_each_entry_counts_once() {
    for (store, _database) in stores().await {
        let counted = Arc::<AtomicUsize>::default();
        // Two processes, in each of which two read through one window.
        let processes = [0, 1].map(|_| Arc::new(LogWindow::on(Arc::clone(&store))));
        let workers: Vec<_> = [0, 0, 1, 1]
            .into_iter()
            .zip(0..)
            .map(|(process, worker)| {
                let (window, counted) = (Arc::clone(&processes[process]), Arc::clone(&counted));
                tokio::spawn(follow(window, worker, counted, EVENTS))
            })
            .collect();
        let now = stamp(NOW);
        for n in 0..EVENTS {
            store.insert(Vec::new(), vec![entry(format!("a_{n}"), &now)]).await.unwrap();
        }
        for worker in workers {
            worker.await.unwrap();
        }
        let mut all = Vec::new();
        let mut query = ListQuery { limit: 1_000, ..ListQuery::first_page(&JOBS) };
        query.count = false;
        all.extend(store.page::<Job>(&JOBS, &Tenant::directory(), &query).await.unwrap().rows);
        let mut told: Vec<String> = all.iter().map(|job| job.subject.clone()).collect();
        assert_eq!(told.len(), EVENTS);
        told.sort();
        told.dedup();
        assert_eq!(told.len(), EVENTS, "none twice");
    }
}

#[tokio::test]
async fn a_reader_that_fails_reads_the_same_again_and_readers_go_apart() {
    for (store, _database) in stores().await {
        let (store, now) = (&*store, stamp(NOW));
        let three = ["a_1", "a_2", "a_3"].map(|subject| entry(subject, &now));
        store.insert(Vec::new(), three.into()).await.unwrap();
        log_shows(store, 0, 3).await;
        let broken = || StoreError::Unavailable("made on purpose".to_owned());
        let failed = read(store, "one", 2, &now, |_| async { Err(broken()) }).await;
        assert_eq!(failed, Err(broken()));
        for (name, expected) in
            [("one", vec!["a_1", "a_2"]), ("one", vec!["a_3"]), ("other", vec!["a_1", "a_2"])]
        {
            let step = read(store, name, 2, &now, |entries| {
                let read: Vec<_> = entries.iter().map(|e| &*e.activity.resource_id).collect();
                assert_eq!(read, expected, "{name}");
                async { Ok(Vec::new()) }
            });
            assert!(matches!(step.await, Ok(Step::Read { .. })));
        }
        assert!(read_so_far(store, "one").await >= 3);
        let nothing = read(store, "one", 2, &now, |_| async { Ok(Vec::new()) }).await;
        assert_eq!(nothing, Ok(Step::Nothing));
    }
}

/// One step of the consumer "steps" over at most 1,000 entries, each part of which leads to a job
/// with `bytes` of a payload. Answers what it did and how many entries each part had.
async fn step(store: &dyn Store, now: &Stamp, bytes: usize) -> (Step, Vec<usize>) {
    let mut parts = Vec::new();
    let handled = read(store, "steps", 1_000, now, |entries| {
        parts.push(entries.len());
        let subject = entries[0].activity.id.to_string();
        let payload = "x".repeat(bytes);
        let new = NewJob { kind: JobKind::Mail, entity_id: None, subject, payload };
        let made = vec![Job::new(new, now).put()];
        async move { Ok(made) }
    });
    (handled.await.unwrap(), parts)
}

#[tokio::test]
async fn a_step_handles_more_entries_until_much_is_to_be_written() {
    for (store, _database) in stores().await {
        let (store, now) = (&*store, stamp(NOW));
        let happens = async |from: usize, count: usize, behind| {
            let events = (from..from + count).map(|n| entry(format!("a_{n}"), &now)).collect();
            store.insert(Vec::new(), events).await.unwrap();
            log_shows(store, behind, count).await;
        };
        let read = |count, has_more| Step::Read { count, has_more };

        happens(0, 450, 0).await;
        assert_eq!(step(store, &now, 1).await, (read(450, false), vec![200, 200, 50]));
        assert_eq!(step(store, &now, 1).await, (Step::Nothing, Vec::new()));

        let (begin, much) = (read_so_far(store, "steps").await, 600 * 1_024);
        happens(450, 250, begin).await;
        assert_eq!(step(store, &now, much).await, (read(200, true), vec![200]));
        let left = store.events_after(read_so_far(store, "steps").await, 100).await.unwrap();
        assert_eq!(left.len(), 50, "the offset is behind what was handled");
        assert_eq!(left[0].activity.resource_id, "a_650");
        assert_eq!(step(store, &now, much).await, (read(50, false), vec![50]));
    }
}

/// The offset of the consumer `name`.
async fn read_so_far(store: &dyn Store, name: &str) -> i64 {
    let offset: Option<ConsumerOffset> =
        store.get(&LOG_READERS, &Tenant::directory(), name).await.unwrap();
    offset.unwrap().position
}

/// A store that counts how often its log is read.
struct Counted {
    inner: Arc<dyn Store>,
    reads: AtomicUsize,
}

#[async_trait]
impl StoreDecorator for Counted {
    fn inner(&self) -> &dyn Store {
        &*self.inner
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.inner.events_after(position, limit).await
    }
}

#[tokio::test]
async fn readers_of_a_window_read_entries_from_the_store_once() {
    for (store, _database) in stores().await {
        let now = stamp(NOW);
        let happen = async |subject: &str| {
            store.insert(Vec::new(), vec![entry(subject, &now)]).await.unwrap();
        };
        let counted = Arc::new(Counted { inner: Arc::clone(&store), reads: AtomicUsize::new(0) });
        let window = LogWindow::on(Arc::<Counted>::clone(&counted));
        // What is behind `position`, and how often the store was asked for it.
        let after = async |position: i64, limit: usize| {
            let before = counted.reads.load(Ordering::SeqCst);
            let found = StoreDecorator::events_after(&window, position, limit).await.unwrap();
            let subjects: Vec<_> = found.iter().map(|e| e.activity.resource_id.clone()).collect();
            (found, subjects, counted.reads.load(Ordering::SeqCst) - before)
        };
        for subject in ["a_1", "a_2", "a_3"] {
            happen(subject).await;
        }
        log_shows(&*store, 0, 3).await;
        let (first, subjects, reads) = after(0, 5).await;
        assert_eq!((subjects, reads), (vec!["a_1".into(), "a_2".into(), "a_3".into()], 1));
        let (_, subjects, reads) = after(0, 2).await;
        assert_eq!((subjects, reads), (vec!["a_1".into(), "a_2".into()], 0));
        let (_, subjects, reads) = after(first[0].position, 5).await;
        assert_eq!((subjects, reads), (vec!["a_2".into(), "a_3".into()], 0));

        let last = first[2].position;
        assert_eq!(after(last, 5).await.2, 1, "there may be more by now");
        happen("a_4").await;
        log_shows(&*store, last, 1).await;
        let (_, subjects, reads) = after(last, 5).await;
        assert_eq!((subjects, reads), (vec!["a_4".into()], 1));
        // Who is not as far reads on by itself.
        let (_, subjects, reads) = after(first[0].position, 1).await;
        assert_eq!((subjects, reads), (vec!["a_2".into()], 1));
    }
}
