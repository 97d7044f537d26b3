//! One answer tells all that is wrong with a body: what its type refuses, what its domain
//! refuses, and what is not found, whichever is checked first.

use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};
use crate::taxpayer::Taxpayer;

/// The id of nothing.
const UNKNOWN: &str = "01jd0000000000000000000000";

fn places(answer: &Answer) -> Vec<String> {
    let issues = answer.json()["cause"]["issues"].as_array().cloned().unwrap_or_default();
    let mut places: Vec<String> = issues.iter().map(|it| it["path"].to_string()).collect();
    places.sort();
    places
}

/// Sends what is wrong in all `expected` places with `verb`; answers what it tells instead, where
/// that is something else.
async fn other(
    (api, who): (&Api, &Who),
    verb: &str,
    path: &str,
    body: Value,
    expected: &[&str],
) -> Option<String> {
    let answer = match verb {
        "POST" => api.post(path, who, body).await,
        "PUT" => api.put(path, who, body).await,
        _ => api.patch(path, who, body).await,
    };
    let mut expected: Vec<String> = expected.iter().map(|path| format!("[{path}]")).collect();
    expected.sort();
    let found = if answer.status == 422 { places(&answer) } else { Vec::new() };
    let told = format!("{verb} {path}: {found:?}\nand not {expected:?}\n{}", answer.text);
    (found != expected).then_some(told)
}

