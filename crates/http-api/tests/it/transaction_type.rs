//! What kind of sale two parties would have: both routes, and what VIES is asked for it.

use std::sync::Arc;

use racun_application::Services;
use racun_store_sqlite::SqliteStore;
use serde_json::{Value, json};

use crate::harness::{Api, Who};
use crate::outside::Register;

const CHECK: &str = "/transaction-type/check";

/// The application with a register of its own, and the owner of an entity there.
pub async fn with_register() -> (Api, Who, Arc<Register>) {
    let register = Arc::<Register>::default();
    let own = Arc::clone(&register);
    let api = Api::with(|services| Services { vat_registry: own, ..services }).await;
    let owner = api.owner("owner@example.com").await;
    (api, owner, register)
}

fn body(issuer: Value, customer: Value) -> Value {
    json!({ "issuer": issuer, "customer": customer })
}

fn to_germany(number: &str) -> Value {
    body(json!({"country_code": "SI"}), json!({"country_code": "DE", "tax_number": number}))
}

async fn check(api: &Api, who: &Who, body: Value) -> Value {
    api.post(CHECK, who, body).await.with(200).json()
}

#[actix_web::test]
async fn each_row_of_the_rules_is_answered() {
    let (api, owner, register) = with_register().await;
    register.says("DE136695976", true);
    register.says("AT", false);
    register.says("ATU13585627", false);
    let si = json!({"country_code": "SI"});
    let untaxed = json!({"country_code": "SI", "is_tax_subject": false});
    let valid = json!({"country_code": "DE", "tax_number": "DE136695976"});
    let consumer =
        json!({"country_code": "DE", "tax_number": "DE136695976", "is_end_consumer": true});
    let invalid = json!({"country_code": "AT", "tax_number": "ATU13585627"});
    let swiss = |consumer: bool| {
        json!({"country": "Switzerland", "tax_number": "CHE-123.456.788",
               "is_end_consumer": consumer})
    };
    for (issuer, customer, kind, reverse, vies_valid) in [
        (&si, json!({"country": "Slovenia"}), "domestic", false, Value::Null),
        (&si, json!({"country_code": "si", "country": "Germany"}), "domestic", false, Value::Null),
        (&si, valid.clone(), "intra_eu_b2b", true, true.into()),
        (&si, consumer, "intra_eu_b2b", true, true.into()),
        (&si, invalid, "intra_eu_b2c", false, false.into()),
        (&si, json!({"country": "Germany"}), "intra_eu_b2c", false, Value::Null),
        (&si, swiss(false), "3w_b2b", true, Value::Null),
        (&si, swiss(true), "3w_b2c", true, Value::Null),
        (&si, json!({"country_code": "CH"}), "3w_b2c", true, Value::Null),
        (&untaxed, valid.clone(), "intra_eu_b2c", false, Value::Null),
        (&untaxed, swiss(false), "3w_b2c", false, Value::Null),
        (&json!({"country": "Serbia"}), valid, "3w_b2b", false, Value::Null),
    ] {
        let asked = body(issuer.clone(), customer);
        let told = check(&api, &owner, asked.clone()).await;
        assert_eq!(told["transaction_type"], kind, "{asked} is {told}");
        assert_eq!(told["reverse_charge_applies"], reverse, "{asked} is {told}");
        assert_eq!(told["vies_valid"], vies_valid, "{asked} is {told}");
        let taxed = issuer.get("is_tax_subject").is_none();
        assert_eq!(told["is_tax_subject"], taxed, "{asked} is {told}");
        assert_eq!(told["warning"].is_null(), told["vies_valid"] != false, "{asked} is {told}");
    }
    assert_eq!(register.count(), 2, "VIES is asked for the numbers that matter, once");
}

#[actix_web::test]
async fn countries_are_resolved_and_unknown_ones_are_named() {
    let (api, owner, _) = with_register().await;
    let told = check(&api, &owner, body(json!({}), json!({"country": "Österreich"}))).await;
    assert_eq!(told["issuer_country_code"], "SI", "the entity's");
    assert_eq!(told["customer_country_code"], "AT");
    let greek = json!({"country_code": "EL", "tax_number": "EL094259216"});
    let told = check(&api, &owner, body(json!({}), greek)).await;
    assert_eq!((&told["customer_country_code"], &told["vies_valid"]), (&json!("GR"), &json!(true)));
    let northern = json!({"country_code": "XI", "tax_number": "XI980780684"});
    let told = check(&api, &owner, body(json!({}), northern)).await;
    assert_eq!(
        (&told["customer_country_code"], &told["transaction_type"]),
        (&json!("XI"), &json!("intra_eu_b2b")),
        "{told}"
    );
    let told = check(&api, &owner, body(json!({}), json!({}))).await;
    assert_eq!(told["transaction_type"], "domestic");
    assert_eq!(told["customer_country_code"], Value::Null);
    assert!(told["warning"].as_str().unwrap().contains("country_code"), "{told}");
    let lost = body(json!({"country_code": "ZZ"}), json!({"country": "Atlantis"}));
    let refused = api.post(CHECK, &owner, lost).await.with(422).json();
    let issues = refused["cause"]["issues"].as_array().unwrap();
    let found: Vec<_> = issues.iter().map(|issue| (&issue["path"], &issue["code"])).collect();
    let (issuer, customer) = (json!(["issuer", "country_code"]), json!(["customer", "country"]));
    let code = json!("unknown_country");
    assert_eq!(found, [(&issuer, &code), (&customer, &code)]);
    api.post(CHECK, &owner, json!({"issuer": {}})).await.with(422);
}

