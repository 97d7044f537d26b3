//! Closings under competition: numbers have no gaps, and a day is closed once.

use std::sync::Arc;

use racun_kernel::Patch;
use racun_pos::{Closing, NewClosing, PosError};
use racun_store::{Context, RawQuery, Store};
use racun_till::closings;

use crate::fixture::{Shop, decimal};
use crate::takings::{on_postgres, on_sqlite};

fn counted(date: &str) -> NewClosing {
    NewClosing {
        date: Patch::Value(date.to_owned()),
        counted_cash: Patch::Value(decimal("0")),
        ..NewClosing::default()
    }
}

async fn close(shop: &Shop, date: &str) -> Result<Closing, PosError> {
    let store = &*shop.store;
    closings::close(Context::new(store, &shop.scope, &shop.stamp), &shop.entity, counted(date))
        .await
}

/// Four close one day at once, and then one each of four others.
async fn race(store: Arc<dyn Store>) {
    let shop = Shop::open_on(store, racun_store::testing::stamp(crate::fixture::NOW)).await;
    let same = || close(&shop, "2026-11-10");
    let (a, b, c, d) = tokio::join!(same(), same(), same(), same());
    let outcomes = [a, b, c, d];
    let closed: Vec<&Closing> = outcomes.iter().filter_map(|it| it.as_ref().ok()).collect();
    assert_eq!(closed.len(), 1, "{outcomes:?}");
    for refused in outcomes.iter().filter_map(|it| it.as_ref().err()) {
        assert_eq!(*refused, PosError::DayClosed(Box::new(closed[0].clone())));
    }
    let (a, b, c, d) = tokio::join!(
        close(&shop, "2026-11-11"),
        close(&shop, "2026-11-12"),
        close(&shop, "2026-11-13"),
        close(&shop, "2026-11-14"),
    );
    for outcome in [&a, &b, &c, &d] {
        // A caller that loses three races gets an error and uses no number.
        assert!(matches!(outcome, Ok(_) | Err(PosError::ClosedMeanwhile)), "{outcome:?}");
    }
    let raw = RawQuery { order_by: vec!["number".to_owned()], ..RawQuery::default() };
    let all = closings::list(shop.cx(), &raw).await.unwrap();
    let numbers: Vec<i64> = all.rows.iter().map(|closing| closing.number).collect();
    assert_eq!(numbers, (1..=i64::try_from(numbers.len()).unwrap()).collect::<Vec<_>>());
    assert!(numbers.len() >= 2);
}

#[tokio::test]
async fn the_embedded_store_closes_a_day_once() {
    race(on_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_closes_a_day_once() {
    let (store, _database) = on_postgres().await;
    race(store).await;
}
