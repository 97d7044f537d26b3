//! Processes on one database count requests together, exactly.

use std::collections::BTreeMap;

use racun_tests::{Account, Client, Data, Profile, Racun, Settings, StoreKind, on_both_stores};
use tokio::task::JoinSet;

on_both_stores! {
    four_clients_of_one_token_are_granted_exactly_its_limit,
}

/// What a token is granted in a minute.
const LIMIT: usize = 150;

/// Requests of each client.
const REQUESTS: usize = 100;

fn settings() -> Settings {
    [
        ("RACUN__RATE_LIMITS__ENABLED", "true".to_owned()),
        ("RACUN__RATE_LIMITS__PER_TOKEN", LIMIT.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

async fn four_clients_of_one_token_are_granted_exactly_its_limit(store: StoreKind) {
    let racun = Racun::start_with(Profile::Debug, Data::fresh(store), settings()).await;
    let account = Account::sign_up(&racun).await;
    check(&[account.api]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_grant_together_what_a_token_has() {
    let data = Data::fresh(StoreKind::Postgres);
    let Data::Database(database) = &data else { panic!("no database: {data:?}") };
    let url = database.url.clone();
    let first = Racun::start_with(Profile::Debug, data, settings()).await;
    let second = Racun::start_with(Profile::Debug, Data::Url(url), settings()).await;
    let account = Account::sign_up(&first).await;
    let there = account.at(&second);
    check(&[account.api, there.api]).await;
}

/// Four clients, spread over `apis`, ask until the limit is used up. A minute may end in between:
/// of what was asked in each of them the limit is granted, and no more.
async fn check(apis: &[Client]) {
    let mut clients = JoinSet::new();
    for api in apis.iter().cycle().take(4) {
        let api = api.clone();
        clients.spawn(async move {
            let mut told = Vec::new();
            for _ in 0..REQUESTS {
                let answer = api.get("/users/me").await;
                if answer.status == 429 {
                    answer.refused(429, "rate_limit_exceeded");
                    let seconds: u32 = answer.header("retry-after").parse().expect("seconds");
                    assert!((1..=60).contains(&seconds), "{seconds}");
                }
                let minute = answer.header("x-ratelimit-reset").to_owned();
                told.push((minute, answer.status == 429));
            }
            told
        });
    }
    // How many were granted and how many refused, by the end of their minute.
    let mut minutes: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (minute, is_refused) in clients.join_all().await.into_iter().flatten() {
        let (granted, refused) = minutes.entry(minute).or_default();
        *if is_refused { refused } else { granted } += 1;
    }
    let mut used_up = 0;
    for (granted, refused) in minutes.values() {
        let asked = granted + refused;
        assert_eq!(*granted, asked.min(LIMIT), "{minutes:?}");
        used_up += usize::from(asked > LIMIT);
    }
    // Signing up was counted for another token, so 400 requests are more than two minutes hold.
    assert!(used_up > 0, "{minutes:?}");
}
