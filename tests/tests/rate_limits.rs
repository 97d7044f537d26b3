//! Processes on one database count requests together, exactly.

use std::time::{Duration, SystemTime};

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

/// Seconds until the minute is over for certain.
fn seconds_left() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    61 - now.as_secs() % 60
}

/// Four clients, spread over `apis`, ask until the limit of a minute is used up.
async fn check(apis: &[Client]) {
    // A run that a minute ends in says nothing; it takes a few seconds.
    for _ in 0..3 {
        if seconds_left() < 30 {
            tokio::time::sleep(Duration::from_secs(seconds_left())).await;
        }
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
                    let reset = answer.header("x-ratelimit-reset").to_owned();
                    told.push((answer.status == 429, reset));
                }
                told
            });
        }
        let told: Vec<(bool, String)> = clients.join_all().await.into_iter().flatten().collect();
        let (first, last) =
            (told.iter().map(|told| &told.1).min(), told.iter().map(|told| &told.1).max());
        let granted = told.iter().filter(|(is_refused, _)| !is_refused).count();
        if first == last && told.len() == 4 * REQUESTS && granted > 0 {
            // Signing up was counted for another token.
            assert_eq!(granted, LIMIT);
            return;
        }
        println!("a minute ended in the run");
        tokio::time::sleep(Duration::from_secs(seconds_left())).await;
    }
    panic!("no run within one minute");
}
