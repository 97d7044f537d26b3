//! The log over HTTP, and the jobs of an entity.

use std::sync::Arc;

use racun_background::jobs::{self, Ending, Job, JobKind, NewJob};
use racun_http_api::RequestLimits;
use racun_store::Store;
use racun_store_sqlite::SqliteStore;
use serde_json::{Value as Json, json};
use time::macros::datetime;

use crate::harness::{Api, text};

#[actix_web::test]
async fn activities_show_who_did_what_to_which_record() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    let viewer = api.member(&owner, "viewer@example.com", "viewer").await;
    let made = api.post("/customers", &owner, json!({"name": "Klas"})).await.with(201).json();
    let path = format!("/customers/{}", text(&made["id"]));
    api.patch(&path, &owner, json!({"name": "Klas d.o.o.", "city": "Kranj"})).await.with(200);
    api.delete(&path, &owner).await.with(204);

    let id = text(&made["id"]);
    let listed = api.get(&format!("/activities?resource_id={id}"), &viewer).await.with(200).json();
    let rows = listed["data"].as_array().unwrap();
    let told: Vec<(&str, Json)> =
        rows.iter().map(|row| (row["action"].as_str().unwrap(), row["changes"].clone())).collect();
    let expected = [
        ("deleted", json!({"fields": ["deleted_at"]})),
        ("updated", json!({"fields": ["city", "name"]})),
        ("created", Json::Null),
    ];
    assert_eq!(told.len(), 3, "{told:?}");
    for one in &expected {
        assert!(told.contains(one), "{told:?}");
    }
    let row = rows.iter().find(|row| row["action"] == "updated").unwrap();
    let (user, entity) = (api.id(&owner).await, owner.entity());
    let expected = json!({
        "id": row["id"], "entity_id": entity, "resource_type": "Customer", "resource_id": id,
        "action": "updated", "actor_type": "user", "actor_id": user,
        "actor_label": row["actor_label"],
        "details": {"event": "customer.updated"}, "changes": {"fields": ["city", "name"]},
        "created_at": "2026-11-20T08:00:00.000Z",
    });
    assert_eq!(*row, expected);
    assert!(row["actor_label"].is_string(), "{row}");
    assert!(text(&row["id"]).starts_with("evt_"));
}

#[actix_web::test]
async fn the_log_is_filtered_and_paged_like_any_list() {
    let api = Api::new().await;
    let owner = api.owner("ana@example.com").await;
    for name in ["A", "B", "C"] {
        api.post("/customers", &owner, json!({"name": name})).await.with(201);
    }
    api.post("/suppliers", &owner, json!({"name": "D"})).await.with(201);
    let count = async |path: &str| {
        let answer = api.get(path, &owner).await.with(200).json();
        answer["pagination"]["total"].as_i64().unwrap()
    };
    assert_eq!(count("/activities?resource_type=Customer").await, 3);
    assert_eq!(count("/activities?resource_type=Supplier&action=created").await, 1);
    assert_eq!(count("/activities?resource_type=Supplier&action=deleted").await, 0);
    let query =
        "/activities?query={%22resource_type%22:%22Customer%22,%22actor_type%22:%22user%22}";
    assert_eq!(count(query).await, 3);
    let first = api.get("/activities?resource_type=Customer&limit=2", &owner).await.json();
    let next = text(&first["pagination"]["next_cursor"]);
    let path = format!("/activities?resource_type=Customer&limit=2&next_cursor={next}");
    assert_eq!(api.get(&path, &owner).await.with(200).json()["data"].as_array().unwrap().len(), 1);
    let other = api.owner("other@example.com").await;
    let foreign = api.get("/activities?resource_type=Customer", &other).await.with(200).json();
    assert_eq!(foreign["data"], json!([]));
    api.get("/activities?query={%22nothing%22:1}", &owner).await.with(422);
}

#[actix_web::test]
async fn admins_see_jobs_and_restart_dead_ones() {
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let api = Api::on(Arc::clone(&store), RequestLimits::default()).await;
    let owner = api.owner("ana@example.com").await;
    let editor = api.member(&owner, "editor@example.com", "editor").await;
    let stamp = racun_store::testing::stamp(datetime!(2026-11-20 08:00 UTC));
    let entity_id = Some(owner.entity().parse().unwrap());
    let (subject, payload) = ("whk_1".to_owned(), String::new());
    let job =
        Job::new(NewJob { kind: JobKind::WebhookDelivery, entity_id, subject, payload }, &stamp);
    store.insert(vec![job.put()], Vec::new()).await.unwrap();
    let row = json!({
        "id": job.id.to_string(), "kind": "webhook_delivery", "entity_id": owner.entity(),
        "subject": "whk_1", "state": "waiting", "attempts": 0, "max_attempts": 5,
        "due_at": "2026-11-20T08:00:00.000Z", "last_error": null,
        "created_at": "2026-11-20T08:00:00.000Z", "updated_at": "2026-11-20T08:00:00.000Z",
    });
    assert_eq!(api.get("/jobs", &owner).await.with(200).json()["data"], json!([row]));
    api.get("/jobs", &editor).await.with(403);
    let path = format!("/jobs/{}/retry", job.id);
    let refused = api.post(&path, &owner, json!({})).await.with(409).json();
    assert_eq!(refused["cause"]["code"], "job_not_dead");
    for job in jobs::claim(&*store, &JobKind::ALL, &stamp, 5).await.unwrap() {
        let hopeless = Ending::Hopeless { error: "404".to_owned() };
        jobs::end(&*store, &job, hopeless, &stamp).await.unwrap();
    }
    let dead = api.get("/jobs?state=dead&kind=webhook_delivery", &owner).await.with(200).json();
    assert_eq!(
        (&dead["data"][0]["state"], &dead["data"][0]["last_error"]),
        (&json!("dead"), &json!("404"))
    );
    assert_eq!(api.get("/jobs?state=waiting", &owner).await.json()["data"], json!([]));
    let other = api.owner("other@example.com").await;
    assert_eq!(api.get("/jobs", &other).await.with(200).json()["data"], json!([]));
    api.post(&path, &other, json!({})).await.with(404);
    let again = api.post(&path, &owner, json!({})).await.with(200).json();
    assert_eq!((&again["state"], &again["attempts"]), (&json!("waiting"), &json!(0)));
}
