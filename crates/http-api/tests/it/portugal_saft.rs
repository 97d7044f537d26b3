//! SAF-T of a longer period, written by a worker: the same file, and no more than it.

use std::sync::Arc;

use racun_background::jobs::{JobKind, claim, perform};
use racun_delivery::exports::archive::Archivist;
use racun_documents::{Document, DocumentId, DocumentKind, Stage, table_of};
use racun_fiscalization::certified::MOST_AT_ONCE;
use racun_kernel::Tenant;
use racun_kernel::id::EntityId;
use racun_portugal::read_qr;
use racun_store::{Put, StoreError, Writes};
use serde_json::{Value, json};
use time::macros::date;

use crate::harness::text;
use crate::portugal::{Shop, code, invoice, merged};

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

/// Stores copies of `sold` until there are `total`, each of a day in February.
async fn multiply(shop: &Shop, sold: &Value, total: usize) {
    let (store, stamp) = (&shop.services.store, shop.services.stamp());
    let table = table_of(DocumentKind::Invoice);
    let tenant = Tenant::entity(shop.owner.entity().parse::<EntityId>().unwrap());
    let found: Option<Document> = store.get(table, &tenant, &text(&sold["id"])).await.unwrap();
    let original = found.unwrap();
    let copy = |number: usize| {
        let mut copy = original.clone();
        copy.id = DocumentId::new(DocumentKind::Invoice, stamp.ulid());
        copy.content.date = date!(2026 - 02 - 01);
        if let Stage::Issued(issued) = &mut copy.stage {
            issued.sequence = i64::try_from(number).unwrap();
            issued.number = format!("FT 2026A/{number}");
        }
        Put::insert(&copy)
    };
    let writes = Writes::default().puts((2..=total).map(copy));
    let stored = store.unit(tenant).decide(move |_| Ok::<_, StoreError>(((), writes)));
    stored.await.unwrap();
}

#[actix_web::test]
async fn a_year_of_many_documents_is_left_to_a_worker_and_a_month_is_answered() {
    let shop = Shop::open().await;
    let sold = shop.sold(json!({})).await;
    multiply(&shop, &sold, MOST_AT_ONCE + 1).await;
    let span = |from: &str, to: &str| format!("/fiscalization/pt/saf-t?from={from}&to={to}");
    let refused = shop.get(&span("2026-01-01", "2026-12-31")).await.with(422);
    assert_eq!(refused.issue(), ("[\"to\"]".into(), "too_many".into()));
    assert!(refused.text.contains("POST /fiscalization/pt/saf-t"), "{refused:?}");
    let year = json!({"from": "2026-01-01", "to": "2026-12-31"});
    let begun = shop.post("/fiscalization/pt/saf-t", year).await.with(202).json();
    assert_eq!(begun["total_docs"], MOST_AT_ONCE + 1);
    assert_eq!(all(&november(&shop).await, "InvoiceNo"), ["FT 2026A/1"]);
    shop.get(&span("2026-10-01", "2026-12-31")).await.with(200);
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

/// The file of November.
async fn november(shop: &Shop) -> String {
    let path = "/fiscalization/pt/saf-t?encoding=utf-8&from=2026-11-01&to=2026-11-30";
    shop.get(path).await.with(200).text
}

/// What `file` says between this element's tags, once for each.
fn all<'a>(file: &'a str, element: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    file.split(&open).skip(1).filter_map(|rest| rest.split(&close).next()).collect()
}

/// A shop, and a customer without a number to whom it sold.
async fn sold_to_a_consumer() -> (Shop, Value) {
    let shop = Shop::open().await;
    let ana = shop.post("/customers", json!({"name": "Ana Silva"})).await.with(201).json();
    sell_to(&shop, &ana, json!({})).await;
    (shop, ana)
}

async fn sell_to(shop: &Shop, customer: &Value, more: Value) -> Value {
    shop.sold(merged(json!({"customer_id": customer["id"]}), more)).await
}

