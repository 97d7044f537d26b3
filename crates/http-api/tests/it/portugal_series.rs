//! Series of documents in Portugal over HTTP: made, listed, changed, closed, registered.

use racun_kernel::Decimal;
use racun_portugal::{Link, read_qr};
use serde_json::{Value, json};
use time::macros::date;

use crate::harness::text;
use crate::portugal::{Shop, code, merged, verified};

#[actix_web::test]
async fn a_series_is_made_listed_changed_and_closed() {
    let shop = Shop::bare().await;
    let made = shop
        .series(json!({
            "document_type": "invoice", "series_code": "2026A", "validation_code": "AAJFB7NT",
            "first_number": "FT 2026A/00001",
        }))
        .await
        .with(201)
        .json();
    assert_eq!(made["status"], "active");
    assert_eq!((&made["document_code"], &made["is_registered"]), (&json!("FT"), &json!(false)));
    assert_eq!((&made["initial_sequence"], &made["last_sequence"]), (&json!(1), &Value::Null));
    let path = format!("/fiscalization/pt/atcud-series/{}", text(&made["id"]));
    assert_eq!(shop.get(&path).await.with(200).json(), made);
    let list = shop.get("/fiscalization/pt/atcud-series").await.with(200).json();
    assert_eq!(list["data"], json!([made]));
    let changed = shop.api.patch(&path, &shop.owner, json!({"validation_code": "BBJFB7NT"})).await;
    assert_eq!(changed.with(200).json()["validation_code"], "BBJFB7NT");
    let sold = shop.sold(json!({})).await;
    assert_eq!(sold["number"], "FT 2026A/00001");
    let pt = &sold["pt"];
    assert_eq!(pt["atcud"], "BBJFB7NT-00001");
    let fields = read_qr(&text(&pt["qr_payload"])).unwrap();
    assert_eq!((fields["G"].as_str(), fields["H"].as_str()), ("FT 2026A/00001", "BBJFB7NT-00001"));
    let signed = Link {
        date: date!(2026 - 11 - 20),
        entered_at: text(&pt["system_entry_date"]).parse().unwrap(),
        number: "FT 2026A/00001".parse().unwrap(),
        total: Decimal::from(123),
        hash: text(&pt["hash"]).parse().unwrap(),
    };
    assert!(signed.signed(None).text().ends_with(";FT 2026A/00001;123.00;"));
    assert_eq!(verified([&signed]), Ok(()));
    let used = shop.api.patch(&path, &shop.owner, json!({"validation_code": "AAJFB7NT"})).await;
    assert_eq!(code(&used.with(422)), "pt_series_used");
    let closed = shop.post(&format!("{path}/close"), json!({})).await.with(200).json();
    assert_eq!((&closed["status"], &closed["last_sequence"]), (&json!("closed"), &json!(1)));
    assert!(shop.office.asked().is_empty(), "its code was entered by hand");
    assert_eq!(code(&shop.sell(json!({})).await.with(422)), "pt_series_missing");
}

#[actix_web::test]
async fn what_is_wrong_with_a_series_is_named_and_nothing_is_made() {
    let shop = Shop::bare().await;
    for (body, path, expected) in [
        (json!({"series_code": "FT 2026/A"}), "series_code", "invalid_value"),
        (json!({"validation_code": "AB12CD3"}), "validation_code", "invalid_value"),
        (json!({"initial_sequence": 0}), "initial_sequence", "invalid_value"),
        (json!({"first_number": "NC 2026A/1"}), "first_number", "invalid_value"),
        (json!({"document_type": "expense"}), "document_type", "invalid_value"),
    ] {
        let whole = json!({"document_type": "invoice", "series_code": "2026A"});
        let refused = shop.series(merged(whole, body)).await.with(422);
        assert_eq!(refused.issue(), (format!("[\"{path}\"]"), expected.to_owned()));
    }
    assert!(shop.office.asked().is_empty());
    shop.series(json!({"document_type": "invoice", "series_code": "2026A"})).await.with(201);
    let second = json!({"document_type": "invoice", "series_code": "2026B"});
    assert_eq!(code(&shop.series(second).await.with(409)), "pt_series_active");
    let same = json!({"document_type": "advance_invoice", "series_code": "2026a"});
    assert_eq!(code(&shop.series(same).await.with(409)), "duplicate", "both are FT");
    assert_eq!(shop.office.asked(), ["registarSerie"]);
    let other = shop.api.owner("bor@example.com").await;
    let body = json!({
        "document_type": "invoice", "series_code": "A", "start_date": "2026-01-01",
        "validation_code": "AAJFB7NT",
    });
    let refused = shop.api.post("/fiscalization/pt/atcud-series", &other, body).await;
    assert_eq!(code(&refused.with(422)), "country_not_supported");
}

#[actix_web::test]
async fn a_series_without_a_code_is_registered_and_ended_by_the_authority() {
    let shop = Shop::bare().await;
    let body = || json!({"document_type": "invoice", "series_code": "2026A"});
    shop.office.say(Ok(4043));
    assert_eq!(code(&shop.series(body()).await.with(422)), "pt_authority_refused");
    shop.office.say(Err(()));
    let silent = shop.series(body()).await.with(503);
    assert_eq!(code(&silent), "pt_authority_unanswered");
    assert_eq!(shop.get("/fiscalization/pt/atcud-series").await.json()["data"], json!([]));
    let made = shop.series(body()).await.with(201).json();
    assert_eq!(
        (&made["is_registered"], &made["validation_code"]),
        (&json!(true), &json!("AAAAAAA0"))
    );
    let path = format!("/fiscalization/pt/atcud-series/{}/close", text(&made["id"]));
    shop.office.asked();
    shop.office.say(Err(()));
    shop.post(&path, json!({})).await.with(503);
    let closed = shop.post(&path, json!({})).await.with(200).json();
    assert_eq!(closed["status"], "closed");
    assert_eq!(shop.office.asked(), ["anularSerie", "anularSerie"], "nothing was issued in it");
    shop.post(&path, json!({})).await.with(200);
    assert!(shop.office.asked().is_empty(), "it has ended");
}

