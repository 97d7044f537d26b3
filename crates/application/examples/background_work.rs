//! Works off what is due, found by rows of its own and found as jobs, and prints how long each
//! takes: `cargo run --release -p racun-application --example background_work -- 2000`.
//!
//! Three sorts of work, on an embedded store on disk and on a PostgreSQL of its own: the row alone
//! (written, moved, taken away), subscriptions of as many entities, and deliveries to one receiver
//! that answers at once. Making what is due is not measured. ADR 0029 has the figures.

#![expect(clippy::print_stdout, reason = "it is what this program is for")]
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream;
use racun_background::jobs::{self, Job, JobKind, LeaseError, Limits, NewJob};
use racun_billing::{
    Catalogue, DueSubscription, NewSubscription, SUBSCRIPTIONS, Subscription, UsageMonth, due_by,
    due_put,
};
use racun_delivery::webhooks::{self, AT_ONCE, Webhooks};
use racun_kernel::{CannotOpen, Environment, Stamp, Tenant, Vault};
use racun_sales::billing;
use racun_store::{Decision, One, Put, Store, StoreError, Writes};
use racun_store_postgres::{Options, PgStore, migrate};
use racun_store_sqlite::SqliteStore;
use racun_test_postgres::{Cluster, Durability};
use racun_webhooks::{
    Courier, DELIVERIES, Delivery, DueDelivery, ENDPOINTS, Endpoint, EndpointInput, Owner, Post,
    ReceiverResponse, Rules, Schedule, Settled, Told, Undelivered,
};
use time::{Duration, OffsetDateTime};

/// Jobs that a process leases and does at once, and rows that it would work on at once.
const AT_ONE_TIME: usize = 64;

racun_store::events! {
    mod happened {
        CREATED = "invoice.created" to Entity,
    }
}

/// How many units of work something took, and how long.
struct Took {
    units: usize,
    millis: u128,
}

async fn timed(run: impl Future<Output = usize>) -> Took {
    let begun = Instant::now();
    let units = run.await;
    Took { units, millis: begun.elapsed().as_millis() }
}

fn print(what: &str, due: &Took, jobs: &Took) {
    let percent = jobs.millis * 100 / due.millis.max(1);
    println!(
        "  {what}: due rows {} units {} ms, jobs {} units {} ms: {percent} %",
        due.units, due.millis, jobs.units, jobs.millis
    );
}

fn job(kind: JobKind, subject: String, payload: String, stamp: &Stamp) -> Job {
    Job::new(NewJob { kind, entity_id: None, subject, payload }, stamp)
}

async fn write(store: &dyn Store, puts: Vec<Put>) {
    for some in puts.chunks(500) {
        store.insert(some.to_vec(), Vec::new()).await.unwrap();
    }
}

/// Writes each of `puts` in a unit of its own, as many at once as requests might.
async fn each(store: &dyn Store, puts: Vec<Put>) -> usize {
    let count = puts.len();
    let units = puts.into_iter().map(|put| store.insert(vec![put], Vec::new()));
    stream::iter(units).buffer_unordered(AT_ONE_TIME).for_each(async |done| done.unwrap()).await;
    count
}

/// The row alone, as each record writes it, moves it and takes it away.
async fn rows(store: &dyn Store, count: usize, stamp: &Stamp) {
    let later = stamp.now() + Duration::hours(1);
    let (mut due, mut kept) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (entity_id, due_at) = (stamp.id(), stamp.now());
        let row = DueSubscription { id: stamp.id(), entity_id, due_at, created_at: due_at };
        let job = job(JobKind::InvoiceOverdue, row.id.to_string(), entity_id.to_string(), stamp);
        kept.push((job.clone(), job.due(later)));
        due.push((row.clone(), DueSubscription { due_at: later, ..row }));
    }
    let insert = (
        timed(each(store, due.iter().map(|(row, _)| Put::insert(row)).collect())).await,
        timed(each(store, kept.iter().map(|(row, _)| Put::insert(row)).collect())).await,
    );
    print("a row is written", &insert.0, &insert.1);
    let update = (
        timed(each(store, due.iter().map(|(a, b)| Put::update(a, b)).collect())).await,
        timed(each(store, kept.iter().map(|(a, b)| Put::update(a, b)).collect())).await,
    );
    print("a row is moved", &update.0, &update.1);
    let delete = (
        timed(each(store, due.iter().map(|(_, row)| Put::delete(row)).collect())).await,
        timed(each(store, kept.iter().map(|(_, row)| Put::delete(row)).collect())).await,
    );
    print("a row is taken away", &delete.0, &delete.1);
}

