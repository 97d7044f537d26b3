//! Customers, suppliers, items, taxes, financial categories and business units.

use serde_json::{Value, json};

use crate::harness::{Api, text};

#[actix_web::test]
async fn a_customer_starts_with_the_specified_defaults() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let made = api.post("/customers", &owner, json!({"name": "Bor"})).await.with(201).json();
    let expected = json!({
        "id": made["id"], "entity_id": owner.entity(), "name": "Bor", "address": null,
        "address_2": null, "post_code": null, "city": null, "state": null, "country": null,
        "country_code": null, "tax_number": null, "company_number": null, "peppol_id": null,
        "peppol_scheme_id": null, "bank_accounts": null, "email": null, "contact_type": "buyer",
        "is_tax_subject": true, "is_end_consumer": false, "ujp": null, "metadata": {},
        "vies": null, "deleted_at": null, "created_at": "2026-11-20T08:00:00.000Z",
        "updated_at": "2026-11-20T08:00:00.000Z", "warnings": [],
    });
    assert_eq!(made, expected);
}

#[actix_web::test]
async fn a_patch_tells_absent_from_null() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = json!({
        "name": "Bor", "city": "Ljubljana", "email": "bor@example.com", "contact_type": "both",
        "bank_accounts": [{"iban": "SI56"}], "ujp": {"receiver_name": "MF"},
        "metadata": {"a.b": "1"},
    });
    let made = api.post("/customers", &owner, body).await.with(201).json();
    assert_eq!(made["bank_accounts"][0]["type"], "iban");
    assert_eq!(made["ujp"]["receiver_name"], "MF");
    let path = format!("/customers/{}", text(&made["id"]));
    api.pass(1);
    let changed = api.patch(&path, &owner, json!({"city": null, "country_code": "si"})).await;
    let changed = changed.with(200).json();
    assert_eq!(changed["city"], json!(null));
    assert_eq!(changed["country_code"], "SI");
    assert_eq!(changed["email"], "bor@example.com");
    assert_eq!(changed["metadata"], json!({"a.b": "1"}));
    assert_eq!(changed["updated_at"], "2026-11-20T08:00:01.000Z");
    assert_eq!(api.get(&path, &owner).await.with(200).json(), changed);
    let name = api.patch(&path, &owner, json!({"name": null})).await.with(422);
    assert_eq!(name.issue(), ("[\"name\"]".to_owned(), "required".to_owned()));
}

/// Every resource with a trash goes there, comes back and is erased in the same way.
#[actix_web::test]
async fn the_trash_is_the_same_everywhere() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (resource, body) in [
        ("/customers", json!({"name": "a"})),
        ("/suppliers", json!({"name": "a"})),
        ("/items", json!({"name": "a", "price": 1})),
        ("/taxes", json!({"tax_rates": [{"rate": 22}]})),
        ("/business-units", json!({"name": "a"})),
    ] {
        let before = total(&api.get(resource, &owner).await.with(200).json());
        let made = api.post(resource, &owner, body).await.with(201).json();
        let path = format!("{resource}/{}", text(&made["id"]));
        let refused = api.delete(&format!("{path}/permanent"), &owner).await.with(422).json();
        assert_eq!(refused["cause"]["code"], "not_in_trash", "{resource}");
        api.delete(&path, &owner).await.with(204);
        assert_eq!(total(&api.get(resource, &owner).await.json()), before, "{resource}");
        let trash = format!("{resource}?deleted=true");
        assert_eq!(total(&api.get(&trash, &owner).await.json()), 1, "{resource}");
        let restored =
            api.post(&format!("{path}/restore"), &owner, json!({})).await.with(200).json();
        assert_eq!(restored["deleted_at"], json!(null), "{resource}");
        api.delete(&path, &owner).await.with(204);
        api.delete(&format!("{path}/permanent"), &owner).await.with(204);
        api.get(&path, &owner).await.with(404);
    }
}

fn total(list: &Value) -> i64 {
    list["pagination"]["total"].as_i64().unwrap()
}