#[actix_web::test]
async fn digits_that_cannot_be_right_decide_without_a_call() {
    let (api, owner, register) = with_register().await;
    for number in ["DE136695978", "DE12", "12/345/67890", "ATU12"] {
        let told = check(&api, &owner, to_germany(number)).await;
        assert_eq!(told["transaction_type"], "intra_eu_b2c", "{told}");
        assert_eq!(
            (&told["vies_valid"], &told["reverse_charge_applies"]),
            (&json!(false), &json!(false))
        );
        assert!(told["warning"].as_str().unwrap().contains("VIES was not asked"), "{told}");
    }
    assert_eq!(register.count(), 0);
}

#[actix_web::test]
async fn the_earlier_path_answers_the_same_and_says_that_it_is_deprecated() {
    let (api, owner, register) = with_register().await;
    register.says("DE136695976", true);
    let new = api.post(CHECK, &owner, to_germany("DE136695976")).await.with(200);
    let old = api.post("/vies/check", &owner, to_germany("DE136695976")).await.with(200);
    assert_eq!(new.json(), old.json());
    assert_eq!(old.header("deprecation"), "@1795305600");
    assert_eq!(old.header("sunset"), racun_http_api::deprecation::SUNSET);
    let link = old.header("link");
    assert!(link.contains("</transaction-type/check>; rel=\"successor-version\""), "{link}");
    let refused = api.post("/vies/check", &owner, json!({})).await.with(422);
    assert_eq!(refused.header("deprecation"), "@1795305600", "refusals say it, too");
    for name in ["deprecation", "sunset", "link"] {
        assert_eq!(new.header(name), "");
    }
    let description = racun_http_api::openapi();
    assert_eq!(description["paths"]["/vies/check"]["post"]["deprecated"], true);
    assert_eq!(description["paths"][CHECK]["post"].get("deprecated"), None);
}

#[actix_web::test]
async fn an_answer_is_believed_for_a_day_and_outlives_an_outage_and_a_restart() {
    let store = Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let register = Arc::<Register>::default();
    let start = async || {
        let (store, own) = (Arc::clone(&store), Arc::clone(&register));
        Api::with(|services| Services { store, vat_registry: own, ..services }).await
    };
    let api = start().await;
    let owner = api.owner("owner@example.com").await;
    let asked = || to_germany("DE136695976");
    let first = check(&api, &owner, asked()).await;
    assert_eq!(first["checked_at"], "2026-11-20T08:00:00.000Z");
    api.pass(23 * 3600);
    assert_eq!(check(&api, &owner, asked()).await, first);
    assert_eq!(register.count(), 1, "the answer is a day's");

    register.go_away(true);
    api.pass(2 * 3600);
    let stale = check(&api, &owner, asked()).await;
    assert_eq!((&stale["vies_valid"], &stale["checked_at"]), (&json!(true), &first["checked_at"]));
    let warning = stale["warning"].as_str().unwrap();
    assert!(warning.contains("MS_UNAVAILABLE"), "{warning}");
    assert!(warning.contains("2026-11-20T08:00:00.000Z"), "{warning}");
    assert_eq!(register.count(), 2);
    drop(api);

    let api = start().await;
    api.pass(50 * 3600);
    let after = check(&api, &owner, asked()).await;
    assert_eq!((&after["vies_valid"], &after["checked_at"]), (&json!(true), &first["checked_at"]));
    register.go_away(false);
    register.says("DE136695976", false);
    let now = check(&api, &owner, asked()).await;
    assert_eq!(
        (&now["vies_valid"], &now["checked_at"]),
        (&json!(false), &json!("2026-11-22T10:00:00.000Z"))
    );
    api.pass(3601);
    register.says("DE136695976", true);
    let soon = check(&api, &owner, asked()).await;
    assert_eq!(soon["vies_valid"], true, "who is not registered is asked for again within hours");
}

#[actix_web::test]
async fn silence_says_nothing_of_a_number() {
    let (api, owner, register) = with_register().await;
    register.go_away(true);
    let told = check(&api, &owner, to_germany("DE136695976")).await;
    assert_eq!(told["transaction_type"], "intra_eu_b2b");
    assert_eq!(told["reverse_charge_applies"], true);
    assert_eq!(told["vies_valid"], Value::Null);
    assert!(told["warning"].as_str().unwrap().contains("MS_UNAVAILABLE"), "{told}");
    register.go_away(false);
    let told = check(&api, &owner, to_germany("DE136695976")).await;
    assert_eq!(told["vies_valid"], true, "silence is not kept");
}

#[actix_web::test]
async fn the_entitys_own_number_goes_along_and_an_answer_is_its_own() {
    let (api, owner, register) = with_register().await;
    let other = api.owner("other@example.com").await;
    check(&api, &owner, to_germany("DE136695976")).await;
    let path = format!("/entities/{}", owner.entity());
    api.patch(&path, &owner, json!({"tax_number": "SI10039856"})).await.with(200);
    check(&api, &owner, to_germany("DE136695976")).await;
    check(&api, &other, to_germany("136 695 976")).await;
    let asked = register.asked.lock().unwrap();
    let requesters: Vec<_> =
        asked.iter().map(|query| query.requester.as_ref().map(ToString::to_string)).collect();
    assert_eq!(requesters, [None, Some("SI10039856".to_owned()), None]);
    assert_ne!(asked[1].asker, asked[2].asker);
}