fn catalogue() -> Catalogue {
    let file = serde_json::json!({"white_labels": [{
        "slug": "acme", "name": "Acme", "hosts": ["app.acme.example"], "billing_enabled": true,
        "default_plan": "free",
        "plans": [{"slug": "free", "name": "Free", "base_price_cents": 0, "display_order": 1}],
    }]});
    serde_json::from_value::<Catalogue>(file).unwrap().complete().unwrap()
}

/// Subscriptions of `count` entities whose month is over at `stamp`.
fn subscriptions(count: usize, stamp: &Stamp) -> Vec<Subscription> {
    let catalogue = catalogue();
    let white_label = catalogue.by_slug("acme").unwrap();
    let begun = stamp.at(stamp.now() - Duration::days(40));
    let new = |_| NewSubscription {
        entity_id: stamp.id(),
        account_id: stamp.id(),
        environment: Environment::Live,
        white_label,
    };
    (0..count).map(|n| Subscription::start(new(n), &begun).unwrap()).collect()
}

/// What an advance writes beside the subscription and the row by which it is found.
fn months(
    before: &Subscription,
    stamp: &Stamp,
) -> (Subscription, Vec<Put>, Vec<racun_store::Event>) {
    let advanced = before.clone().advance(stamp.now());
    let after = advanced.subscription;
    let months = advanced
        .ended
        .into_iter()
        .map(|month| Put::insert(&UsageMonth::new(after.entity_id, month, stamp)));
    let puts = months.collect();
    let events = advanced.happened.into_iter().map(|what| after.event(what, "system", stamp));
    let events = events.collect();
    (after, puts, events)
}

async fn by_row(store: &dyn Store, row: DueSubscription, stamp: Stamp) {
    let (tenant, id) = (Tenant::entity(row.entity_id), row.id.to_string());
    let advance = move |before: Subscription| {
        let (record, mut beside, events) = months(&before, &stamp);
        beside.extend(due_put(Some(&before), &record));
        Ok::<_, StoreError>(Decision::Changed { record, beside, events })
    };
    store.amend(&SUBSCRIPTIONS, &tenant, id, advance).await.unwrap();
}

async fn by_job(store: &dyn Store, job: Job, stamp: Stamp) {
    let mut unit = store.unit(Tenant::entity(job.payload.parse().unwrap()));
    let subscription: One<Subscription> = unit.hold(&SUBSCRIPTIONS, &job.subject);
    let own = job.hold(&mut unit);
    let advanced = unit.decide(move |held| {
        let before: Subscription = held.one(subscription)?;
        let now = held.now().unwrap_or(stamp.now());
        let leased = jobs::still_held(&job, held.find(own)?)?;
        let (after, puts, events) = months(&before, &stamp);
        let next = after.due_row().map_or(now, |row| row.due_at);
        let writes = Writes::default().update(&before, &after).puts(puts);
        Ok::<_, LeaseError>(((), writes.put(leased.later(next, now)).events(events)))
    });
    advanced.await.unwrap();
}

/// Works off all due rows, page by page, so many at once.
async fn rows_at_once(store: &dyn Store, at_once: usize, stamp: &Stamp) -> usize {
    let mut units = 0;
    loop {
        let (directory, query) = (Tenant::directory(), due_by(stamp.now()));
        let page = store.page(&racun_billing::DUE_SUBSCRIPTIONS, &directory, &query).await;
        let rows: Vec<DueSubscription> = page.unwrap().rows;
        if rows.is_empty() {
            return units;
        }
        units += rows.len();
        let work = rows.into_iter().map(|row| by_row(store, row, stamp.clone()));
        stream::iter(work).buffer_unordered(at_once).collect::<Vec<()>>().await;
    }
}

