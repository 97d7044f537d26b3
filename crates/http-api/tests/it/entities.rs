//! Entities and their settings.

use serde_json::json;

use crate::harness::{Api, Who};

#[actix_web::test]
async fn an_entity_starts_with_what_its_country_has() {
    let api = Api::new().await;
    let user = api.user("owner@example.com").await;
    let body = json!({"name": "Pri Ani", "country": "Slovenia", "starting_capital": 7500.50,
        "environment": "sandbox"});
    let entity = api.post("/entities", &user, body).await.with(201).json();
    assert_eq!(entity["country_code"], "SI");
    assert_eq!(entity["currency_code"], "EUR");
    assert_eq!(entity["timezone"], "Europe/Ljubljana");
    assert_eq!(entity["starting_capital"].to_string(), "7500.5");
    assert_eq!(entity["country_rules"]["max_taxes_per_item"], 1);
    assert!(entity["country_rules"]["features"].as_array().unwrap().contains(&json!("furs")));
    assert_eq!(entity["metadata"], json!({}));
    let owner = user.in_entity(entity["id"].as_str().unwrap());
    let taxes = api.get("/taxes?order_by=-is_default", &owner).await.with(200).json();
    assert_eq!(taxes["data"][0]["name"], "22%");
    assert_eq!(taxes["data"][0]["is_default"], true);
    assert_eq!(taxes["data"][1]["is_default"], false);
}

#[actix_web::test]
async fn settings_merge_key_by_key() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let path = format!("/entities/{}", owner.entity());
    let change = |settings| json!({"settings": settings});
    api.patch(&path, &owner, change(json!({"document_footer": "a", "primary_color": "#123456"})))
        .await
        .with(200);
    let later = change(json!({"document_footer": "b", "furs": {"enabled": true}}));
    let mut entity = api.patch(&path, &owner, later).await.with(200).json();
    assert_eq!(entity["settings"]["document_footer"], "b");
    assert_eq!(entity["settings"]["primary_color"], "#123456");
    assert_eq!(entity["settings"]["furs"], json!(null), "protected keys are passed over");
    assert_eq!(entity["warnings"].take()[0]["code"], "not_updatable", "and a warning says so");
    entity["warnings"] = json!([]);
    let wrong = change(json!({"primary_color": "blue"}));
    let refused = api.patch(&path, &owner, wrong).await.with(422);
    assert_eq!(refused.issue().0, "[\"settings\",\"primary_color\"]");
    assert_eq!(api.get(&path, &owner).await.with(200).json(), entity);
}

#[actix_web::test]
async fn the_path_names_the_entity_and_the_header_is_not_needed() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = json!({"name": "Second", "country": "Croatia", "environment": "sandbox"});
    let second = api.post("/entities", &owner, body).await.with(201).json();
    let path = format!("/entities/{}", second["id"].as_str().unwrap());
    let bare = Who { entity: None, ..owner.clone() };
    for who in [&bare, &owner] {
        let changed = api.patch(&path, who, json!({"name": "Drugi"})).await.with(200).json();
        assert_eq!((&changed["id"], &changed["name"]), (&second["id"], &json!("Drugi")));
    }
    let country = api.patch(&path, &owner, json!({"country_code": "SI"})).await.with(422);
    assert_eq!(country.issue(), ("[\"country_code\"]".to_owned(), "not_updatable".to_owned()));
    api.get("/entities/ent_x", &owner).await.with(404);
}

#[actix_web::test]
async fn a_disabled_entity_can_be_read_and_enabled_again_only() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let path = format!("/entities/{}", owner.entity());
    let disabled = api.post(&format!("{path}/disable"), &owner, json!({})).await.with(200).json();
    assert_eq!(disabled["is_enabled"], false);
    api.get("/customers", &owner).await.with(200);
    let refused = api.post("/customers", &owner, json!({"name": "Bor"})).await.with(403).json();
    assert_eq!(refused["cause"]["code"], "entity_disabled");
    api.patch(&path, &owner, json!({"is_enabled": true})).await.with(200);
    api.post("/customers", &owner, json!({"name": "Bor"})).await.with(201);
}

#[actix_web::test]
async fn entities_are_listed_to_those_who_reach_them() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let stranger = api.owner("stranger@example.com").await;
    let list = |path: &'static str, who: Who| {
        let api = api.clone();
        async move { api.get(path, &who).await.with(200).json()["data"].as_array().unwrap().len() }
    };
    assert_eq!(list("/entities", owner.clone()).await, 1);
    assert_eq!(list("/entities?environment=sandbox", owner.clone()).await, 1);
    assert_eq!(list("/entities?environment=live", owner.clone()).await, 0);
    api.get("/entities?environment=mars", &owner).await.with(422);
    api.get(&format!("/entities/{}", owner.entity()), &stranger).await.with(404);
}
