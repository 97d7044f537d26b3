//! The contract of uniqueness and of kept counts.

use racun_kernel::Tenant;
use time::macros::datetime;

use super::amendments::insert;
use super::join::join_all;
use super::sample::{SAMPLES, Sample, fresh_entity};
use crate::{
    Event, ListQuery, Put, RawQuery, Record, Store, StoreError, Unit, Writes, json_length,
};

fn duplicate(field: &'static str) -> Result<(), StoreError> {
    Err(StoreError::Duplicate { table: "samples", field })
}

fn with_code(code: &str, of: &Sample) -> Sample {
    Sample { code: Some(code.to_owned()), ..of.clone() }
}

/// The kept numbers of rows outside and inside the trash, which must be the counted ones.
async fn counts(store: &dyn Store, tenant: &Tenant) -> (i64, i64) {
    let mut totals = [0; 2];
    for (place, deleted) in ["false", "true"].into_iter().enumerate() {
        let mut raw = RawQuery { deleted: Some(deleted.to_owned()), ..RawQuery::default() };
        let query = ListQuery::parse(&SAMPLES, &raw).expect("it is well formed");
        let (_, kept) = store.list(&SAMPLES, tenant, &query).await.expect("the store answers");
        raw.query = Some(r#"{"created_at":{"not":null}}"#.to_owned());
        let query = ListQuery::parse(&SAMPLES, &raw).expect("it is well formed");
        let (_, counted) = store.list(&SAMPLES, tenant, &query).await.expect("the store answers");
        assert_eq!(kept, counted, "deleted={deleted}");
        totals[place] = kept;
    }
    (totals[0], totals[1])
}

pub(super) async fn a_code_is_taken_once_in_a_tenant(store: &dyn Store) {
    let entity = fresh_entity();
    let tenant = Tenant::entity(entity);
    let (first, second) = (Sample::new(entity, "smp_1"), Sample::new(entity, "smp_2"));
    let owner = with_code("A", &first);
    insert(store, vec![Put::insert(&owner), Put::insert(&second)]).await;

    let beside = Put::insert(&Sample::new(entity, "smp_3"));
    let clash = with_code("A", &second);
    let refused = store.insert(vec![beside, Put::update(&second, &clash)], Vec::new()).await;
    assert_eq!(refused, duplicate("code"));
    let fourth = with_code("A", &Sample::new(entity, "smp_4"));
    let refused = store.insert(vec![Put::insert(&fourth)], Vec::new()).await;
    assert_eq!(refused, duplicate("code"));
    assert_eq!(counts(store, &tenant).await, (2, 0), "nothing of a refused unit is written");
    let kept: Option<Sample> = store.get(&SAMPLES, &tenant, "smp_2").await.expect("it answers");
    assert_eq!(kept.as_ref(), Some(&second));

    // Another tenant, another spelling, and a code that became free.
    let foreign = with_code("A", &Sample::new(fresh_entity(), "smp_1"));
    insert(store, vec![Put::insert(&foreign), Put::update(&second, &with_code("a", &second))])
        .await;
    insert(store, vec![Put::delete(&owner), Put::insert(&fourth)]).await;
    assert_eq!(counts(store, &tenant).await, (2, 0));
}

pub(super) async fn a_handle_is_taken_once_everywhere(store: &dyn Store) {
    let (mine, other) = (fresh_entity(), fresh_entity());
    let handle = Some(mine.to_string());
    let owner = Sample { handle: handle.clone(), ..Sample::new(mine, "smp_1") };
    insert(store, vec![Put::insert(&owner)]).await;
    let clash = Sample { handle, ..Sample::new(other, "smp_1") };
    let refused = store.insert(vec![Put::insert(&clash)], Vec::new()).await;
    assert_eq!(refused, duplicate("handle"));
    assert_eq!(counts(store, &Tenant::entity(other)).await, (0, 0));
}

pub(super) async fn an_id_is_taken_once_in_a_tenant(store: &dyn Store) {
    let sample = Sample::new(fresh_entity(), "smp_1");
    let twin = Sample::new(fresh_entity(), "smp_1");
    insert(store, vec![Put::insert(&sample), Put::insert(&twin)]).await;
    let refused = store.insert(vec![Put::insert(&sample)], Vec::new()).await;
    assert_eq!(refused, duplicate("id"));
    assert_eq!(counts(store, &sample.tenant()).await, (1, 0));
}

pub(super) async fn of_many_who_take_one_code_at_once_one_succeeds(store: &dyn Store) {
    let entity = fresh_entity();
    let take = |n: i64| {
        let sample = with_code("A", &Sample::new(entity, format!("smp_{n}")));
        store.insert(vec![Put::insert(&sample)], Vec::new())
    };
    let answers = join_all((0..16).map(take)).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(answers.iter().filter(|answer| **answer == duplicate("code")).count(), 15);
    assert_eq!(counts(store, &Tenant::entity(entity)).await, (1, 0));
}

pub(super) async fn a_row_that_is_not_there_is_neither_replaced_nor_deleted(store: &dyn Store) {
    let entity = fresh_entity();
    let (there, missing) = (Sample::new(entity, "smp_1"), Sample::new(entity, "smp_2"));
    for put in [Put::update(&missing, &missing), Put::delete(&missing)] {
        let refused = store.insert(vec![Put::insert(&there), put], Vec::new()).await;
        assert_eq!(refused, Err(StoreError::NotFound { id: "smp_2".to_owned() }));
        assert_eq!(counts(store, &there.tenant()).await, (0, 0));
    }
}

pub(super) async fn kept_counts_follow_every_write(store: &dyn Store) {
    let entity = fresh_entity();
    let tenant = Tenant::entity(entity);
    assert_eq!(counts(store, &tenant).await, (0, 0));
    let live = ["smp_1", "smp_2", "smp_3"].map(|id| Sample::new(entity, id));
    let trashed = |sample: &Sample| Sample {
        deleted_at: Some(datetime!(2026-11-20 09:00 UTC)),
        ..sample.clone()
    };
    let [one, two, three] = live;
    let born_trashed = trashed(&Sample::new(entity, "smp_4"));
    let inserts = [&one, &two, &three, &born_trashed].map(Put::insert);
    insert(store, inserts.into()).await;
    assert_eq!(counts(store, &tenant).await, (3, 1));

    let to_trash = [&one, &two].map(|sample| Put::update(sample, &trashed(sample)));
    insert(store, to_trash.into()).await;
    assert_eq!(counts(store, &tenant).await, (1, 3));
    insert(store, vec![Put::update(&trashed(&one), &one), Put::update(&three, &three)]).await;
    assert_eq!(counts(store, &tenant).await, (2, 2));
    insert(store, vec![Put::delete(&trashed(&two)), Put::delete(&one)]).await;
    assert_eq!(counts(store, &tenant).await, (1, 1));
    let again = [Put::insert(&two), Put::delete(&two)];
    insert(store, again.into()).await;
    assert_eq!(counts(store, &tenant).await, (1, 1));
}

/// What is stored is counted in bytes, the log about it and nothing of refused units included.
pub(super) async fn bytes_are_counted(store: &dyn Store) {
    let entities = [fresh_entity(), fresh_entity()];
    let [tenant, other] = entities.map(Tenant::entity);
    let stored = async |tenants: &[Tenant]| store.stored_bytes(tenants).await.expect("it answers");
    assert_eq!(stored(std::slice::from_ref(&tenant)).await, 0);
    let small = Sample::new(entities[0], "smp_1");
    let length = |sample: &Sample| i64::try_from(json_length(sample)).expect("a sample is short");
    insert(store, vec![Put::insert(&small)]).await;
    assert_eq!(stored(std::slice::from_ref(&tenant)).await, length(&small));
    let large = Sample { note: Some("ž".repeat(5_000)), ..small.clone() };
    insert(store, vec![Put::update(&small, &large)]).await;
    assert_eq!(stored(std::slice::from_ref(&tenant)).await, length(&large));
    let refused = store.insert(vec![Put::insert(&large)], Vec::new()).await;
    assert_eq!(refused, duplicate("id"));
    let foreign = Sample::new(entities[1], "smp_1");
    insert(store, vec![Put::insert(&foreign)]).await;
    let both = [tenant.clone(), other];
    assert_eq!(stored(&both).await, length(&large) + length(&foreign));
    insert(store, vec![Put::delete(&large)]).await;
    assert_eq!(stored(&both).await, length(&foreign));
    let happened = super::stamp(small.created_at);
    let (kind, actor) = (super::log::happened::CREATED, "usr_1".to_owned());
    let told = Event::new(tenant, kind, small.id(), actor, &happened);
    store.insert(vec![Put::insert(&large)], vec![told.clone()]).await.expect("it is new");
    let twice = 2 * length(&large) + length(&foreign);
    let before = stored(&both).await;
    assert!(before > twice, "the log keeps what it looked like");

    // A unit says the same before it is written.
    let event = Event { id: happened.id(), snapshot: Some("{}".to_owned()), ..told };
    let puts = vec![Put::update(&large, &small)];
    let writes = Writes { puts, events: vec![event], takes_number: false };
    let said = writes.stored_bytes();
    let unit = Unit { loads: Vec::new(), series: None, decide: Box::new(|_| Ok(writes)) };
    store.transact(unit).await.expect("it is there");
    assert_eq!(stored(&both).await, before + said);
}
