//! Receipts of payments in Portugal: numbered with the payment, voided with it, and in SAF-T.

use racun_portugal::read_qr;
use serde_json::{Value, json};

use crate::harness::text;
use crate::portugal::{Shop, code, merged};

async fn receive(shop: &Shop, sold: &Value, more: Value) -> crate::harness::Answer {
    let body = json!({"invoice_id": sold["id"], "type": "bank_transfer", "amount": 50});
    shop.post("/payments", merged(body, more)).await
}

/// A shop with series for invoices, credit notes and receipts.
async fn with_receipts() -> Shop {
    let shop = Shop::open().await;
    shop.series(json!({"document_type": "payment", "series_code": "2026A"})).await.with(201);
    shop
}

#[actix_web::test]
async fn a_payment_takes_the_next_receipt_where_there_is_a_series() {
    let shop = Shop::open().await;
    let sold = shop.sold(json!({})).await;
    let without = receive(&shop, &sold, json!({})).await.with(201).json();
    assert_eq!(without["pt"], Value::Null, "payments work without");
    let series = json!({"document_type": "payment", "series_code": "2026A"});
    let series = shop.series(series).await.with(201).json();
    assert_eq!(series["document_code"], "RG");
    // The money came two days ago, and the receipt is of today.
    let paid = receive(&shop, &sold, json!({"date": "2026-11-18"})).await.with(201).json();
    let receipt = &paid["pt"];
    assert_eq!(
        (&receipt["number"], &receipt["issue_date"]),
        (&json!("RG 2026A/1"), &json!("2026-11-20"))
    );
    assert_eq!(receipt["atcud"], format!("{}-1", text(&series["validation_code"])));
    assert_eq!(receipt["document_number"], sold["number"]);
    let fields = read_qr(&text(&receipt["qr_payload"])).unwrap();
    let field = |key: &str| fields.get(key).cloned().unwrap_or_default();
    assert_eq!((field("D"), field("I1")), ("RG".to_owned(), "0".to_owned()));
    assert_eq!((field("G"), field("O")), ("RG 2026A/1".to_owned(), "50.00".to_owned()));
    assert_eq!(field("Q"), "0", "it is not signed");
    let path = format!("/payments/{}", text(&paid["id"]));
    assert_eq!(shop.get(&path).await.with(200).json()["pt"], *receipt);
    let next = shop.sold(json!({})).await;
    let second = receive(&shop, &next, json!({"amount": 123})).await.with(201).json();
    assert_eq!(second["pt"]["number"], "RG 2026A/2");
    receive(&shop, &next, json!({"amount": 1})).await.with(422);
    let third = shop.sold(json!({})).await;
    let third = receive(&shop, &third, json!({})).await.with(201).json();
    assert_eq!(third["pt"]["number"], "RG 2026A/3", "a refusal takes no number");
}

#[actix_web::test]
async fn a_receipt_stays_and_is_voided_with_its_payment() {
    let shop = with_receipts().await;
    let sold = shop.sold(json!({})).await;
    let paid = receive(&shop, &sold, json!({})).await.with(201).json();
    let path = format!("/payments/{}", text(&paid["id"]));
    for change in [json!({"amount": 40}), json!({"type": "cash"}), json!({"date": "2026-11-19"})] {
        let refused = shop.api.patch(&path, &shop.owner, change.clone()).await.with(422);
        assert_eq!(code(&refused), "receipt_issued", "{change}");
    }
    let noted = shop.api.patch(&path, &shop.owner, json!({"note": "Obrigado"})).await;
    assert_eq!(noted.with(200).json()["pt"], paid["pt"]);
    shop.api.delete(&path, &shop.owner).await.with(204);
    let voided = shop.get(&path).await.with(200).json();
    assert_eq!(
        (&voided["pt"]["number"], &voided["pt"]["voided"]),
        (&paid["pt"]["number"], &json!(true))
    );
    let back = shop.post(&format!("{path}/restore"), json!({})).await.with(422);
    assert_eq!(code(&back), "receipt_issued");
    let gone = shop.api.delete(&format!("{path}/permanent"), &shop.owner).await.with(422);
    assert_eq!(code(&gone), "receipt_issued");
}

#[actix_web::test]
async fn what_a_receipt_says_was_paid_is_not_voided() {
    let shop = with_receipts().await;
    let advances = json!({"document_type": "advance_invoice", "series_code": "2026AD"});
    shop.series(advances).await.with(201);
    let sold = shop.sold(json!({})).await;
    let first = receive(&shop, &sold, json!({"amount": 20})).await.with(201).json();
    let second = receive(&shop, &sold, json!({"amount": 30})).await.with(201).json();
    let why = json!({"reason": "Erro"});
    for paid in [&first, &second] {
        let refused = shop.void(&sold, why.clone()).await.with(422);
        assert_eq!(code(&refused), "pt_receipt_holds");
        assert!(refused.text.contains("RG 2026A/"), "{}", refused.text);
        let path = format!("/payments/{}", text(&paid["id"]));
        shop.api.delete(&path, &shop.owner).await.with(204);
    }
    shop.void(&sold, why.clone()).await.with(200);
    receive(&shop, &sold, json!({"amount": 1})).await.with(422);
    // Without a receipt nothing says that it was paid.
    let at_once = shop.sold(json!({"payments": [{"type": "cash"}]})).await;
    shop.void(&at_once, why).await.with(200);
    let file = "/fiscalization/pt/saf-t?encoding=utf-8&from=2026-11-01&to=2026-11-30";
    let file = shop.get(file).await.with(200).text;
    assert_eq!(file.matches("<PaymentStatus>A</PaymentStatus>").count(), 2, "{file}");
    assert!(!file.contains("<PaymentStatus>N</PaymentStatus>"), "{file}");
}

