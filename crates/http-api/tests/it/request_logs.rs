//! The log of requests.

use std::sync::Arc;

use async_trait::async_trait;
use racun_application::Services;
use racun_http_api::{Http, RequestLog};
use racun_store::{Read, Rows, Store, StoreDecorator};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::harness::{Api, Who, text};

/// An application that notes requests.
async fn noting() -> Api {
    let request_log = RequestLog::on();
    Api::with_http(|services| services, |http| Http { request_log, ..http }).await
}

#[actix_web::test]
async fn a_log_that_begins_with_a_refusal_goes_on() {
    let api = noting().await;
    let owner = api.owner("owner@example.com").await;
    api.post("/customers", &owner, json!({})).await.with(422);
    api.pass(1);
    api.post("/customers", &owner, json!({"name": "Bor"})).await.with(201);
    let all = api.get("/request-logs", &owner).await.with(200).json();
    let rows = all["data"].as_array().unwrap();
    let statuses: Vec<_> = rows.iter().map(|row| &row["res_status"]).collect();
    assert_eq!(statuses, ["201", "422"]);
}

#[actix_web::test]
async fn what_changes_something_and_what_is_refused_is_in_the_log() {
    let api = noting().await;
    let owner = api.owner("owner@example.com").await;
    let customer = json!({"name": "Bor d.o.o."});
    let made = api.post("/customers", &owner, customer.clone()).await.with(201).json();
    api.pass(1);
    api.get("/customers", &owner).await.with(200);
    api.get("/customers/cus_00000000000000000000000000", &owner).await.with(404);
    api.pass(1);
    api.post("/customers", &owner, json!({"nme": "Bor"})).await;

    let all = api.get("/request-logs", &owner).await.with(200).json();
    let rows = all["data"].as_array().unwrap();
    assert_eq!((&rows[1]["method"], &rows[1]["res_status"]), (&json!("GET"), &json!("404")));
    let first = &rows[2];
    assert_eq!((&first["method"], &first["path"]), (&json!("POST"), &json!("/customers")));
    assert_eq!(first["res_status"], "201");
    assert_eq!(first["entity_id"], owner.entity());
    assert_eq!((&first["req_body"], &first["resource_id"]), (&customer, &made["id"]));
    assert_eq!(first["res_body"]["name"], "Bor d.o.o.");
    assert_eq!(
        (&first["action"], &first["resource_type"]),
        (&json!("createCustomer"), &json!("Customers"))
    );
    assert_eq!(rows.len(), 3, "reads that succeed are not in it: {all}");

    for (query, count) in [
        ("method=post", 2),
        ("status=2xx", 1),
        ("status=4xx", 2),
        ("status=404", 1),
        ("path=cus_0", 1),
        ("client_name=racun", 0),
        ("date_from=2000-01-01&date_to=2000-12-31", 0),
    ] {
        let found = api.get(&format!("/request-logs?{query}"), &owner).await.with(200).json();
        assert_eq!(found["pagination"]["total"], count, "{query}");
    }
    for (query, wrong) in [
        ("status=6xx", "status"),
        ("date_from=soon", "date_from"),
        ("date_from=2026-11-28&date_to=2026-11-20", "date_to"),
        ("environment=mars", "environment"),
    ] {
        let refused = api.get(&format!("/request-logs?{query}"), &owner).await.with(422).json();
        assert_eq!(refused["cause"]["issues"][0]["path"], json!([wrong]), "{refused}");
    }
    let other = api.owner("other@example.com").await;
    let foreign = api.get("/request-logs", &other).await.with(200).json();
    assert_eq!(foreign["data"], json!([]), "another tenant's requests are not seen");
}

