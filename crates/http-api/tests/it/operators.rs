//! Operators of tills: PINs, locks, tokens, and what is sold with them.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use actix_web::test::{self, TestRequest};
use racun_application::Services;
use racun_http_api::RequestLimits;
use racun_store_sqlite::SqliteStore;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, http, services, text};

/// An owner, Ana, with Eva as an editor, who has the PIN 042.
struct Till {
    api: Api,
    ana: Who,
    eva: Who,
    /// Ids of Ana and Eva.
    ids: [String; 2],
}

impl Till {
    async fn new() -> Self {
        let api = Api::new().await;
        let ana = api.owner("ana@example.com").await;
        let eva = api.member(&ana, "eva@example.com", "editor").await;
        let ids = [api.id(&ana).await, api.id(&eva).await];
        api.set_pin(&ana, &ids[1], "042").await.with(204);
        Self { api, ana, eva, ids }
    }

    fn eva_id(&self) -> &str {
        &self.ids[1]
    }

    /// Another session of Ana's: another till.
    async fn other(&self) -> Who {
        let body = json!({"email": "ana@example.com", "password": crate::harness::PASSWORD});
        let login = self.api.post("/users/login", &Who::anonymous(), body).await.with(200).json();
        Who { token: Some(text(&login["id"])), ..self.ana.clone() }
    }
}

/// `code` and `cause.code` of a refusal.
fn codes(answer: &Answer) -> (String, String) {
    let body = answer.json();
    (text(&body["code"]), body["cause"]["code"].as_str().unwrap_or_default().to_owned())
}

fn sale() -> Value {
    json!({"items": [{"name": "Kava", "gross_price": 1.5, "taxes": []}]})
}

#[actix_web::test]
async fn operators_are_listed_as_the_interface_says() {
    let till = Till::new().await;
    let listed = till.api.get("/pos/operators", &till.eva).await.with(200).json();
    let operator = |n: usize, email: &str, role: &str, has_pin: bool| {
        json!({
            "user_id": till.ids[n], "name": email, "email": email, "role": role,
            "has_pin": has_pin,
        })
    };
    let expected = json!({"data": [
        operator(0, "ana@example.com", "admin", false),
        operator(1, "eva@example.com", "editor", true),
    ]});
    assert_eq!(listed, expected);
}

#[actix_web::test]
async fn a_switch_answers_a_token_of_a_shift() {
    let Till { api, ana, eva, ids } = Till::new().await;
    let token = api.switch(&ana, &ids[1], "042").await.with(200).json();
    let expected = json!({
        "id": token["id"],
        "user_id": ids[1],
        "entity_id": ana.entity(),
        "ttl": 43_200,
        "scope": "pos_operator",
        "created_at": "2026-11-20T08:00:00.000Z",
    });
    assert_eq!(token, expected);
    let id = text(&token["id"]);
    assert!(id.starts_with("tok_"), "{id}");
    let operator = Who::key(&id);
    api.get("/invoices", &operator).await.with(200);
    api.get("/pos/operators", &operator).await.with(200);
    let other = api.owner("other@example.com").await;
    let elsewhere = api.get("/invoices", &operator.in_entity(other.entity())).await.with(403);
    assert_eq!(elsewhere.json()["cause"]["code"], "entity_not_accessible");
    api.pass(43_199);
    api.get("/invoices", &operator).await.with(200);
    api.pass(1);
    api.get("/invoices", &operator).await.with(401);
    api.get("/invoices", &eva).await.with(200);
}

#[actix_web::test]
async fn keys_and_operators_hand_a_till_over_and_viewers_do_not() {
    let Till { api, ana, eva, ids } = Till::new().await;
    let body = json!({"name": "till"});
    let key = api.post("/entities/api-keys", &ana, body).await.with(201).json();
    let body = json!({"name": "all", "environment": "sandbox"});
    let account_key = api.post("/account/api-keys", &ana, body).await.with(201).json();
    let keys = [&key, &account_key].map(|key| Who::key(&text(&key["id"])));
    let operator = api.operator(&keys[0], &ids[1], "042").await;
    for device in [&eva, &keys[0], &keys[1], &operator] {
        api.switch(device, &ids[1], "042").await.with(200);
    }
    let viewer = api.member(&ana, "vid@example.com", "viewer").await;
    let refused = api.switch(&viewer, &ids[1], "042").await.with(403);
    assert_eq!(codes(&refused), ("forbidden".to_owned(), "insufficient_role".to_owned()));
    // With the key, what came of it ends.
    let key_id = text(&key["key_id"]);
    api.delete(&format!("/entities/api-keys/{key_id}"), &ana).await.with(204);
    api.get("/pos/operators", &operator).await.with(401);
}