#[actix_web::test]
async fn the_clock_is_not_behind_any_series_that_is_active() {
    let shop = with_receipts().await;
    shop.api.pass(2 * 24 * 3600);
    let sold = shop.sold(json!({})).await;
    assert_eq!(sold["pt"]["system_entry_date"], "2026-11-22T08:00:00");
    let second = shop.series(json!({"document_type": "estimate", "series_code": "E"})).await;
    second.with(201);
    shop.api.pass(-24 * 3600);
    let estimate = async || shop.post("/estimates", crate::portugal::invoice(json!({}))).await;
    for refused in [estimate().await, receive(&shop, &sold, json!({})).await] {
        assert_eq!(code(&refused.with(422)), "clock_behind");
    }
    // Close the series that ran ahead, and the others go on.
    let series = text(&sold["pt"]["series_id"]);
    let path = format!("/fiscalization/pt/atcud-series/{series}/close");
    shop.post(&path, json!({})).await.with(200);
    assert_eq!(estimate().await.with(201).json()["number"], "OR E/1");
    receive(&shop, &sold, json!({})).await.with(201);
}

#[actix_web::test]
async fn saf_t_has_receipts_of_its_days_with_their_customers() {
    let shop = with_receipts().await;
    let customer = json!({"name": "Bor", "tax_number": "504030108", "country_code": "PT"});
    let sold = shop.sold(json!({"date": "2026-10-30", "customer": customer})).await;
    let paid = receive(&shop, &sold, json!({"type": "debit_card"})).await.with(201).json();
    let void = receive(&shop, &sold, json!({"amount": 1})).await.with(201).json();
    shop.api.delete(&format!("/payments/{}", text(&void["id"])), &shop.owner).await.with(204);
    let path = "/fiscalization/pt/saf-t?encoding=utf-8&from=2026-11-01&to=2026-11-30";
    let file = shop.get(path).await.with(200);
    for part in [
        "<CompanyName>Bor</CompanyName>".to_owned(),
        "<Payments><NumberOfEntries>2</NumberOfEntries>".to_owned(),
        "<TotalCredit>50.00</TotalCredit>".to_owned(),
        format!("<PaymentRefNo>{}</PaymentRefNo>", text(&paid["pt"]["number"])),
        format!("<OriginatingON>{}</OriginatingON>", text(&sold["number"])),
        "<PaymentMechanism>CD</PaymentMechanism>".to_owned(),
        "<PaymentStatus>A</PaymentStatus>".to_owned(),
        "<Reason>Pagamento anulado</Reason>".to_owned(),
    ] {
        assert!(file.text.contains(&part), "{part} in {}", file.text);
    }
    let before = path.replace("-11-", "-10-").replace("-30", "-31");
    let before = shop.get(&before).await.with(200);
    assert!(!before.text.contains("<Payments>"), "receipts are of the day of their issue");
}

#[actix_web::test]
async fn a_credit_note_takes_no_money_and_a_fatura_recibo_is_its_own_receipt() {
    let shop = with_receipts().await;
    let sold = shop.sold(json!({})).await;
    let lines = json!([{"name": "Pão", "price": 10, "taxes": [{"rate": 23}]}]);
    let credit = json!({"linked_documents": [sold["id"]], "items": lines});
    let note = shop.post("/credit-notes", credit).await.with(201).json();
    let refund = json!({"credit_note_id": note["id"], "type": "cash", "amount": 1});
    let refused = shop.post("/payments", refund).await.with(422);
    assert_eq!(refused.issue(), ("[\"credit_note_id\"]".into(), "not_in_portugal".into()));
    let series = json!({"document_type": "invoice_receipt", "series_code": "R"});
    let series = shop.series(series).await.with(201).json();
    let own = json!({"pt": {"series_id": series["id"]}, "payments": [{"type": "cash"}]});
    let sold = shop.sold(own).await;
    let list = shop.get("/payments").await.with(200).json();
    let own = list["data"].as_array().unwrap();
    let own = own.iter().find(|payment| payment["invoice_id"] == sold["id"]).unwrap();
    assert_eq!(own["pt"], Value::Null);
}

#[actix_web::test]
async fn a_receipt_is_printed_with_its_own_text_and_unsigned() {
    let shop = with_receipts().await;
    let sold = shop.sold(json!({})).await;
    let paid = receive(&shop, &sold, json!({})).await.with(201).json();
    let file = shop.get(&format!("/payments/{}/receipt", text(&paid["id"]))).await.with(200);
    assert_eq!(file.header("content-type"), "application/pdf");
    let other = shop.series(json!({"document_type": "invoice_receipt", "series_code": "R"})).await;
    let other = json!({"pt": {"series_id": other.with(201).json()["id"]},
        "payments": [{"type": "cash"}]});
    let own = shop.sold(other).await;
    let list = shop.get("/payments").await.with(200).json();
    let list = list["data"].as_array().unwrap();
    let own = list.iter().find(|payment| payment["invoice_id"] == own["id"]).unwrap();
    shop.get(&format!("/payments/{}/receipt", text(&own["id"]))).await.with(404);
}
