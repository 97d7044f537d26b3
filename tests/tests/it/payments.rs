//! Payments: however many come at once, an invoice is never settled beyond its total.

use racun_tests::{Account, Answer, Client, Racun, Random, StoreKind, on_both_stores, with_query};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    of_sixteen_payments_of_the_whole_exactly_one_wins,
    payments_deletions_and_restores_at_once_keep_totals,
}

/// Payments that are under way at once.
const AT_ONCE: usize = 16;
/// Invoices that are raced for.
const ROUNDS: usize = 200;

async fn invoice(api: &Client, cents: u64, linked: &[&str]) -> String {
    let price = format!("{}.{:02}", cents / 100, cents % 100);
    let links = serde_json::to_string(linked).expect("texts are JSON");
    let body = format!(
        r#"{{"items":[{{"name":"Work","price":{price},"taxes":[]}}],"linked_documents":{links}}}"#
    );
    let made = api.try_json("POST", "/invoices", body).await.expect("an answer").expect(201);
    made["id"].as_str().expect("an id").to_owned()
}

fn payment(document: &str, cents: u64) -> Value {
    let amount = format!("{}.{:02}", cents / 100, cents % 100);
    let amount: Value = serde_json::from_str(&amount).expect("a number");
    json!({ "document_id": document, "amount": amount, "type": "cash", "date": "2026-01-02" })
}

/// Hundredths of an amount that has at most two decimals.
fn cents(amount: &Value) -> u64 {
    let text = amount.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{fraction:0<2}").parse().expect("an amount")
}

async fn all_at_once(requests: Vec<(Client, &'static str, String, Value)>) -> Vec<Answer> {
    let mut under_way = JoinSet::new();
    for (client, method, path, body) in requests {
        under_way.spawn(async move {
            let answer = client.try_json(method, &path, body.to_string()).await;
            answer.expect("an answer")
        });
    }
    under_way.join_all().await
}

/// The invoice's totals, checked against its payments: hundredths paid.
async fn checked(api: &Client, invoice: &str, total: u64) -> u64 {
    let got = api.get(&format!("/invoices/{invoice}")).await.expect(200);
    let query = json!({ "invoice_id": invoice }).to_string();
    let path = with_query("/payments", &[("query", &query), ("limit", "100")]);
    let payments = api.get(&path).await.expect(200);
    let sum: u64 =
        payments["data"].as_array().expect("rows").iter().map(|p| cents(&p["amount"])).sum();
    let paid = cents(&got["total_paid"]);
    assert_eq!(paid, sum, "{invoice}: the kept total is the sum of the active payments");
    assert!(paid <= total, "{invoice}: {paid} of {total} is paid");
    assert_eq!(cents(&got["total_due"]), total - paid);
    assert_eq!(got["paid_in_full"], json!(paid == total));
    paid
}

async fn of_sixteen_payments_of_the_whole_exactly_one_wins(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    for _ in 0..ROUNDS {
        let id = invoice(&api, 10_000, &[]).await;
        let pay = || (api.clone(), "POST", "/payments".to_owned(), payment(&id, 10_000));
        let answers = all_at_once((0..AT_ONCE).map(|_| pay()).collect()).await;
        let (won, lost): (Vec<Answer>, Vec<Answer>) =
            answers.into_iter().partition(|answer| answer.status == 201);
        assert_eq!(won.len(), 1, "exactly one payment of the whole fits");
        for answer in lost {
            let body = answer.expect(422);
            assert_eq!(body["cause"]["code"], "payment_exceeds_total", "{body}");
        }
    }
    let id = invoice(&api, 10_000, &[]).await;
    assert_eq!(checked(&api, &id, 10_000).await, 0);
}

/// One invoice with an advance, and everybody paying, deleting and restoring at once.
async fn payments_deletions_and_restores_at_once_keep_totals(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let mut random = Random::new(20_261_120);
    for _ in 0..10 {
        let body = json!({
            "items": [{ "name": "Ahead", "price": 60, "taxes": [] }],
            "payments": [{ "type": "bank_transfer" }],
        });
        let advance = api.post("/advance-invoices", &body).await.expect(201);
        let advance = advance["id"].as_str().expect("an id").to_owned();
        let id = invoice(&api, 10_000, &[&advance]).await;
        assert_eq!(checked(&api, &id, 10_000).await, 6_000);
        let mut made: Vec<String> = Vec::new();
        for _ in 0..4 {
            let mut requests = Vec::new();
            for n in 0..AT_ONCE {
                let own = made.get(n).cloned();
                requests.push(match own {
                    Some(payment) if random.below(3) == 0 => {
                        (api.clone(), "DELETE", format!("/payments/{payment}"), json!({}))
                    }
                    Some(payment) if random.below(2) == 0 => {
                        (api.clone(), "POST", format!("/payments/{payment}/restore"), json!({}))
                    }
                    _ => {
                        let amount = 1 + random.below(4_000);
                        (api.clone(), "POST", "/payments".to_owned(), payment(&id, amount))
                    }
                });
            }
            for answer in all_at_once(requests).await {
                assert!(answer.status < 500, "{answer:?}");
                if answer.status == 201 {
                    made.push(answer.body()["id"].as_str().expect("an id").to_owned());
                }
            }
            checked(&api, &id, 10_000).await;
        }
        let got = api.get(&format!("/advance-invoices/{advance}")).await.expect(200);
        assert_eq!(got["total_paid"], json!(60), "an issued advance stays covered");
    }
}
