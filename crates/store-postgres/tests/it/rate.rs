//! Requests are counted exactly, by any number of stores.

use futures_util::future::join_all;
use racun_store::{Bucket, RateLimits, Taken};
use racun_store_postgres::PgStore;

use crate::support::{Fixture, patient};

fn bucket(key: &str, limit: u32) -> Bucket {
    Bucket { key: key.to_owned(), limit }
}

/// What `take` answers within one minute of the server's clock: it is run again when one ends.
async fn in_one_minute<T>(run: impl AsyncFn(u32) -> (T, Vec<Taken>)) -> T {
    for attempt in 0..5 {
        let (told, taken) = run(attempt).await;
        if taken.iter().all(|one| one.ends_at == taken[0].ends_at) {
            return told;
        }
    }
    panic!("each minute ended in the run");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_stores_grant_together_exactly_what_buckets_hold() {
    let fixture = Fixture::new().await;
    let other = PgStore::connect(&fixture.database.url, patient()).await.unwrap();
    let stores = [&*fixture.store, &other];
    let granted = in_one_minute(async |attempt| {
        // Sixteen clients of two tokens at one address: 300 and 300 of 500.
        let clients = (0..16).map(|client| async move {
            let token = format!("token {attempt} {}", client % 2);
            let buckets = [bucket(&token, 300), bucket(&format!("address {attempt}"), 500)];
            let mut taken = Vec::new();
            for _ in 0..50 {
                taken.push(stores[client / 8].take(&buckets).await.unwrap());
            }
            taken
        });
        let taken: Vec<Taken> = join_all(clients).await.into_iter().flatten().collect();
        let granted = taken.iter().filter(|taken| taken.is_granted).count();
        let most =
            taken.iter().map(|taken| (taken.used[0], taken.used[1])).max_by_key(|used| used.1);
        ((granted, most.unwrap().1), taken)
    })
    .await;
    assert_eq!(granted, (500, 500));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_request_is_counted_in_no_bucket() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let used = in_one_minute(async |attempt| {
        let [narrow, wide] = ["narrow", "wide"].map(|name| format!("{name} {attempt}"));
        let (narrow, wide) = (bucket(&narrow, 2), bucket(&wide, 9));
        let both = [narrow, wide.clone()];
        let mut taken = Vec::new();
        for _ in 0..4 {
            taken.push(store.take(&both).await.unwrap());
        }
        taken.push(store.take(&[wide]).await.unwrap());
        let told: Vec<_> =
            taken.iter().map(|taken| (taken.is_granted, taken.used.clone())).collect();
        (told, taken)
    })
    .await;
    let expected = [
        (true, vec![1, 1]),
        (true, vec![2, 2]),
        (false, vec![2, 2]),
        (false, vec![2, 2]),
        (true, vec![3]),
    ];
    assert_eq!(used, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_is_the_minute_of_the_servers_clock() {
    let fixture = Fixture::new().await;
    let taken = fixture.store.take(&[bucket("a", 1)]).await.unwrap();
    assert_eq!(taken.ends_at % 60, 0);
    assert!((1..=60).contains(&taken.seconds_left), "{taken:?}");
    let owner = fixture.owner().await;
    let moved = "UPDATE rate_counts SET minute = minute - 1";
    owner.batch_execute(moved).await.unwrap();
    let taken = fixture.store.take(&[bucket("a", 1)]).await.unwrap();
    assert!(taken.is_granted, "another minute is another bucket: {taken:?}");
}
