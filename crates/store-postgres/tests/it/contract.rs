//! The contract that every store passes unchanged.

use racun_store::testing::contract::{
    SAMPLES, Sample, random_lists, random_tallies, store_contract,
};
use racun_store::{Load, Put, Record, StoreError, Writes};

use crate::support::{Fixture, entity};

#[tokio::test(flavor = "multi_thread")]
async fn the_store_keeps_the_contract() {
    let fixture = Fixture::new().await;
    store_contract(fixture.store()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn random_lists_equal_the_reference() {
    let fixture = Fixture::new().await;
    for seed in 0..4 {
        random_lists(fixture.store(), seed, 25).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_tallies_equal_the_reference() {
    let fixture = Fixture::new().await;
    for seed in 0..4 {
        random_tallies(fixture.store(), seed, 100).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unique_value_moves_from_row_to_row_within_a_unit() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    let rows: Vec<Sample> = (0..8).map(|n| Sample::new(entity(1), format!("smp_{n}"))).collect();
    let with_code = |sample: &Sample| Sample { code: Some("A".to_owned()), ..sample.clone() };
    let mut puts: Vec<Put> = rows.iter().map(Put::insert).collect();
    // Each row takes the code from the one behind it: in another order two would have it.
    puts.push(Put::update(&rows[7], &with_code(&rows[7])));
    for pair in rows.windows(2).rev() {
        puts.push(Put::update(&with_code(&pair[1]), &pair[1]));
        puts.push(Put::update(&pair[0], &with_code(&pair[0])));
    }
    store.insert(puts, Vec::new()).await.unwrap();
    let found: Vec<Sample> = store.look_up(&SAMPLES, "code", "A").await.unwrap();
    assert_eq!(found.iter().map(Record::id).collect::<Vec<_>>(), ["smp_0"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_not_replaced_after_the_unit_deleted_it() {
    let fixture = Fixture::new().await;
    let store = fixture.store();
    let sample = Sample::new(entity(1), "smp_1");
    store.insert(vec![Put::insert(&sample)], Vec::new()).await.unwrap();

    let (table, id) = (&SAMPLES, sample.id());
    let held = vec![Load::One { table, tenant: sample.tenant(), id: id.clone() }];
    let puts = vec![Put::delete(&sample), Put::update(&sample, &sample)];
    let answer = store
        .decide::<_, StoreError>(held, None, |_| Ok(((), Writes { puts, ..Writes::default() })))
        .await;
    assert_eq!(answer, Err(StoreError::NotFound { id }));
    let kept: Option<Sample> = store.get(table, &sample.tenant(), "smp_1").await.unwrap();
    assert_eq!(kept, Some(sample));
}
