//! Electronic invoices over HTTP: checked when documents are issued or changed, and as files.

use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};

/// An entity in `country` with all that its electronic invoices need, and `settings`.
async fn entity(api: &Api, country: &str, settings: Value) -> Who {
    let user = api.user("owner@example.com").await;
    let (tax_number, iban, bic) = match country {
        "Germany" => ("DE136695976", "DE89370400440532013000", "COBADEFFXXX"),
        _ => ("SI10039856", "SI56263300012039086", "LJBASI2X"),
    };
    let body = json!({
        "name": "Pri Ani", "country": country, "environment": "sandbox", "tax_number": tax_number,
        "company_number": "HRB 4711", "address": "Glavna 1", "post_code": "10115",
        "city": "Berlin", "phone": "+49 30 123456", "email": "ana@example.com",
        "is_tax_subject": true,
    });
    let made = api.post("/entities", &user, body).await.with(201).json();
    let owner = user.in_entity(&text(&made["id"]));
    let accounts = json!([{"type": "iban", "iban": iban, "bic": bic}]);
    let mut settings = settings;
    settings["bank_accounts"] = accounts;
    let path = format!("/entities/{}", owner.entity());
    api.patch(&path, &owner, json!({"settings": settings})).await.with(200);
    owner
}

/// An invoice to an authority in Germany.
fn german() -> Value {
    json!({
        "date_service": "2026-11-19",
        "customer": {
            "name": "Bundesamt", "address": "Weg 2", "post_code": "53113", "city": "Bonn",
            "country_code": "DE", "email": "amt@example.com",
            "e_invoicing": {"buyer_reference": "04011000-12345-03"},
        },
        "items": [
            {"name": "Beratung", "quantity": 2, "unit": "h", "price": 50, "taxes": [{"rate": 19}]},
            {"name": "Schrauben", "quantity": 3, "price": 9.99, "taxes": [{"rate": 19}],
             "e_invoicing": {"unit_code": "KGM"}},
        ],
    })
}

/// An invoice to a business in Slovenia.
fn slovenian() -> Value {
    json!({
        "date_service": "2026-11-19",
        "customer": {
            "name": "Kupec d.o.o.", "address": "Pot 2", "post_code": "2000", "city": "Maribor",
            "country_code": "SI", "tax_number": "SI10039856",
        },
        "items": [
            {"name": "Svetovanje", "quantity": 2, "unit": "h", "price": 50,
             "taxes": [{"rate": 22}]},
        ],
    })
}

fn with(mut body: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

/// Paths of all issues, with dots.
fn paths(answer: &Answer) -> Vec<String> {
    let issues = answer.json()["cause"]["issues"].as_array().cloned().unwrap_or_default();
    let path = |issue: &Value| {
        let steps = issue["path"].as_array().unwrap().iter();
        let steps: Vec<String> = steps
            .map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned))
            .collect();
        steps.join(".")
    };
    issues.iter().map(path).collect()
}

fn cause(answer: &Answer) -> String {
    answer.json()["cause"]["code"].as_str().unwrap_or_default().to_owned()
}

async fn count(api: &Api, who: &Who) -> Value {
    api.get("/invoices", who).await.with(200).json()["pagination"]["total"].clone()
}

async fn next_number(api: &Api, who: &Who) -> Value {
    let next = api.get("/documents/next-number?type=invoice", who).await.with(200).json();
    next["number"].clone()
}

