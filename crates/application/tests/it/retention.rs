//! What is kept for a time only goes after that, step by step; all else stays.

use std::collections::BTreeMap;
use std::sync::Arc;

use racun_application::retention::{DEAD_JOBS_KEPT, DELIVERIES_KEPT, PARKED_KEPT, step};
use racun_background::consumer;
use racun_background::idempotency::{KEYED_REQUESTS, KeyedRequest};
use racun_background::jobs::{JOBS, Job, JobKind, JobState, NewJob};
use racun_background::request_log::{self, Appender, REQUEST_LOGS, RequestLog};
use racun_card_payments::{CONSENTS, ConnectedAccount, Consent, MAX_CONSENT_TIME};
use racun_kernel::{Environment, Stamp, Tenant};
use racun_store::{ACTIVITIES, Activity, ListQuery, Order, Record, Store, Table, Writes};
use racun_webhooks::{DELIVERIES, Delivery, DeliveryStatus, EndpointId, Generation, Owner};
use time::{Duration, OffsetDateTime};

use crate::fixture::{NOW, Shop, line, request};
use crate::takings::{on_postgres, on_sqlite};

async fn count<A: Record>(shop: &Shop, table: &'static Table, tenant: Tenant) -> usize {
    let query = ListQuery { limit: 100, ..ListQuery::first_page(table) };
    shop.store.page::<A>(table, &tenant, &query).await.unwrap().rows.len()
}

fn entry(shop: &Shop, at: OffsetDateTime) -> RequestLog {
    RequestLog {
        id: shop.stamp.id(),
        entity_id: shop.entity.id,
        request_id: "a".to_owned(),
        method: "POST".to_owned(),
        path: "/invoices".to_owned(),
        res_status: 201,
        resource_type: None,
        resource_id: None,
        action: None,
        client_name: None,
        req_body: None,
        res_body: None,
        headers: BTreeMap::new(),
        created_at: at,
    }
}

fn delivery(shop: &Shop, status: DeliveryStatus, at: OffsetDateTime) -> Delivery {
    Delivery {
        id: shop.stamp.id(),
        endpoint_id: EndpointId::Entity(shop.stamp.id()),
        generation: Generation::Current,
        owner: Owner::Entity { account_id: shop.scope.account(), entity_id: shop.entity.id },
        url: "https://example.com".to_owned(),
        event_type: "invoice.created".to_owned(),
        event_id: "evt".to_owned(),
        sequence: 1,
        is_test: false,
        status,
        request_body: "{}".to_owned(),
        response_status: None,
        response_body: None,
        error_message: None,
        attempt: 1,
        max_attempts: 5,
        first_attempt_at: None,
        next_retry_at: None,
        duration_ms: None,
        created_at: at,
        completed_at: matches!(status, DeliveryStatus::Success | DeliveryStatus::Failed)
            .then_some(at),
        replayed_at: None,
    }
}

fn dead(shop: &Shop, at: OffsetDateTime) -> Job {
    let new = NewJob {
        kind: JobKind::Mail,
        entity_id: None,
        subject: "x".to_owned(),
        payload: String::new(),
    };
    let job = Job::new(new, &shop.stamp.at(at));
    Job { state: JobState::Dead, due_at: None, ..job }
}

/// A consent that may be used until then.
fn consent(shop: &Shop, until: OffsetDateTime) -> Consent {
    Consent {
        id: shop.stamp.ulid().to_string(),
        environment: Environment::Sandbox,
        asked_by: "usr".to_owned(),
        account: ConnectedAccount { id: "acct_1".to_owned(), name: None },
        is_used: false,
        until,
        created_at: until - MAX_CONSENT_TIME,
    }
}

/// Takes steps until the round is over; answers how many rows they removed.
async fn round(store: &dyn Store, stamp: &Stamp) -> usize {
    let mut removed = 0;
    loop {
        let pruned = step(store, stamp).await.unwrap();
        removed += pruned.rows;
        if !pruned.has_more {
            return removed;
        }
    }
}