#[actix_web::test]
async fn digits_of_a_price_survive() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (sent, answered) in [
        ("29.90", "29.9"),
        ("0.1", "0.1"),
        ("140737488355327.99", "140737488355327.99"),
        ("1.2e3", "1200"),
        ("0.0000000001", "0.0000000001"),
        ("-0", "0"),
    ] {
        let body = format!("{{\"name\":\"Kava\",\"price\":{sent}}}");
        let made = api.post_text("/items", &owner, &body).await.with(201);
        let expected = format!("\"price\":{answered},");
        assert!(made.text.contains(&expected), "{sent}: {}", made.text);
        let path = format!("/items/{}", text(&made.json()["id"]));
        assert!(api.get(&path, &owner).await.text.contains(&expected), "{sent}");
    }
}

#[actix_web::test]
async fn an_item_shows_its_price_with_the_taxes_of_today() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let rates =
        json!([{"rate": 22, "valid_from": "2020-01-01"}, {"rate": 50, "valid_from": "2027-01-01"}]);
    let tax = api.post("/taxes", &owner, json!({"tax_rates": rates})).await.with(201).json();
    let body = json!({"name": "Kava", "price": 1.50, "tax_ids": [tax["id"]]});
    let item = api.post("/items", &owner, body).await.with(201).json();
    assert_eq!(item["price_with_tax"].to_string(), "1.83");
    assert_eq!(item["tax_ids"], json!([tax["id"]]));
    let path = format!("/items/{}", text(&item["id"]));
    let gross = api.patch(&path, &owner, json!({"gross_price": 2})).await.with(200).json();
    assert_eq!(
        (&gross["price"], gross["price_with_tax"].to_string()),
        (&json!(null), "2".to_owned())
    );
    let listed = api.get("/items?search=KAVA", &owner).await.with(200).json();
    assert_eq!(listed["data"], json!([gross]));
}

#[actix_web::test]
async fn a_tax_is_named_after_its_rate_and_replaced_whole() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = json!({"tax_rates": [{"rate": 22}], "classification": "standard"});
    let tax = api.post("/taxes", &owner, body.clone()).await.with(201).json();
    assert_eq!(tax["name"], "22%");
    assert_eq!(tax["tax_rates"], json!([{"rate": 22, "valid_from": "1970-01-01T00:00:00.000Z"}]));
    let again = api.post("/taxes", &owner, body).await.with(409).json();
    assert_eq!(again["cause"]["code"], "duplicate");
    let path = format!("/taxes/{}", text(&tax["id"]));
    let name = api.patch(&path, &owner, json!({"name": "x"})).await.with(422);
    assert_eq!(name.issue(), ("[\"name\"]".to_owned(), "not_updatable".to_owned()));
    let body =
        json!({"name": "DDV", "tax_rates": [{"rate": 9.5, "valid_from": "2026-01-01T00:00:00Z"}]});
    let replaced = api.put(&path, &owner, body).await.with(200).json();
    assert_eq!((&replaced["id"], &replaced["name"]), (&tax["id"], &json!("DDV")));
    assert_eq!(replaced["classification"], json!(null));
    let wrong = json!({"tax_rates": [{"rate": 1}, {"rate": 2, "valid_from": "yesterday"}]});
    let refused = api.patch(&path, &owner, wrong).await.with(422);
    assert_eq!(refused.issue().0, "[\"tax_rates\",1,\"valid_from\"]");
}

#[actix_web::test]
async fn financial_categories_are_archived_instead_of_deleted() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let make = |name: &str, place: i32| json!({"name": name, "sort_order": place});
    let second = api.post("/financial-categories", &owner, make("b", 2)).await.with(201).json();
    let first = api.post("/financial-categories", &owner, make("a", 1)).await.with(201).json();
    let all = api.get("/financial-categories", &owner).await.with(200).json();
    assert_eq!(all, json!({"data": [first, second]}));
    let path = format!("/financial-categories/{}", text(&first["id"]));
    api.delete(&path, &owner).await.with(204);
    let left = api.get("/financial-categories", &owner).await.json();
    assert_eq!(left, json!({"data": [second]}));
    let all = api.get("/financial-categories?include_archived=true", &owner).await.json();
    assert_eq!(all["data"].as_array().unwrap().len(), 2);
    api.get("/financial-categories?include_archived=1", &owner).await.with(422);
}

