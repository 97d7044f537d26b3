//! The contract of the log: what goes into it, and that a reader who follows it misses nothing.

use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Stamp, Tenant};

use super::amendments::{Failure, insert, one};
use super::join::join_all;
use super::sample::{SAMPLES, Sample, fresh_entity};
use crate::log::{ACTIVITIES, Activity, ActorType, Entry, Logged};
use crate::{
    Decision, Event, EventKind, ListQuery, Put, RawQuery, Record, Store, StoreError, Writes,
    evaluate,
};

crate::events! {
    /// What happens to samples, under names that the log has others of.
    pub mod happened on SAMPLES {
        CREATED = "invoice.created" to Entity,
        UPDATED = "invoice.updated" to Entity,
        DELETED = "invoice.deleted" to Entity,
        VOIDED = "invoice.voided" to Entity,
        RECEIVED = "payment.received" to Entity says "created",
        OPENED = "pos_tab.opened",
        ADDED = "sample.created",
        RENAMED = "sample.renamed",
        CHANGED = "sample.updated",
        ISSUED = "sample.issued",
    }
}

/// Units that write at once.
const CROWD: i64 = 48;
/// How often a follower looks for what must come.
const PATIENCE: usize = 50_000;

fn stamp(entity: EntityId) -> Stamp {
    super::stamp(Sample::new(entity, "").created_at)
}

/// That `kind` happened to `sample`.
fn event(sample: &Sample, kind: EventKind, stamp: &Stamp) -> Event {
    Event::new(sample.tenant(), kind, sample.id(), "usr_1".to_owned(), stamp)
}

/// The entries of `tenant` behind `position`, as soon as there are `count` of them.
async fn follow(store: &dyn Store, tenant: &Tenant, position: i64, count: usize) -> Vec<Logged> {
    let (mut found, mut last) = (Vec::new(), position);
    for _ in 0..PATIENCE {
        let batch = store.events_after(last, 7).await.expect("the store answers");
        let batch = store.recall(batch).await.expect("the store answers");
        assert!(batch.len() <= 7);
        for logged in batch {
            assert!(logged.position > last, "in the order of positions");
            last = logged.position;
            found.extend((logged.activity.tenant == *tenant).then_some(logged));
        }
        if found.len() >= count {
            break;
        }
    }
    found
}

pub(super) async fn an_entry_says_what_changed_and_what_is_there_now(store: &dyn Store) {
    let entity = fresh_entity();
    let (stamp, sample) = (stamp(entity), Sample::new(entity, "smp_1"));
    let named = Sample { name: Some("Žaga".to_owned()), ..sample.clone() };
    let told = |sample: &Sample, kind| vec![event(sample, kind, &stamp)];

    let insertion = store.insert(vec![Put::insert(&sample)], told(&sample, happened::CREATED));
    insertion.await.expect("it is new");
    for (kind, after) in [(happened::UPDATED, &named), (happened::RENAMED, &sample)] {
        let (after, events) = (after.clone(), told(&sample, kind));
        let decide = move |_: Sample| Ok::<_, StoreError>(Decision::changed(after, events));
        store.amend(&SAMPLES, &sample.tenant(), sample.id(), decide).await.expect("it is there");
    }
    let gone = Writes {
        puts: vec![Put::delete(&sample)],
        events: told(&sample, happened::DELETED),
        ..Writes::default()
    };
    let deletion = store.decide(vec![one(&sample)], None, |_| Ok::<_, StoreError>(((), gone)));
    deletion.await.expect("it is there");

    let found = follow(store, &sample.tenant(), 0, 4).await;
    let seen: Vec<(&str, Vec<&str>, Option<Sample>)> = found
        .iter()
        .map(|logged| {
            let fields = logged.activity.fields.iter().map(String::as_str).collect();
            let read = |body: &String| serde_json::from_str(body).expect("a sample");
            (&*logged.activity.kind, fields, logged.snapshot.as_ref().map(read))
        })
        .collect();
    let expected = [
        ("invoice.created", vec![], Some(sample.clone())),
        ("invoice.updated", vec!["name"], Some(named)),
        ("sample.renamed", vec!["name"], None),
        ("invoice.deleted", vec![], Some(sample.clone())),
    ];
    assert_eq!(seen, expected);
    let Activity { resource_type, resource_id, action, actor_type, actor_id, created_at, .. } =
        found[1].activity.clone();
    assert_eq!((&*resource_type, &*resource_id, &*action), ("Invoice", "smp_1", "updated"));
    assert_eq!((actor_type, actor_id.as_deref()), (ActorType::User, Some("usr_1")));
    assert_eq!(created_at, stamp.now());
}