#[actix_web::test]
async fn a_wrong_pin_and_a_locked_one_have_codes_of_their_own() {
    let till = Till::new().await;
    let (api, id) = (&till.api, till.eva_id());
    for left in (0..5).rev() {
        let wrong = api.switch(&till.ana, id, "999").await.with(403);
        assert_eq!(codes(&wrong), ("invalid_pin".to_owned(), "invalid_pin".to_owned()));
        assert_eq!(wrong.json()["cause"]["attempts_remaining"], left);
        assert_eq!(wrong.header("retry-after"), "");
    }
    api.pass(10);
    let locked = api.switch(&till.ana, id, "042").await.with(423);
    assert_eq!(codes(&locked), ("pin_locked".to_owned(), "pin_locked".to_owned()));
    assert_eq!(locked.header("retry-after"), "20");
    api.pass(20);
    api.switch(&till.ana, id, "042").await.with(200);
    api.switch(&till.ana, id, "999").await.with(403);
}

#[actix_web::test]
async fn ten_wrong_pins_end_a_sessions_right_to_switch() {
    let till = Till::new().await;
    let [ana, eva] = &till.ids;
    for id in [ana, eva] {
        for _ in 0..5 {
            till.api.switch(&till.ana, id, "999").await.with(403);
        }
    }
    till.api.set_pin(&till.ana, eva, "042").await.with(204);
    let ended = till.api.switch(&till.ana, eva, "042").await.with(403);
    assert_eq!(codes(&ended), ("forbidden".to_owned(), "switch_ended".to_owned()));
    let other = till.other().await;
    till.api.switch(&other, eva, "042").await.with(200);
    till.api.get("/invoices", &till.ana).await.with(200);
}

#[actix_web::test]
async fn a_pin_is_a_text_of_three_digits() {
    let till = Till::new().await;
    let path = format!("/pos/operators/{}/pin", till.eva_id());
    for (pin, code) in [
        (json!("12"), "invalid_value"),
        (json!("1234"), "invalid_value"),
        (json!("12a"), "invalid_value"),
        (json!("１２３"), "invalid_value"),
        (json!(""), "invalid_value"),
        (json!(739), "invalid_type"),
        (json!(null), "invalid_type"),
        (json!(["739"]), "invalid_type"),
    ] {
        let set = till.api.put(&path, &till.ana, json!({"pin": pin})).await.with(422);
        let body = json!({"user_id": till.eva_id(), "pin": pin});
        let switch = till.api.post("/pos/operators/switch", &till.ana, body).await.with(422);
        for answer in [set, switch] {
            assert_eq!(answer.issue(), ("[\"pin\"]".to_owned(), code.to_owned()), "{pin}");
            assert!(!answer.text.contains("739") && !answer.text.contains("1234"), "{answer:?}");
        }
    }
    let missing = till.api.put(&path, &till.ana, json!({})).await.with(422);
    assert_eq!(missing.issue(), ("[\"pin\"]".to_owned(), "required".to_owned()));
    till.api.switch(&till.ana, till.eva_id(), "042").await.with(200);
}

