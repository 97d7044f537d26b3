//! The contract of numbers without gaps.

use racun_kernel::{Decimal, Tenant};

use super::amendments::Failure;
use super::join::join_all;
use super::sample::{Sample, fresh_entity};
use crate::{Put, Series, Store, StoreError, Writes};

/// Units that take a number of one series at once.
const CROWD: i64 = 64;

fn series(tenant: &Tenant, key: &str, start: i64) -> Series {
    Series { tenant: tenant.clone(), key: key.to_owned(), start }
}

/// Takes the next number of `series`.
async fn number(store: &dyn Store, series: Series) -> i64 {
    let taken = store.decide::<_, StoreError>(Vec::new(), Some(series), |loaded| {
        Ok((loaded.number, Writes { takes_number: true, ..Writes::default() }))
    });
    taken.await.expect("the store answers").expect("a unit with a series is shown a number")
}

pub(super) async fn numbers_are_used_once_and_without_gaps(store: &dyn Store) {
    let entity = fresh_entity();
    let tenant = Tenant::entity(entity);
    let issue = |n: i64| {
        let blank = Sample::new(entity, format!("smp_{n}"));
        let series = series(&tenant, "invoice/2026", 17);
        store.decide::<_, Failure>(Vec::new(), Some(series), move |loaded| {
            let number = loaded.number.ok_or(Failure::Refused)?;
            if n % 4 == 0 {
                return Err(Failure::Refused);
            }
            let issued = Sample { amount: Some(Decimal::from(number)), ..blank };
            let puts = vec![Put::insert(&issued)];
            Ok((number, Writes { puts, takes_number: true, ..Writes::default() }))
        })
    };
    let answers = join_all((0..CROWD).map(issue)).await;
    let mut used: Vec<i64> = answers.into_iter().flatten().collect();
    used.sort_unstable();
    let last = 17 + CROWD - CROWD / 4 - 1;
    assert_eq!(used, (17..=last).collect::<Vec<_>>());
    assert_eq!(store.series(&tenant).await, Ok(vec![("invoice/2026".to_owned(), last)]));
}

pub(super) async fn an_unused_number_is_offered_again(store: &dyn Store) {
    let entity = fresh_entity();
    let tenant = Tenant::entity(entity);
    let offered = |takes_number, refuse, puts: Vec<Put>| {
        store.decide::<_, Failure>(Vec::new(), Some(series(&tenant, "a", 1)), move |loaded| {
            if refuse || loaded.number != Some(1) {
                return Err(Failure::Refused);
            }
            Ok((loaded.number, Writes { puts, takes_number, ..Writes::default() }))
        })
    };
    let sample = Sample::new(entity, "smp_1");
    assert_eq!(offered(true, true, Vec::new()).await, Err(Failure::Refused));
    assert_eq!(offered(false, false, vec![Put::insert(&sample)]).await, Ok(Some(1)));
    let twice = offered(true, false, vec![Put::insert(&sample)]).await;
    assert!(matches!(twice, Err(Failure::Store(StoreError::Duplicate { .. }))), "{twice:?}");
    assert_eq!(store.series(&tenant).await, Ok(Vec::new()), "no number was used");
    assert_eq!(offered(true, false, Vec::new()).await, Ok(Some(1)));
    assert_eq!(number(store, series(&tenant, "a", 1)).await, 2);
}

pub(super) async fn series_count_apart(store: &dyn Store) {
    let (mine, other) = (Tenant::entity(fresh_entity()), Tenant::entity(fresh_entity()));
    assert_eq!(number(store, series(&mine, "b", 7)).await, 7);
    assert_eq!(number(store, series(&mine, "a", 1)).await, 1);
    assert_eq!(number(store, series(&other, "b", 1)).await, 1);
    // A series that has begun goes on from its last number, whatever start is named.
    assert_eq!(number(store, series(&mine, "b", 100)).await, 8);
    assert_eq!(
        store.series(&mine).await.map(|mut all| {
            all.sort();
            all
        }),
        Ok(vec![("a".to_owned(), 1), ("b".to_owned(), 8)])
    );
}
