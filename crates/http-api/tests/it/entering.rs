//! What is checked where it enters: refused, or taken with a warning.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::harness::{Api, Who, text};
use crate::taxpayer::{TAX_NUMBER, Taxpayer, form};

/// `path code` of each warning.
fn warnings(body: &Value) -> Vec<String> {
    let warnings = body["warnings"].as_array().unwrap_or_else(|| panic!("no warnings: {body}"));
    let of = |one: &Value| {
        assert!(one["message"].as_str().is_some_and(|text| !text.is_empty()), "{one}");
        format!("{} {}", one["path"], text(&one["code"]))
    };
    warnings.iter().map(of).collect()
}

#[actix_web::test]
async fn an_entity_says_its_environment_unless_the_key_does() {
    let api = Api::new().await;
    let user = api.user("owner@example.com").await;
    api.verify("owner@example.com").await;
    let body = json!({"name": "Pri Ani", "country": "Slovenia"});
    let refused = api.post("/entities", &user, body.clone()).await.with(422);
    assert_eq!(refused.issue(), ("[\"environment\"]".to_owned(), "required".to_owned()));
    assert!(refused.text.contains("sandbox") && refused.text.contains("live"), "{}", refused.text);
    for environment in ["sandbox", "live"] {
        let key = json!({"name": "key", "environment": environment});
        let key = api.post("/account/api-keys", &user, key).await.with(201).json();
        let made = api.post("/entities", &Who::key(&text(&key["id"])), body.clone()).await;
        assert_eq!(made.with(201).json()["environment"], environment);
    }
}

#[actix_web::test]
async fn numbers_that_cannot_be_are_warned_of() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let number = |number: &str| json!({"name": "A", "country_code": "SI", "tax_number": number});
    for (path, accounts) in [("/customers", true), ("/suppliers", false)] {
        let good = api.post(path, &owner, number("SI10039856")).await.with(201).json();
        assert_eq!(warnings(&good), [""; 0]);
        let mut odd = number("SI10039857");
        if accounts {
            odd["bank_accounts"] = json!([{"iban": "SI56263300012039086"}, {"iban": "SI00"}]);
        }
        let odd = api.post(path, &owner, odd).await.with(201).json();
        let mut expected = vec!["[\"tax_number\"] tax_number_check_digits".to_owned()];
        if accounts {
            expected.push("[\"bank_accounts\",1,\"iban\"] invalid_iban".to_owned());
        }
        assert_eq!(warnings(&odd), expected);
        let one = format!("{path}/{}", text(&odd["id"]));
        assert_eq!(warnings(&api.get(&one, &owner).await.with(200).json()), expected);
        let mended = api.patch(&one, &owner, number("HR69435151530")).await.with(200).json();
        assert!(!warnings(&mended).iter().any(|one| one.contains("tax_number")), "{mended}");
        let foreign = json!({"name": "A", "country_code": "DE", "tax_number": "DE12"});
        let foreign = api.post(path, &owner, foreign).await.with(201).json();
        assert_eq!(warnings(&foreign), ["[\"tax_number\"] tax_number_form"]);
    }
    let path = format!("/entities/{}", owner.entity());
    let settings = json!({"bank_accounts": [{"iban": "SI00"}]});
    let body = json!({"tax_number": "SI123", "settings": settings});
    let entity = api.patch(&path, &owner, body).await.with(200).json();
    let expected = [
        "[\"tax_number\"] tax_number_form",
        "[\"settings\",\"bank_accounts\",0,\"iban\"] invalid_iban",
    ];
    assert_eq!(warnings(&entity), expected);
}