#[actix_web::test]
async fn pins_are_set_and_removed_by_oneself_or_an_admin() {
    let Till { api, ana, eva, ids } = Till::new().await;
    let viewer = api.member(&ana, "vid@example.com", "viewer").await;
    let viewer_id = api.id(&viewer).await;
    let operator = api.operator(&ana, &ids[1], "042").await;
    let path = |id: &str| format!("/pos/operators/{id}/pin");
    let refused = api.set_pin(&eva, &ids[0], "123").await.with(403);
    assert_eq!(codes(&refused).1, "insufficient_role");
    let refused = api.set_pin(&operator, &ids[0], "123").await.with(403);
    assert_eq!(codes(&refused).1, "pos_operator_scope");
    api.delete(&path(&ids[0]), &eva).await.with(403);
    let refused = api.set_pin(&ana, &viewer_id, "123").await.with(422);
    assert_eq!(codes(&refused).1, "viewer_has_no_pin");
    let refused = api.set_pin(&viewer, &viewer_id, "123").await.with(403);
    assert_eq!(codes(&refused).1, "insufficient_role");
    let stranger = api.owner("stranger@example.com").await;
    let stranger = api.id(&stranger).await;
    for id in [stranger.as_str(), "usr_01jd0000000000000000000000", "usr_", "%00"] {
        let unknown = api.set_pin(&ana, id, "123").await;
        assert_eq!(unknown.with(404).json()["code"], "not_found", "{id}");
        api.delete(&path(id), &ana).await.with(404);
        api.switch(&ana, id, "123").await.with(404);
    }
    // An operator sets their own, and is out at once, for their token came of the one before.
    api.set_pin(&operator, &ids[1], "043").await.with(204);
    api.get("/invoices", &operator).await.with(401);
    api.switch(&ana, &ids[1], "042").await.with(403);
    let operator = api.operator(&ana, &ids[1], "043").await;
    for _ in 0..2 {
        api.delete(&path(&ids[1]), &eva).await.with(204);
    }
    api.get("/invoices", &operator).await.with(401);
    api.switch(&ana, &ids[1], "043").await.with(403);
}

#[actix_web::test]
async fn a_token_ends_with_the_session_the_role_and_the_membership() {
    let till = Till::new().await;
    let (api, ana, id) = (&till.api, &till.ana, till.eva_id());
    let device = till.other().await;
    let operator = api.operator(&device, id, "042").await;
    api.post("/users/logout", &device, json!({})).await.with(204);
    api.get("/invoices", &operator).await.with(401);
    let operator = api.operator(ana, id, "042").await;
    let path = format!("/entities/users/{id}");
    api.patch(&path, ana, json!({"role": "admin"})).await.with(200);
    api.get("/invoices", &operator).await.with(401);
    let operator = api.operator(ana, id, "042").await;
    api.delete(&path, ana).await.with(204);
    api.get("/invoices", &operator).await.with(401);
}

#[actix_web::test]
async fn an_operator_sells_and_does_not_keep_books() {
    let till = Till::new().await;
    let (api, ana) = (&till.api, &till.ana);
    let operator = api.operator(ana, till.eva_id(), "042").await;
    let invoice = api.post("/invoices", &operator, sale()).await.with(201).json();
    assert_eq!(invoice["creation_source"], "pos");
    let mut draft = sale();
    draft["is_draft"] = json!(true);
    let draft = api.post("/invoices", &operator, draft).await.with(201).json();
    let path = format!("/documents/{}/finalize", text(&draft["id"]));
    api.post(&path, &operator, json!({})).await.with(200);
    let payment = json!({"document_id": invoice["id"], "amount": 1.5, "type": "cash"});
    api.post("/payments", &operator, payment).await.with(201);
    let path = format!("/invoices/{}", text(&invoice["id"]));
    let paid = api.get(&path, &operator).await.with(200).json();
    assert_eq!(paid["paid_in_full"], true);
    let filter = "/invoices?query=%7B%22creation_source%22%3A%22pos%22%7D";
    let listed = api.get(filter, ana).await.with(200).json();
    assert_eq!(listed["pagination"]["total"], 2);
    for refused in [
        api.patch(&path, &operator, json!({"note": "x"})).await,
        api.post(&format!("{path}/void"), &operator, json!({})).await,
        api.get("/expenses", &operator).await,
        api.post("/customers", &operator, json!({"name": "Janez"})).await,
    ] {
        assert_eq!(codes(&refused.with(403)).1, "pos_operator_scope");
    }
    let mut asks = sale();
    asks["items"][0]["save_item"] = json!(true);
    let refused = api.post("/invoices", &operator, asks).await.with(422);
    let expected = ("[\"items\",0,\"save_item\"]".to_owned(), "not_permitted".to_owned());
    assert_eq!(refused.issue(), expected);
}