#[actix_web::test]
async fn a_series_whose_registration_was_answered_and_lost_is_made_with_its_code() {
    let shop = Shop::bare().await;
    let wanted = |first: i64| {
        let body = json!({"document_type": "invoice", "series_code": "2026A"});
        shop.series(merged(body, json!({"initial_sequence": first})))
    };
    shop.office.lose();
    assert_eq!(code(&wanted(5).await.with(503)), "pt_authority_unanswered");
    assert_eq!(shop.office.asked(), ["registarSerie"]);
    let refused = wanted(6).await.with(422);
    assert_eq!(code(&refused), "pt_authority_refused", "the authority has one that starts with 5");
    assert_eq!(shop.get("/fiscalization/pt/atcud-series").await.json()["data"], json!([]));
    shop.office.asked();
    let made = wanted(5).await.with(201).json();
    assert_eq!(
        (&made["validation_code"], &made["is_registered"]),
        (&json!("AAAAAAA0"), &json!(true)),
        "the code of the answer that was lost"
    );
    assert_eq!(shop.office.asked(), ["registarSerie", "consultarSeries"]);
    let sold = shop.sold(json!({})).await;
    assert_eq!(sold["pt"]["atcud"], "AAAAAAA0-5");
}

#[actix_web::test]
async fn a_series_whose_end_was_answered_and_lost_ends_when_it_is_closed_again() {
    let shop = Shop::bare().await;
    let body = json!({"document_type": "invoice", "series_code": "2026A"});
    let made = shop.series(body).await.with(201).json();
    shop.sold(json!({})).await;
    let path = format!("/fiscalization/pt/atcud-series/{}/close", text(&made["id"]));
    shop.office.lose();
    assert_eq!(code(&shop.post(&path, json!({})).await.with(503)), "pt_authority_unanswered");
    shop.office.asked();
    shop.post(&path, json!({})).await.with(200);
    assert_eq!(shop.office.asked(), ["finalizarSerie", "consultarSeries"]);
    shop.post(&path, json!({})).await.with(200);
    assert!(shop.office.asked().is_empty(), "it has ended");
}

#[actix_web::test]
async fn a_series_that_is_closed_or_of_another_type_is_not_issued_in() {
    let shop = Shop::open().await;
    let list = shop.get("/fiscalization/pt/atcud-series").await.with(200).json();
    let list = list["data"].as_array().unwrap().clone();
    let id = |kind: &str| {
        let found = list.iter().find(|own| own["document_type"] == kind);
        text(&found.unwrap()["id"])
    };
    let (own, other) = (id("invoice"), id("credit_note"));
    let sell = async |id: &str| shop.sell(json!({"pt": {"series_id": id}})).await;
    assert_eq!(sell(&own).await.with(201).json()["number"], "FT 2026A/1");
    assert_eq!(code(&sell(&other).await.with(422)), "pt_series_of_other_type");
    let notes = json!({"document_type": "debit_note", "series_code": "2026A"});
    let notes = shop.series(notes).await.with(201).json();
    assert_eq!(notes["document_code"], "ND");
    let refused = sell(&text(&notes["id"])).await.with(422);
    assert_eq!(code(&refused), "pt_series_of_other_type", "no document goes into it");
    let path = format!("/fiscalization/pt/atcud-series/{own}");
    let change =
        async |status: &str| shop.api.patch(&path, &shop.owner, json!({"status": status})).await;
    shop.office.asked();
    let closed = change("closed").await.with(200).json();
    assert_eq!((&closed["status"], &closed["last_sequence"]), (&json!("closed"), &json!(1)));
    assert_eq!(shop.office.asked(), ["finalizarSerie"]);
    assert_eq!(code(&sell(&own).await.with(422)), "pt_series_closed");
    assert_eq!(code(&change("active").await.with(422)), "pt_series_closed", "it stays so");
    change("closed").await.with(200);
    assert!(shop.office.asked().is_empty(), "it has ended");
    let next = json!({"document_type": "invoice", "series_code": "2026B"});
    shop.series(next).await.with(201);
    assert_eq!(shop.sold(json!({})).await["number"], "FT 2026B/1");
}

#[actix_web::test]
async fn a_form_names_its_series_where_several_are_open() {
    let shop = Shop::bare().await;
    let mut open = Vec::new();
    for code in ["M1", "M2"] {
        let book = json!({"document_type": "invoice", "series_code": code, "is_manual": true});
        open.push(shop.series(book).await.with(201).json());
    }
    let form = |pt: Value| {
        let own = json!({"manual": true, "manual_series_code": "V", "manual_sequential_number": 1});
        json!({"pt": merged(own, pt), "date": "2026-11-10"})
    };
    // One that is paid at once looks for a series of the type invoice_receipt first.
    for paid in [json!({}), json!({"payments": [{"type": "cash"}]})] {
        let refused = shop.sell(merged(form(json!({})), paid)).await.with(422);
        assert_eq!(refused.issue(), (r#"["pt","series_id"]"#.into(), "required".into()));
        assert!(refused.text.contains("M1, M2; send the id of one"), "{refused:?}");
        assert!(refused.text.contains("GET /fiscalization/pt/atcud-series"), "{refused:?}");
    }
    let sold = shop.sold(form(json!({"series_id": open[1]["id"]}))).await;
    assert_eq!(sold["number"], "FT M2/1", "refusals take no number");
}