#[actix_web::test]
async fn the_query_names_the_entity_as_the_header_does() {
    let api = noting().await;
    let owner = api.owner("owner@example.com").await;
    let first = owner.entity().to_owned();
    let body = json!({"name": "Druga", "country": "Slovenia", "environment": "sandbox"});
    let second = api.post("/entities", &owner, body).await.with(201).json();
    let second = text(&second["id"]);
    api.post("/customers", &owner, json!({"name": "Bor"})).await.with(201);
    let key = json!({"name": "All", "environment": "sandbox"});
    let key = api.post("/account/api-keys", &owner, key).await.with(201).json();
    let user = api.log_in("owner@example.com").await;
    let other = api.owner("other@example.com").await;
    for path in ["/request-logs", "/webhook-logs"] {
        for who in [&user, &Who::key(&text(&key["id"]))] {
            let several = api.get(path, who).await.with(400).json();
            assert_eq!(several["cause"]["code"], "entity_required");
            let ask = |query: &str| format!("{path}?{query}");
            api.get(&ask(&format!("entity_id={first}")), who).await.with(200);
            api.get(&ask(&format!("entity_id={first}&environment=sandbox")), who).await.with(200);
            api.get(&ask(&format!("entity_id={first}&environment=live")), who).await.with(403);
            api.get(&ask(&format!("entity_id={}", other.entity())), who).await.with(403);
            api.get(&ask("entity_id=ent_x"), who).await.with(403);
            api.get(&ask("environment=sandbox"), who).await.with(400);
            api.get(&ask("environment=live"), who).await.with(403);
            let inside = who.in_entity(&second);
            api.get(&ask(&format!("entity_id={second}")), &inside).await.with(200);
            api.get(&ask(&format!("entity_id={first}")), &inside).await.with(403);
        }
    }
    let here = format!("/request-logs?entity_id={first}&path=customers");
    let found = api.get(&here, &user).await.with(200).json();
    assert_eq!(found["data"][0]["entity_id"], first, "{found}");
    let there = format!("/request-logs?entity_id={second}&path=customers");
    let found = api.get(&there, &user).await.with(200).json();
    assert_eq!(found["pagination"]["total"], 0, "{found}");

    let body = json!({"name": "Prava", "country": "Slovenia", "environment": "live"});
    api.post("/entities", &owner, body).await;
    let viewer = api.verified_member(&owner, "viewer@example.com", "viewer").await;
    let own = api.log_in("viewer@example.com").await;
    let path = format!("/request-logs?entity_id={first}");
    let by_header = api.get("/request-logs", &viewer.in_entity(&first)).await;
    assert_eq!(api.get(&path, &own).await.status, by_header.status, "a role is what it is");
}

#[actix_web::test]
async fn secrets_are_not_in_the_log() {
    let api = noting().await;
    let owner = api.owner("owner@example.com").await;
    let pin = json!({"pin": "4711"});
    let path = format!("/pos/operators/{}/pin", api.id(&owner).await);
    api.put(&path, &owner, pin).await;
    let key =
        api.post("/entities/api-keys", &owner, json!({"name": "Till"})).await.with(201).json();
    let log = api.get("/request-logs", &owner).await.with(200).json().to_string();
    assert!(log.contains("/entities/api-keys") && log.contains("\"pin\":\"***\""), "{log}");
    assert!(!log.contains(&text(&key["id"])) && !log.contains("4711"), "{log}");
}

/// A store in which the log of requests is not written before it may be.
struct Blocked {
    store: Arc<dyn Store>,
    may_go_on: Semaphore,
}

#[async_trait]
impl StoreDecorator for Blocked {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn read(&self, read: &Read) -> Rows {
        // Who writes looks first how many there are.
        if matches!(read, Read::List(table, ..) if table.name == "request_logs") {
            drop(self.may_go_on.acquire().await.unwrap());
        }
        read.ask(&*self.store).await
    }
}

#[actix_web::test]
async fn a_log_that_cannot_be_written_leaves_answers_alone_and_counts_what_is_lost() {
    // More than wait in the queue and in the hands of who writes.
    const ASKED: u64 = 2 * 1_024 + 50;
    let request_log = RequestLog::on();
    let (log, mut blocked) = (request_log.clone(), None);
    let hold = |services: Services| {
        let store = Arc::clone(&services.store);
        let held = Arc::new(Blocked { store, may_go_on: Semaphore::new(0) });
        blocked = Some(Arc::clone(&held));
        Services { store: held, ..services }
    };
    let api = Api::with_http(hold, |http| Http { request_log, ..http }).await;
    let blocked = blocked.unwrap();
    let owner = api.owner("owner@example.com").await;
    let before = log.lost();
    for _ in 0..ASKED {
        api.get("/customers/cus_00000000000000000000000000", &owner).await.with(404);
    }
    api.post("/customers", &owner, json!({"name": "Bor"})).await.with(201);
    let lost = log.lost() - before;
    assert!((1..=ASKED).contains(&lost), "{lost} lost");

    blocked.may_go_on.add_permits(1);
    log.written().await;
    let kept = api.get("/request-logs?status=404", &owner).await.with(200).json();
    let kept = kept["pagination"]["total"].as_u64().unwrap();
    // The last one that was asked may be the lost one.
    assert!((ASKED..=ASKED + 1).contains(&(kept + lost)), "{kept} kept, {lost} lost");
    api.post("/customers", &owner, json!({"name": "Cene"})).await.with(201);
    let last = api.get("/request-logs?status=201", &owner).await.with(200).json();
    assert_eq!(last["data"][0]["req_body"], json!({"name": "Cene"}), "it goes on: {last}");
}
