//! Documents for customers in other member states, by what VIES says of their numbers.

use std::sync::Arc;

use racun_application::Services;
use racun_kernel::Environment;
use serde_json::{Value, json};

use crate::harness::{Api, Who, text};
use crate::outside::Register;
use crate::portugal::Shop;
use crate::transaction_type::with_register;

const NUMBER: &str = "DE136695976";

/// An invoice over 100 and 22 % for the customer.
fn invoice(customer: Value) -> Value {
    let line = json!({"name": "Bread", "price": 100, "taxes": [{"rate": 22}]});
    json!({"customer": customer, "items": [line]})
}

fn german() -> Value {
    json!({"name": "Bäckerei GmbH", "country": "Germany", "tax_number": NUMBER})
}

async fn set_rules(api: &Api, owner: &Who, rules: Value) {
    let clauses = json!({"intra_eu_b2b": "Reverse charge.", "intra_eu_b2c": "OSS.",
                         "domestic": "At home."});
    let settings = json!({"tax_rules": {"eu": rules}, "tax_clause_defaults": clauses});
    let path = format!("/entities/{}", owner.entity());
    api.patch(&path, owner, json!({"settings": settings})).await.with(200);
}

async fn make(api: &Api, owner: &Who, body: Value) -> Value {
    api.post("/invoices", owner, body).await.with(201).json()
}

#[actix_web::test]
async fn an_invoice_follows_what_vies_says() {
    let (api, owner, register) = with_register().await;
    set_rules(&api, &owner, json!({"auto_reverse_charge": true})).await;
    register.says(NUMBER, true);
    let valid = make(&api, &owner, invoice(german())).await;
    assert_eq!(
        (&valid["transaction_type"], &valid["total_with_tax"]),
        (&json!("intra_eu_b2b"), &json!(100))
    );
    assert_eq!(valid["taxes"][0]["reverse_charge"], true);
    assert_eq!(valid["tax_clause"], "Reverse charge.");
    assert_eq!(
        valid["vies"],
        json!({
            "transaction_type": "intra_eu_b2b", "reverse_charge_applies": true, "vies_valid": true,
            "warning": null, "skipped": false, "checked_at": "2026-11-20T08:00:00.000Z",
            "country_code": "DE", "tax_number": NUMBER,
            "consultation_number": format!("WAPI-{NUMBER}"),
        })
    );
    make(&api, &owner, invoice(german())).await;
    assert_eq!(register.count(), 1, "the second one takes the kept answer");
    let asked = register.asked.lock().unwrap()[0].clone();
    assert_eq!(
        (asked.asker.to_string().as_str(), asked.environment),
        (owner.entity(), Environment::Sandbox)
    );
}

#[actix_web::test]
async fn a_number_that_is_not_valid_makes_a_consumer() {
    let (api, owner, register) = with_register().await;
    set_rules(&api, &owner, json!({"auto_reverse_charge": true})).await;
    register.says(NUMBER, false);
    let unknown = german();
    let mut wrong = german();
    wrong["tax_number"] = "DE136695978".into();
    for (customer, calls) in [(unknown, 1), (wrong, 1)] {
        let made = make(&api, &owner, invoice(customer)).await;
        assert_eq!(
            (&made["transaction_type"], &made["total_with_tax"]),
            (&json!("intra_eu_b2c"), &json!(122))
        );
        assert_eq!(made["tax_clause"], "OSS.");
        let vies = &made["vies"];
        assert_eq!(
            (&vies["vies_valid"], &vies["skipped"]),
            (&json!(false), &json!(false)),
            "{vies}"
        );
        assert_eq!(vies["reverse_charge_applies"], false);
        assert!(vies["warning"].as_str().unwrap().contains("consumer"), "{vies}");
        assert_eq!(register.count(), calls);
    }
}

#[actix_web::test]
async fn silence_stops_nothing_and_the_last_answer_counts() {
    let (api, owner, register) = with_register().await;
    set_rules(&api, &owner, json!({"auto_reverse_charge": true})).await;
    register.go_away(true);
    let made = make(&api, &owner, invoice(german())).await;
    assert_eq!(
        (&made["transaction_type"], &made["total_with_tax"]),
        (&json!("intra_eu_b2b"), &json!(100))
    );
    assert_eq!(
        (&made["vies"]["vies_valid"], &made["vies"]["skipped"]),
        (&Value::Null, &json!(true))
    );
    assert!(made["vies"]["warning"].as_str().unwrap().contains("MS_UNAVAILABLE"));

    register.go_away(false);
    register.says(NUMBER, false);
    make(&api, &owner, invoice(german())).await;
    register.go_away(true);
    api.pass(25 * 3600);
    let stale = make(&api, &owner, invoice(german())).await;
    assert_eq!(stale["transaction_type"], "intra_eu_b2c", "the last answer was no");
    assert_eq!(stale["vies"]["checked_at"], "2026-11-20T08:00:00.000Z");
    assert_eq!(stale["vies"]["skipped"], false);
}