/// Works off all due jobs, lease by lease, so many at once.
async fn jobs_at_once(store: &dyn Store, at_once: usize, stamp: &Stamp) -> usize {
    let mut units = 0;
    loop {
        let kinds = [JobKind::ExportExpiry];
        let jobs = jobs::claim(store, &kinds, stamp, AT_ONE_TIME).await.unwrap();
        if jobs.is_empty() {
            return units;
        }
        units += jobs.len() + 1;
        let work = jobs.into_iter().map(|job| by_job(store, job, stamp.clone()));
        stream::iter(work).buffer_unordered(at_once).collect::<Vec<()>>().await;
    }
}

/// One record each in as many tenants: subscriptions, as recurring invoices are.
async fn records(store: &dyn Store, count: usize, stamp: &Stamp) {
    for at_once in [1, AT_ONE_TIME] {
        let all = subscriptions(count, stamp);
        let puts = all.iter().flat_map(|own| [Some(Put::insert(own)), due_put(None, own)]);
        write(store, puts.flatten().collect()).await;
        let due = if at_once == AT_ONE_TIME {
            let limits = Limits { rows: count, each: 1 };
            let run = async { billing::run_due(store, stamp, limits).await.unwrap().done };
            timed(run).await
        } else {
            timed(rows_at_once(store, at_once, stamp)).await
        };
        let all = subscriptions(count, stamp);
        let found = |own: &Subscription| {
            job(JobKind::ExportExpiry, own.id.to_string(), own.entity_id.to_string(), stamp)
        };
        let puts = all.iter().flat_map(|own| [Put::insert(own), found(own).put()]);
        write(store, puts.collect()).await;
        let jobs = timed(jobs_at_once(store, at_once, stamp)).await;
        assert!(due.units >= count && jobs.units > count, "all were due");
        print(&format!("subscriptions, {at_once} at once"), &due, &jobs);
    }
}

struct Unsealed;

impl Vault for Unsealed {
    fn seal(&self, _: &str, _: &[u8], _: &Stamp) -> String {
        String::new()
    }

    fn open(&self, _: &str, _: &str) -> Result<Vec<u8>, CannotOpen> {
        Err(CannotOpen)
    }
}

/// A receiver that has everything at once.
struct Prompt;

#[async_trait]
impl Courier for Prompt {
    async fn post(&self, _: &Post) -> Result<ReceiverResponse, Undelivered> {
        Ok(ReceiverResponse { status: 200, body: String::new(), took: std::time::Duration::ZERO })
    }
}