#[actix_web::test]
async fn a_rate_that_the_country_does_not_have_is_warned_of() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let invoice = |rate: Value| {
        let customer = json!({"name": "A", "country_code": "SI", "tax_number": "SI123"});
        let line = json!({"name": "x", "price": 10, "taxes": [{"rate": rate}]});
        json!({"customer": customer, "items": [{"type": "separator", "name": "h"}, line]})
    };
    let odd = api.post("/invoices", &owner, invoice(json!(21))).await.with(201).json();
    let rate = "[\"items\",1,\"taxes\",0,\"rate\"] unknown_tax_rate";
    assert_eq!(warnings(&odd), ["[\"customer\",\"tax_number\"] tax_number_form", rate]);
    let good = api.post("/invoices", &owner, invoice(json!(9.5))).await.with(201).json();
    assert_eq!(warnings(&good).len(), 1);
    let supplier = json!({"name": "B", "country_code": "HR"});
    let items = json!([{"name": "x", "price": 10, "taxes": [{"rate": 22}]}]);
    let expense = json!({"supplier": supplier, "date": "2026-11-01", "items": items});
    let expense = api.post("/expenses", &owner, expense).await.with(201).json();
    assert_eq!(warnings(&expense), ["[\"items\",0,\"taxes\",0,\"rate\"] unknown_tax_rate"]);
}

#[actix_web::test]
async fn a_suppliers_document_that_comes_twice_is_warned_of_with_the_first() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let expense = |supplier: Value, number: &str| {
        json!({
            "supplier": supplier, "supplier_document_number": number, "date": "2026-11-01",
            "total": 10, "total_with_tax": 10,
        })
    };
    let make = async |supplier: Value, number: &str| {
        api.post("/expenses", &owner, expense(supplier, number)).await.with(201).json()
    };
    let klas = json!({"name": "Klas", "tax_number": "SI10039856"});
    let first = make(klas.clone(), "17/2026").await;
    assert_eq!(warnings(&first), [""; 0]);
    let duplicate = ["[\"supplier_document_number\"] duplicate_document_number"];
    for again in [klas.clone(), json!({"name": "KLAS d.o.o.", "tax_number": "10039856"})] {
        let second = make(again, "17/2026").await;
        assert_eq!(warnings(&second), duplicate);
        let message = text(&second["warnings"][0]["message"]);
        assert!(message.contains(&text(&first["id"])), "{message}");
    }
    let other = json!({"name": "Žito", "tax_number": "SI99999862"});
    assert_eq!(warnings(&make(other, "17/2026").await), [""; 0]);
    assert_eq!(warnings(&make(klas, "18/2026").await), [""; 0]);
}

#[actix_web::test]
async fn fiscalization_that_cannot_sell_says_what_it_lacks() {
    let si = Taxpayer::slovenian().await;
    let enabled = si.put(json!({"enabled": true})).await.with(200).json();
    let lacks = [
        "[\"certificate_status\"] certificate_missing",
        "[\"premises\"] premise_missing",
        "[\"devices\"] device_missing",
        "[\"operator_tax_number\"] operator_missing",
        "[\"operator_label\"] operator_missing",
    ];
    assert_eq!(warnings(&enabled), lacks);
    assert!(
        enabled["warnings"][1]["message"].as_str().unwrap().contains("POST /fiscalization/furs")
    );
    assert_eq!(warnings(&si.get("/settings").await.with(200).json()), lacks);
    let si = si.certified().await;
    let premise = si.premise("P1").await;
    si.create_device(&premise, "1").await.with(201);
    let ready = json!({"operator_tax_number": TAX_NUMBER, "operator_label": "Ana"});
    assert_eq!(warnings(&si.put(ready).await.with(200).json()), [""; 0]);
    assert_eq!(warnings(&si.put(json!({"enabled": false})).await.with(200).json()), [""; 0]);

    let hr = Taxpayer::croatian().await;
    let enabled = hr.put(json!({"enabled": true})).await.with(200).json();
    assert_eq!(warnings(&enabled).len(), 4, "{enabled}");
}

