//! Who calls the tax authority of Portugal: the sub-user of the entity, for the certified program.

use std::sync::atomic::Ordering;

use racun_kernel::Environment;
use serde_json::{Value, json};

use crate::harness::Answer;
use crate::portugal::{Shop, code};
use crate::portugal_office::Caller;
use crate::portugal_reports::{data, work};

const SETTINGS: &str = "/fiscalization/pt/settings";

async fn set(shop: &Shop, body: Value) -> Answer {
    shop.api.put(SETTINGS, &shop.owner, body).await
}

/// A series for invoices, by the authority where `code` is missing.
fn series(code: Option<&str>) -> Value {
    json!({"document_type": "invoice", "series_code": "2026A", "validation_code": code})
}

/// The sub-user 7 of the shop, who calls from `environment`.
fn own(environment: Environment) -> Caller {
    (environment, "501442600/7".to_owned(), "segredo".to_owned())
}

/// Names the sub-user 7, and reports invoices.
fn named() -> Value {
    json!({"username": "501442600/7", "password": "segredo", "communicate_invoices": true})
}

/// The paths at which something is required.
fn required(answer: &Answer) -> Vec<String> {
    let issues = answer.json()["cause"]["issues"].clone();
    let issues = issues.as_array().unwrap();
    assert!(issues.iter().all(|own| own["code"] == "required"), "{answer:?}");
    issues.iter().map(|own| own["path"].to_string()).collect()
}

/// A live shop, of which the server has a certified program.
async fn live() -> Shop {
    let shop = Shop::bare().await.in_new("live").await;
    shop.office.has_live_program.store(true, Ordering::Relaxed);
    shop
}

#[actix_web::test]
async fn the_sub_user_who_is_kept_calls_both_services() {
    for (shop, environment) in
        [(Shop::bare().await, Environment::Sandbox), (live().await, Environment::Live)]
    {
        set(&shop, named()).await.with(200);
        shop.series(series(None)).await.with(201);
        assert_eq!(shop.office.callers(), [own(environment)], "the service of series");
        let sold = shop.sold(json!({})).await;
        shop.office.reply(&[0]);
        assert_eq!(work(&shop).await, 1);
        assert_eq!(shop.office.callers(), [own(environment)], "the service of invoices");
        assert_eq!(data(&shop, &sold).await.0, "success");
    }
}

#[actix_web::test]
async fn a_sandbox_that_keeps_no_sub_user_calls_as_the_test_user() {
    let shop = Shop::bare().await;
    shop.series(series(None)).await.with(201);
    let called = [(Environment::Sandbox, "501442600/1".to_owned(), "x".to_owned())];
    assert_eq!(shop.office.callers(), called);
    set(&shop, json!({"communicate_invoices": true})).await.with(200);
    shop.sold(json!({})).await;
    work(&shop).await;
    assert_eq!(shop.office.callers(), called);
}

#[actix_web::test]
async fn a_live_entity_without_a_sub_user_registers_no_series_and_makes_one_by_its_code() {
    let shop = live().await;
    assert_eq!(code(&shop.series(series(None)).await.with(422)), "pt_sub_user_missing");
    let list = shop.get("/fiscalization/pt/atcud-series").await.with(200).json();
    assert_eq!(list["data"], json!([]));
    assert!(shop.office.callers().is_empty(), "nobody called");
    shop.series(series(Some("AAJFB7NT"))).await.with(201);
    assert_eq!(shop.sold(json!({})).await["number"], "FT 2026A/1");
    assert!(shop.office.callers().is_empty(), "its code was entered by hand");
}

#[actix_web::test]
async fn a_live_entity_reports_invoices_as_somebody() {
    let shop = live().await;
    let before = shop.get(SETTINGS).await.with(200).json();
    let nobody = set(&shop, json!({"communicate_invoices": true})).await.with(422);
    assert_eq!(required(&nobody), ["[\"username\"]", "[\"password\"]"]);
    let mute = json!({"communicate_invoices": true, "username": "501442600/7"});
    assert_eq!(required(&set(&shop, mute).await.with(422)), ["[\"password\"]"]);
    assert_eq!(shop.get(SETTINGS).await.with(200).json(), before, "nothing is kept");
    let kept = set(&shop, named()).await.with(200).json();
    let other = set(&shop, json!({"username": "501442600/8"})).await.with(422);
    assert_eq!(required(&other), ["[\"password\"]"], "another user has another password");
    assert_eq!(shop.get(SETTINGS).await.with(200).json(), kept);
}

#[actix_web::test]
async fn a_live_entity_without_a_certified_program_issues_nothing() {
    let shop = Shop::bare().await.in_new("live").await;
    set(&shop, named()).await.with(200);
    assert_eq!(code(&shop.series(series(None)).await.with(422)), "pt_program_missing");
    assert!(shop.office.asked().is_empty(), "the authority is not asked");
    shop.series(series(Some("AAJFB7NT"))).await.with(201);
    assert_eq!(code(&shop.sell(json!({})).await.with(422)), "pt_program_missing");
    let list = shop.get("/invoices").await.with(200).json();
    assert_eq!(list["data"], json!([]));
    shop.office.has_live_program.store(true, Ordering::Relaxed);
    let sold = shop.sold(json!({})).await;
    assert_eq!(sold["number"], "FT 2026A/1", "the refusal took no number");
}
