//! Forms and receipts of bound books, as they are entered after an outage and answered.

use actix_web::test::TestRequest;
use racun_fiscal::Message;
use serde_json::{Value, json};

use crate::fiscal_documents::{invoice, open};
use crate::harness::text;
use crate::taxpayer::Taxpayer;

const DAILY: &str = "/pos/reports/daily";

fn form(number: &str, on: &str) -> Value {
    json!({"furs": {
        "sales_book_identifier": {
            "invoice_number": number, "set_number": "03", "serial_number": "5001-0001018"
        },
        "issue_date": on,
    }})
}

fn paragon(number: &str, at: &str) -> Value {
    json!({"fina": {"paragon_br_rac": number, "issued_at": at}})
}

#[actix_web::test]
async fn a_form_of_a_bound_book_is_entered_once() {
    let si = open(Taxpayer::slovenian().await).await;
    let sold = si.sell(form("612", "2026-11-18")).await.with(201).json();
    assert_eq!(
        (&sold["number"], &sold["date"]),
        (&json!("5001-0001018-03-612"), &json!("2026-11-18T00:00:00.000Z"))
    );
    assert_eq!((&sold["furs"]["status"], &sold["fina"]), (&json!("success"), &Value::Null));
    let data = &sold["furs"]["data"];
    for (field, value) in [
        ("business_premise_name", json!("P1")),
        ("electronic_device_name", Value::Null),
        ("invoice_number", json!(612)),
        ("zoi", Value::Null),
        ("protected_id", Value::Null),
        ("qr", Value::Null),
        ("eor", json!("00000000-0000-4000-8000-000000000001")),
        ("subsequent_submit", json!(false)),
        ("issue_date", json!("2026-11-18")),
        ("sales_book_identifier", form("612", "")["furs"]["sales_book_identifier"].clone()),
    ] {
        assert_eq!(data.get(field), Some(&value), "{field}");
    }
    let told = si.authorities.told();
    assert!(matches!(&told[..], [(_, _, Message::FursBook(_))]), "{told:?}");
    let device = si.sell(json!({})).await.with(201).json();
    assert_eq!(device["number"], "P1-1-1");
    assert_eq!(device["furs"]["data"]["sales_book_identifier"], Value::Null);
    assert_eq!(device["furs"]["data"]["issue_date"], Value::Null);

    let again = si.sell(form("612", "2026-11-19")).await.with(422);
    let path = r#"["furs","sales_book_identifier","invoice_number"]"#;
    assert_eq!(again.issue(), (path.to_owned(), "sales_book_form_used".to_owned()));
    let place = "/documents/next-number?type=invoice";
    assert_eq!(si.at(place).await.json()["number"], "P1-1-2");
}

#[actix_web::test]
async fn a_repeated_request_with_its_key_is_answered_the_same() {
    let si = open(Taxpayer::slovenian().await).await;
    let send = async |number: &str| {
        let body = invoice(form(number, "2026-11-18"));
        let request = TestRequest::post().uri("/invoices").set_json(body);
        let request = si.owner.sign(request).insert_header(("idempotency-key", "one"));
        si.api.call(request).await
    };
    let first = send("612").await.with(201).json();
    assert_eq!(send("612").await.with(201).json()["id"], first["id"]);
    assert_eq!(si.authorities.told().len(), 1);
}

#[actix_web::test]
async fn a_receipt_of_a_bound_book_keeps_its_time() {
    let hr = open(Taxpayer::croatian().await).await;
    let sold = hr.sell(paragon("17/1", "2026-11-18T23:30:00+01:00")).await.with(201).json();
    assert_eq!(
        (&sold["number"], &sold["date"]),
        (&json!("1/P1/1"), &json!("2026-11-18T00:00:00.000Z"))
    );
    let data = &sold["fina"]["data"];
    assert_eq!(data["issued_at"], "2026-11-18T23:30:00+01:00");
    assert_eq!(data["paragon_br_rac"], "17/1");
    assert_eq!((&data["subsequent_submit"], &data["invoice_number"]), (&json!(true), &json!(1)));
    assert!(text(&data["qr"]).contains("&datv=20261118_2330&"), "{data}");
    let told = hr.authorities.told();
    let [(_, _, Message::FinaReceipt { receipt, late: true })] = &told[..] else {
        panic!("{told:?}")
    };
    assert_eq!(receipt.paragon.as_deref(), Some("17/1"));
    let next = hr.sell(json!({})).await.with(201).json();
    assert_eq!(next["number"], "2/P1/1");
    assert_eq!(next["fina"]["data"]["paragon_br_rac"], Value::Null);
}