#[actix_web::test]
async fn entities_that_fiscalize_have_valid_numbers() {
    let si = Taxpayer::slovenian().await;
    let path = format!("/entities/{}", si.owner.entity());
    let wrong = json!({"tax_number": "SI10039857"});
    let entity = si.api.patch(&path, &si.owner, wrong.clone()).await.with(200).json();
    assert_eq!(warnings(&entity), ["[\"tax_number\"] tax_number_check_digits"]);
    si.api.patch(&path, &si.owner, json!({"tax_number": "SI10039856"})).await.with(200);
    si.put(json!({"enabled": true})).await.with(200);
    let refused = si.api.patch(&path, &si.owner, wrong).await.with(422);
    assert_eq!(refused.issue().1, "tax_number_check_digits");
    let accounts = json!({"settings": {"bank_accounts": [{"iban": "SI00"}]}});
    let refused = si.api.patch(&path, &si.owner, accounts).await.with(422);
    let at = "[\"settings\",\"bank_accounts\",0,\"iban\"]".to_owned();
    assert_eq!(refused.issue(), (at, "invalid_iban".to_owned()));
    si.api.patch(&path, &si.owner, json!({"name": "Pri Ani s.p."})).await.with(200);
}

#[actix_web::test]
async fn fiscal_settings_are_read_through_the_entity() {
    let si = Taxpayer::slovenian().await;
    let path = format!("/entities/{}", si.owner.entity());
    let entity = si.api.get(&path, &si.owner).await.with(200).json();
    assert_eq!(entity["settings"], json!({}));
    si.put(json!({"operator_label": "Ana"})).await.with(200);
    let changed = si.api.patch(&path, &si.owner, json!({"phone": "1"})).await.with(200).json();
    let listed = si.api.get("/entities", &si.owner).await.with(200).json()["data"][0].clone();
    for entity in [si.api.get(&path, &si.owner).await.with(200).json(), changed, listed] {
        assert_eq!(entity["settings"]["furs"]["operator_label"], "Ana");
        assert_eq!(entity["settings"]["furs"]["enabled"], false);
        assert_eq!(entity["settings"].get("fina"), None);
    }
    let key = si.api.post("/entities/api-keys", &si.owner, json!({"name": "till"})).await;
    let till = Who::key(&text(&key.with(201).json()["id"]));
    let seen = si.api.get(&path, &till).await.with(200).json();
    assert_eq!(seen["settings"], json!({}), "a till reads no fiscal settings");
}

#[actix_web::test]
async fn notes_and_descriptions_take_ten_thousand_letters() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let invoice = |note: usize, description: usize| {
        let line =
            json!({"name": "x", "price": 1, "taxes": [], "description": "ž".repeat(description)});
        json!({"note": "ž".repeat(note), "items": [line]})
    };
    api.post("/invoices", &owner, invoice(10_000, 10_000)).await.with(201);
    let refused = api.post("/invoices", &owner, invoice(10_001, 1)).await.with(422);
    assert_eq!(refused.issue(), ("[\"note\"]".to_owned(), "too_long".to_owned()));
    let refused = api.post("/invoices", &owner, invoice(1, 10_001)).await.with(422);
    assert_eq!(refused.issue().1, "too_long");
}

#[actix_web::test]
async fn an_archived_category_is_for_lines_that_have_it() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let made = api.post("/financial-categories", &owner, json!({"name": "Old"})).await;
    let category = text(&made.with(201).json()["id"]);
    let items = json!([{"name": "x", "price": 1, "taxes": [], "financial_category_id": category}]);
    let draft = json!({"items": items, "is_draft": true});
    let draft = api.post("/invoices", &owner, draft).await.with(201).json();
    api.delete(&format!("/financial-categories/{category}"), &owner).await.with(204);
    for path in ["/invoices", "/expenses"] {
        let body = json!({"items": items, "supplier": {"name": "A"}, "date": "2026-11-01"});
        let mut body = body;
        if path == "/invoices" {
            body.as_object_mut().unwrap().remove("supplier");
        }
        let refused = api.post(path, &owner, body).await.with(422);
        let at = "[\"items\",0,\"financial_category_id\"]".to_owned();
        assert_eq!(refused.issue(), (at, "archived".to_owned()), "{path}");
    }
    let line = text(&draft["items"][0]["id"]);
    let path = format!("/documents/items/{line}/financial-category");
    let assign = json!({"financial_category_id": category});
    let refused = api.patch(&path, &owner, assign).await.with(422);
    assert!(refused.text.contains("archived"), "{}", refused.text);
    let path = format!("/invoices/{}", text(&draft["id"]));
    api.patch(&path, &owner, json!({"items": items})).await.with(200);
}

