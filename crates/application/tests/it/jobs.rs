//! Jobs: taken once, by leases, whatever workers do; and read once, what they are made of.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_background::jobs::{
    self, Ending, Handler, JOBS, Job, JobError, JobKind, JobState, LeaseError, NewJob, Outcome,
};
use racun_kernel::id::EntityId;
use racun_kernel::{Stamp, Tenant};
use racun_store::testing::stamp;
use racun_store::{Context, ListQuery, Record, Store, Writes};
use racun_test_postgres::Database;
use time::{Duration, OffsetDateTime};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::fixture::{NOW, Shop};
use crate::takings::{on_postgres, on_sqlite};

const KINDS: [JobKind; 1] = [JobKind::WebhookDelivery];
const WORKERS: usize = 8;
const JOBS_MADE: usize = 500;

/// For what must happen.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// Both stores, and the database of one of them.
pub async fn stores() -> Vec<(Arc<dyn Store>, Option<Database>)> {
    let (postgres, database) = on_postgres().await;
    vec![(on_sqlite(), None), (postgres, Some(database))]
}

/// A stamp of now: leases on PostgreSQL are of its own clock.
fn real() -> Stamp {
    stamp(OffsetDateTime::from(std::time::SystemTime::now()))
}

fn delivery(subject: usize, entity_id: Option<EntityId>) -> NewJob {
    let (subject, payload) = (format!("whk_{subject}"), r#"{"a":1}"#.to_owned());
    NewJob { kind: JobKind::WebhookDelivery, entity_id, subject, payload }
}

async fn put(store: &dyn Store, jobs: &[Job]) {
    store.insert(jobs.iter().map(Job::put).collect(), Vec::new()).await.unwrap();
}

async fn kept(store: &dyn Store, job: &Job) -> Option<Job> {
    store.get(&JOBS, &Tenant::directory(), &job.id()).await.unwrap()
}

/// What the workers of a test have done.
#[derive(Default)]
struct Done {
    /// The attempts at each subject.
    begun: Mutex<BTreeMap<String, Vec<u32>>>,
    /// How many jobs have been ended, or left by a worker that died.
    over: AtomicUsize,
    /// When that is every job.
    all_over: Notify,
}

impl Done {
    fn one_is_over(&self) {
        if self.over.fetch_add(1, Ordering::SeqCst) + 1 == JOBS_MADE {
            self.all_over.notify_one();
        }
    }
}

/// Whether who takes this job first dies over it, whichever worker that is.
fn is_fatal(subject: &str) -> bool {
    let number: usize = subject.strip_prefix("whk_").unwrap().parse().unwrap();
    number.is_multiple_of(8)
}

/// Takes and ends jobs until there are none. Over some a worker dies: these are done when the lease
/// has run out.
async fn work(store: Arc<dyn Store>, clock: Arc<Mutex<OffsetDateTime>>, done: Arc<Done>) {
    for _ in 0..10_000 {
        let now = stamp(*clock.lock().unwrap());
        let taken = jobs::claim(&*store, &KINDS, &now, 16).await.unwrap();
        for job in &taken {
            let mut begun = done.begun.lock().unwrap();
            begun.entry(job.subject.clone()).or_default().push(job.attempts);
        }
        for job in &taken {
            if job.attempts == 1 && is_fatal(&job.subject) {
                done.one_is_over();
                continue;
            }
            jobs::end(&*store, job, Ending::Done, &now).await.unwrap();
            done.one_is_over();
        }
        if taken.is_empty() {
            let query = ListQuery::first_page(&JOBS);
            let left = store.list(&JOBS, &Tenant::directory(), &query).await.unwrap().1;
            if left == 0 {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
    panic!("the jobs have no end");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_workers_one_does_each_job() {
    for (store, database) in stores().await {
        let now = real();
        let all: Vec<Job> = (0..JOBS_MADE)
            .map(|n| Job { max_attempts: 3, ..Job::new(delivery(n, None), &now) })
            .collect();
        put(&*store, &all).await;
        let clock = Arc::new(Mutex::new(now.now()));
        let done = Arc::<Done>::default();
        let workers: Vec<_> = (0..WORKERS)
            .map(|_| {
                let (clock, done) = (Arc::clone(&clock), Arc::clone(&done));
                tokio::spawn(work(Arc::clone(&store), clock, done))
            })
            .collect();
        // The clock of the workers runs ahead of the leases in the end; PostgreSQL's own does not,
        // so there the leases of the dead are cut short by hand.
        timeout(PATIENCE, done.all_over.notified()).await.expect("each job is begun and over");
        *clock.lock().unwrap() += Duration::minutes(10);
        if database.is_some() {
            run_out(&*store).await;
        }
        for worker in workers {
            worker.await.unwrap();
        }
        let begun = done.begun.lock().unwrap();
        assert_eq!(begun.len(), JOBS_MADE);
        for (subject, attempts) in &*begun {
            let expected: &[u32] = if is_fatal(subject) { &[1, 2] } else { &[1] };
            assert_eq!(attempts, expected, "{subject}");
        }
    }
}

/// Lets the leases of all running jobs run out.
pub async fn run_out(store: &dyn Store) {
    let query = ListQuery { limit: JOBS_MADE, ..ListQuery::first_page(&JOBS) };
    let all = store.page::<Job>(&JOBS, &Tenant::directory(), &query).await.unwrap().rows;
    for job in all {
        let past = OffsetDateTime::UNIX_EPOCH;
        store
            .amend(&JOBS, &Tenant::directory(), job.id(), move |job: Job| {
                let job = Job { due_at: Some(past), ..job };
                Ok::<_, racun_store::StoreError>(racun_store::Decision::changed(job, Vec::new()))
            })
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_worker_whose_lease_expired_writes_nothing() {
    for (store, _database) in stores().await {
        let store = &*store;
        let now = real();
        let job = Job::new(delivery(1, None), &now);
        put(store, std::slice::from_ref(&job)).await;
        let [first] = &jobs::claim(store, &KINDS, &now, 5).await.unwrap()[..] else { panic!() };
        assert_eq!((first.attempts, first.state), (1, JobState::Running));
        assert_eq!(jobs::claim(store, &KINDS, &now, 5).await, Ok(Vec::new()), "it is leased");
        run_out(store).await;
        let later = now.at(now.now() + Duration::hours(1));
        let [second] = &jobs::claim(store, &KINDS, &later, 5).await.unwrap()[..] else { panic!() };
        assert_eq!(second.attempts, 2);

        let failed = || Ending::Failed { error: "no answer".to_owned(), wait: None };
        assert_eq!(jobs::end(store, first, failed(), &later).await, Err(LeaseError::Lost));
        // The same in a unit that does what the job is for.
        let (held, note) = (first.clone(), Job::new(delivery(2, None), &later));
        let effect = note.put();
        let mut unit = store.unit(racun_kernel::Tenant::directory());
        let own = first.hold(&mut unit);
        let ended = unit.decide(move |unit| {
            let held = jobs::still_held(&held, unit.find(own)?)?;
            Ok::<_, LeaseError>(((), Writes::default().puts([effect, held.done()])))
        });
        assert_eq!(ended.await, Err(LeaseError::Lost));
        assert_eq!(kept(store, &note).await, None);

        jobs::end(store, second, failed(), &later).await.unwrap();
        let waiting = kept(store, &job).await.unwrap();
        assert_eq!(
            (waiting.state, waiting.last_error.as_deref()),
            (JobState::Waiting, Some("no answer"))
        );
        assert_eq!(jobs::end(store, second, Ending::Done, &later).await, Err(LeaseError::Lost));
    }
}

/// Does what the payload says.
struct Acting;

#[async_trait]
impl Handler for Acting {
    fn kind(&self) -> JobKind {
        JobKind::WebhookDelivery
    }

    async fn run(&self, job: &Job) -> Outcome {
        let error = "410 Gone".to_owned();
        match &*job.payload {
            "panic" => panic!("a handler of this test panics on purpose"),
            "fail" => Outcome::Ends(Ending::Failed { error, wait: None }),
            "give up" => Outcome::Ends(Ending::Hopeless { error }),
            _ => Outcome::Ends(Ending::Done),
        }
    }
}

#[tokio::test]
async fn attempts_wait_longer_and_longer_until_the_job_is_given_up() {
    let store = on_sqlite();
    let mut now = NOW;
    let of = |payload: &str| NewJob { payload: payload.to_owned(), ..delivery(1, None) };
    for (payload, error) in [("fail", "410 Gone"), ("panic", "the handler panicked")] {
        let job = Job::new(of(payload), &stamp(now));
        put(&*store, std::slice::from_ref(&job)).await;
        for wait in [1, 5, 30, 120, 0] {
            let clock = || stamp(now);
            let taken = jobs::claim(&*store, &KINDS, &clock(), 5).await.unwrap();
            assert_eq!(taken.len(), 1, "{payload} {wait}");
            jobs::perform(&*store, &Acting, &taken[0], &clock).await.unwrap();
            let after = kept(&*store, &job).await.unwrap();
            assert_eq!(after.last_error.as_deref(), Some(error));
            if wait == 0 {
                assert_eq!((after.state, after.due_at), (JobState::Dead, None));
            } else {
                let due = now + Duration::minutes(wait);
                assert_eq!((after.state, after.due_at), (JobState::Waiting, Some(due)));
                let early = stamp(due - Duration::MILLISECOND);
                assert_eq!(jobs::claim(&*store, &KINDS, &early, 5).await, Ok(Vec::new()));
                now = due;
            }
        }
        assert_eq!(kept(&*store, &job).await.unwrap().attempts, 5);
        let far = stamp(now + Duration::days(30));
        assert_eq!(jobs::claim(&*store, &KINDS, &far, 5).await, Ok(Vec::new()), "dead is dead");
        let gone = kept(&*store, &job).await.unwrap();
        let deletion = racun_store::Put::delete(&gone);
        store.insert(vec![deletion], Vec::new()).await.unwrap();
    }
    for (payload, left) in [("give up", Some(JobState::Dead)), ("succeed", None)] {
        let job = Job::new(of(payload), &stamp(now + Duration::seconds(left.map_or(1, |_| 0))));
        put(&*store, std::slice::from_ref(&job)).await;
        let clock = || stamp(now + Duration::seconds(2));
        let taken = jobs::claim(&*store, &KINDS, &clock(), 5).await.unwrap();
        jobs::perform(&*store, &Acting, &taken[0], &clock).await.unwrap();
        assert_eq!(kept(&*store, &job).await.map(|job| job.state), left, "{payload}");
        if let Some(job) = kept(&*store, &job).await {
            store.insert(vec![racun_store::Put::delete(&job)], Vec::new()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_job_whose_last_attempt_never_ended_is_given_up_and_other_kinds_are_left_alone() {
    let store = on_sqlite();
    let mut now = stamp(NOW);
    let job = Job { max_attempts: 2, ..Job::new(delivery(1, None), &now) };
    put(&*store, std::slice::from_ref(&job)).await;
    assert_eq!(jobs::claim(&*store, &[JobKind::Mail], &now, 5).await, Ok(Vec::new()));
    for taken in [1, 1, 0] {
        assert_eq!(jobs::claim(&*store, &KINDS, &now, 5).await.unwrap().len(), taken);
        now = now.at(now.now() + job.kind.lease());
    }
    let dead = kept(&*store, &job).await.unwrap();
    assert_eq!((dead.state, dead.attempts), (JobState::Dead, 2));
}

#[tokio::test]
async fn admins_see_the_jobs_of_their_entity_and_restart_dead_ones() {
    let shop = Shop::open().await;
    let store = &*shop.store;
    let own = Job::new(delivery(1, Some(shop.scope.entity())), &shop.stamp);
    let other = Job::new(delivery(2, Some(shop.stamp.id())), &shop.stamp);
    put(store, &[own.clone(), other.clone()]).await;
    let page = jobs::list(shop.cx(), ListQuery::first_page(&JOBS)).await.unwrap();
    assert_eq!(page.rows, std::slice::from_ref(&own));

    let retry = |job: &Job| jobs::retry(Context::new(store, &shop.scope, &shop.stamp), job.id);
    assert_eq!(retry(&own).await, Err(JobError::NotDead));
    assert!(matches!(retry(&other).await, Err(JobError::NotFound { .. })));
    for job in jobs::claim(store, &KINDS, &shop.stamp, 5).await.unwrap() {
        let hopeless = Ending::Hopeless { error: "404".to_owned() };
        jobs::end(store, &job, hopeless, &shop.stamp).await.unwrap();
    }
    assert!(matches!(retry(&other).await, Err(JobError::NotFound { .. })));
    let again = retry(&own).await.unwrap();
    assert_eq!((again.state, again.attempts, again.due_at), (JobState::Waiting, 0, Some(NOW)));
    assert_eq!(kept(store, &own).await, Some(again));
    let told = store.events_after(0, 1_000).await.unwrap();
    assert_eq!(told.last().unwrap().activity.kind, "job.retried");
}
