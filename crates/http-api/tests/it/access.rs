//! Signing up, logging in and out; people, invitations and keys of an entity.

use serde_json::json;

use crate::harness::{Api, PASSWORD, Who, text};

#[actix_web::test]
async fn a_login_token_works_until_it_is_logged_out() {
    let api = Api::new().await;
    let body = json!({
        "email": "Ana@example.com",
        "password": PASSWORD,
        "name": "Ana",
        "company_name": "Pri Ani",
        "metadata": {"source": "test"},
    });
    let user = api.post("/users/signup", &Who::anonymous(), body).await.with(201).json();
    assert_eq!(user["email"], "Ana@example.com");
    assert_eq!(user["created_at"], "2026-11-20T08:00:00.000Z");
    assert_eq!(user["metadata"], json!({"source": "test"}));
    assert!(!user.to_string().contains("argon2"), "{user}");

    let body = json!({"email": "ana@EXAMPLE.com", "password": PASSWORD});
    let login = api.post("/users/login", &Who::anonymous(), body).await.with(200).json();
    assert_eq!(login["ttl"], 31_536_000);
    assert_eq!(login["user_id"], user["id"]);
    let ana = Who::key(login["id"].as_str().unwrap());
    assert_eq!(api.get("/users/me", &ana).await.with(200).json(), user);

    let changed = api.patch("/users/me", &ana, json!({"name": null, "locale": "sl-SI"})).await;
    let changed = changed.with(200).json();
    assert_eq!((&changed["name"], &changed["locale"]), (&json!(null), &json!("sl-SI")));

    assert_eq!(api.post("/users/logout", &ana, json!({})).await.with(204).text, "");
    api.get("/users/me", &ana).await.with(401);
}

#[actix_web::test]
async fn a_wrong_password_and_an_unknown_address_are_answered_alike() {
    let api = Api::new().await;
    api.user("ana@example.com").await;
    let log_in = |email: &str| json!({"email": email, "password": "wrong wrong 1"});
    let wrong =
        api.post("/users/login", &Who::anonymous(), log_in("ana@example.com")).await.with(401);
    let unknown =
        api.post("/users/login", &Who::anonymous(), log_in("bor@example.com")).await.with(401);
    assert_eq!(wrong.json(), unknown.json());
}

#[actix_web::test]
async fn an_address_signs_up_once_and_a_password_has_rules() {
    let api = Api::new().await;
    api.user("ana@example.com").await;
    let body = json!({"email": "ANA@example.com", "password": PASSWORD});
    let taken = api.post("/users/signup", &Who::anonymous(), body).await.with(409).json();
    assert_eq!(
        (&taken["code"], &taken["cause"]["code"]),
        (&json!("conflict"), &json!("email_taken"))
    );
    let body = json!({"email": "bor@example.com", "password": "short"});
    let short = api.post("/users/signup", &Who::anonymous(), body).await.with(422);
    assert_eq!(short.issue(), ("[\"password\"]".to_owned(), "too_short".to_owned()));
}

#[actix_web::test]
async fn an_entity_key_is_shown_once_and_reaches_its_entity_only() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = json!({"name": "till", "ttl": 60});
    let made = api.post("/entities/api-keys", &owner, body).await.with(201).json();
    let key = text(&made["id"]);
    assert!(key.starts_with("ek_sandbox_") && key.len() == 43, "{key}");
    let till = Who::key(&key);
    api.get("/customers", &till).await.with(200);
    api.get("/entities/api-keys", &till).await.with(403);
    api.get("/users/me", &till).await.with(403);
    api.post("/account/api-keys", &till, json!({"name": "x", "environment": "live"}))
        .await
        .with(403);

    let listed = api.get("/entities/api-keys", &owner).await.with(200);
    assert!(!listed.text.contains(&key));
    assert_eq!(listed.json()["data"][0]["id"], made["prefix_hint"]);
    assert_eq!(listed.json()["data"][0]["key_id"], made["key_id"]);

    api.pass(61);
    api.get("/customers", &till).await.with(401);
    let path = format!("/entities/api-keys/{key}");
    let refused = api.delete(&path, &owner).await.with(422);
    assert_eq!(refused.issue(), ("[\"id\"]".to_owned(), "secret_in_address".to_owned()));
    assert!(!refused.text.contains(&key), "a key is never repeated");
    let path = format!("/entities/api-keys/{}", text(&made["key_id"]));
    api.delete(&path, &owner).await.with(204);
    api.delete(&path, &owner).await.with(404);
}