#[actix_web::test]
async fn attachments_of_an_expense_are_listed() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let expense = json!({"supplier": {"name": "A"}, "is_draft": true});
    let expense = text(&api.post("/expenses", &owner, expense).await.with(201).json()["id"]);
    let path = format!("/expenses/{expense}/attachments");
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";
    let sent = api.call(owner.sign(form(&path, &[("file", &png[..])]))).await.with(201).json();
    assert_eq!((&sent["expense_id"], &sent["category"]), (&json!(expense), &json!("attachment")));
    let listed = api.get(&path, &owner).await.with(200).json();
    assert_eq!(
        (&listed["data"][0]["id"], &listed["pagination"]["total"]),
        (&sent["id"], &json!(1))
    );
    let gone = path.replace(&expense[4..], "01jd0000000000000000000000");
    api.get(&gone, &owner).await.with(404);
    api.call(owner.sign(form(&gone, &[("file", &png[..])]))).await.with(404);
}

#[actix_web::test]
async fn a_spending_limit_is_kept() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let entity = format!("/entities/{}", owner.entity());
    let path = format!("{entity}/spending-limit");
    let set =
        async |limit: Value| api.patch(&path, &owner, json!({"spending_limit_cents": limit})).await;
    assert_eq!(set(json!(5000)).await.with(200).json()["spending_limit_cents"], 5000);
    let kept = api.get(&entity, &owner).await.with(200).json();
    assert_eq!(kept["spending_limit_cents"], 5000);
    assert_eq!(set(json!(-1)).await.with(422).issue().1, "out_of_range");
    let refused = api.patch(&path, &owner, json!({})).await.with(422);
    assert_eq!(refused.issue().1, "required");
    assert_eq!(set(Value::Null).await.with(200).json()["spending_limit_cents"], Value::Null);
}

#[actix_web::test]
async fn an_inline_customer_who_is_known_is_that_one() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let sell = async |customer: Value| {
        let items = json!([{"name": "x", "price": 1, "taxes": []}]);
        let body = json!({"customer": customer, "items": items});
        api.post("/invoices", &owner, body).await.with(201).json()
    };
    let count = async || {
        api.get("/customers", &owner).await.with(200).json()["pagination"]["total"].clone()
    };
    let ana = json!({"name": "Ana s.p.", "tax_number": "SI10039856", "address": "Ulica 1"});
    let first = sell(ana.clone()).await;
    let id = first["customer_id"].clone();
    for same in [
        ana,
        json!({"name": "Ana", "tax_number": "10039856"}),
        json!({"name": "ana  S.P.", "address": "ulica 1"}),
    ] {
        let sold = sell(same.clone()).await;
        assert_eq!(sold["customer_id"], id, "{same}");
        assert_eq!(sold["customer"]["name"], same["name"], "the document says what was written");
    }
    assert_eq!(count().await, 1);
    let kept = api.get(&format!("/customers/{}", text(&id)), &owner).await.with(200).json();
    assert_eq!(kept["name"], "Ana s.p.", "the record is not rewritten unasked");
    let saved = json!({"name": "Ana d.o.o.", "tax_number": "SI10039856", "save_customer": true});
    assert_eq!(sell(saved).await["customer_id"], id);
    let kept = api.get(&format!("/customers/{}", text(&id)), &owner).await.with(200).json();
    assert_eq!(kept["name"], "Ana d.o.o.");
    let other = sell(json!({"name": "Bor", "address": "Ulica 1"})).await;
    assert_ne!(other["customer_id"], id);
    let at_once = join_all((0..6).map(|_| sell(json!({"name": "Cene", "city": "Kranj"})))).await;
    assert!(at_once.iter().all(|sold| sold["customer_id"] == at_once[0]["customer_id"]));
    assert_eq!(count().await, 3);

    let unnamed = json!({"items": [{"name": "x", "price": 1, "taxes": []}], "is_draft": true});
    let draft = api.post("/invoices", &owner, unnamed).await.with(201).json();
    let path = format!("/invoices/{}", text(&draft["id"]));
    let named = json!({"customer": {"name": "cene", "city": "KRANJ"}});
    let draft = api.patch(&path, &owner, named).await.with(200).json();
    assert_eq!(draft["customer_id"], at_once[0]["customer_id"]);
    api.delete(&format!("/customers/{}", text(&id)), &owner).await.with(204);
    let new_customer = sell(json!({"name": "Ana", "tax_number": "SI10039856"})).await;
    assert_ne!(new_customer["customer_id"], id, "customers in the trash are not found");
}