#[actix_web::test]
async fn business_units_are_numbered_and_keep_their_settings() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = r#"{"name":"Center","settings":{"logo_scale_percent":50.0}}"#;
    let made = api.post_text("/business-units", &owner, body).await.with(201).json();
    assert_eq!(made["numbering_index"], 1);
    assert_eq!(made["settings"]["logo_scale_percent"].to_string(), "50.0");
    let path = format!("/business-units/{}", text(&made["id"]));
    let body = json!({"settings": {"logo_scale_percent": 101}});
    let refused = api.patch(&path, &owner, body).await.with(422);
    assert_eq!(refused.issue().0, "[\"settings\",\"logo_scale_percent\"]");
}

#[actix_web::test]
async fn a_list_pages_forth_and_back_and_filters() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for name in ["Žiga", "Ana", "Bor"] {
        let body = json!({"name": name, "metadata": {"initial": name}});
        api.post("/suppliers", &owner, body).await.with(201);
    }
    let names = |list: &Value| -> Vec<String> {
        list["data"].as_array().unwrap().iter().map(|row| text(&row["name"])).collect()
    };
    let first = api.get("/suppliers?order_by=name&limit=2", &owner).await.with(200).json();
    assert_eq!((names(&first), total(&first)), (vec!["Ana".to_owned(), "Bor".to_owned()], 3));
    assert_eq!(first["pagination"]["has_more"], true);
    assert_eq!(first["pagination"]["prev_cursor"], json!(null));
    let cursor = text(&first["pagination"]["next_cursor"]);
    let path = format!("/suppliers?order_by=name&limit=2&next_cursor={cursor}");
    let second = api.get(&path, &owner).await.with(200).json();
    assert_eq!(names(&second), ["Žiga"]);
    let cursor = text(&second["pagination"]["prev_cursor"]);
    let path = format!("/suppliers?order_by=name&limit=2&prev_cursor={cursor}");
    assert_eq!(api.get(&path, &owner).await.json()["data"], first["data"]);
    let found = api.get("/suppliers?search=%C5%BEig", &owner).await.json();
    assert_eq!(names(&found), ["Žiga"]);
    let path = "/suppliers?query=%7B%22metadata%22%3A%7B%22initial%22%3A%22Bor%22%7D%7D";
    assert_eq!(names(&api.get(path, &owner).await.json()), ["Bor"]);
    let uncounted = api.get("/suppliers?include_total_count=false", &owner).await.json();
    assert_eq!(total(&uncounted), -1);
    for (query, path) in [
        ("limit=101", "[\"limit\"]"),
        ("limit=1&limit=2", "[\"limit\"]"),
        ("order_by=nonsense", "[\"order_by\"]"),
        ("query=%7B", "[\"query\"]"),
        ("next_cursor=garbage", "[\"next_cursor\"]"),
    ] {
        let refused = api.get(&format!("/suppliers?{query}"), &owner).await.with(422);
        assert_eq!(refused.issue().0, path, "{query}");
    }
}

#[actix_web::test]
async fn an_id_of_another_kind_or_tenant_is_not_there() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let stranger = api.owner("stranger@example.com").await;
    let made = api.post("/customers", &owner, json!({"name": "Bor"})).await.with(201).json();
    let id = text(&made["id"]);
    for path in
        [format!("/customers/{id}"), format!("/suppliers/{id}"), "/customers/%00".to_owned()]
    {
        let answer = api.get(&path, &stranger).await.with(404).json();
        assert_eq!(answer["code"], "not_found", "{path}");
    }
}