#[actix_web::test]
async fn an_account_key_reaches_the_entities_of_its_environment() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = json!({"name": "shop", "environment": "sandbox"});
    let made = api.post("/account/api-keys", &owner, body).await.with(201).json();
    let shop = Who::key(made["id"].as_str().unwrap());
    assert!(shop.token.as_deref().unwrap().starts_with("sk_sandbox_"));
    assert_eq!(made["entity_id"], json!(null));
    api.post("/customers", &shop, json!({"name": "Bor"})).await.with(201);
    let live = json!({"name": "Live", "country": "Slovenia", "environment": "live"});
    api.post("/entities", &shop, live.clone()).await.with(422);
    let entity = api.post("/entities", &owner, live).await.with(201).json();
    api.get("/customers", &shop.in_entity(entity["id"].as_str().unwrap())).await.with(403);
    assert_eq!(
        api.get("/account/api-keys", &owner).await.json()["data"].as_array().unwrap().len(),
        1
    );
    let key_id = made["key_id"].as_str().unwrap();
    api.delete(&format!("/account/api-keys/{key_id}"), &owner).await.with(204);
    api.get("/customers", &shop).await.with(401);
}

#[actix_web::test]
async fn a_key_sees_the_present_state_of_its_entity() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let entity = api.get("/entities", &owner).await.with(200).json()["data"][0]["id"].clone();
    let path = format!("/entities/{}", text(&entity));
    let made = api.post("/entities/api-keys", &owner, json!({"name": "till"})).await.with(201);
    let made = made.json();
    let (till, bor) = (Who::key(&text(&made["id"])), json!({"name": "Bor"}));
    // Asked twice, for the second time is answered by what the first one found out.
    let twice = async |status| {
        for _ in 0..2 {
            api.post("/customers", &till, bor.clone()).await.with(status);
            api.get("/customers", &till).await.with(200);
        }
    };
    twice(201).await;
    api.patch(&path, &owner, json!({"is_enabled": false})).await.with(200);
    twice(403).await;
    api.patch(&path, &owner, json!({"is_enabled": true})).await.with(200);
    twice(201).await;
    api.delete(&format!("/entities/api-keys/{}", text(&made["key_id"])), &owner).await.with(204);
    api.get("/customers", &till).await.with(401);
}

#[actix_web::test]
async fn the_earlier_generation_sends_its_token_bare() {
    let api = Api::new().await;
    let owner = api.user("owner@example.com").await;
    let token = owner.token.unwrap();
    let request = actix_web::test::TestRequest::get().uri("/users/me");
    api.call(request.insert_header(("authorization", token))).await.with(200);
}

#[actix_web::test]
async fn a_user_joins_at_once_changes_role_and_leaves() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let editor = api.member(&owner, "editor@example.com", "editor").await;
    let users = api.get("/entities/users", &owner).await.with(200).json();
    let member =
        users["data"].as_array().unwrap().iter().find(|one| one["role"] == "editor").unwrap();
    let path = format!("/entities/users/{}", text(&member["user_id"]));
    let changed = api.patch(&path, &owner, json!({"role": "viewer"})).await.with(200).json();
    assert_eq!(changed["role"], "viewer");
    api.post("/customers", &editor, json!({"name": "x"})).await.with(403);
    api.delete(&path, &owner).await.with(204);
    api.get("/customers", &editor).await.with(403);
    let me = text(&api.get("/users/me", &owner).await.json()["id"]);
    let last = api.delete(&format!("/entities/users/{me}"), &owner).await.with(422).json();
    assert_eq!(last["cause"]["code"], "last_admin");
}

#[actix_web::test]
async fn an_invitation_is_listed_accepted_and_worthless_afterwards() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = json!({"email": "new@example.com", "send_invite": false});
    let invited = api.post("/entities/users", &owner, body).await.with(201);
    let id = text(&invited.json()["invitation_id"]);
    assert_eq!(invited.json()["role"], "editor");
    let path = format!("/entities/invitations/{id}");
    let got = api.get(&path, &owner).await.with(200);
    assert_eq!(got.json()["email"], invited.json()["email"]);
    assert!(!got.text.contains("token"), "a token is shown once");
    let token = text(&invited.json()["token"]);

    let accept = format!("/invitations/accept?token={token}");
    let no_token =
        api.post("/invitations/accept", &Who::anonymous(), json!({"password": PASSWORD})).await;
    assert_eq!(no_token.with(422).issue().0, "[\"token\"]");
    let body = json!({"password": PASSWORD, "name": "New"});
    let accepted = api.post(&accept, &Who::anonymous(), body.clone()).await.with(200).json();
    assert_eq!(accepted["entity_id"], owner.entity());
    let new = Who::key(accepted["access_token"].as_str().unwrap());
    let own = api.post("/customers", &new, json!({"name": "Bor"})).await.with(400).json();
    assert_eq!(own["cause"]["code"], "entity_required", "an invitation changes no entity");
    let new = new.in_entity(owner.entity());
    api.post("/customers", &new, json!({"name": "Bor"})).await.with(201);
    api.post(&accept, &Who::anonymous(), body).await.with(422);
    assert_eq!(api.get(&path, &owner).await.json()["status"], "accepted");
    api.delete(&path, &owner).await.with(422);
}