#[actix_web::test]
async fn an_entity_that_issues_xrechnung_issues_nothing_that_is_none() {
    let api = Api::new().await;
    let owner = entity(&api, "Germany", json!({"xrechnung": {"enabled": true}})).await;
    let (before, number) = (count(&api, &owner).await, next_number(&api, &owner).await);
    let mut lacking = with(german(), json!({"issuer": {"phone": null, "city": null}}));
    lacking["customer"]["city"] = Value::Null;
    lacking["customer"]["e_invoicing"] = Value::Null;
    lacking["items"][1]["e_invoicing"]["unit_code"] = json!("PCE");
    let refused = api.post("/invoices", &owner, lacking.clone()).await.with(422);
    assert_eq!(cause(&refused), "xrechnung_invalid", "{refused:?}");
    let found = paths(&refused);
    for field in [
        "issuer.phone",
        "issuer.city",
        "customer.city",
        "customer.e_invoicing.buyer_reference",
        "items.1.e_invoicing.unit_code",
    ] {
        assert!(found.iter().any(|path| path == field), "{field} is not in {found:?}");
    }
    assert_eq!(count(&api, &owner).await, before);
    assert_eq!(next_number(&api, &owner).await, number);

    let made = api.post("/invoices", &owner, german()).await.with(201).json();
    assert_eq!(made["number"], number);
    let check = &made["xrechnung"];
    assert_eq!(check["validation_status"], "valid", "{check}");
    assert_eq!(
        (&check["validation_enabled"], &check["validation_errors"]),
        (&json!(true), &json!([]))
    );
    assert!(check["validated_at"].is_string());
    assert_eq!(
        (&made["zugferd"], &made["eslog"], &made["ujp"]),
        (&json!(null), &json!(null), &json!(null))
    );
    let path = format!("/invoices/{}/xrechnung", text(&made["id"]));
    let file = api.get(&path, &owner).await.with(200);
    assert_eq!(file.header("content-type"), "application/xml");
    for part in [
        "urn:xeinkauf.de:kosit:xrechnung_3.0",
        "<cbc:BuyerReference>04011000-12345-03</cbc:BuyerReference>",
        "unitCode=\"KGM\"",
        "unitCode=\"HUR\"",
        &format!("<cbc:ID>{}</cbc:ID>", text(&number)),
    ] {
        assert!(file.text.contains(part), "{part} is not in {}", file.text);
    }

    let unbound = with(lacking, json!({"xrechnung": {"validation_required": false}}));
    let made = api.post("/invoices", &owner, unbound).await.with(201).json();
    assert_eq!(made["xrechnung"]["validation_status"], "invalid");
    let errors = made["xrechnung"]["validation_errors"].as_array().unwrap();
    assert!(errors.iter().any(|error| text(error).starts_with("issuer.phone: BR-DE-6: ")));
    let path = format!("/invoices/{}/xrechnung", text(&made["id"]));
    let refused = api.get(&path, &owner).await.with(422);
    assert_eq!(cause(&refused), "xrechnung_invalid");
}

#[actix_web::test]
async fn drafts_are_judged_when_they_are_finalized_and_updates_like_issuing() {
    let api = Api::new().await;
    let settings = json!({"xrechnung": {"enabled": true}, "zugferd": {"enabled": true}});
    let owner = entity(&api, "Germany", settings).await;
    let lacking = json!({"is_draft": true, "issuer": {"phone": null}});
    let draft = api.post("/invoices", &owner, with(german(), lacking)).await.with(201).json();
    assert_eq!(draft["xrechnung"]["validation_status"], "not_validated");
    assert_eq!(draft["zugferd"]["validation_status"], "not_validated");
    let id = text(&draft["id"]);
    let (path, own) = (format!("/documents/{id}/finalize"), format!("/invoices/{id}"));
    let file = format!("{own}/xrechnung");
    assert_eq!(cause(&api.get(&file, &owner).await.with(422)), "document_is_draft");
    let refused = api.post(&path, &owner, json!({})).await.with(422);
    assert_eq!(
        (cause(&refused).as_str(), paths(&refused)),
        ("xrechnung_invalid", vec!["issuer.phone".to_owned()])
    );
    assert_eq!(api.get(&own, &owner).await.with(200).json()["is_draft"], true);

    api.patch(&own, &owner, json!({"issuer": {"phone": "+49 30 1"}})).await.with(200);
    let issued = api.post(&path, &owner, json!({})).await.with(200).json();
    assert_eq!(issued["xrechnung"]["validation_status"], "valid");
    assert_eq!(issued["zugferd"]["validation_status"], "valid");
    let refused = api.patch(&own, &owner, json!({"issuer": {"phone": null}})).await.with(422);
    assert_eq!(cause(&refused), "xrechnung_invalid");
    assert_eq!(api.get(&own, &owner).await.with(200).json()["issuer"]["phone"], "+49 30 1");
    let loose = json!({
        "issuer": {"phone": null}, "xrechnung": {"validation_required": false},
    });
    let changed = api.patch(&own, &owner, loose).await.with(200).json();
    assert_eq!(changed["xrechnung"]["validation_status"], "invalid");
    assert_eq!(changed["zugferd"]["validation_status"], "valid");
    let mended = api.patch(&own, &owner, json!({"issuer": {"phone": "+49 30 2"}})).await;
    assert_eq!(mended.with(200).json()["xrechnung"]["validation_status"], "valid");
    api.get(&file, &owner).await.with(200);

    let loose = json!({"is_draft": true, "issuer": {"phone": null}});
    let draft = api.post("/invoices", &owner, with(german(), loose)).await.with(201).json();
    let path = format!("/documents/{}/finalize", text(&draft["id"]));
    let said = json!({"xrechnung": {"validation_required": false}});
    let issued = api.post(&path, &owner, said).await.with(200).json();
    assert_eq!(issued["xrechnung"]["validation_status"], "invalid");
}