pub(super) async fn an_entry_is_there_when_its_unit_is_committed(store: &dyn Store) {
    let entity = fresh_entity();
    let (stamp, sample) = (stamp(entity), Sample::new(entity, "smp_1"));
    let told = || vec![event(&sample, happened::ADDED, &stamp)];
    let first = told();
    store.insert(vec![Put::insert(&sample)], first.clone()).await.expect("it is new");
    let clash = store.insert(vec![Put::insert(&sample)], told()).await;
    assert_eq!(clash, Err(StoreError::Duplicate { table: "samples", field: "id" }));
    let refused = store.decide::<(), _>(vec![one(&sample)], None, |_| Err(Failure::Refused)).await;
    assert_eq!(refused, Err(Failure::Refused));
    let twice = store.insert(Vec::new(), first).await;
    assert_eq!(twice, Err(StoreError::Duplicate { table: "activities", field: "id" }));
    store.insert(Vec::new(), told()).await.expect("an entry needs no rows");

    let tenant = sample.tenant();
    let found = follow(store, &tenant, 0, 2).await;
    assert_eq!(found.len(), 2);
    let behind = follow(store, &tenant, found[0].position, 1).await;
    assert_eq!(behind, found[1..], "from a position on");
    let unfiltered = query("{}");
    let page = store.page::<Activity>(&ACTIVITIES, &tenant, &unfiltered).await;
    assert_eq!(page.expect("the store answers").pagination.total, 2, "the kept count");
}

fn query(text: &str) -> ListQuery {
    let raw = RawQuery {
        limit: Some("3".to_owned()),
        query: Some(text.to_owned()),
        ..RawQuery::default()
    };
    ListQuery::parse(&ACTIVITIES, &raw).expect("a query")
}

pub(super) async fn the_log_is_listed_like_any_table(store: &dyn Store) {
    let entity = fresh_entity();
    let (stamp, tenant) = (stamp(entity), Tenant::entity(entity));
    let kinds = [happened::CREATED, happened::RECEIVED, happened::OPENED, happened::VOIDED];
    let event = |n: usize, kind| {
        let actor = ["usr_1", "key_1", "system"][n % 3].to_owned();
        Event::new(tenant.clone(), kind, format!("inv_{}", n % 2), actor, &stamp)
    };
    let events: Vec<Event> =
        kinds.into_iter().enumerate().map(|(n, kind)| event(n, kind)).collect();
    let all: Vec<Activity> = events.iter().map(Activity::of).collect();
    store.insert(Vec::new(), events).await.expect("the ids are new");
    for text in [
        "{}",
        r#"{"resource_type": "Invoice"}"#,
        r#"{"resource_id": "inv_1"}"#,
        r#"{"action": {"in": ["created", "opened"]}}"#,
        r#"{"actor_type": "system"}"#,
        r#"{"actor_id": null}"#,
        r#"{"kind": {"startsWith": "pos_"}}"#,
        r#"{"created_at": {"lt": "2020-01-01T00:00:00Z"}}"#,
    ] {
        let query = query(text);
        let found = store.page::<Activity>(&ACTIVITIES, &tenant, &query).await;
        assert_eq!(found.expect("the store answers"), evaluate(&all, &query), "{text}");
    }
    let ids: Vec<String> = all.iter().take(1).map(Record::id).collect();
    let found: Result<Vec<Activity>, _> = store.get_all(&ACTIVITIES, &tenant, &ids).await;
    assert_eq!(found.as_deref(), Ok(&all[..1]));
    let found: Result<Vec<Activity>, _> = store.look_up(&ACTIVITIES, "resource_id", "inv_1").await;
    let is_mine = |found: &&Activity| found.tenant == tenant;
    assert_eq!(found.expect("the store answers").iter().filter(is_mine).count(), 2);
}

/// Raises the amount of one of three samples, refuses, or clashes with a row that is there.
async fn disturb(store: &dyn Store, samples: &[Sample], n: i64, stamp: &Stamp) {
    let place = usize::try_from(n).expect("a place") % samples.len();
    let (sample, stamp) = (samples[place].clone(), stamp.clone());
    let raise = move |before: Sample| {
        let amount = before.amount.as_ref().map(|amount| amount + &Decimal::from(1));
        let beside = if n % 5 == 1 { vec![Put::insert(&before)] } else { Vec::new() };
        if n % 5 == 2 {
            return Err(Failure::Refused);
        }
        let events = vec![event(&before, happened::UPDATED, &stamp)];
        Ok(Decision::Changed { record: Sample { amount, ..before }, beside, events })
    };
    let answer = store.amend(&SAMPLES, &sample.tenant(), sample.id(), raise).await;
    // In one group with a unit that clashes, others may be told to come again.
    assert!(n % 5 > 2 || n % 5 == 0 || answer.is_err(), "{answer:?}");
}

