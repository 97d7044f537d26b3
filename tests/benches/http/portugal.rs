//! Issuing in Portugal, where each document is signed over the one before it in its series, beside
//! issuing the same elsewhere; and the file of a year for the authority.

use std::time::{Duration, Instant};

use racun_documents::{Document, Stage};
use racun_tests::{Account, Data, Profile, Racun, open_shop_in_lisbon};
use serde_json::{Value, json};

use crate::load::request_with;
use crate::pairs::{Pair, Words};
use crate::report::aim;
use crate::{CLIENTS, MANY_INVOICES, seed};

const WORDS: Words = Words {
    lines: [
        ["issue unsigned, one sequence", "issue unsigned, a sequence each"],
        ["issue in Portugal, one series", "issue in Portugal, a series each"],
    ],
    beside: "issue in Portugal beside unsigned",
    clients: ["16 clients, one series", "16 clients, a series each"],
    least: (500, ">= 0.5"),
};

/// Accounts with an entity in each of two countries: invoices elsewhere, and those in Portugal.
pub async fn pair(racun: &Racun) -> Pair {
    let mut requests = [Vec::new(), Vec::new()];
    for _ in 0..CLIENTS {
        let account = Account::sign_up(racun).await;
        let elsewhere = account.user.create("/entities", &elsewhere()).await;
        let elsewhere = elsewhere["id"].as_str().expect("an id").to_owned();
        let shop = open_shop_in_lisbon(&account, &["invoice"]).await;
        for (place, entity) in [elsewhere, shop].into_iter().enumerate() {
            let api = account.api.clone().with("x-entity-id", &entity);
            let is_certified = place == 1;
            let invoice = invoice(if is_certified { [23, 6] } else { [19, 7] });
            let issued = api.create("/invoices", &invoice).await;
            assert_eq!(issued["pt"].is_object(), is_certified, "{issued}");
            let header = format!("x-entity-id: {entity}\r\n");
            let body = invoice.to_string();
            let request = request_with("POST", "/invoices", &account.key, &header, &body);
            requests[place].push(request);
        }
    }
    Pair::new(racun, requests, WORDS)
}

fn elsewhere() -> Value {
    json!({"name": "Laden GmbH", "country": "Germany", "environment": "sandbox"})
}

/// Five lines, two rates.
fn invoice([high, low]: [u8; 2]) -> Value {
    let taxes = |rate: u8| json!([{"rate": rate}]);
    json!({
        "customer": {
            "name": "Cliente, Lda.", "address": "Rua 2", "post_code": "1000-002",
            "city": "Lisboa", "country_code": "PT", "save_customer": false,
        },
        "items": [
            {"name": "Desenvolvimento", "quantity": 12.5, "price": 64.90, "unit": "h",
             "taxes": taxes(high)},
            {"name": "Consultoria", "quantity": 3, "price": 90, "unit": "h",
             "taxes": taxes(high)},
            {"name": "Livro", "quantity": 2, "price": 29.90, "taxes": taxes(low)},
            {"name": "Transporte", "price": 41.37, "taxes": taxes(high),
             "discounts": [{"value": 10}]},
            {"name": "Revista", "quantity": 7, "price": 3.95, "taxes": taxes(low)},
        ],
    })
}

/// SAF-T of a year with a hundred thousand invoices, written by a job: time and the most memory.
pub async fn saft() {
    let mut racun = Racun::start_on(Profile::Release, Data::Folder).await;
    let account = Account::sign_up(&racun).await;
    let entity = open_shop_in_lisbon(&account, &["invoice"]).await;
    let api = account.api.clone().with("x-entity-id", &entity);
    let issued = api.create("/invoices", &invoice([23, 6])).await;
    racun.kill9();
    println!();
    {
        let store = seed::embedded(racun.folder());
        let id = issued["id"].as_str().expect("an id");
        seed::fill_with(&*store, &entity, id, MANY_INVOICES, certified).await;
    }
    // The most memory is counted from the start.
    racun.restart().await;
    let api = account.at(&racun).api.with("x-entity-id", &entity);
    let before = racun.most_resident() / 1_000;
    let year = issued["date"].as_str().and_then(|date| date.get(..4)).expect("a year");
    let wanted = json!({ "from": format!("{year}-01-01"), "to": format!("{year}-12-31") });
    let began = Instant::now();
    let job = api.post("/fiscalization/pt/saf-t", &wanted).await.expect(202);
    let path = format!("/documents/export/jobs/{}", job["id"].as_str().expect("an id"));
    let done = loop {
        let job = api.read(&path).await;
        if job["status"] != "pending" && job["status"] != "processing" {
            break job;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let took = began.elapsed();
    assert_eq!(done["status"], "completed", "{done}");
    let memory = racun.most_resident() / 1_000;
    let bytes = api.file(&format!("{path}/download")).await.len();
    println!("SAF-T: {} kB; the most memory before was {before} kB", bytes / 1_000);
    let time = format!("{} ms", took.as_millis());
    let is_met = took < Duration::from_secs(120);
    aim(&format!("{MANY_INVOICES} invoices as SAF-T"), &time, "< 120 s", is_met);
    let found = format!("{memory} kB");
    aim("most resident memory while it is made", &found, "< 150 MB", memory < 150_000);
}

/// The `number`-th of the series, a minute before the next one.
fn certified(original: &Document, number: u64, total: u64) -> Document {
    let mut copy = seed::copy(original, number, total);
    let number = i64::try_from(number).expect("few");
    let text = format!("FT 2026A/{number}");
    if let Stage::Issued(issued) = &mut copy.stage {
        issued.number.clone_from(&text);
    }
    if let Some(pt) = &mut copy.pt {
        pt.number = number;
        pt.atcud = format!("{}-{number}", pt.validation_code);
    }
    copy
}