async fn fill_in_a_number(shop: &Shop, customer: &Value) {
    let path = format!("/customers/{}", text(&customer["id"]));
    let number = json!({"tax_number": "504030108"});
    shop.api.patch(&path, &shop.owner, number).await.with(200);
}

/// The number in the row of the only customer of November.
async fn customer_number(shop: &Shop) -> String {
    let file = november(shop).await;
    let numbers = all(&file, "CustomerTaxID");
    assert_eq!((numbers.len(), all(&file, "CompanyName")[1]), (1, "Ana Silva"), "{file}");
    numbers[0].to_owned()
}

#[actix_web::test]
async fn a_number_that_is_filled_in_later_is_the_customers() {
    let (shop, ana) = sold_to_a_consumer().await;
    assert_eq!(customer_number(&shop).await, "999999990");
    fill_in_a_number(&shop, &ana).await;
    assert_eq!(customer_number(&shop).await, "999999990", "no document says it");
    let sold = sell_to(&shop, &ana, json!({})).await;
    assert_eq!(read_qr(&text(&sold["pt"]["qr_payload"])).unwrap()["B"], "504030108");
    assert_eq!(customer_number(&shop).await, "504030108");
}

#[actix_web::test]
async fn a_number_that_a_receipt_says_is_the_customers() {
    let (shop, ana) = sold_to_a_consumer().await;
    fill_in_a_number(&shop, &ana).await;
    let series = shop.get("/fiscalization/pt/atcud-series").await.with(200).json();
    let mut series = series["data"].as_array().unwrap().iter();
    let first = series.find(|own| own["document_type"] == "invoice").unwrap();
    let close = format!("/fiscalization/pt/atcud-series/{}/close", text(&first["id"]));
    shop.post(&close, json!({})).await.with(200);
    for kind in ["invoice", "payment"] {
        shop.series(json!({"document_type": kind, "series_code": "2026B"})).await.with(201);
    }
    let october = sell_to(&shop, &ana, json!({"date": "2026-10-30"})).await;
    assert_eq!(customer_number(&shop).await, "999999990", "it is of another month");
    let paid = json!({"invoice_id": october["id"], "type": "cash", "amount": 10});
    let paid = shop.post("/payments", paid).await.with(201).json();
    assert!(paid["pt"].is_object(), "it has a receipt: {paid}");
    assert_eq!(customer_number(&shop).await, "504030108");
}

#[actix_web::test]
async fn what_was_invoiced_says_so_while_its_invoice_holds() {
    let shop = Shop::open().await;
    for (kind, series) in [("estimate", "E"), ("delivery_note", "G")] {
        shop.series(json!({"document_type": kind, "series_code": series})).await.with(201);
    }
    let made = async |path: &str| shop.post(path, invoice(json!({}))).await.with(201).json();
    let (estimate, note) = (made("/estimates").await, made("/delivery-notes").await);
    made("/estimates").await;
    made("/delivery-notes").await;
    let states = |file: &str| {
        let of = |element: &str| all(file, element).iter().map(|own| (*own).to_owned()).collect();
        (of("WorkStatus"), of("MovementStatus"))
    };
    let both = |own: &[&str]| -> (Vec<String>, Vec<String>) {
        let own: Vec<String> = own.iter().map(|state| (*state).to_owned()).collect();
        (own.clone(), own)
    };
    let totals = |file: &str| {
        let of = |element: &str| all(file, element).join(" ");
        (of("TotalQuantityIssued"), of("NumberOfMovementLines"), of("WorkingDocuments"))
    };
    let before = november(&shop).await;
    assert_eq!(states(&before), both(&["N", "N"]));
    shop.api.pass(60);
    let of = json!({"linked_documents": [estimate["id"], note["id"]]});
    let sold = shop.sold(of).await;
    let file = november(&shop).await;
    assert_eq!(states(&file), both(&["F", "N"]));
    let since = text(&sold["pt"]["system_entry_date"]);
    for part in ["WorkStatusDate", "MovementStatusDate"] {
        assert_eq!(all(&file, part)[0], since, "it was invoiced then");
    }
    let (quantity, lines, working) = totals(&file);
    assert_eq!((quantity.as_str(), lines.as_str()), ("2.00", "2"), "they stay in the totals");
    let sums = |part: &str| {
        (all(part, "NumberOfEntries")[0].to_owned(), all(part, "TotalCredit")[0].to_owned())
    };
    assert_eq!(sums(&working), sums(&totals(&before).2));
    shop.void(&sold, json!({"reason": "Erro"})).await.with(200);
    assert_eq!(states(&november(&shop).await), both(&["N", "N"]), "its invoice does not hold");
}

