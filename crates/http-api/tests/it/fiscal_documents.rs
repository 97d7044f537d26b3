//! Documents that are reported to a tax authority, as they are sent and answered.

use racun_fiscal::{Message, Reply};
use serde_json::{Value, json};

use crate::authorities::{refused, unknown};
use crate::harness::{Answer, text};
use crate::taxpayer::{OIB, TAX_NUMBER, Taxpayer, cause};

/// A taxpayer who sells: fiscalization is on, with premise P1 and device 1.
pub async fn open(own: Taxpayer) -> Taxpayer {
    let own = own.certified().await;
    let number = if own.base.ends_with("furs") { "operator_tax_number" } else { "operator_oib" };
    let whose = if own.base.ends_with("furs") { TAX_NUMBER } else { OIB };
    let mut settings = json!({"enabled": true, "operator_label": "Ana"});
    settings[number] = json!(whose);
    own.put(settings).await.with(200);
    let premise = own.premise("P1").await;
    own.create_device(&premise, "1").await.with(201);
    own.authorities.told();
    own
}

pub fn invoice(more: Value) -> Value {
    let line = json!({"name": "Kruh", "price": 100, "taxes": [{"rate": 22}]});
    let mut body = json!({"items": [line], "payments": [{"type": "cash"}]});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

impl Taxpayer {
    pub async fn to(&self, path: &str, body: Value) -> Answer {
        self.api.post(path, &self.owner, body).await
    }

    pub async fn sell(&self, more: Value) -> Answer {
        self.to("/invoices", invoice(more)).await
    }

    pub async fn at(&self, path: &str) -> Answer {
        self.api.get(path, &self.owner).await
    }
}

#[actix_web::test]
async fn a_shared_document_does_not_show_who_issued_it() {
    for (own, part) in [(Taxpayer::slovenian().await, "furs"), (Taxpayer::croatian().await, "fina")]
    {
        let own = open(own).await;
        let sold = own.sell(json!({})).await.with(201).json();
        let share = format!("/documents/{}/share", text(&sold["id"]));
        let shared = own.to(&share, json!({})).await.with(200).json();
        let path = format!("/invoices/shareable/{}", text(&shared["shareable_id"]));
        let seen = own.at(&path).await.with(200).json();
        let data = seen[part]["data"].as_object().unwrap();
        assert_eq!(data["business_premise_name"], "P1");
        for inner in ["operator_tax_number", "operator_oib", "message_id"] {
            assert!(!data.contains_key(inner), "{inner}: {data:?}");
            let known = sold[part]["data"].get(inner).is_some();
            assert!(known || inner.starts_with("operator"), "{inner} is there for its own");
        }
    }
}

#[actix_web::test]
async fn an_invoice_says_what_furs_knows_of_it() {
    let si = open(Taxpayer::slovenian().await).await;
    let next = "/documents/next-number?type=invoice";
    let place = json!({"business_premise_name": "P1", "electronic_device_name": "1"});
    let expected = json!({"number": "P1-1-1", "furs": place, "fina": null, "pt": null});
    assert_eq!(si.at(next).await.with(200).json(), expected);

    let sold = si.sell(json!({})).await.with(201).json();
    assert_eq!((&sold["number"], &sold["fina"]), (&json!("P1-1-1"), &Value::Null));
    let furs = &sold["furs"];
    assert_eq!((&furs["status"], &furs["error"]), (&json!("success"), &Value::Null));
    assert_eq!(furs["fiscalized_at"], "2026-11-20T08:00:00.000Z");
    let data = furs["data"].as_object().unwrap();
    for (field, value) in [
        ("business_premise_name", json!("P1")),
        ("electronic_device_name", json!("1")),
        ("invoice_number", json!(1)),
        ("eor", json!("00000000-0000-4000-8000-000000000001")),
        ("operator_tax_number", json!(TAX_NUMBER)),
        ("operator_label", json!("Ana")),
        ("environment", json!("test")),
        ("special_notes", Value::Null),
        ("subsequent_submit", json!(false)),
    ] {
        assert_eq!(data[field], value, "{field}");
    }
    let zoi = text(&data["zoi"]);
    assert!(zoi.len() == 32 && data["protected_id"] == data["zoi"], "{zoi}");
    assert_eq!(text(&data["qr"]).len(), 60);
    assert_eq!(text(&data["message_id"]).len(), 36);
    let path = format!("/invoices/{}", text(&sold["id"]));
    assert_eq!(si.at(&path).await.json(), sold);
    assert_eq!(si.at(next).await.json()["number"], "P1-1-2");
    let told = si.authorities.told();
    let Message::FursInvoice { invoice, subsequent: false } = &told[0].2 else { panic!() };
    assert_eq!(invoice.zoi.to_string(), zoi);

    let draft = si.sell(json!({"is_draft": true, "payments": [], "furs": {"skip": true}})).await;
    let draft = draft.with(201).json();
    assert_eq!((&draft["furs"], &draft["fina"]), (&Value::Null, &Value::Null));
    let finalize = format!("/documents/{}/finalize", text(&draft["id"]));
    let body = json!({"furs": {"operator_tax_number": "12345678", "operator_label": "Bojan"}});
    let issued = si.to(&finalize, body).await.with(200).json();
    assert_eq!(issued["number"], "P1-1-2");
    assert_eq!(issued["furs"]["data"]["operator_label"], "Bojan");

    let estimate = si.to("/estimates", json!({"items": [{"name": "x", "price": 1}], "furs": {}}));
    assert_eq!(estimate.await.status, 422, "estimates are never fiscalized");
    let update = json!({"furs": {"skip": true}});
    assert_eq!(si.api.patch(&path, &si.owner, update).await.status, 422, "not updatable");
    let edit = si.api.patch(&path, &si.owner, json!({"reference": "R"})).await.with(422);
    assert_eq!(cause(&edit), "document_fiscalized");
}

#[actix_web::test]
async fn whatever_happens_there_the_answer_is_a_document_and_it_can_be_sent_again() {
    let si = open(Taxpayer::slovenian().await).await;
    si.authorities.answers([unknown(), refused("S001"), refused("S100")]);
    let statuses = ["pending", "failed", "pending"];
    let errors = [Value::Null, json!("S001"), json!("S100")];
    let mut ids = Vec::new();
    for (status, error) in statuses.iter().zip(&errors) {
        let sold = si.sell(json!({})).await.with(201).json();
        assert_eq!((&sold["furs"]["status"], &sold["furs"]["error"]), (&json!(status), error));
        assert_eq!(sold["furs"]["data"]["eor"], Value::Null);
        ids.push(text(&sold["id"]));
    }
    let fiscalize = |id: &str| format!("/documents/{id}/fiscalize");
    let again = si.to(&fiscalize(&ids[1]), json!({})).await.with(200).json();
    assert_eq!(again["furs"]["status"], "success");
    assert_eq!(again["furs"]["data"]["subsequent_submit"], true);
    let done = si.to(&fiscalize(&ids[1]), json!({})).await.with(422);
    assert_eq!(cause(&done), "document_not_to_fiscalize");
    let elsewhere = json!({"business_premise_name": "P2"});
    let elsewhere = si.to(&fiscalize(&ids[0]), elsewhere).await.with(422);
    let (path, code) = elsewhere.issue();
    assert_eq!((&*path, &*code), (r#"["business_premise_name"]"#, "not_updatable"));
    assert_eq!(si.to("/documents/inv_none/fiscalize", json!({})).await.status, 404);
    assert_eq!(si.to(&fiscalize(&ids[0]), json!({"zoi": "x"})).await.status, 422);

    let skipped = json!({"payments": [], "furs": {"skip": true}});
    let skipped = si.sell(skipped).await.with(201).json();
    let expected = json!({"status": "skipped", "fiscalized_at": null, "error": null, "data": null});
    assert_eq!((&skipped["furs"], &skipped["number"]), (&expected, &json!("2026-00001")));
    let body = json!({
        "business_premise_name": "P1", "electronic_device_name": "1",
        "operator_tax_number": "12345678", "operator_label": "B",
    });
    let later = si.to(&fiscalize(&text(&skipped["id"])), body).await.with(200).json();
    assert_eq!(later["number"], "P1-1-4");
    let versions = format!("/invoices/{}/versions", text(&skipped["id"]));
    let versions = si.at(&versions).await.with(200).json();
    assert_eq!(versions["versions"][0]["changed_fields"], json!(["number"]));
}

#[actix_web::test]
async fn mistakes_are_named_by_path_or_code_and_take_no_number() {
    let si = open(Taxpayer::slovenian().await).await;
    for (furs, path, code) in [
        (
            json!({"business_premise_name": "P9"}),
            r#"["furs","business_premise_name"]"#,
            "not_found",
        ),
        (
            json!({"electronic_device_name": "9"}),
            r#"["furs","electronic_device_name"]"#,
            "not_found",
        ),
        (json!({"operator_tax_number": "1"}), r#"["furs","operator_tax_number"]"#, "invalid_value"),
    ] {
        let refused = si.sell(json!({ "furs": furs })).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), code.to_owned()), "{furs}");
    }
    let skip = si.sell(json!({"furs": {"skip": true}})).await.with(422);
    assert_eq!(cause(&skip), "furs_skip_not_allowed");
    si.put(json!({"operator_tax_number": null, "operator_label": null})).await.with(200);
    let unmarked = si.sell(json!({})).await.with(422);
    let issues = unmarked.json()["cause"]["issues"].clone();
    let paths: Vec<&Value> =
        issues.as_array().unwrap().iter().map(|issue| &issue["path"]).collect();
    assert_eq!(
        paths,
        [&json!(["furs", "operator_tax_number"]), &json!(["furs", "operator_label"])]
    );
    // A person may say it once for all.
    let own = json!({"operator_tax_number": "87654321", "operator_label": "Oseba"});
    si.api.put("/users/me/settings/furs", &si.owner, own).await.with(200);
    let sold = si.sell(json!({})).await.with(201).json();
    assert_eq!(sold["number"], "P1-1-1");
    assert_eq!(sold["furs"]["data"]["operator_tax_number"], "87654321");
    si.delete("/settings/certificate").await.with(200);
    assert_eq!(cause(&si.sell(json!({})).await.with(422)), "certificate_missing");
    let ignored = json!({"fina": {"skip": true}, "is_draft": true, "payments": []});
    si.sell(ignored).await.with(201);
}

#[actix_web::test]
async fn voiding_issues_a_credit_note_that_is_reported_and_cannot_be_voided() {
    let si = open(Taxpayer::slovenian().await).await;
    let sold = si.sell(json!({"payments": []})).await.with(201).json();
    let void = format!("/invoices/{}/void", text(&sold["id"]));
    si.to(&void, json!({})).await.with(200);
    let credit = si.at("/credit-notes").await.with(200).json()["data"][0].clone();
    assert_eq!(
        (&credit["number"], &credit["furs"]["status"]),
        (&json!("P1-1-2"), &json!("success"))
    );
    let void = format!("/credit-notes/{}/void", text(&credit["id"]));
    assert_eq!(cause(&si.to(&void, json!({})).await.with(422)), "document_fiscalized");
}

#[actix_web::test]
async fn an_invoice_says_what_croatia_knows_of_it_and_of_how_it_is_paid() {
    let hr = open(Taxpayer::croatian().await).await;
    let skip = hr.sell(json!({"fina": {"skip": true}})).await.with(422);
    assert_eq!(cause(&skip), "fina_cannot_skip");
    hr.authorities.answers([unknown()]);
    let dated = json!({"date": "2026-10-01"});
    let refused_at = hr.sell(dated).await.with(422).json();
    assert_eq!(refused_at["cause"]["issues"][0]["path"], json!(["date"]), "{refused_at}");
    let sold = hr.sell(json!({"fina": {"operator_label": "Bo"}})).await.with(201).json();
    assert_eq!((&sold["number"], &sold["furs"]), (&json!("1/P1/1"), &Value::Null));
    assert_eq!(sold["date"], "2026-11-20T00:00:00.000Z");
    let data = sold["fina"]["data"].as_object().unwrap();
    for (field, value) in [
        ("invoice_number", json!(1)),
        ("jir", Value::Null),
        ("payment_type", json!("cash")),
        ("operator_oib", json!(OIB)),
        ("operator_label", json!("Bo")),
        ("environment", json!("test")),
        ("issued_at", json!("2026-11-20T09:00:00+01:00")),
        ("payment_change_unconfirmed", Value::Null),
        ("tips", Value::Null),
    ] {
        assert_eq!(data[field], value, "{field}");
    }
    assert!(text(&data["qr"]).starts_with("https://porezna.gov.hr/rn?zki="));

    let payment = hr.at("/payments").await.json()["data"][0].clone();
    let payment = format!("/payments/{}", text(&payment["id"]));
    let to = async |kind: &str| hr.api.patch(&payment, &hr.owner, json!({"type": kind})).await;
    assert_eq!(cause(&to("card").await.with(409)), "fina_receipt_unconfirmed");
    let id = text(&sold["id"]);
    let done = hr.to(&format!("/documents/{id}/fiscalize"), json!({})).await.with(200).json();
    assert!(text(&done["fina"]["data"]["qr"]).contains("?jir="));
    assert_eq!(done["fina"]["data"]["zki"], data["zki"]);

    hr.authorities.answers([unknown(), refused("s005"), refused("s001"), refused("s006")]);
    assert_eq!(cause(&to("card").await.with(503)), "fina_unreachable");
    let kept = hr.at(&format!("/invoices/{id}")).await.json();
    let kept = &kept["fina"]["data"]["payment_change_unconfirmed"];
    let attempt = json!({"from": "cash", "to": "card", "attempted_at": "2026-11-20T08:00:00.000Z"});
    assert_eq!(*kept, attempt);
    assert_eq!(cause(&to("bank_transfer").await.with(409)), "fina_payment_change_unconfirmed");
    for (status, code) in [(422, "s005"), (500, "s001"), (503, "s006")] {
        let refused = to("card").await.with(status).json();
        assert_eq!(refused["cause"]["provider_code"], code);
        assert_eq!(refused["cause"]["provider_message"], format!("text of {code}"));
    }
    hr.authorities.answers([Ok(Reply::Confirmed(None))]);
    assert_eq!(to("card").await.with(200).json()["type"], "card");
    hr.api.pass(15 * 3600);
    assert_eq!(cause(&to("cash").await.with(422)), "fina_payment_change_window_expired");
}

#[actix_web::test]
async fn classifications_of_taxes_and_tips_of_payments_reach_croatia() {
    let hr = open(Taxpayer::croatian().await).await;
    let vat = json!({"rate": 25});
    let lines = |tax: Value| {
        json!([
            {"name": "Pivo", "price": 100, "taxes": [vat, tax]},
            {"name": "Slika", "price": 30, "taxes": [{"rate": 0, "classification": "margin"}]},
        ])
    };
    let pnp = json!({"rate": 3, "classification": "pnp"});
    let paid = json!([{"type": "card", "tip": 2}]);
    let sold = hr.sell(json!({"items": lines(pnp.clone()), "payments": paid})).await;
    let sold = sold.with(201).json();
    assert_eq!((&sold["total_with_tax"], &sold["warnings"]), (&json!(158), &json!([])));
    assert_eq!(sold["items"][0]["taxes"][1]["classification"], "pnp");
    assert_eq!(sold["fina"]["data"]["tips"]["amount"], 2);
    let told = hr.authorities.told();
    let Message::FinaReceipt { receipt, .. } = &told[0].2 else { panic!() };
    let figures = |taxes: &[racun_fiscal::fina::TaxLine]| -> Vec<[String; 3]> {
        let line = |tax: &racun_fiscal::fina::TaxLine| {
            [&tax.rate, &tax.base, &tax.amount].map(ToString::to_string)
        };
        taxes.iter().map(line).collect()
    };
    assert_eq!(figures(&receipt.vat), [["25", "100", "25"]]);
    assert_eq!(figures(&receipt.consumption), [["3", "100", "3"]]);
    assert_eq!(receipt.margin.as_ref().map(ToString::to_string).as_deref(), Some("30"));
    assert_eq!(receipt.total.to_string(), "158");

    let refused = hr.sell(json!({"items": lines(json!({"rate": 4, "classification": "pnp"}))}));
    let at = r#"["items",0,"taxes",1,"rate"]"#.to_owned();
    assert_eq!(refused.await.with(422).issue(), (at, "out_of_range".to_owned()));

    // Outside the VAT system Croatia still has it; Slovenia has none.
    let outside = json!({"is_tax_subject": false});
    let settings = json!({
        "enabled": true, "operator_label": "Ana", "operator_oib": OIB, "u_sust_pdv": false,
    });
    hr.put(settings).await.with(200);
    let drink = |tax: Value| json!([{"name": "Pivo", "price": 100, "taxes": [tax]}]);
    hr.sell(json!({"items": drink(pnp.clone())})).await.with(201);
    let si = open(Taxpayer::slovenian().await).await;
    let path = format!("/entities/{}", si.owner.entity());
    si.api.patch(&path, &si.owner, outside).await.with(200);
    for tax in [pnp, json!({"rate": 22, "classification": "pnp"})] {
        let refused = si.sell(json!({"items": drink(tax)})).await.with(422);
        let at = r#"["items",0,"taxes",0,"rate"]"#.to_owned();
        assert_eq!(refused.issue(), (at, "taxpayer_outside_vat".to_owned()));
    }
    assert!(si.authorities.told().is_empty());
}

#[actix_web::test]
async fn an_invoice_says_how_far_the_report_of_its_tips_is() {
    let hr = open(Taxpayer::croatian().await).await;
    let sold = hr.sell(json!({"payments": [{"type": "card", "tip": 2}]})).await;
    let sold = sold.with(201).json();
    let expected = json!({
        "amount": 2, "payment_type": "card", "confirmed": false, "confirmed_amount": null,
        "confirmed_at": null, "error": null, "errors": [],
    });
    assert_eq!(sold["fina"]["data"]["tips"], expected);
    let jobs = hr.at("/jobs?kind=fiscal_tips").await.with(200).json();
    assert_eq!((&jobs["data"][0]["subject"], &jobs["data"][1]), (&sold["id"], &Value::Null));
    let share = format!("/documents/{}/share", text(&sold["id"]));
    let shared = hr.to(&share, json!({})).await.with(200).json();
    let path = format!("/invoices/shareable/{}", text(&shared["shareable_id"]));
    let seen = hr.at(&path).await.with(200).json();
    assert_eq!(seen["fina"]["data"].get("tips"), None, "the customer does not see it");
}