#[actix_web::test]
async fn an_invitation_can_be_taken_back() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = json!({"email": "new@example.com", "role": "viewer", "send_invite": false});
    let invited = api.post("/entities/users", &owner, body).await.with(201).json();
    let id = text(&invited["invitation_id"]);
    api.delete(&format!("/entities/invitations/{id}"), &owner).await.with(204);
    let left = api.get("/entities/invitations", &owner).await.with(200).json();
    assert_eq!(left, json!({"data": []}));
}

#[actix_web::test]
async fn a_user_says_what_tax_authorities_know_them_by() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    let furs = format!("furs_{}", owner.entity());
    let fina = format!("fina_{}", owner.entity());
    let body = json!({"operator_tax_number": "12345678", "operator_label": "Ana"});
    let user = api.put("/users/me/settings/furs", &owner, body.clone()).await.with(200).json();
    assert_eq!(user["settings"], json!({&furs: body}));
    let oib = json!({"operator_oib": "69435151530"});
    api.put("/users/me/settings/fina", &owner, oib.clone()).await.with(200);
    let user = api.get("/users/me", &owner).await.with(200).json();
    assert_eq!(user["settings"], json!({&furs: body, &fina: oib}));
    for (path, body, at) in [
        ("furs", json!({"operator_tax_number": "1234567"}), "[\"operator_tax_number\"]"),
        ("furs", json!({"operator_label": " "}), "[\"operator_label\"]"),
        ("fina", json!({"operator_oib": "69435151531"}), "[\"operator_oib\"]"),
    ] {
        let path = format!("/users/me/settings/{path}");
        assert_eq!(api.put(&path, &owner, body).await.with(422).issue().0, at);
    }
    // A user has others in another entity; what is not said is no longer kept.
    let other = json!({"name": "other", "country": "Slovenia", "environment": "sandbox"});
    let other = api.post("/entities", &owner, other).await.with(201).json();
    let elsewhere = owner.in_entity(&text(&other["id"]));
    api.put("/users/me/settings/furs", &elsewhere, json!({"operator_label": "A"})).await.with(200);
    let user = api.put("/users/me/settings/furs", &owner, json!({})).await.with(200).json();
    let there = format!("furs_{}", elsewhere.entity());
    assert_eq!(user["settings"], json!({&fina: oib, &there: {"operator_label": "A"}}));
    let key = api.post("/entities/api-keys", &owner, json!({"name": "till"})).await.with(201);
    let key = Who::key(&text(&key.json()["id"]));
    let refused = api.put("/users/me/settings/furs", &key, json!({})).await.with(403);
    assert_eq!(refused.json()["cause"]["code"], "user_required");
}

#[actix_web::test]
async fn a_user_says_what_portuguese_documents_say_of_them() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    let (path, key) = ("/users/me/settings/pt", format!("pt_{}", owner.entity()));
    let body = json!({
        "operator_first_name": "Ana", "account_last_name": "Sousa",
        "operator_tax_number": "123456789", "account_tax_number": "123456789",
    });
    let user = api.put(path, &owner, body).await.with(200).json();
    let kept = json!({
        "operator_first_name": "Ana", "operator_last_name": "Sousa",
        "operator_tax_number": "123456789",
    });
    assert_eq!(user["settings"], json!({&key: kept}));
    assert_eq!(api.get("/users/me", &owner).await.with(200).json(), user);
    for (body, at) in [
        (json!({"operator_first_name": " "}), "[\"operator_first_name\"]"),
        (json!({"account_last_name": "x".repeat(256)}), "[\"operator_last_name\"]"),
        (json!({"operator_tax_number": "12345678"}), "[\"operator_tax_number\"]"),
        (json!({"operator_tax_number": "12345678x"}), "[\"operator_tax_number\"]"),
        (
            json!({"operator_first_name": "Ana", "account_first_name": "Bea"}),
            "[\"account_first_name\"]",
        ),
    ] {
        assert_eq!(api.put(path, &owner, body.clone()).await.with(422).issue().0, at, "{body}");
    }
    assert_eq!(api.get("/users/me", &owner).await.json()["settings"], json!({&key: kept}));
    let user = api.put(path, &owner, json!({})).await.with(200).json();
    assert_eq!(user["settings"], json!({}));
    let viewer = api.member(&owner, "viewer@example.com", "viewer").await;
    api.put(path, &viewer, json!({"operator_first_name": "V"})).await.with(403);
}