#[actix_web::test]
async fn a_shop_on_madeira_sells_at_the_rates_of_madeira() {
    let shop = Shop::open().await;
    let path = format!("/entities/{}", shop.owner.entity());
    let madeira = json!({"fiscal_region_code": "PT-MA"});
    shop.api.patch(&path, &shop.owner, madeira).await.with(200);
    let line = |rate: u32| {
        let taxes = json!([{ "rate": rate }]);
        json!({"name": format!("Bolo {rate}"), "price": 10, "taxes": taxes})
    };
    let sold = shop.sold(json!({"items": [line(22), line(12), line(4)]})).await;
    assert_eq!(sold["pt"]["region"], "PT-MA");
    let fields = read_qr(&text(&sold["pt"]["qr_payload"])).unwrap();
    for (key, value) in [
        ("I1", "PT-MA"),
        ("I3", "10.00"),
        ("I4", "0.40"),
        ("I5", "10.00"),
        ("I6", "1.20"),
        ("I7", "10.00"),
        ("I8", "2.20"),
        ("N", "3.80"),
        ("O", "33.80"),
    ] {
        assert_eq!(fields[key], value, "{key}");
    }
    let file = november(&shop).await;
    let regions = all(&file, "TaxCountryRegion");
    assert!(regions.len() >= 6 && regions.iter().all(|own| *own == "PT-MA"), "{regions:?}");
    let mut levels: Vec<(&str, &str)> =
        all(&file, "TaxCode").into_iter().zip(all(&file, "TaxPercentage")).collect();
    levels.sort_unstable();
    levels.dedup();
    assert_eq!(levels, [("INT", "12.00"), ("NOR", "22.00"), ("RED", "4.00")]);
}

#[actix_web::test]
async fn an_advance_has_a_series_of_its_own_and_is_taken_by_an_invoice() {
    let shop = Shop::open().await;
    let series = |code: &str| json!({"document_type": "advance_invoice", "series_code": code});
    shop.series(series("2026a")).await.with(409);
    shop.series(series("2026AD")).await.with(201);
    let advance = |more: Value| {
        let line = json!({"name": "Sinal", "price": 50, "taxes": [{"rate": 23}]});
        let payments = json!([{"type": "cash"}]);
        let body = json!({"items": [line], "payments": payments});
        shop.post("/advance-invoices", merged(body, more))
    };
    let first = advance(json!({})).await.with(201).json();
    assert_eq!(
        (&first["number"], &first["pt"]["document_code"]),
        (&json!("FT 2026AD/1"), &json!("FT"))
    );
    assert_eq!(advance(json!({})).await.with(201).json()["number"], "FT 2026AD/2");
    let sold = shop.sold(json!({"linked_documents": [first["id"]]})).await;
    assert_eq!((&sold["number"], &sold["total_due"]), (&json!("FT 2026A/1"), &json!(61.5)));
    let file = november(&shop).await;
    let products: Vec<(&str, &str)> =
        all(&file, "ProductType").into_iter().zip(all(&file, "ProductDescription")).collect();
    assert!(products.contains(&("O", "Sinal")) && products.contains(&("P", "Pão")), "{file}");
    assert_eq!(all(&file, "OriginatingON"), ["FT 2026AD/1"], "what the invoice goes back to");
    let applied = format!("/advance-invoices/{}/void", text(&first["id"]));
    shop.post(&applied, json!({"reason": "Erro"})).await.with(422);
}