async fn what_is_over_goes(store: Arc<dyn Store>) {
    let shop = Shop::open_on(store, racun_store::testing::stamp(NOW)).await;
    let (own, account) = (shop.scope.tenant(), Tenant::account(shop.scope.account()));
    let events = count::<Activity>(&shop, &ACTIVITIES, own.clone()).await;
    for is_over in [false, true] {
        let beside = if is_over { -Duration::SECOND } else { Duration::SECOND };
        let at = |kept: Duration| NOW - kept + beside;
        let requests = vec![entry(&shop, at(request_log::KEPT))];
        Appender::default().append(&*shop.store, &requests).await.unwrap();
        let key = |at| {
            let (id, key) = (shop.scope.account(), format!("k{is_over}"));
            KeyedRequest::new(id, key, "f".to_owned(), at)
        };
        let writes = Writes::default()
            .insert(&delivery(&shop, DeliveryStatus::Failed, at(DELIVERIES_KEPT)))
            .insert(&delivery(&shop, DeliveryStatus::Success, at(DELIVERIES_KEPT)))
            .insert(&delivery(&shop, DeliveryStatus::Parked, at(PARKED_KEPT)))
            .insert(&delivery(&shop, DeliveryStatus::Pending, at(PARKED_KEPT)))
            .insert(&dead(&shop, at(DEAD_JOBS_KEPT)))
            .insert(&consent(&shop, at(Duration::ZERO)))
            .insert(&key(at(racun_background::idempotency::KEPT)));
        shop.cx().write(writes).await.unwrap();
    }
    assert_eq!(round(&*shop.store, &shop.stamp).await, 7);
    assert_eq!(count::<Delivery>(&shop, &DELIVERIES, own.clone()).await, 5);
    assert_eq!(count::<RequestLog>(&shop, &REQUEST_LOGS, own.clone()).await, 1);
    assert_eq!(count::<Job>(&shop, &JOBS, Tenant::directory()).await, 1);
    assert_eq!(count::<Consent>(&shop, &CONSENTS, Tenant::directory()).await, 1);
    assert_eq!(count::<KeyedRequest>(&shop, &KEYED_REQUESTS, account).await, 1);
    assert_eq!(count::<Activity>(&shop, &ACTIVITIES, own).await, events, "the log stays");

    assert_eq!(step(&*shop.store, &shop.stamp).await.unwrap().rows, 0, "a round is due once a day");
    let tomorrow = shop.stamp.at(NOW + Duration::days(1));
    assert_eq!(round(&*shop.store, &tomorrow).await, 7, "a day later the others are over");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_over_goes_from_sqlite() {
    what_is_over_goes(on_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_over_goes_from_postgres() {
    let (store, _database) = on_postgres().await;
    what_is_over_goes(store).await;
}

/// Two shops with more than a step removes.
#[tokio::test(flavor = "multi_thread")]
async fn a_round_is_made_of_steps_and_reaches_all_accounts() {
    let shop = Shop::open_on(on_sqlite(), racun_store::testing::stamp(NOW)).await;
    let other = Shop::open_on(Arc::clone(&shop.store), shop.stamp.clone()).await;
    for shop in [&shop, &other] {
        for _ in 0..12 {
            let old = NOW - Duration::days(40);
            let some: Vec<_> = (0..100).map(|_| entry(shop, old)).collect();
            Appender::default().append(&*shop.store, &some).await.unwrap();
        }
    }
    let first = step(&*shop.store, &shop.stamp).await.unwrap();
    assert_eq!((first.rows, first.has_more), (1_000, true));
    assert_eq!(round(&*shop.store, &shop.stamp).await, 1_400);
    for shop in [&shop, &other] {
        assert_eq!(count::<RequestLog>(shop, &REQUEST_LOGS, shop.scope.tenant()).await, 0);
    }
}

/// Of an entity the newest are kept, however many come, and those of others that come with them.
#[tokio::test(flavor = "multi_thread")]
async fn the_log_of_requests_of_an_entity_is_bounded() {
    let shop = Shop::open_on(on_sqlite(), racun_store::testing::stamp(NOW)).await;
    let other = Shop::open_on(Arc::clone(&shop.store), shop.stamp.clone()).await;
    let (most, mut log) = (request_log::MOST, Appender::default());
    let batches = most / 99 + 2;
    for n in 0..batches {
        let at = NOW + Duration::seconds(i64::try_from(n).unwrap());
        let some: Vec<_> = (0..99).map(|_| entry(&shop, at)).chain([entry(&other, at)]).collect();
        log.append(&*shop.store, &some).await.unwrap();
    }
    let oldest = ListQuery {
        limit: 1,
        order: vec![Order::on(&REQUEST_LOGS, "created_at", false)],
        ..ListQuery::first_page(&REQUEST_LOGS)
    };
    let gone = (99 * batches - most) / 99;
    for (shop, kept, gone) in [(&shop, most, gone), (&other, batches, 0)] {
        let page = shop.cx().page::<RequestLog>(&REQUEST_LOGS, &oldest).await.unwrap();
        assert_eq!(usize::try_from(page.pagination.total), Ok(kept));
        let first = NOW + Duration::seconds(i64::try_from(gone).unwrap());
        assert_eq!(page.rows[0].created_at, first, "the oldest went");
    }
}

/// What records looked like is forgotten once it is read and old; what happened is not.
#[tokio::test(flavor = "multi_thread")]
async fn snapshots_go_when_all_readers_are_past_them() {
    let shop = Shop::open_on(on_sqlite(), racun_store::testing::stamp(NOW)).await;
    shop.create(request(vec![line("Kruh", "1", "5")])).await.unwrap();
    let before = shop.logged(0).await;
    let held =
        |logged: &[racun_store::Logged]| logged.iter().filter(|one| one.snapshot.is_some()).count();
    assert!(held(&before) > 0);
    let [old, older] = [31, 32].map(|days| shop.stamp.at(NOW + Duration::days(days)));
    round(&*shop.store, &old).await;
    assert_eq!(held(&shop.logged(0).await), held(&before), "nobody has read them");
    let handle = |_| async { Ok(Vec::new()) };
    consumer::read(&*shop.store, "a reader", 1_000, &shop.stamp, handle).await.unwrap();
    assert_eq!(round(&*shop.store, &older).await, held(&before));
    let after = shop.logged(0).await;
    assert_eq!((held(&after), after.len()), (0, before.len()));
}
