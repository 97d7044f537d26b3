//! Readers of the log: each entry makes what it makes once, however many processes read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use racun_background::consumer::{ConsumerOffset, LOG_READERS, Step, read};
use racun_background::jobs::{JOBS, Job, JobKind, NewJob};
use racun_kernel::Tenant;
use racun_store::testing::stamp;
use racun_store::{Entry, Event, ListQuery, Put, Store, StoreError};

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
            Step::Read(count) => {
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

#[tokio::test(flavor = "multi_thread")]
async fn of_many_processes_that_read_each_entry_counts_once() {
    for (store, _database) in stores().await {
        let counted = Arc::<AtomicUsize>::default();
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let (store, counted) = (Arc::clone(&store), Arc::clone(&counted));
                tokio::spawn(follow(store, worker, counted, EVENTS))
            })
            .collect();
        let now = stamp(NOW);
        for n in 0..EVENTS {
            let (subject, actor) = (format!("a_{n}"), "system".to_owned());
            let event = Event::new(Tenant::directory(), happened::ENTRY, subject, actor, &now);
            store.insert(Vec::new(), vec![event]).await.unwrap();
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
        let event = |subject: &str| {
            let (subject, actor) = (subject.to_owned(), "system".to_owned());
            Event::new(Tenant::directory(), happened::ENTRY, subject, actor, &now)
        };
        store.insert(Vec::new(), vec![event("a_1"), event("a_2"), event("a_3")]).await.unwrap();
        // Others may hold the log of the server up for a moment.
        while store.events_after(0, 5).await.unwrap().len() < 3 {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        let broken = || StoreError::Unavailable("made on purpose".to_owned());
        let failed = read(store, "one", 2, &now, |_| async { Err(broken()) }).await;
        assert_eq!(failed, Err(broken()));
        for (name, expected) in
            [("one", vec!["a_1", "a_2"]), ("one", vec!["a_3"]), ("other", vec!["a_1", "a_2"])]
        {
            let step = read(store, name, 2, &now, |entries| async move {
                let read: Vec<_> = entries.iter().map(|e| &*e.activity.resource_id).collect();
                assert_eq!(read, expected, "{name}");
                Ok(Vec::new())
            });
            assert!(matches!(step.await, Ok(Step::Read(_))));
        }
        let one: Option<ConsumerOffset> =
            store.get(&LOG_READERS, &Tenant::directory(), "one").await.unwrap();
        assert!(one.unwrap().position >= 3);
        let nothing = read(store, "one", 2, &now, |_| async { Ok(Vec::new()) }).await;
        assert_eq!(nothing, Ok(Step::Nothing));
    }
}