/// An endpoint and `count` deliveries for it.
fn deliveries(count: usize, stamp: &Stamp) -> (Endpoint, Vec<Delivery>) {
    let owner = Owner::Entity { account_id: stamp.id(), entity_id: stamp.id() };
    let input = EndpointInput {
        url: Some("https://example.com/hooks".to_owned()).into(),
        events: Some(vec!["invoice.created".to_owned()]).into(),
        ..EndpointInput::default()
    };
    let rules = Rules { accepts: &|_| Ok(()), events: happened::ALL };
    let (mut endpoint, _) = input.into_endpoint(owner, &Unsealed, rules, stamp).unwrap();
    endpoint.secret = None;
    let told = Told {
        event_id: "evt_1".to_owned(),
        sequence: 7,
        kind: "invoice.created".to_owned(),
        at: stamp.now(),
        data: format!(r#"{{"id":"inv_1","text":"{}"}}"#, "x".repeat(2_000)),
    };
    let first = |_| Delivery::first(&endpoint, &told, &Schedule::default(), stamp);
    let all = (0..count).map(first).collect();
    (endpoint, all)
}

/// Posts what `job` is about and ends it in the commit of what came of it.
async fn deliver(store: &dyn Store, job: Job, endpoint: Endpoint, stamp: Stamp) {
    let tenant = endpoint.owner.tenant();
    let read = store.get(&DELIVERIES, &tenant, &job.subject).await;
    let delivery: Delivery = read.unwrap().unwrap();
    let outcome = Prompt.post(&delivery.post(&[], stamp.now())).await;
    let mut unit = store.unit(tenant);
    let held_endpoint: One<Endpoint> = unit.hold(&ENDPOINTS, endpoint.id);
    let held_delivery: One<Delivery> = unit.hold(&DELIVERIES, delivery.id);
    let own = job.hold(&mut unit);
    let settled = unit.decide(move |held| {
        let before: Endpoint = held.one(held_endpoint)?;
        let (mut after, delivery) = (before.clone(), held.one(held_delivery)?);
        let leased = jobs::still_held(&job, held.find(own)?)?;
        let due = DueDelivery::of(&delivery, stamp.now(), stamp.now());
        let schedule = Schedule::default();
        let settled =
            racun_webhooks::settle(&delivery, &due, &outcome, Some(&mut after), &schedule, &stamp);
        let Settled { delivery: ended, .. } = settled;
        let mut writes = Writes::default().update(&delivery, &ended).put(leased.done());
        if after != before {
            writes = writes.update(&before, &after);
        }
        Ok::<_, LeaseError>(((), writes))
    });
    settled.await.unwrap();
}

/// Many records of one tenant: deliveries to one receiver.
async fn receiver(store: &dyn Store, count: usize, stamp: &Stamp) {
    let (endpoint, all) = deliveries(count, stamp);
    let due = |own| Put::insert(&DueDelivery::of(own, stamp.now(), stamp.now()));
    let puts = all.iter().flat_map(|own| [Put::insert(own), due(own)]);
    write(store, std::iter::once(Put::insert(&endpoint)).chain(puts).collect()).await;
    let webhooks = Webhooks {
        vault: None,
        courier: Arc::new(Prompt),
        schedule: Schedule::default(),
        events: racun_application::events(),
    };
    let (now, id) = (|| stamp.clone(), endpoint.id);
    let shares = async {
        let mut units = 0;
        loop {
            let share = webhooks::run_endpoint(store, &webhooks, id, AT_ONE_TIME, &now);
            let share = share.await.unwrap();
            units += if share.attempts > 0 { 2 } else { 0 };
            if !share.has_more {
                return units;
            }
        }
    };
    let due = timed(shares).await;
    let (endpoint, all) = deliveries(count, stamp);
    let found =
        |own: &Delivery| job(JobKind::WebhookDelivery, own.id.to_string(), String::new(), stamp);
    let puts = all.iter().flat_map(|own| [Put::insert(own), found(own).put()]);
    write(store, std::iter::once(Put::insert(&endpoint)).chain(puts).collect()).await;
    for at_once in [AT_ONCE, AT_ONE_TIME] {
        let half = async {
            let mut units = 0;
            while units < count / 2 {
                let kinds = [JobKind::WebhookDelivery];
                let jobs = jobs::claim(store, &kinds, stamp, AT_ONE_TIME).await.unwrap();
                units += jobs.len() + 1;
                let work = jobs
                    .into_iter()
                    .map(|job| deliver(store, job, endpoint.clone(), stamp.clone()));
                stream::iter(work).buffer_unordered(at_once).collect::<Vec<()>>().await;
            }
            units
        };
        let half = timed(half).await;
        let jobs = Took { units: half.units * 2, millis: half.millis * 2 };
        print(&format!("deliveries to one receiver, {at_once} at once"), &due, &jobs);
    }
}

async fn measure(name: &str, store: &dyn Store, count: usize) {
    println!("{name}, {count} of each");
    let now = OffsetDateTime::from(std::time::SystemTime::now());
    let stamp = racun_store::testing::stamp(now);
    rows(store, count, &stamp).await;
    records(store, count, &stamp).await;
    receiver(store, count, &stamp).await;
}

#[tokio::main]
async fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(2_000);
    let folder = tempfile::tempdir().unwrap();
    let (tables, version) = (racun_application::tables(), racun_application::DATA_VERSION);
    let file = folder.path().join("racun.db");
    let store = SqliteStore::open(&file, &tables, version).unwrap();
    measure("SQLite", &store, count).await;
    let cluster = Cluster::start(Durability::Durable).unwrap();
    let url = cluster.url("postgres");
    migrate(&url).await.unwrap();
    let store = PgStore::connect(&url, Options::default()).await.unwrap();
    measure("PostgreSQL", &store, count).await;
}
