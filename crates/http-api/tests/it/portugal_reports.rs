//! Documents told to the authority of Portugal one by one: stored before they are sent, tried
//! again, given up, and voided.

use std::sync::Arc;

use racun_background::jobs::{JobKind, claim, perform};
use racun_fiscalization::certified::PtReportHandler;
use serde_json::{Value, json};

use crate::harness::text;
use crate::portugal::Shop;

/// A shop that reports each invoice.
async fn reporting() -> Shop {
    let shop = Shop::open().await;
    let body = json!({"communicate_invoices": true});
    shop.api.put("/fiscalization/pt/settings", &shop.owner, body).await.with(200);
    shop
}

/// Works off the reports that are due; how many there were.
pub async fn work(shop: &Shop) -> usize {
    let services = shop.services.clone();
    let stamp = Arc::new({
        let services = services.clone();
        move || services.stamp()
    });
    let handler = PtReportHandler {
        store: Arc::clone(&services.store),
        portugal: services.portugal.clone().unwrap(),
        vault: services.vault.clone(),
        stamp: stamp.clone(),
    };
    let jobs = claim(&*services.store, &[JobKind::PtReport], &stamp(), 100).await.unwrap();
    for job in &jobs {
        perform(&*services.store, &handler, job, &*stamp).await.unwrap();
    }
    jobs.len()
}

/// What `pt.data` says of `sold` now: status, attempts, code and error.
pub async fn data(shop: &Shop, sold: &Value) -> (String, u64, Value, Value) {
    let path = format!("/invoices/{}", text(&sold["id"]));
    let data = shop.get(&path).await.with(200).json()["pt"]["data"].clone();
    let reported = data["reported_at"].is_string();
    let status = text(&data["status"]);
    assert!(reported || status != "success", "{data}");
    let attempts = data["attempts"].as_u64().unwrap();
    (status, attempts, data["code"].clone(), data["error"].clone())
}

#[actix_web::test]
async fn an_invoice_is_stored_before_it_is_sent_and_taken_once() {
    let shop = reporting().await;
    let sold = shop.sold(json!({})).await;
    let expected = json!({
        "status": "pending", "attempts": 0, "code": null, "error": null, "reported_at": null,
    });
    assert_eq!(sold["pt"]["data"], expected);
    assert!(shop.office.told().is_empty(), "a user does not wait for it");
    shop.office.reply(&[0]);
    assert_eq!(work(&shop).await, 1);
    assert_eq!(data(&shop, &sold).await, ("success".into(), 1, Value::Null, Value::Null));
    let told = shop.office.told();
    assert_eq!(told.len(), 1);
    for part in [
        "RegisterInvoiceRequest".to_owned(),
        format!("InvoiceNo>{}<", text(&sold["number"])),
        format!("ATCUD>{}<", text(&sold["pt"]["atcud"])),
        "TaxPayable>23.00<".to_owned(),
        "GrossTotal>123.00<".to_owned(),
    ] {
        assert!(told[0].contains(&part), "{part} in {}", told[0]);
    }
    shop.api.pass(86_400);
    assert_eq!(work(&shop).await, 0, "it is told once");
}

#[actix_web::test]
async fn who_does_not_want_it_tells_nothing() {
    let shop = Shop::open().await;
    let sold = shop.sold(json!({})).await;
    assert_eq!((&sold["pt"]["data"], work(&shop).await), (&Value::Null, 0));
}

#[actix_web::test]
async fn silence_and_a_wrong_user_are_tried_again_and_a_wrong_document_is_not() {
    let shop = reporting().await;
    let sold = shop.sold(json!({})).await;
    work(&shop).await;
    let silent = ("pending".into(), 1, Value::Null, json!("silence"));
    assert_eq!(data(&shop, &sold).await, silent);
    assert_eq!(work(&shop).await, 0, "it waits");
    shop.office.reply(&[33]);
    shop.api.pass(30);
    work(&shop).await;
    let denied = ("pending".into(), 2, json!("33"), json!("Mensagem 33"));
    assert_eq!(data(&shop, &sold).await, denied);
    shop.office.reply(&[-50]);
    shop.api.pass(120);
    work(&shop).await;
    let wrong = ("failed".into(), 3, json!("-50"), json!("Mensagem -50"));
    assert_eq!(data(&shop, &sold).await, wrong);
    let told = shop.office.told();
    assert!(told.len() == 3 && told.iter().all(|own| *own == told[0]), "{told:?}");
    shop.api.pass(30 * 86_400);
    assert_eq!(work(&shop).await, 0, "it would be refused again");
}

#[actix_web::test]
async fn a_report_that_is_given_up_has_failed() {
    let shop = reporting().await;
    let sold = shop.sold(json!({})).await;
    let mut attempts = 0;
    while work(&shop).await > 0 {
        attempts += 1;
        let (status, counted, ..) = data(&shop, &sold).await;
        assert_eq!(counted, attempts);
        assert_eq!(status, if attempts < 15 { "pending" } else { "failed" }, "{attempts}");
        shop.api.pass(3 * 86_400);
    }
    assert_eq!(attempts, 15);
    // A void after that sends both messages: the document, and that it is voided.
    shop.void(&sold, json!({"reason": "Erro"})).await.with(200);
    assert_eq!(data(&shop, &sold).await.0, "pending");
    shop.office.reply(&[0, 0]);
    shop.office.told();
    work(&shop).await;
    assert_eq!(data(&shop, &sold).await.0, "success");
    assert_eq!(shop.office.told().len(), 2);
}

#[actix_web::test]
async fn a_void_is_reported_behind_the_document() {
    let shop = reporting().await;
    let is_void = |told: &str| {
        assert!(told.contains("ChangeInvoiceStatusRequest") != told.contains("RegisterInvoice"));
        told.contains("ChangeInvoiceStatusRequest") && told.contains("InvoiceStatus>A<")
    };
    // After the first message was taken.
    let sold = shop.sold(json!({})).await;
    shop.office.reply(&[0, 0]);
    work(&shop).await;
    let taken = shop.get(&format!("/invoices/{}", text(&sold["id"]))).await.json();
    let voided = shop.void(&sold, json!({"reason": "Erro"})).await.with(200).json();
    assert_eq!(voided["pt"]["data"]["status"], "pending");
    let taken_at = &taken["pt"]["data"]["reported_at"];
    assert_eq!(voided["pt"]["data"]["reported_at"], *taken_at, "when the document was taken");
    work(&shop).await;
    assert_eq!(data(&shop, &sold).await.0, "success");
    let told = shop.office.told();
    assert_eq!(told.iter().map(|own| is_void(own)).collect::<Vec<_>>(), [false, true]);
    // Before it was sent: both go, in their order.
    let sold = shop.sold(json!({})).await;
    shop.void(&sold, json!({"reason": "Erro"})).await.with(200);
    work(&shop).await;
    assert_eq!(data(&shop, &sold).await.0, "pending");
    shop.office.reply(&[0, 0]);
    shop.office.told();
    shop.api.pass(30);
    work(&shop).await;
    assert_eq!(data(&shop, &sold).await.0, "success");
    let told = shop.office.told();
    assert_eq!(told.iter().map(|own| is_void(own)).collect::<Vec<_>>(), [false, true]);
    shop.api.pass(86_400);
    work(&shop).await;
    assert!(shop.office.told().is_empty(), "two jobs tell it once");
}