#[actix_web::test]
async fn a_credit_note_names_the_invoice_and_a_doubtful_leitweg_id_warns() {
    let api = Api::new().await;
    let owner = entity(&api, "Germany", json!({})).await;
    let asked = json!({"xrechnung": {"validation_enabled": true}});
    let mut doubtful = with(german(), asked.clone());
    doubtful["customer"]["e_invoicing"]["buyer_reference"] = json!("991-01234-56");
    let invoice = api.post("/invoices", &owner, doubtful).await.with(201).json();
    assert_eq!(invoice["xrechnung"]["validation_status"], "valid");
    let warning = &invoice["warnings"][0];
    assert_eq!(warning["path"], json!(["customer", "e_invoicing", "buyer_reference"]));
    assert_eq!(warning["code"], "leitweg_id_check_digits");
    let check = &invoice["xrechnung"];
    let warned: Vec<String> =
        check["validation_warnings"].as_array().unwrap().iter().map(text).collect();
    let is_named =
        |one: &String| one.starts_with("customer.e_invoicing.buyer_reference: LEITWEG-ID: ");
    assert_eq!(warned.iter().filter(|one| is_named(one)).count(), 1, "{warned:?}");
    assert_eq!(check["validation_errors"], json!([]), "a warning is no error");
    let linked = json!({"linked_documents": [invoice["id"]]});
    let note = with(with(german(), asked), linked);
    let note = api.post("/credit-notes", &owner, note).await.with(201).json();
    let warned = note["xrechnung"]["validation_warnings"].to_string();
    assert!(!warned.contains("LEITWEG-ID"), "{warned}");
    assert_eq!(note["xrechnung"]["validation_status"], "valid", "{}", note["xrechnung"]);
    let path = format!("/credit-notes/{}/xrechnung", text(&note["id"]));
    let file = api.get(&path, &owner).await.with(200).text;
    let reference = format!("<cbc:ID>{}</cbc:ID>", text(&invoice["number"]));
    assert!(file.contains("CreditNoteTypeCode>381<") && file.contains(&reference), "{file}");
    let other = format!("/invoices/{}/xrechnung", text(&note["id"]));
    api.get(&other, &owner).await.with(404);
}

#[actix_web::test]
async fn paid_advances_are_in_the_file() {
    let api = Api::new().await;
    let owner = entity(&api, "Germany", json!({"xrechnung": {"enabled": true}})).await;
    let advance = json!({
        "customer": german()["customer"],
        "items": [{"name": "Anzahlung", "price": 100, "taxes": [{"rate": 19}]}],
        "payments": [{"type": "bank_transfer"}],
    });
    let advance = api.post("/advance-invoices", &owner, advance).await.with(201).json();
    let linked = json!({"linked_documents": [advance["id"]]});
    let invoice = api.post("/invoices", &owner, with(german(), linked)).await.with(201).json();
    let path = format!("/invoices/{}/xrechnung", text(&invoice["id"]));
    let file = api.get(&path, &owner).await.with(200).text;
    let due = &invoice["total_due"];
    for part in [
        format!("<cbc:PrepaidAmount currencyID=\"EUR\">{}</cbc:PrepaidAmount>", "119.00"),
        format!("<cbc:PayableAmount currencyID=\"EUR\">{due}</cbc:PayableAmount>"),
        format!("<cbc:ID>{}</cbc:ID>", text(&advance["number"])),
    ] {
        assert!(file.contains(&part), "{part} is not in {file}");
    }
}