#[actix_web::test]
async fn invalid_forms_are_refused_at_their_path_and_take_no_number() {
    let si = open(Taxpayer::slovenian().await).await;
    let at = |inner: &str| format!(r#"["furs",{inner}]"#);
    let book = |field: &str| at(&format!(r#""sales_book_identifier","{field}""#));
    let mut drafted = form("1", "2026-11-18");
    drafted["is_draft"] = json!(true);
    drafted["payments"] = json!([]);
    let mut dated = form("1", "2026-11-18");
    dated["date"] = json!("2026-11-19");
    let mut device = form("1", "2026-11-18");
    device["furs"]["electronic_device_name"] = json!("1");
    let mut skipped = form("1", "2026-11-18");
    skipped["furs"]["skip"] = json!(true);
    let mut unknown = form("1", "2026-11-18");
    unknown["furs"]["sales_book_identifier"]["serial"] = json!("x");
    let mut short = form("1", "2026-11-18");
    short["furs"]["sales_book_identifier"]["set_number"] = json!("3");
    for (body, path, code) in [
        (form("01", "2026-11-18"), book("invoice_number"), "invalid_value"),
        (short, book("set_number"), "invalid_value"),
        (unknown, book("serial"), "unknown_field"),
        (form("1", "2026-11-21"), at(r#""issue_date""#), "date_in_future"),
        (
            json!({"furs": {"issue_date": "2026-11-18"}}),
            at(r#""sales_book_identifier""#),
            "required",
        ),
        (device, at(r#""electronic_device_name""#), "conflicting"),
        (skipped, at(r#""skip""#), "conflicting"),
        (drafted, at(r#""sales_book_identifier""#), "not_allowed"),
        (dated, r#"["date"]"#.to_owned(), "date_not_day_of_issue"),
        (
            paragon("1", "2026-11-18T10:00:00Z"),
            r#"["fina","paragon_br_rac"]"#.to_owned(),
            "not_allowed",
        ),
    ] {
        let refused = si.sell(body.clone()).await.with(422);
        assert_eq!(refused.issue(), (path, code.to_owned()), "{body}");
    }
    assert!(si.authorities.told().is_empty());
    assert_eq!(si.sell(form("1", "2026-11-18")).await.status, 201);

    let hr = open(Taxpayer::croatian().await).await;
    for (body, field, code) in [
        (paragon("", "2026-11-18T10:00:00Z"), "paragon_br_rac", "invalid_value"),
        (paragon("1", "2026-11-20T08:00:01Z"), "issued_at", "date_in_future"),
        (paragon("1", "2026-10-20T08:00:00Z"), "issued_at", "out_of_range"),
        (json!({"fina": {"paragon_br_rac": "1"}}), "issued_at", "required"),
        (json!({"fina": {"issued_at": "2026-11-18T10:00:00Z"}}), "paragon_br_rac", "required"),
    ] {
        let refused = hr.sell(body.clone()).await.with(422);
        let path = format!(r#"["fina","{field}"]"#);
        assert_eq!(refused.issue(), (path, code.to_owned()), "{body}");
    }
    let text = hr.sell(paragon("1", "yesterday")).await.with(422);
    assert_eq!(text.issue().0, r#"["fina","issued_at"]"#);
    assert_eq!(hr.sell(json!({})).await.with(201).json()["number"], "1/P1/1");
}

#[actix_web::test]
async fn other_mistakes_use_up_no_form() {
    let si = open(Taxpayer::slovenian().await).await;
    let mut wrong = form("612", "2026-11-18");
    wrong["unknown"] = json!(1);
    si.sell(wrong).await.with(422);
    let mut wrong = form("612", "2026-11-18");
    wrong["payments"] = json!([{"type": "cash", "amount": 1000}]);
    si.sell(wrong).await.with(422);
    si.sell(form("612", "2026-11-18")).await.with(201);
}

#[actix_web::test]
async fn takings_count_it_on_its_own_day_and_closings_after_that_carry_it_over() {
    let si = open(Taxpayer::slovenian().await).await;
    let daily = async |query: &str| {
        let report = si.at(&format!("{DAILY}{query}")).await.with(200).json();
        (report["totals"]["invoices"].clone(), report["by_payment_type"].clone())
    };
    si.sell(form("612", "2026-11-19")).await.with(201);
    let cash = |total: i64| json!([{"type": "cash", "invoices": total / 122, "total": total}]);
    assert_eq!(daily("?date=2026-11-19").await, (json!(1), cash(122)));
    assert_eq!(daily("").await, (json!(0), json!([])));
    // It is of its premise, and of no device.
    let of = async |query: &str| daily(&format!("?date=2026-11-19&{query}")).await.0;
    assert_eq!(of("business_premise_name=P1").await, 1);

    let close = json!({"counted_cash": 122, "date": "2026-11-19"});
    let closed = si.to("/pos/reports/closings", close).await.with(201).json();
    assert_eq!(closed["report"]["totals"]["invoices"], 1, "{closed}");
    si.sell(form("613", "2026-11-19")).await.with(201);
    assert_eq!(daily("?date=2026-11-19").await, (json!(2), cash(244)));
    let next = json!({"counted_cash": 122, "date": "2026-11-20"});
    let next = si.to("/pos/reports/closings", next).await.with(201).json();
    assert_eq!(next["carried_over"]["invoices"], 1, "{next}");
    assert_eq!(next["carried_over"]["gross"], 122, "{next}");
}