#[actix_web::test]
async fn documents_of_each_kind_tell_all_when_they_are_made_and_when_they_are_changed() {
    let (api, mut others) = (Api::new().await, Vec::new());
    let owner = api.owner("owner@example.com").await;
    let draft = json!({"is_draft": true, "items": [{"name": "a", "price": 1}]});
    let issued = json!({"items": [{"name": "a", "price": 1}]});
    for path in ["invoices", "estimates", "credit-notes", "advance-invoices", "delivery-notes"] {
        let path = format!("/{path}");
        let wrong = |is_new: bool| {
            let mut body = json!({
                "footer": "x".repeat(501), "nott": 1, "date_service": "2026-02-30",
                "metadata": {"k": "x".repeat(5000)}, "customer_id": format!("cus_{UNKNOWN}"),
                "business_unit_id": format!("unit_{UNKNOWN}"),
                "items": [
                    {"name": "", "price": 1},
                    {"name": "b", "price": 1, "taxes": [{"tax_id": format!("tax_{UNKNOWN}")}]},
                    {"name": "c", "price": 1, "financial_category_id": format!("fcat_{UNKNOWN}")},
                    {"name": "d", "price": 1, "item_id": format!("item_{UNKNOWN}")},
                    {"name": "e", "price": 1, "quantity": "many"},
                    {"name": "f", "price": 1, "discounts": [{"type": "percent", "value": 200}]},
                    {"name": "g", "price": 1, "taxes": [{"rate": -1}]},
                    {"price": 1},
                ],
            });
            if is_new {
                body["currency_code"] = json!("XXX");
            }
            body
        };
        let places = [
            r#""footer""#,
            r#""nott""#,
            r#""date_service""#,
            r#""metadata","k""#,
            r#""customer_id""#,
            r#""business_unit_id""#,
            r#""items",0,"name""#,
            r#""items",1,"taxes",0,"tax_id""#,
            r#""items",2,"financial_category_id""#,
            r#""items",3,"item_id""#,
            r#""items",4,"quantity""#,
            r#""items",5,"discounts""#,
            r#""items",6,"taxes",0,"rate""#,
            r#""items",7,"name""#,
        ];
        let with_currency = [&places[..], &[r#""currency_code""#]].concat();
        others.extend(other((&api, &owner), "POST", &path, wrong(true), &with_currency).await);
        // An advance invoice is issued when it is paid, and is not edited then.
        let made = if path.contains("advance") { &[&draft][..] } else { &[&draft, &issued] };
        for made in made {
            let made = api.post(&path, &owner, Value::clone(made)).await.with(201).json();
            let path = format!("{path}/{}", text(&made["id"]));
            others.extend(other((&api, &owner), "PATCH", &path, wrong(false), &places).await);
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n\n"));
}

#[actix_web::test]
async fn records_of_all_areas_tell_all() {
    let (api, mut others) = (Api::new().await, Vec::new());
    let owner = api.owner("owner@example.com").await;
    // Only who proved their address sends.
    api.verify("owner@example.com").await;
    let made = async |path: &str, body: Value| {
        text(&api.post(path, &owner, body).await.with(201).json()["id"])
    };
    let line = json!([{"name": "a", "price": 10}]);
    let invoice = made("/invoices", json!({"items": line})).await;
    let tab = made("/pos/tabs", json!({})).await;
    let full = made("/pos/tabs", json!({})).await;
    let items = json!({"items": [{"name": "a", "unit_gross_price": 1, "tax_rates": []}]});
    api.post(&format!("/pos/tabs/{full}/items"), &owner, items).await.with(200);
    let unit = made("/business-units", json!({"name": "Koper"})).await;
    let entity = format!("/entities/{}", owner.entity());
    let nonsense = json!({"invoice_body": "{nonsense}", "invoice_subjectt": "a"});
    let formats = json!({"invoice": "no number", "estimat": "{nnn}"});
    for (verb, path, body, expected) in [
        (
            "POST",
            "/entities".to_owned(),
            json!({
                "name": "", "country": "Atlantis", "environment": "prod", "emial": "x",
                "settings": {
                    "bank_accounts": 5, "number_formats": formats, "email_defaults": nonsense,
                },
            }),
            vec![
                r#""name""#,
                r#""country""#,
                r#""environment""#,
                r#""emial""#,
                r#""settings","bank_accounts""#,
                r#""settings","number_formats","invoice""#,
                r#""settings","number_formats","estimat""#,
                r#""settings","email_defaults","invoice_body""#,
                r#""settings","email_defaults","invoice_subjectt""#,
            ],
        ),
        (
            "PATCH",
            entity,
            json!({
                "name": "", "email": "x", "locale": "klingon", "country_code": "HR",
                "settings": {"number_formats": formats, "email_defaults": nonsense},
            }),
            vec![
                r#""name""#,
                r#""email""#,
                r#""locale""#,
                r#""country_code""#,
                r#""settings","number_formats","invoice""#,
                r#""settings","number_formats","estimat""#,
                r#""settings","email_defaults","invoice_body""#,
                r#""settings","email_defaults","invoice_subjectt""#,
            ],
        ),
        (
            "POST",
            "/business-units".to_owned(),
            json!({
                "name": "", "emial": "x",
                "settings": {"email_defaults": nonsense, "zzq": 1, "logo_scale_percent": 101},
            }),
            vec![
                r#""name""#,
                r#""emial""#,
                r#""settings","zzq""#,
                r#""settings","logo_scale_percent""#,
                r#""settings","email_defaults","invoice_body""#,
                r#""settings","email_defaults","invoice_subjectt""#,
            ],
        ),
        (
            "PATCH",
            format!("/business-units/{unit}"),
            json!({"name": "", "settings": {"email_defaults": nonsense, "bank_account": []}}),
            vec![
                r#""name""#,
                r#""settings","bank_account""#,
                r#""settings","email_defaults","invoice_body""#,
                r#""settings","email_defaults","invoice_subjectt""#,
            ],
        ),
        (
            "POST",
            format!("/documents/{invoice}/send"),
            json!({
                "to": "nobody", "cc": ["x"], "subject": "{x}", "body_text": "{y}",
                "attach_pdf": 5, "language": "klingon",
            }),
            vec![
                r#""to""#,
                r#""cc""#,
                r#""subject""#,
                r#""body_text""#,
                r#""attach_pdf""#,
                r#""language""#,
            ],
        ),
        (
            "POST",
            "/email/send".to_owned(),
            json!({"document_id": invoice, "to": "nobody", "subject": "{x}", "locale": "klingon"}),
            vec![r#""to""#, r#""subject""#, r#""locale""#],
        ),
        (
            "POST",
            "/account/api-keys".to_owned(),
            json!({"name": "", "environment": "prod", "allowed_addresses": ["here"], "ttl": 5}),
            vec![r#""name""#, r#""environment""#, r#""allowed_addresses",0"#, r#""ttl""#],
        ),
        (
            "POST",
            "/entities/api-keys".to_owned(),
            json!({"name": "", "allowed_addresses": ["here"], "ttl": 5}),
            vec![r#""name""#, r#""allowed_addresses",0"#, r#""ttl""#],
        ),
        (
            "POST",
            "/payments".to_owned(),
            json!({
                "document_id": invoice, "amount": -1, "type": "cash", "note": "x".repeat(10_001),
                "datee": 1, "metadata": {"k": 5},
            }),
            vec![r#""amount""#, r#""note""#, r#""datee""#, r#""metadata","k""#],
        ),
        (
            "POST",
            "/expenses".to_owned(),
            json!({
                "supplier_id": format!("sup_{UNKNOWN}"), "currency_code": "XXX", "date": "x",
                "items": [{"name": "x".repeat(20_001), "price": 1}, {"name": "b", "price": true}],
            }),
            vec![
                r#""supplier_id""#,
                r#""currency_code""#,
                r#""date""#,
                r#""items",0,"name""#,
                r#""items",1,"price""#,
            ],
        ),
        (
            "POST",
            "/recurring-invoices".to_owned(),
            json!({
                "name": "", "document_id": invoice, "frequency": "monthly", "interval": 0,
                "start_date": "x", "day_of_month": 32,
            }),
            vec![r#""name""#, r#""interval""#, r#""start_date""#, r#""day_of_month""#],
        ),
        (
            "POST",
            format!("/pos/tabs/{tab}/items"),
            json!({"append_id": 5, "items": [
                {"name": "", "unit_gross_price": 1},
                {"name": "a", "unit_gross_price": 1, "quantity": -1},
                {"item_id": format!("item_{UNKNOWN}")},
            ]}),
            vec![
                r#""append_id""#,
                r#""items",0,"name""#,
                r#""items",1,"quantity""#,
                r#""items",2,"item_id""#,
            ],
        ),
        (
            "POST",
            format!("/pos/tabs/{full}/invoice"),
            json!({
                "expected_version": 2, "device_id": "", "lines": [{"line_id": "line_no"}],
                "share": {"number": 1, "of": 2}, "tab_ids": ["x", full], "nott": 1,
                "customer_id": format!("cus_{UNKNOWN}"), "note": "x".repeat(10_001),
                "payments": [{"type": "cash", "amount": -1}],
            }),
            vec![
                r#""device_id""#,
                r#""share""#,
                r#""tab_ids""#,
                r#""tab_ids",0"#,
                r#""tab_ids",1"#,
                r#""nott""#,
                r#""lines",0,"line_id""#,
                r#""customer_id""#,
                r#""note""#,
                r#""payments",0,"amount""#,
            ],
        ),
        (
            "POST",
            format!("/pos/tabs/{full}/invoice"),
            json!({
                "expected_version": 2, "share": {"number": 1, "of": 99}, "device_id": "",
                "tab_ids": ["x", full, format!("ptab_{UNKNOWN}")],
            }),
            vec![
                r#""share","of""#,
                r#""device_id""#,
                r#""tab_ids""#,
                r#""tab_ids",0"#,
                r#""tab_ids",1"#,
            ],
        ),
        (
            "POST",
            "/taxes".to_owned(),
            json!({
                "name": "", "classification": "x y", "tax_rates": [{"rate": -1}, {"rate": "x"}],
            }),
            vec![
                r#""name""#,
                r#""tax_rates",0,"rate""#,
                r#""tax_rates",1,"rate""#,
                r#""tax_rates",1,"valid_from""#,
            ],
        ),
        (
            "POST",
            "/webhooks".to_owned(),
            json!({"url": "ftp://x", "events": ["nothing.happened"], "enabled": true}),
            vec![r#""url""#, r#""events",0"#, r#""enabled""#],
        ),
        (
            "POST",
            "/entities/users".to_owned(),
            json!({"email": "x", "role": "king", "sendd": 1}),
            vec![r#""email""#, r#""role""#, r#""sendd""#],
        ),
        (
            "POST",
            "/customers".to_owned(),
            json!({"name": "", "email": "x", "country_code": "SLO", "iban": "x"}),
            vec![r#""name""#, r#""email""#, r#""country_code""#, r#""iban""#],
        ),
    ] {
        others.extend(other((&api, &owner), verb, &path, body, &expected).await);
    }
    assert!(others.is_empty(), "{}", others.join("\n\n"));
}

#[actix_web::test]
async fn sign_up_reports_all_issues_at_once() {
    let (api, mut others) = (Api::new().await, Vec::new());
    let anonymous = Who::anonymous();
    for (body, expected) in [
        (json!({"email": "x", "password": "a"}), vec![r#""email""#, r#""password""#]),
        (
            json!({
                "email": "x", "password": "a", "name": "", "company_name": "", "locale": "klingon",
                "country": "Atlantis", "metadata": {"k": "x".repeat(5000)},
            }),
            vec![
                r#""email""#,
                r#""password""#,
                r#""name""#,
                r#""company_name""#,
                r#""locale""#,
                r#""country""#,
                r#""metadata","k""#,
            ],
        ),
        (
            json!({"email": "x", "password": 5, "nam": "x"}),
            vec![r#""email""#, r#""password""#, r#""nam""#],
        ),
    ] {
        others.extend(other((&api, &anonymous), "POST", "/users/signup", body, &expected).await);
    }
    assert!(others.is_empty(), "{}", others.join("\n\n"));
}

#[actix_web::test]
async fn issues_that_follow_from_omitted_parts_are_not_reported() {
    let (api, mut others) = (Api::new().await, Vec::new());
    let owner = api.owner("owner@example.com").await;
    for (path, body, expected) in [
        // The date is taken for today's while it is left out.
        (
            "/invoices",
            json!({
                "date": "2019-13-01", "date_due": "2019-12-31",
                "items": [{"name": "a", "price": 1}],
            }),
            vec![r#""date""#],
        ),
        // An element that is none has neither a name nor a price.
        ("/invoices", json!({"items": [7], "nott": 1}), vec![r#""items",0"#, r#""nott""#]),
        ("/invoices", json!({"items": 7}), vec![r#""items""#]),
        // The footer has nothing to do with the dates.
        (
            "/invoices",
            json!({
                "footer": "x".repeat(501), "date": "2019-12-31", "date_due": "2019-12-30",
                "items": [{"name": "a", "price": 1}],
            }),
            vec![r#""footer""#, r#""date_due""#],
        ),
        // A discount is compared with its own line.
        (
            "/invoices",
            json!({"items": [
                {"name": "a", "price": "x", "discounts": [{"type": "amount", "value": 5}]},
                {"name": "b", "price": 1, "discounts": [{"type": "amount", "value": 5}]},
            ]}),
            vec![r#""items",0,"price""#, r#""items",1,"discounts""#],
        ),
        // The line names what it is about, if not as it should.
        ("/invoices", json!({"items": [{"item_id": 5}]}), vec![r#""items",0,"item_id""#]),
        (
            "/invoices",
            json!({"items": [{"name": "a", "gross_price": "x"}]}),
            vec![r#""items",0,"gross_price""#],
        ),
        (
            "/payments",
            json!({"document_id": 5, "amount": 1, "type": "cash"}),
            vec![r#""document_id""#],
        ),
    ] {
        others.extend(other((&api, &owner), "POST", path, body, &expected).await);
    }
    assert!(others.is_empty(), "{}", others.join("\n\n"));
}

#[actix_web::test]
async fn issues_that_follow_from_other_issues_are_not_reported() {
    let (api, mut others) = (Api::new().await, Vec::new());
    let owner = api.owner("owner@example.com").await;
    let unknown = json!([{"item_id": "item_no"}]);
    let misspelt = json!([{"type": "separatr", "name": "x"}]);
    for path in ["/invoices", "/estimates"] {
        let body = json!({"items": unknown});
        others.extend(other((&api, &owner), "POST", path, body, &[r#""items",0,"item_id""#]).await);
        let body = json!({"items": misspelt});
        others.extend(other((&api, &owner), "POST", path, body, &[r#""items",0,"type""#]).await);
    }
    let expense = json!({"items": unknown, "date": "2026-01-01", "supplier": {"name": "a"}});
    let at = [r#""items",0,"item_id""#];
    others.extend(other((&api, &owner), "POST", "/expenses", expense, &at).await);
    let invoice = json!({"items": [{"name": "a", "price": 1}]});
    let invoice = api.post("/invoices", &owner, invoice).await.with(201).json();
    let path = format!("/invoices/{}", text(&invoice["id"]));
    let ahead = json!({"date": "2027-02-01"});
    others.extend(other((&api, &owner), "PATCH", &path, ahead, &[r#""date""#]).await);
    assert!(others.is_empty(), "{}", others.join("\n\n"));
}

#[actix_web::test]
async fn missing_fields_are_reported_with_wrong_ones_and_before_sums() {
    let (api, mut others) = (Api::new().await, Vec::new());
    let owner = api.owner("owner@example.com").await;
    let invoice = json!({"items": [{"name": "a", "price": 10, "taxes": []}]});
    let id = text(&api.post("/invoices", &owner, invoice.clone()).await.with(201).json()["id"]);
    let tab = text(&api.post("/pos/tabs", &owner, json!({})).await.with(201).json()["id"]);
    let mut overpaid = invoice;
    overpaid["payments"] = json!([{"type": "cash", "amount": 200}, {"type": "cash", "amount": -1}]);
    for (path, body, expected) in [
        (
            "/payments".to_owned(),
            json!({"document_id": id, "amount": 1, "type": "credit_note", "note": 5}),
            &[r#""note""#, r#""credit_note_id""#][..],
        ),
        (
            "/expenses".to_owned(),
            json!({"supplier_id": "sup_no", "total": 1, "total_with_tax": 1}),
            &[r#""supplier_id""#, r#""date""#],
        ),
        (
            format!("/pos/tabs/{tab}/items"),
            json!({"append_id": "", "items": []}),
            &[r#""append_id""#, r#""items""#],
        ),
        ("/invoices".to_owned(), overpaid, &[r#""payments",1,"amount""#]),
    ] {
        others.extend(other((&api, &owner), "POST", &path, body, expected).await);
    }
    assert!(others.is_empty(), "{}", others.join("\n\n"));
    let si = Taxpayer::slovenian().await.certified().await;
    let premise = si.premise("P1").await;
    si.create_device(&premise, "1").await.with(201);
    si.put(json!({"enabled": true})).await.with(200);
    let sale = json!({
        "furs": {"skip": true}, "footer": "x".repeat(501), "payments": [{"type": "cash"}],
        "items": [{"name": "x", "price": 1, "taxes": []}],
    });
    let refused = si.api.post("/invoices", &si.owner, sale).await.with(422);
    assert_eq!(places(&refused), [r#"["footer"]"#], "{}", refused.text);
}
