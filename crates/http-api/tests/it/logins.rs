//! Passwords that are guessed, sessions that are seen and ended, keys that are used.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, PASSWORD, Who, text};

/// A log-in from a network address.
async fn log_in(api: &Api, email: &str, password: &str, from: &str) -> Answer {
    let address = format!("{from}:4711").parse().unwrap();
    let request = TestRequest::post().uri("/users/login").peer_addr(address);
    let request = request.insert_header(("user-agent", "till 1"));
    api.call(request.set_json(json!({"email": email, "password": password}))).await
}

#[actix_web::test]
async fn guessing_from_many_addresses_is_slowed_down_and_locks_no_owner_out() {
    let api = Api::new().await;
    api.user("ana@example.com").await;
    log_in(&api, "ana@example.com", PASSWORD, "203.0.113.7").await.with(200);
    for email in ["ana@example.com", "nobody@example.com"] {
        let mut statuses = Vec::new();
        for guess in 0..40 {
            let from = format!("192.0.2.{guess}");
            statuses.push(log_in(&api, email, "wrong horse 1", &from).await.status);
        }
        assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 10, "{email}");
        let locked = log_in(&api, email, PASSWORD, "192.0.2.77").await.with(429);
        assert_eq!(locked.json()["cause"]["code"], "password_locked");
        assert_eq!(locked.header("retry-after"), "30");
    }
    log_in(&api, "ana@example.com", PASSWORD, "203.0.113.7").await.with(200);
    // Also after they logged out everywhere, and from another address of their network.
    let owner = log_in(&api, "ana@example.com", PASSWORD, "203.0.113.7").await.with(200).json();
    let owner = Who::key(&text(&owner["id"]));
    api.delete("/users/me/sessions", &owner).await.with(204);
    api.post("/users/logout", &owner, json!({})).await.with(204);
    log_in(&api, "ana@example.com", PASSWORD, "203.0.113.99").await.with(200);
    api.pass(30);
    log_in(&api, "ana@example.com", PASSWORD, "192.0.2.77").await.with(200);
}

#[actix_web::test]
async fn thirty_right_log_ins_at_once_get_in() {
    let api = Api::new().await;
    api.user("ana@example.com").await;
    let log_ins = (0..30).map(|_| log_in(&api, "ana@example.com", PASSWORD, "192.0.2.77"));
    let answers = futures_util::future::join_all(log_ins).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200; 30]);
}

#[actix_web::test]
async fn common_passwords_are_not_accepted() {
    let api = Api::new().await;
    let owner = api.user("ana@example.com").await;
    for password in
        ["password", "aaaaaaaa", "Password123!", "password!", "Qwertzuiop", "bor.k@example.com"]
    {
        let body = json!({"email": "bor.k@example.com", "password": password});
        let refused = api.post("/users/signup", &Who::anonymous(), body).await.with(422);
        let expected = ("[\"password\"]".to_owned(), "too_common".to_owned());
        assert_eq!(refused.issue(), expected, "{password}");
        let body = json!({"current_password": PASSWORD, "password": "password"});
        let refused = api.post("/users/me/password", &owner, body).await.with(422);
        assert_eq!(refused.issue(), expected);
    }
}

#[actix_web::test]
async fn a_password_is_changed_by_who_says_the_one_before() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    let other = log_in(&api, "ana@example.com", PASSWORD, "192.0.2.1").await.with(200).json();
    let other = Who::key(&text(&other["id"]));
    let key = json!({"name": "k", "environment": "sandbox"});
    let key = api.post("/account/api-keys", &owner, key).await.with(201).json();
    let key = Who::key(&text(&key["id"]));
    let change = async |who: &Who, current: &str, new: &str, end_keys: Value| {
        let body = json!({"current_password": current, "password": new, "end_keys": end_keys});
        api.post("/users/me/password", who, body).await
    };
    let wrong = change(&owner, "wrong horse 1", "another horse 2", json!(null)).await.with(422);
    let expected = ("[\"current_password\"]".to_owned(), "wrong_password".to_owned());
    assert_eq!(wrong.issue(), expected);
    let refused = change(&key, PASSWORD, "another horse 2", json!(null)).await.with(403);
    assert_eq!(refused.json()["cause"]["code"], "user_required");
    api.get("/users/me", &other).await.with(200);
    change(&owner, PASSWORD, "another horse 2", json!(null)).await.with(204);
    api.get("/users/me", &owner).await.with(200);
    api.get("/users/me", &other).await.with(401);
    api.get("/customers", &key).await.with(200);
    log_in(&api, "ana@example.com", PASSWORD, "192.0.2.1").await.with(401);
    change(&owner, "another horse 2", "a third horse 3", json!(true)).await.with(204);
    api.get("/customers", &key).await.with(401);
}

