//! A live entity's sales to other member states, with a stand-in for the Commission's VIES.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use racun_tests::{Account, Client, Data, Profile, Racun, StoreKind, on_both_stores};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

on_both_stores! {
    verdicts_of_a_live_entity_are_kept_over_a_crash_and_an_outage,
    the_sandbox_asks_the_simulator_alone,
}

/// A stand-in that gives each request the same answer.
#[derive(Clone)]
struct Commission {
    url: String,
    answer: Arc<Mutex<String>>,
    asked: Arc<AtomicUsize>,
}

impl Commission {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/rest-api", listener.local_addr().unwrap());
        let commission = Self { url, answer: Arc::default(), asked: Arc::default() };
        let own = commission.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (mut text, mut buffer) = (Vec::new(), [0; 4_096]);
                while !text.ends_with(b"}") {
                    match stream.read(&mut buffer).await {
                        Ok(read) if read > 0 => text.extend_from_slice(&buffer[..read]),
                        _ => break,
                    }
                }
                own.asked.fetch_add(1, Ordering::SeqCst);
                let body = own.answer.lock().unwrap().clone();
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
                );
                // A client that hung up does not need it.
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        commission
    }

    fn says(&self, answer: impl ToString) {
        *self.answer.lock().unwrap() = answer.to_string();
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    async fn racun(&self, store: StoreKind) -> Racun {
        let settings = vec![("RACUN__VIES__URL".to_owned(), self.url.clone())];
        Racun::start_with(Profile::Debug, Data::fresh(store), settings).await
    }
}

async fn sell(client: &Client, number: &str) -> Value {
    let customer = json!({ "name": "Kunde", "country_code": "DE", "tax_number": number });
    let items = json!([{ "name": "Tea", "price": 2 }]);
    client.create("/invoices", &json!({ "customer": customer, "items": items })).await
}

/// The kind of the sale, and what VIES said.
fn verdict(invoice: &Value) -> (&str, Option<bool>) {
    let kind = invoice["transaction_type"].as_str().unwrap_or_default();
    (kind, invoice["vies"]["vies_valid"].as_bool())
}

async fn verdicts_of_a_live_entity_are_kept_over_a_crash_and_an_outage(store: StoreKind) {
    let commission = Commission::open().await;
    let mut racun = commission.racun(store).await;
    let account = Account::sign_up(&racun).await;
    let live = json!({ "name": "Klas", "country": "Slovenia", "environment": "live",
        "tax_number": "SI10039856" });
    let entity = account.user.create("/entities", &live).await["id"].as_str().unwrap().to_owned();
    let client = account.user.clone().with("x-entity-id", &entity);
    commission.says(json!({ "valid": true, "requestIdentifier": "WAPIAAAAY1" }));
    let first = sell(&client, "DE136695976").await;
    assert_eq!(verdict(&first), ("intra_eu_b2b", Some(true)));
    assert_eq!(first["vies"]["consultation_number"], "WAPIAAAAY1");
    commission.says(json!({ "valid": false }));
    assert_eq!(verdict(&sell(&client, "DE129273398").await), ("intra_eu_b2c", Some(false)));
    assert_eq!(commission.asked(), 2);

    racun.restart().await;
    let client = account.at(&racun).user.with("x-entity-id", &entity);
    commission.says("<html>Service unavailable</html>");
    let again = sell(&client, "DE136695976").await;
    assert_eq!(verdict(&again), ("intra_eu_b2b", Some(true)));
    assert_eq!(again["vies"]["checked_at"], first["vies"]["checked_at"]);
    assert_eq!(commission.asked(), 2, "what was kept is enough");
    let unknown = sell(&client, "DE811569869").await;
    assert_eq!(verdict(&unknown), ("intra_eu_b2b", None));
    assert_eq!(unknown["vies"]["skipped"], true);
    commission.says(json!({ "actionSucceed": false,
        "errorWrappers": [{ "error": "GLOBAL_MAX_CONCURRENT_REQ" }] }));
    let busy = sell(&client, "DE811569869").await;
    let warning = busy["vies"]["warning"].as_str().unwrap_or_default();
    assert!(warning.contains("GLOBAL_MAX_CONCURRENT_REQ"), "{busy}");
}

async fn the_sandbox_asks_the_simulator_alone(store: StoreKind) {
    let commission = Commission::open().await;
    let racun = commission.racun(store).await;
    let account = Account::sign_up(&racun).await;
    for (number, expected) in [
        ("DE136695976", ("intra_eu_b2b", Some(true))),
        ("DE200000005", ("intra_eu_b2c", Some(false))),
        ("DE301000004", ("intra_eu_b2b", None)),
    ] {
        assert_eq!(verdict(&sell(&account.api, number).await), expected, "{number}");
        let sides = json!({ "issuer": { "country_code": "SI" },
            "customer": { "country_code": "DE", "tax_number": number } });
        let told = account.api.post("/transaction-type/check", &sides).await.expect(200);
        assert_eq!(told["vies_valid"].as_bool(), expected.1, "{told}");
    }
    assert_eq!(commission.asked(), 0);
}