#[actix_web::test]
async fn e_slog_is_checked_by_settings_request_and_order() {
    let api = Api::new().await;
    let owner = entity(&api, "Slovenia", json!({"eslog_validation_enabled": true})).await;
    let made = api.post("/invoices", &owner, slovenian()).await.with(201).json();
    assert_eq!(made["eslog"]["validation_status"], "valid", "{}", made["eslog"]);
    assert_eq!(made["ujp"], json!(null));
    let id = text(&made["id"]);
    let file = api.get(&format!("/eslog/{id}/download?type=invoice"), &owner).await.with(200);
    assert!(file.text.contains("xmlns=\"urn:eslog:2.00\""), "{}", file.text);
    api.get(&format!("/eslog/{id}/download?type=estimate"), &owner).await.with(404);
    let wrong = api.get(&format!("/eslog/{id}/download?type=delivery_note"), &owner).await;
    assert_eq!(wrong.with(422).issue().1, "invalid_value");

    let lacking =
        with(slovenian(), json!({"issuer": {"bank_account": null, "bank_accounts": null}}));
    let made = api.post("/invoices", &owner, lacking.clone()).await.with(201).json();
    assert_eq!(made["eslog"]["validation_status"], "invalid");
    let path = format!("/eslog/{}/download", text(&made["id"]));
    assert_eq!(cause(&api.get(&path, &owner).await.with(422)), "eslog_invalid");
    let required = with(lacking, json!({"eslog": {"validation_required": true}}));
    let refused = api.post("/invoices", &owner, required).await.with(422);
    assert_eq!(
        (cause(&refused).as_str(), paths(&refused)),
        ("eslog_invalid", vec!["issuer.bank_accounts".to_owned()])
    );

    let estimate = api.post("/estimates", &owner, slovenian()).await.with(201).json();
    let path = format!("/eslog/{}/validate?type=estimate", text(&estimate["id"]));
    let check = api.post(&path, &owner, json!({})).await.with(200).json();
    assert_eq!(check["document_type"], "estimate");
    assert_eq!(check["eslog"]["validation_status"], "valid", "{check}");
    let path = format!("/eslog/{}/download", text(&estimate["id"]));
    let file = api.get(&path, &owner).await.with(200).text;
    assert!(file.contains("<D_1001>325</D_1001>"), "{file}");
    let note = api.post("/delivery-notes", &owner, slovenian()).await.with(201).json();
    let path = format!("/eslog/{}/validate", text(&note["id"]));
    assert_eq!(api.post(&path, &owner, json!({})).await.with(422).issue().1, "not_allowed");
}

