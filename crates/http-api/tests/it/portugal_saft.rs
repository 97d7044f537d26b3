//! SAF-T of a longer period, written by a worker: the same file, and no more than it.

use std::sync::Arc;

use racun_background::jobs::{JobKind, claim, perform};
use racun_delivery::exports::archive::Archivist;
use serde_json::json;

use crate::harness::text;
use crate::portugal::{Shop, code};

/// Does what is due.
async fn work(shop: &Shop) {
    let services = shop.services.clone();
    let stamp = Arc::new({
        let services = services.clone();
        move || services.stamp()
    });
    let archivist = Archivist {
        store: Arc::clone(&services.store),
        files: Arc::clone(&services.files),
        press: Arc::clone(&services.press),
        fiscal: services.fiscal(),
        portugal: services.portugal.clone(),
        limits: services.storage,
        base: Arc::clone(&services.public_url),
        stamp: stamp.clone(),
    };
    let kinds = [JobKind::DocumentExport];
    for job in claim(&*services.store, &kinds, &stamp(), 100).await.unwrap() {
        perform(&*services.store, &archivist, &job, &*stamp).await.unwrap();
    }
}

#[actix_web::test]
async fn a_year_is_written_by_a_worker_as_it_is_answered_at_once() {
    let shop = Shop::open().await;
    shop.series(json!({"document_type": "payment", "series_code": "2026A"})).await.with(201);
    for n in 1..=5 {
        let sold = shop.sold(json!({"note": format!("{n}")})).await;
        let body = json!({"invoice_id": sold["id"], "type": "cash", "amount": n});
        shop.post("/payments", body).await.with(201);
    }
    let year = json!({"from": "2026-01-01", "to": "2026-12-31", "encoding": "utf-8"});
    let begun = shop.post("/fiscalization/pt/saf-t", year).await.with(202).json();
    assert_eq!((&begun["status"], &begun["total_docs"]), (&json!("pending"), &json!(5)));
    work(&shop).await;
    let path = format!("/documents/export/jobs/{}", text(&begun["id"]));
    let done = shop.get(&path).await.with(200).json();
    assert_eq!((&done["status"], &done["progress"]), (&json!("completed"), &json!(100)), "{done}");
    assert_eq!(done["result"], json!({"exported": 5, "skipped": 0}));
    assert!(text(&done["file_name"]).ends_with("saft-pt_2026-01-01_2026-12-31.xml"), "{done}");
    let file = shop.get(&format!("{path}/download")).await.with(200);
    assert!(file.header("content-type").starts_with("application/xml"));
    let query = "/fiscalization/pt/saf-t?from=2026-01-01&to=2026-12-31&encoding=utf-8";
    assert_eq!(file.text, shop.get(query).await.with(200).text);
}

#[actix_web::test]
async fn what_no_file_has_is_refused_before_it_begins() {
    let shop = Shop::open().await;
    let begin = async |body| shop.post("/fiscalization/pt/saf-t", body).await.with(422);
    let years = json!({"from": "2025-12-01", "to": "2026-01-31"});
    assert_eq!(begin(years).await.issue().0, "[\"to\"]");
    let letters = json!({"from": "2026-01-01", "to": "2026-01-31", "encoding": "latin"});
    assert_eq!(begin(letters).await.issue().0, "[\"encoding\"]");
    let other = shop.api.owner("bor@example.com").await;
    let body = json!({"from": "2026-01-01", "to": "2026-01-31"});
    let refused = shop.api.post("/fiscalization/pt/saf-t", &other, body).await.with(422);
    assert_eq!(code(&refused), "country_not_supported");
}

#[actix_web::test]
async fn saf_t_has_the_certified_documents_of_its_days() {
    let shop = Shop::open().await;
    let sold = shop.sold(json!({"payments": [{"type": "debit_card"}]})).await;
    let void = shop.sold(json!({})).await;
    shop.void(&void, json!({"reason": "Erro"})).await.with(200);
    let path = |query: &str| format!("/fiscalization/pt/saf-t?{query}");
    let file = shop.get(&path("from=2026-11-01&to=2026-11-30&encoding=utf-8")).await.with(200);
    assert!(file.header("content-type").starts_with("application/xml"));
    for part in [
        "<NumberOfEntries>2</NumberOfEntries>".to_owned(),
        "<TotalCredit>100.00</TotalCredit>".to_owned(),
        format!("<InvoiceNo>{}</InvoiceNo>", text(&sold["number"])),
        format!("<Hash>{}</Hash>", text(&void["pt"]["hash"])),
        "<InvoiceStatus>A</InvoiceStatus>".to_owned(),
        "<Reason>Erro</Reason>".to_owned(),
        "<PaymentMechanism>CD</PaymentMechanism>".to_owned(),
        "<SoftwareCertificateNumber>9999</SoftwareCertificateNumber>".to_owned(),
    ] {
        assert!(file.text.contains(&part), "{part} in {}", file.text);
    }
    let plain = shop.get(&path("from=2026-11-01&to=2026-11-30")).await.with(200);
    assert!(plain.text.starts_with("<?xml version=\"1.0\" encoding=\"windows-1252\"?>"));
    let none = shop.get(&path("from=2026-10-01&to=2026-10-31")).await.with(200);
    assert!(none.text.contains("<NumberOfEntries>0</NumberOfEntries>"));
    for (query, at) in [
        ("to=2026-11-30", "from"),
        ("from=2026-11-30&to=2026-11-01", "to"),
        ("from=2025-12-01&to=2026-01-31", "to"),
        ("from=2026-11-01&to=2026-11-30&encoding=latin", "encoding"),
    ] {
        let refused = shop.get(&path(query)).await.with(422);
        assert_eq!(refused.issue().0, format!("[\"{at}\"]"), "{query}");
    }
}