#[actix_web::test]
async fn texts_of_mails_use_variables_that_there_are() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let path = format!("/entities/{}", owner.entity());
    let issue = |at: Value| (at.to_string(), "unknown_placeholder".to_owned());
    for (settings, at) in [
        (
            json!({"email_defaults": {"invoice_body": "Dear {custmer_name}"}}),
            json!(["settings", "email_defaults", "invoice_body"]),
        ),
        (
            json!({"payment_reminders": {"email_subject": "{nonsense}"}}),
            json!(["settings", "payment_reminders", "email_subject"]),
        ),
        (
            json!({"translations": {"email_defaults": {"invoice_subject": {"sl-SI": "{x}"}}}}),
            json!(["settings", "translations", "email_defaults", "invoice_subject", "sl-SI"]),
        ),
    ] {
        let refused = api.patch(&path, &owner, json!({"settings": settings})).await.with(422);
        assert_eq!(refused.issue(), issue(at));
    }
    let refused = json!({"settings": {"email_defaults": {"invoice_body": "Dear {custmer_name}"}}});
    let told = api.patch(&path, &owner, refused.clone()).await.with(422).text;
    assert!(told.contains("did you mean {customer_name}?"), "{told}");
    let unit = json!({"name": "Enota", "settings": refused["settings"]});
    let refused = api.post("/business-units", &owner, unit).await.with(422);
    assert_eq!(refused.issue(), issue(json!(["settings", "email_defaults", "invoice_body"])));
    let good = json!({"settings": {"email_defaults": {"invoice_body": "Dear {customer_name}"}}});
    api.patch(&path, &owner, good).await.with(200);
    let mail = json!({"to": "a@example.com", "subject": "{x}", "body_text": "a"});
    let refused = api.post("/email/send", &owner, mail).await.with(422);
    assert_eq!(refused.issue(), issue(json!(["subject"])));
}

#[actix_web::test]
async fn plans_are_answered_without_a_subscription() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let plans = api.get("/white-label-subscriptions/plans", &owner).await.with(200).json();
    assert_eq!(plans, json!({"plans": [], "current_plan_slug": null}));
}

#[actix_web::test]
async fn units_taxes_and_tabs_warn_like_entities_and_invoices() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let places = |answer: &Value| {
        let warnings = answer["warnings"].as_array().unwrap().clone();
        warnings.into_iter().map(|it| (it["path"].clone(), it["code"].clone())).collect::<Vec<_>>()
    };
    let iban = |iban: &str| json!({"bank_accounts": [{"iban": iban}]});
    let unit = json!({"name": "Enota", "settings": iban("SI57192001234567892")});
    let unit = api.post("/business-units", &owner, unit).await.with(201).json();
    let of_unit = places(&unit);
    assert_eq!(of_unit[0].0, json!(["settings", "bank_accounts", 0, "iban"]), "{unit}");
    let path = format!("/business-units/{}", text(&unit["id"]));
    assert_eq!(places(&api.get(&path, &owner).await.json()), of_unit);
    let mended = json!({"settings": iban("SI56192001234567892")});
    assert_eq!(places(&api.patch(&path, &owner, mended).await.with(200).json()), []);

    let odd = |path: Value| vec![(path, json!("unknown_tax_rate"))];
    let rates = |rate: u8| json!({"tax_rates": [{"rate": rate}]});
    let tax = api.post("/taxes", &owner, rates(21)).await.with(201).json();
    assert_eq!(places(&tax), odd(json!(["tax_rates", 0, "rate"])));
    let path = format!("/taxes/{}", text(&tax["id"]));
    assert_eq!(places(&api.get(&path, &owner).await.json()), places(&tax));
    assert_eq!(places(&api.patch(&path, &owner, rates(22)).await.with(200).json()), []);

    let tab = text(&api.post("/pos/tabs", &owner, json!({})).await.with(201).json()["id"]);
    let line = |rate: u8| {
        let rates = json!([{"rate": rate}]);
        json!({"items": [{"name": "a", "unit_gross_price": 1, "tax_rates": rates}]})
    };
    let items = format!("/pos/tabs/{tab}/items");
    let after = api.post(&items, &owner, line(22)).await.with(200).json();
    assert_eq!(places(&after), []);
    let after = api.post(&items, &owner, line(21)).await.with(200).json();
    assert_eq!(places(&after), odd(json!(["items", 1, "tax_rates", 0, "rate"])), "{after}");
}