#[actix_web::test]
async fn sessions_are_seen_and_ended() {
    let api = Api::new().await;
    let owner = api.user("ana@example.com").await;
    let mut others = Vec::new();
    for from in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
        api.pass(1);
        let session = log_in(&api, "ana@example.com", PASSWORD, from).await.with(200).json();
        others.push(Who::key(&text(&session["id"])));
    }
    let list = async || {
        let listed = api.get("/users/me/sessions", &owner).await.with(200);
        assert!(!listed.text.contains(others[0].token.as_deref().unwrap()), "tokens are secret");
        listed.json()["data"].as_array().unwrap().clone()
    };
    let listed = list().await;
    let seen: Vec<_> = listed.iter().map(|one| (&one["address"], &one["is_current"])).collect();
    let at = |address: &str| json!(address);
    let places = [at("192.0.2.3"), at("192.0.2.2"), at("192.0.2.1"), json!(null)];
    let is_current = [json!(false), json!(false), json!(false), json!(true)];
    assert_eq!(seen, places.iter().zip(&is_current).collect::<Vec<_>>());
    assert_eq!(listed[0]["user_agent"], "till 1");
    let path = format!("/users/me/sessions/{}", text(&listed[1]["id"]));
    api.delete(&path, &owner).await.with(204);
    api.delete(&path, &owner).await.with(404);
    let statuses = async || {
        let mut statuses = Vec::new();
        for other in &others {
            statuses.push(api.get("/users/me", other).await.status);
        }
        statuses
    };
    assert_eq!(statuses().await, [200, 401, 200]);
    api.delete("/users/me/sessions", &owner).await.with(204);
    assert_eq!(statuses().await, [401, 401, 401]);
    assert_eq!(list().await.len(), 1);
    // A session ends after 30 days without use.
    api.pass(30 * 86_400);
    api.get("/users/me", &owner).await.with(401);
}

#[actix_web::test]
async fn a_key_says_when_it_was_used_and_is_used_from_its_addresses() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    let body = json!({"name": "k", "allowed_addresses": ["203.0.113.0/24"]});
    let made = api.post("/entities/api-keys", &owner, body).await.with(201).json();
    assert_eq!(made["last_used_at"], json!(null));
    assert_eq!(made["created_by_user_id"], api.id(&owner).await.as_str());
    let key = Who::key(&text(&made["id"]));
    let ask = async |from: &str| {
        let address = format!("{from}:4711").parse().unwrap();
        api.call(key.sign(TestRequest::get().uri("/customers").peer_addr(address))).await
    };
    // Asked twice: what the first one found out does not let the second one in.
    for _ in 0..2 {
        let refused = ask("192.0.2.1").await.with(403);
        assert_eq!(refused.json()["cause"]["code"], "address_not_allowed");
        ask("203.0.113.9").await.with(200);
    }
    let used = async || {
        for _ in 0..100 {
            let keys = api.get("/entities/api-keys", &owner).await.with(200).json();
            let used = keys["data"][0]["last_used_at"].clone();
            if !used.is_null() {
                return used;
            }
            tokio::task::yield_now().await;
        }
        panic!("the use was not noted");
    };
    assert_eq!(used().await, "2026-11-20T08:00:00.000Z");
    let wrong = json!({"name": "k", "allowed_addresses": ["203.0.113.0/24", "home"]});
    let refused = api.post("/entities/api-keys", &owner, wrong).await.with(422);
    assert_eq!(refused.issue().0, "[\"allowed_addresses\",1]");
    let key = json!({"name": "k", "environment": "sandbox", "allowed_addresses": []});
    let empty = api.post("/account/api-keys", &owner, key).await.with(422);
    assert_eq!(empty.issue().0, "[\"allowed_addresses\"]");
    let key = json!({"name": "k", "allowed_addresses": []});
    api.post("/entities/api-keys", &owner, key).await.with(422);
}

#[actix_web::test]
async fn an_admin_unlocks_a_pin() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let editor = api.member(&owner, "editor@example.com", "editor").await;
    let id = api.id(&editor).await;
    api.set_pin(&owner, &id, "042").await.with(204);
    for _ in 0..5 {
        api.switch(&editor, &id, "043").await.with(403);
    }
    api.switch(&editor, &id, "042").await.with(423);
    let path = format!("/pos/operators/{id}/pin/unlock");
    api.post(&path, &editor, json!({})).await.with(403);
    api.post(&path, &owner, json!({})).await.with(204);
    api.switch(&owner, &id, "042").await.with(200);
}