#[actix_web::test]
async fn e_slog_in_another_currency_is_of_an_entity_in_euros() {
    let api = Api::new().await;
    let owner = entity(&api, "Slovenia", json!({"eslog_validation_enabled": true})).await;
    let dollars = json!({"currency_code": "USD", "exchange_rate": {"rate": 0.9}});
    let made = api.post("/invoices", &owner, with(slovenian(), dollars)).await.with(201).json();
    assert_eq!(made["eslog"]["validation_status"], "valid", "{}", made["eslog"]);
    let path = format!("/entities/{}", owner.entity());
    api.patch(&path, &owner, json!({"currency_code": "CHF"})).await.with(200);
    let path = format!("/eslog/{}/validate", text(&made["id"]));
    let check = api.post(&path, &owner, json!({})).await.with(200).json();
    let errors = check["eslog"]["validation_errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(text(&errors[0]).starts_with("currency_code: ESLOG-CURRENCY: "), "{errors:?}");
    let francs = json!({"currency_code": "CHF", "eslog": {"validation_required": true}});
    let refused = api.post("/invoices", &owner, with(slovenian(), francs)).await.with(422);
    assert_eq!(
        (cause(&refused).as_str(), paths(&refused)),
        ("eslog_invalid", vec!["currency_code".to_owned()])
    );
    let euros = json!({"currency_code": "EUR", "eslog": {"validation_required": true}});
    let made = api.post("/invoices", &owner, with(slovenian(), euros)).await.with(201).json();
    assert_eq!(made["eslog"]["validation_status"], "valid", "{}", made["eslog"]);
}

#[actix_web::test]
async fn ujp_wants_a_document_that_the_invoice_refers_to() {
    let api = Api::new().await;
    let owner = entity(&api, "Slovenia", json!({})).await;
    let mut body = slovenian();
    body["customer"]["company_number"] = json!("1234567000");
    body["customer"]["ujp"] =
        json!({"receiver_mailbox": "SI56011006370171132", "receiver_agent": "UJPLSI2DICL"});
    let check = async |body: Value| {
        let made = api.post("/invoices", &owner, body).await.with(201).json();
        assert_eq!(made["ujp"], json!(null));
        let path = format!("/ujp/{}/validate", text(&made["id"]));
        let check = api.post(&path, &owner, json!({})).await.with(200).json();
        let own = api.get(&format!("/invoices/{}", text(&made["id"])), &owner).await.json();
        assert_eq!(own["ujp"], check["ujp"]);
        check["ujp"].clone()
    };
    let refused = check(body.clone()).await;
    assert_eq!(refused["validation_status"], "invalid");
    let errors = refused["validation_errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(text(&errors[0]).starts_with("customer.e_invoicing.buyer_reference: UJP: "));
    let note = api.post("/delivery-notes", &owner, slovenian()).await.with(201).json();
    let forced = json!({"linked_documents": [note["id"]], "force_linked_documents": true});
    let found = check(with(body.clone(), forced)).await;
    assert_eq!(found["validation_status"], "valid", "{found}");
    body["customer"]["e_invoicing"] = json!({"buyer_reference": "N-2026-17"});
    assert_eq!(check(body.clone()).await["validation_status"], "valid");
    // The tax number alone is enough, and a bank is refused where it was to be.
    body["customer"]["company_number"] = Value::Null;
    assert_eq!(check(body.clone()).await["validation_status"], "valid");
    for agent in [Value::Null, json!("BAD")] {
        body["customer"]["ujp"]["receiver_agent"] = agent;
        let asked = json!({"ujp": {"validation_enabled": true, "validation_required": true}});
        let refused = api.post("/invoices", &owner, with(body.clone(), asked)).await.with(422);
        assert_eq!(paths(&refused), ["customer.ujp.receiver_agent"], "{refused:?}");
    }
    // Who it is there has to fit into the envelope.
    body["customer"]["ujp"] = json!({
        "receiver_mailbox": "SI56011006370171132", "receiver_agent": "UJPLSI2DICL",
        "receiver_name": "x".repeat(71), "receiver_identifier": "1".repeat(36),
    });
    let before = (count(&api, &owner).await, next_number(&api, &owner).await);
    let asked = json!({"ujp": {"validation_required": true}});
    let refused = api.post("/invoices", &owner, with(body.clone(), asked)).await.with(422);
    let mut found = paths(&refused);
    found.sort();
    let fields = ["customer.ujp.receiver_identifier", "customer.ujp.receiver_name"];
    assert_eq!((cause(&refused).as_str(), found), ("ujp_invalid", fields.map(Into::into).into()));
    assert_eq!((count(&api, &owner).await, next_number(&api, &owner).await), before);
    body["customer"]["ujp"] = json!({"receiver_mailbox": "SI56011006370171132"});
    // That of the customer's bank account counts for the same number.
    let account = json!({"iban": "SI56 0110 0637 0171 132", "bic": "UJPLSI2DICL"});
    body["customer"]["bank_account"] = account;
    assert_eq!(check(body).await["validation_status"], "valid");
}

#[actix_web::test]
async fn ujp_takes_no_type_where_e_slog_does() {
    let api = Api::new().await;
    let owner = entity(&api, "Slovenia", json!({})).await;
    let made = api.post("/invoices", &owner, slovenian()).await.with(201).json();
    let id = text(&made["id"]);
    let refused = [
        api.post(&format!("/ujp/{id}/validate?type=invoice"), &owner, json!({})).await,
        api.get(&format!("/ujp/{id}/download?type=invoice"), &owner).await,
    ];
    for answer in refused {
        let (path, code) = answer.with(422).issue();
        assert_eq!((path.as_str(), code.as_str()), ("[\"type\"]", "unknown_parameter"));
    }
    let own = api.get(&format!("/invoices/{id}"), &owner).await.json();
    assert_eq!(own["ujp"], json!(null), "nothing was checked");
    api.post(&format!("/ujp/{id}/validate"), &owner, json!({})).await.with(200);
    api.post(&format!("/eslog/{id}/validate?type=invoice"), &owner, json!({})).await.with(200);
}

#[actix_web::test]
async fn forms_are_of_their_countries() {
    let api = Api::new().await;
    let owner = entity(&api, "Slovenia", json!({"xrechnung": {"enabled": true}})).await;
    let made = api.post("/invoices", &owner, slovenian()).await.with(201).json();
    assert_eq!(made["xrechnung"], json!(null));
    let path = format!("/invoices/{}/xrechnung", text(&made["id"]));
    assert_eq!(cause(&api.get(&path, &owner).await.with(422)), "country_not_supported");
    for (options, path, code) in [
        (json!({"xrechnung": {"validation_required": true}}), "[\"xrechnung\"]", "not_allowed"),
        (
            json!({"eslog": {"validation_enabled": false, "validation_required": true}}),
            "[\"eslog\",\"validation_required\"]",
            "conflicting",
        ),
        (json!({"eslog": {"required": true}}), "[\"eslog\",\"required\"]", "unknown_field"),
    ] {
        let refused = api.post("/invoices", &owner, with(slovenian(), options)).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), code.to_owned()), "{refused:?}");
    }
    let loose = with(slovenian(), json!({"xrechnung": {"validation_required": false}}));
    api.post("/invoices", &owner, loose).await.with(201);
}