#[actix_web::test]
async fn every_number_of_a_document_is_looked_at() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let wrong = "SI57192001234567892";
    let unit = api.post("/business-units", &owner, json!({"name": "Koper"})).await.with(201).json();
    let accounts = json!([{"iban": wrong}]);
    let ujp = json!({"receiver_mailbox": wrong});
    let body = json!({
        "customer": {"name": "A", "bank_account": {"iban": wrong}, "ujp": ujp},
        "issuer": {"bank_accounts": accounts, "country_code": "SI", "tax_number": "SI10039857"},
        "business_unit_id": unit["id"],
        "business_unit": {"settings": {"bank_accounts": accounts}},
        "items": [{"name": "x", "price": 1, "taxes": []}],
    });
    let expected = [
        r#"["business_unit","settings","bank_accounts",0,"iban"] invalid_iban"#,
        r#"["customer","bank_account","iban"] invalid_iban"#,
        r#"["customer","ujp","receiver_mailbox"] invalid_iban"#,
        r#"["issuer","bank_accounts",0,"iban"] invalid_iban"#,
        r#"["issuer","tax_number"] tax_number_check_digits"#,
    ];
    let made = api.post("/invoices", &owner, body).await.with(201).json();
    let mut found = warnings(&made);
    found.sort();
    assert_eq!(found, expected);
    let customer = json!({"name": "B", "ujp": {"receiver_mailbox": wrong}});
    let customer = api.post("/customers", &owner, customer).await.with(201).json();
    assert_eq!(warnings(&customer), [r#"["ujp","receiver_mailbox"] invalid_iban"#]);
}

#[actix_web::test]
async fn an_operator_whose_number_cannot_be_is_warned_of() {
    let si = Taxpayer::slovenian().await;
    let wrong = |number: &str| json!({"operator_tax_number": number, "operator_label": "Ana"});
    let place = |before: &str| format!("[{before}\"operator_tax_number\"] tax_number_check_digits");
    let kept = si.put(wrong("10039857")).await.with(200).json();
    assert_eq!(warnings(&kept), [place("")]);
    assert_eq!(warnings(&si.put(wrong("10039856")).await.with(200).json()), [""; 0]);
    let path = "/users/me/settings/furs";
    let me = si.api.put(path, &si.owner, wrong("10039857")).await.with(200).json();
    let of_entity = format!("\"settings\",\"furs_{}\",", si.owner.entity());
    assert_eq!(warnings(&me), [place(&of_entity)]);
    let si = si.certified().await;
    let premise = si.premise("P1").await;
    si.create_device(&premise, "1").await.with(201);
    si.put(json!({"enabled": true})).await.with(200);
    let sale = json!({
        "furs": wrong("10039857"), "items": [{"name": "x", "price": 1, "taxes": []}],
        "payments": [{"type": "cash"}],
    });
    let sold = si.api.post("/invoices", &si.owner, sale).await.with(201).json();
    let found = warnings(&sold);
    assert!(found.contains(&place(r#""furs","data","#)), "{found:?}");
}