pub(super) async fn a_reader_of_the_log_misses_nothing(store: &dyn Store) {
    // Of several entities, whose transactions are under way side by side.
    let samples: Vec<Sample> = (0..8)
        .map(|_| Sample { amount: Some(Decimal::zero()), ..Sample::new(fresh_entity(), "smp_1") })
        .collect();
    insert(store, samples.iter().map(Put::insert).collect()).await;
    let stamp = stamp(samples[0].entity_id);
    let writes = async {
        for round in 0..6 {
            let crowd = (0..CROWD).map(|n| disturb(store, &samples, round * CROWD + n, &stamp));
            join_all(crowd).await;
        }
        Vec::new()
    };
    let is_mine = |entry: &Entry| samples.iter().any(|s| s.tenant() == entry.activity.tenant);
    // Looks all the time, and begins where the log is now.
    let begin = async {
        let (mut last, mut seen) = (0, Vec::new());
        for _ in 0..2_000 {
            for entry in store.events_after(last, 5).await.expect("the store answers") {
                last = entry.position;
                seen.push(entry);
            }
        }
        seen
    };
    let both: [std::pin::Pin<Box<dyn Future<Output = Vec<Entry>> + '_>>; 2] =
        [Box::pin(writes), Box::pin(begin)];
    let mut seen = join_all(both).await.remove(1);
    let last = seen.last().map_or(0, |entry| entry.position);

    let mut total = 0;
    for sample in &samples {
        let after: Sample = store
            .get(&SAMPLES, &sample.tenant(), "smp_1")
            .await
            .expect("the store answers")
            .expect("it is there");
        total += after.amount.and_then(|amount| amount.to_string().parse().ok()).unwrap_or(0);
    }
    let rest = async |tenants: usize| {
        let (mut last, mut rest) = (last, Vec::new());
        for _ in 0..PATIENCE {
            for entry in store.events_after(last, 100).await.expect("the store answers") {
                last = entry.position;
                rest.push(entry);
            }
            if rest.iter().filter(|entry| is_mine(entry)).count() >= tenants {
                break;
            }
        }
        rest
    };
    let missing = total - seen.iter().filter(|entry| is_mine(entry)).count();
    seen.extend(rest(missing).await);
    seen.retain(is_mine);
    assert_eq!(seen.len(), total, "every change that was committed, once");
    let seen = store.recall(seen).await.expect("the store answers");
    for sample in &samples {
        let of_it = seen.iter().filter(|logged| logged.activity.tenant == sample.tenant());
        for (n, logged) in of_it.enumerate() {
            let body = logged.snapshot.as_deref().expect("the kind is published");
            let left: Sample = serde_json::from_str(body).expect("a sample");
            let expected = i64::try_from(n + 1).expect("a number");
            assert_eq!(left.amount, Some(Decimal::from(expected)), "in the order of commits");
            assert_eq!(logged.activity.fields, ["amount"]);
        }
    }
}

pub(super) async fn a_snapshot_is_forgotten_and_its_entry_stays(store: &dyn Store) {
    let entity = fresh_entity();
    let (tenant, stamp) = (Tenant::entity(entity), stamp(entity));
    let later = stamp.at(stamp.now() + time::Duration::days(1));
    for (n, stamp) in [&stamp, &stamp, &later].into_iter().enumerate() {
        let sample = Sample::new(entity, format!("smp_{n}").as_str());
        let happened = event(&sample, happened::CREATED, stamp);
        store.insert(vec![Put::insert(&sample)], vec![happened]).await.expect("it is written");
    }
    let logged = follow(store, &tenant, 0, 3).await;
    let [first, second, third] = &logged[..] else { panic!("three entries, not {logged:?}") };
    let bytes = async || {
        let tenants = [tenant.clone()];
        store.stored_bytes(&tenants).await.expect("the store answers")
    };
    let stored = bytes().await;
    let forget = async |until: i64, before: time::OffsetDateTime, limit: usize| {
        store.forget_snapshots(&tenant, until, before, limit).await.expect("the store answers")
    };
    let (now, end) = (stamp.now(), later.now() + time::Duration::days(1));
    assert_eq!(forget(third.position, now, 9).await, 0, "all are later");
    assert_eq!(forget(first.position - 1, end, 9).await, 0, "readers are not past them");
    assert_eq!(forget(third.position, later.now(), 1).await, 1, "one at a time");
    assert_eq!(forget(third.position, later.now(), 9).await, 1);
    assert_eq!(forget(third.position, later.now(), 9).await, 0, "each once");
    let length = |logged: &Logged| {
        let snapshot = logged.snapshot.as_ref().map_or(0, String::len);
        i64::try_from(snapshot).expect("it is short")
    };
    assert!(length(first) > 0 && length(second) > 0, "they had snapshots");
    assert_eq!(stored - bytes().await, length(first) + length(second));
    let left = follow(store, &tenant, 0, 3).await;
    let kept: Vec<bool> = left.iter().map(|logged| logged.snapshot.is_some()).collect();
    assert_eq!(kept, [false, false, true]);
    for (before, after) in logged.iter().zip(&left) {
        assert_eq!((before.position, &before.activity), (after.position, &after.activity));
    }
}
