//! Rates of exchange of live entities, with a stand-in for the European Central Bank.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use racun_tests::{Account, Client, Data, Profile, Racun, StoreKind, on_both_stores};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

on_both_stores! {
    stored_rates_survive_a_restart_without_the_bank,
}

/// Until a server that starts has fetched what is missing.
const PATIENCE: Duration = Duration::from_secs(60);

/// All that the bank has published: three days, the last one a Friday.
const ALL: &str = "Date,USD,JPY,HRK,\n\
    2024-07-05,1.0800,174.10,N/A,\n\
    2024-07-04,1.0600,174.20,N/A,\n\
    2022-12-30,1.0666,140.66,7.5365,\n";

/// A stand-in that has the file of all rates alone.
struct Bank {
    url: String,
    asked: Arc<AtomicUsize>,
}

impl Bank {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/files", listener.local_addr().unwrap());
        let asked = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (mut head, mut buffer) = (Vec::new(), [0; 1_024]);
                while !head.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer).await {
                        Ok(read) if read > 0 => head.extend_from_slice(&buffer[..read]),
                        _ => break,
                    }
                }
                counted.fetch_add(1, Ordering::SeqCst);
                let (status, body) = match head.starts_with(b"GET /files/eurofxref-hist.csv ") {
                    true => ("200 OK", ALL),
                    false => ("404 Not Found", ""),
                };
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status}\r\nconnection: close\r\n\
                     content-length: {length}\r\n\r\n{body}"
                );
                // A client that hung up does not need it.
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn from(url: &str) -> Vec<(String, String)> {
    vec![("RACUN__RATES__URL".to_owned(), url.to_owned())]
}

/// The status, the rate from dollars to euros on `date`, the day that it is of and its source.
async fn rate(client: &Client, date: &str) -> (u16, String) {
    let path = format!("/currency/exchange-rate?from=USD&to=EUR&date={date}");
    let answer = client.get(&path).await;
    let body = answer.body();
    let told = [&body["rate"], &body["date"], &body["source"]].map(ToString::to_string);
    (answer.status, told.join(" "))
}

async fn stored_rates_survive_a_restart_without_the_bank(store: StoreKind) {
    let bank = Bank::open().await;
    let mut racun = Racun::start_with(Profile::Debug, Data::fresh(store), from("off")).await;
    let account = Account::sign_up(&racun).await;
    let live = json!({ "name": "Klas", "country": "Slovenia", "environment": "live",
        "tax_number": "SI10039856" });
    let entity = account.user.create("/entities", &live).await["id"].as_str().unwrap().to_owned();
    let client = |racun: &Racun| account.at(racun).user.with("x-entity-id", &entity);
    // A Saturday: the last business day is the Friday before.
    let saturday = "2024-07-06";
    assert_eq!(rate(&client(&racun), saturday).await.0, 503, "nothing was fetched yet");
    assert_eq!(bank.asked(), 0);

    racun.restart_with(from(&bank.url)).await;
    let deadline = Instant::now() + PATIENCE;
    let fetched = loop {
        match rate(&client(&racun), saturday).await {
            (503, told) => assert!(Instant::now() < deadline, "{told}"),
            fetched => break fetched,
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let friday = r#"0.9259259259 "2024-07-05" "ecb""#;
    assert_eq!(fetched, (200, friday.to_owned()));
    assert_eq!(bank.asked(), 1);

    racun.restart_with(from("off")).await;
    let client = client(&racun);
    for (date, expected) in [
        (saturday, friday),
        ("2024-07-04", r#"0.9433962264 "2024-07-04" "ecb""#),
        ("2022-12-31", r#"0.9375585974 "2022-12-30" "ecb""#),
    ] {
        assert_eq!(rate(&client, date).await, (200, expected.to_owned()), "{date}");
    }
    let invoice = json!({ "currency_code": "USD", "date": "2024-07-04",
        "items": [{ "name": "Tea", "price": 2 }] });
    let invoice = client.create("/invoices", &invoice).await;
    assert_eq!(invoice["exchange_rate"]["rate"].to_string(), "0.9433962264", "{invoice}");
    let told = client.get("/currency/exchange-rate?from=HRK&to=EUR&date=2022-12-30").await;
    assert_eq!(told.expect(200)["date"], "2022-12-30");
    // What was not published when the bank was asked last is not guessed.
    assert_eq!(rate(&client, "2024-07-09").await.0, 503);
    assert_eq!(bank.asked(), 1);
}