#[actix_web::test]
async fn the_entity_may_not_want_to_ask() {
    let (api, owner, register) = with_register().await;
    set_rules(&api, &owner, json!({"vies_validate_vat": false})).await;
    let made = make(&api, &owner, invoice(german())).await;
    assert_eq!(made["transaction_type"], "intra_eu_b2b");
    assert_eq!(made["vies"]["skipped"], true);
    let warning = made["vies"]["warning"].as_str().unwrap();
    assert!(warning.contains("vies_validate_vat"), "{warning}");
    assert_eq!(made["total_with_tax"], 122, "no setting takes the tax away");
    for customer in [
        json!({"name": "Ana", "country": "Slovenia", "tax_number": "SI10039856"}),
        json!({"name": "Swiss", "country_code": "CH", "tax_number": "CHE1"}),
        json!({"name": "Nobody", "country_code": "DE"}),
    ] {
        let made = make(&api, &owner, invoice(customer)).await;
        assert_eq!(made["vies"], Value::Null, "{made}");
    }
    assert_eq!(register.count(), 0);
}

#[actix_web::test]
async fn rules_of_export_and_gross_prices_hold() {
    let (api, owner, _) = with_register().await;
    set_rules(&api, &owner, json!({"auto_remove_tax_export": true, "require_gross_prices": true}))
        .await;
    let swiss = json!({"name": "Swiss", "country": "Switzerland"});
    let refused = api.post("/invoices", &owner, invoice(swiss.clone())).await.with(422);
    assert_eq!(
        refused.issue(),
        ("[\"items\",0,\"gross_price\"]".to_owned(), "required".to_owned())
    );
    let mut gross = invoice(swiss);
    gross["items"] = json!([{"name": "Bread", "gross_price": 100, "taxes": [{"rate": 22}]}]);
    let made = make(&api, &owner, gross).await;
    assert_eq!((&made["transaction_type"], &made["taxes"]), (&json!("3w_b2c"), &json!([])));
}

#[actix_web::test]
async fn refused_documents_cause_no_query() {
    let (api, owner, register) = with_register().await;
    let mut wrong = invoice(german());
    wrong["items"][0]["price"] = json!(null);
    wrong["date_due"] = json!("2020-01-01");
    let refused = api.post("/invoices", &owner, wrong).await.with(422).json();
    assert_eq!(refused["cause"]["issues"].as_array().unwrap().len(), 2, "{refused}");
    assert_eq!(register.count(), 0);
    let calculated = api.post("/documents/calculate?type=invoice", &owner, invoice(german()));
    calculated.await.with(200);
    assert_eq!(register.count(), 0, "a calculation sends no query");
}

#[actix_web::test]
async fn a_draft_is_looked_at_again_when_it_is_issued() {
    let (api, owner, register) = with_register().await;
    set_rules(&api, &owner, json!({"auto_reverse_charge": true})).await;
    register.says(NUMBER, true);
    let mut draft = invoice(german());
    draft["is_draft"] = true.into();
    let draft = make(&api, &owner, draft).await;
    assert_eq!(draft["vies"]["vies_valid"], true);
    register.says(NUMBER, false);
    api.pass(25 * 3600);
    let path = format!("/documents/{}/finalize", text(&draft["id"]));
    let issued = api.post(&path, &owner, json!({})).await.with(200).json();
    assert_eq!(issued["transaction_type"], "intra_eu_b2c");
    assert_eq!(issued["tax_clause"], "OSS.");
    assert_eq!(issued["vies"]["vies_valid"], false);
    let warning = issued["vies"]["warning"].as_str().unwrap();
    assert!(warning.contains("the draft was made as intra_eu_b2b"), "{warning}");
    assert_eq!(issued["total_with_tax"], 100, "its amounts are those that were seen");
    assert_eq!(register.count(), 2);
}

