//! Inline customers: however many sales name one at once, the catalogue has it once.

use racun_tests::{Account, Answer, Client, Data, Profile, Racun, StoreKind, on_both_stores};
use serde_json::json;
use tokio::task::JoinSet;

on_both_stores! {
    sales_at_once_make_one_customer_of_one,
}

#[tokio::test(flavor = "multi_thread")]
async fn sales_at_two_processes_make_one_customer_of_one() {
    let data = Data::fresh(StoreKind::Postgres);
    let Data::Database(database) = &data else { panic!("no database: {data:?}") };
    let url = database.url.clone();
    let first = Racun::start_on(Profile::Debug, data).await;
    let second = Racun::start_on(Profile::Debug, Data::Url(url)).await;
    let account = Account::sign_up(&first).await;
    let clients = [account.api.clone(), account.at(&second).api];
    check(&account, &clients).await;
}

/// Sales that are under way at once.
const AT_ONCE: usize = 16;

/// Sells to `name` in every client at once.
async fn sell(clients: &[Client], name: &str, is_draft: bool) -> Vec<Answer> {
    let mut under_way = JoinSet::new();
    for n in 0..AT_ONCE {
        let client = clients[n % clients.len()].clone();
        // However it is written.
        let written = if n % 2 == 0 { name.to_owned() } else { name.to_uppercase() };
        let body = json!({
            "customer": { "name": written, "city": "Celje" },
            "items": [{ "name": "Work", "price": 1, "taxes": [] }],
            "is_draft": is_draft,
        });
        under_way.spawn(async move {
            let answer = client.try_json("POST", "/invoices", body.to_string()).await;
            answer.expect("an answer")
        });
    }
    under_way.join_all().await
}

async fn sales_at_once_make_one_customer_of_one(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let clients = [account.api.clone()];
    check(&account, &clients).await;
}

/// Sells to three customers, issued at once and as drafts, and looks who is in the catalogue.
async fn check(account: &Account, clients: &[Client]) {
    for (round, is_draft) in [false, true, false].into_iter().enumerate() {
        let name = format!("Kupec {round}");
        let sold = sell(clients, &name, is_draft).await;
        let customers: Vec<String> =
            sold.iter().map(|sold| sold.expect(201)["customer_id"].to_string()).collect();
        assert!(customers.iter().all(|id| *id == customers[0] && id != "null"), "{customers:?}");
        assert_eq!(account.api.all("/customers").await.len(), round + 1);
    }
}
