//! The contract that every store passes unchanged.

use racun_kernel::testing::contract::{random_lists, store_contract};

use crate::support::Fixture;

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