#[actix_web::test]
async fn another_customer_is_another_sale() {
    let (api, owner, register) = with_register().await;
    set_rules(&api, &owner, json!({"auto_reverse_charge": true})).await;
    let mut draft = invoice(json!({"name": "Ana", "country": "Slovenia"}));
    draft["is_draft"] = true.into();
    let draft = make(&api, &owner, draft).await;
    assert_eq!(
        (&draft["transaction_type"], &draft["tax_clause"]),
        (&json!("domestic"), &json!("At home."))
    );
    let path = format!("/invoices/{}", text(&draft["id"]));
    let note = api.patch(&path, &owner, json!({"note": "Soon"})).await.with(200).json();
    assert_eq!((&note["vies"], register.count()), (&Value::Null, 0));
    let change = json!({"customer": german(), "items": invoice(german())["items"]});
    let changed = api.patch(&path, &owner, change).await.with(200).json();
    assert_eq!(
        (&changed["transaction_type"], &changed["total_with_tax"]),
        (&json!("intra_eu_b2b"), &json!(100))
    );
    assert_eq!(changed["tax_clause"], "Reverse charge.");
    assert_eq!((&changed["vies"]["vies_valid"], register.count()), (&json!(true), 1));
    let again = api.patch(&path, &owner, json!({"note": "Now"})).await.with(200).json();
    assert_eq!(again["vies"], changed["vies"], "what was said stays");
}

#[actix_web::test]
async fn the_record_of_a_customer_says_what_vies_said() {
    let (api, owner, register) = with_register().await;
    register.says(NUMBER, true);
    let of = json!({"name": "Bäckerei GmbH", "country_code": "DE", "tax_number": NUMBER});
    let known = api.post("/customers", &owner, of).await.with(201).json();
    assert_eq!((&known["vies"], register.count()), (&Value::Null, 0));
    let path = format!("/customers/{}", text(&known["id"]));
    let mut order = invoice(Value::Null);
    order["customer"].take();
    order.as_object_mut().unwrap().remove("customer");
    order["customer_id"] = known["id"].clone();
    make(&api, &owner, order).await;
    let customer = api.get(&path, &owner).await.with(200).json();
    let expected = json!({"valid": true, "checked_at": "2026-11-20T08:00:00.000Z",
                          "name": "Bäckerei GmbH", "address": null});
    assert_eq!(customer["vies"], expected);
    let moved = json!({"tax_number": "DE129273398"});
    let moved = api.patch(&path, &owner, moved).await.with(200).json();
    assert_eq!(moved["vies"], Value::Null, "it was said of another number");

    let made = make(&api, &owner, invoice(german())).await;
    let path = format!("/customers/{}", text(&made["customer_id"]));
    let new = api.get(&path, &owner).await.with(200).json();
    assert_eq!(new["vies"], expected, "a new one knows it, too");
}

#[actix_web::test]
async fn a_key_makes_one_invoice_and_one_question() {
    let (api, owner, register) = with_register().await;
    let send = async |path: &str, body: Value| {
        let request = owner.sign(actix_web::test::TestRequest::post().uri(path));
        let request = request.insert_header(("idempotency-key", "key-1")).set_json(body);
        api.call(request).await
    };
    let first = send("/invoices", invoice(german())).await.with(201).json();
    let again = send("/invoices", invoice(german())).await.with(201).json();
    assert_eq!((&first["id"], register.count()), (&again["id"], 1));
}

#[actix_web::test]
async fn a_certified_sale_is_paid_at_once_by_the_total_that_vies_leaves_it() {
    let register = Arc::<Register>::default();
    let own = Arc::clone(&register);
    let shop = Shop::with(|services| Services { vat_registry: own, ..services }).await;
    for (kind, code) in [("invoice", "A"), ("invoice_receipt", "R")] {
        shop.series(json!({"document_type": kind, "series_code": code})).await.with(201);
    }
    set_rules(&shop.api, &shop.owner, json!({"auto_reverse_charge": true})).await;
    // Without its answer the sale would be one of reverse charge, which names an exemption.
    register.says(NUMBER, false);
    for (amount, number, is_paid) in [(123, "FR R/1", true), (100, "FT A/1", false)] {
        let paid = json!([{"type": "card", "amount": amount}]);
        let sold = shop.sold(json!({"customer": german(), "payments": paid})).await;
        assert_eq!(
            (&sold["number"], &sold["total_with_tax"], &sold["paid_in_full"]),
            (&json!(number), &json!(123), &json!(is_paid))
        );
    }
    assert_eq!(register.count(), 1);
}