#[actix_web::test]
async fn takings_are_reported_by_seller() {
    let till = Till::new().await;
    let (api, ana) = (&till.api, &till.ana);
    let operator = api.operator(ana, till.eva_id(), "042").await;
    let key = api.post("/entities/api-keys", ana, json!({"name": "till"})).await.with(201).json();
    let key = Who::key(&text(&key["id"]));
    for (who, count) in [(&operator, 2), (ana, 1), (&key, 1)] {
        for _ in 0..count {
            api.post("/invoices", who, sale()).await.with(201);
        }
    }
    let report = api.get("/pos/reports/daily", &operator).await.with(200).json();
    let expected = json!([
        {
            "operator_id": api.id(ana).await, "operator": "ana@example.com",
            "invoices": 1, "total": 1.5,
        },
        {"operator_id": till.eva_id(), "operator": "eva@example.com", "invoices": 2, "total": 3},
        {"operator_id": null, "operator": null, "invoices": 1, "total": 1.5},
    ]);
    assert_eq!(report["by_operator"].to_string(), expected.to_string());
    // An operator token may close the day.
    let count = json!({"counted_cash": 0});
    let closing = api.post("/pos/reports/closings", &operator, count).await.with(201).json();
    let by = (&closing["closed_by"], &closing["closed_by_user_id"]);
    assert_eq!(by, (&json!("eva@example.com"), &json!(till.eva_id())));
}

#[actix_web::test]
async fn an_operators_tabs_bear_their_name() {
    let till = Till::new().await;
    let (api, id) = (&till.api, till.eva_id());
    let operator = api.operator(&till.ana, id, "042").await;
    let tab = api.post("/pos/tabs", &operator, json!({})).await.with(201).json();
    let item = json!({"name": "Kava", "gross_price": 1.5, "taxes": []});
    let item = api.post("/items", &till.ana, item).await.with(201).json();
    let line = json!({"item_id": item["id"], "quantity": 1});
    let path = format!("/pos/tabs/{}/items", text(&tab["id"]));
    let tab = api.post(&path, &operator, json!({"items": [line], "append_id": "1"})).await;
    assert_eq!(tab.with(200).json()["items"][0]["added_by_user_id"], id);
    api.get("/pos/tables", &operator).await.with(200);
    let refused = api.post("/pos/tables", &operator, json!({"label": "Window"})).await.with(403);
    assert_eq!(codes(&refused).1, "pos_operator_scope");
}

#[actix_web::test]
async fn expenses_stay_hidden_from_operators_in_payments() {
    let till = Till::new().await;
    let (api, ana) = (&till.api, &till.ana);
    let operator = api.operator(ana, till.eva_id(), "042").await;
    let body = json!({
        "supplier": {"name": "ZEBRA"}, "date": "2026-11-20", "total": 10, "total_with_tax": 10,
    });
    let expense = api.post("/expenses", ana, body).await.with(201).json();
    let payment = json!({"expense_id": expense["id"], "amount": 1, "type": "cash"});
    api.post("/payments", &operator, payment.clone()).await.with(404);
    api.post("/payments", ana, payment).await.with(201);
    for (who, shows) in [(ana, true), (&operator, false)] {
        let listed = api.get("/payments?include=Expense", who).await.with(200);
        assert_eq!(listed.text.contains("ZEBRA"), shows, "{listed:?}");
    }
}

#[actix_web::test]
async fn a_server_without_a_master_key_has_no_pins() {
    let store = Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let clock = Arc::new(AtomicI64::new(0));
    let api = Api::on(store.clone(), RequestLimits::default()).await;
    let ana = api.owner("ana@example.com").await;
    let id = api.id(&ana).await;
    let without = Services { pins: None, ..services(store, clock) };
    let app =
        test::init_service(racun_http_api::app(without, http(RequestLimits::default()))).await;
    let bodies = [
        (TestRequest::put().uri(&format!("/pos/operators/{id}/pin")), json!({"pin": "123"})),
        (TestRequest::post().uri("/pos/operators/switch"), json!({"user_id": id, "pin": "123"})),
    ];
    for (request, body) in bodies {
        let request = ana.sign(request).set_json(body).to_request();
        let answer = test::call_service(&app, request).await;
        assert_eq!(answer.status().as_u16(), 503);
        let body: Value = test::read_body_json(answer).await;
        assert_eq!(body["cause"]["code"], "master_key_missing");
        assert!(text(&body["message"]).contains("RACUN__SECRETS__MASTER_KEY"), "{body}");
    }
}
