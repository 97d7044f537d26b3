//! What every answer carries, errors and unknown paths included.

use std::sync::Arc;

use actix_web::test::TestRequest;
use async_trait::async_trait;
use racun_http_api::RequestLimits;
use racun_kernel::Tenant;
use racun_store::{
    Entry, ListQuery, Store, StoreError, Stored, Table, Tally, TallyRow, TransactError, Unit,
};
use serde_json::json;
use time::OffsetDateTime;

use crate::harness::{Api, Who};

#[actix_web::test]
async fn a_sane_request_id_comes_back_and_any_other_is_replaced() {
    let api = Api::new().await;
    for (sent, echoed) in [
        ("order-17", true),
        (&"x".repeat(255), true),
        (&"x".repeat(256), false),
        ("two words", false),
        ("ž", false),
        ("", false),
    ] {
        let request = TestRequest::get().uri("/health/live").insert_header(("x-request-id", sent));
        let answer = api.call(request).await.with(200);
        let id = answer.headers.get("x-request-id").unwrap();
        assert_eq!(id.as_bytes() == sent.as_bytes(), echoed, "{sent}");
        if !echoed {
            let id = id.to_str().unwrap();
            assert!(id.starts_with("req_") && id.len() == 30, "{id}");
        }
    }
}

#[actix_web::test]
async fn every_answer_is_dressed() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (path, status) in [
        ("/health/live", 200),
        ("/customers", 200),
        ("/customers/cus_1", 404),
        ("/nowhere", 404),
        ("/customers?limit=0", 422),
    ] {
        let answer = api.get(path, &owner).await.with(status);
        assert!(!answer.header("x-request-id").is_empty(), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
    }
    let refused = api.get("/customers", &Who::anonymous()).await.with(401);
    assert_eq!(refused.header("www-authenticate"), "Bearer");
    assert_eq!(refused.json()["code"], "unauthorized");
    let unknown = api.get("/nowhere", &Who::anonymous()).await.with(404);
    assert_eq!(unknown.json()["code"], "not_found");
}

#[actix_web::test]
async fn head_is_answered_where_get_is() {
    let api = Api::new().await;
    let request = TestRequest::default().method(actix_web::http::Method::HEAD).uri("/health/live");
    api.call(request).await.with(200);
}

#[actix_web::test]
async fn an_entity_is_named_once() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let (id, user) = (owner.entity(), Who { entity: None, ..owner.clone() });
    for headers in
        [vec![id, id], vec![&*format!("{id},{id}")], vec![&*format!("{id}, x")], vec![""]]
    {
        let mut request = user.sign(TestRequest::get().uri("/customers"));
        for header in headers {
            request = request.append_header(("x-entity-id", header));
        }
        assert_eq!(api.call(request).await.with(400).json()["code"], "bad_request");
    }
    api.get("/customers", &user).await.with(200);
    let body = json!({"name": "Second", "country": "Slovenia", "environment": "live"});
    api.post("/entities", &user, body).await.with(201);
    let several = api.get("/customers", &user).await.with(400).json();
    assert_eq!(several["cause"]["code"], "entity_required");
}

#[actix_web::test]
async fn health_needs_no_authentication() {
    let api = Api::new().await;
    let live = api.get("/health/live", &Who::anonymous()).await.with(200).json();
    assert_eq!(live, json!({"status": "ok"}));
    let checks = json!({"database": "ok", "queue": "ok"});
    let ready = api.get("/health/ready", &Who::anonymous()).await.with(200).json();
    assert_eq!(ready, json!({"status": "ok", "checks": checks}));
    let health = api.get("/health", &Who::anonymous()).await.with(200).json();
    assert_eq!(health["version"], "1.2.3");
    assert_eq!(health["checks"], checks);
    assert!(health["uptime_seconds"].is_u64());
}

/// What a broken store does.
#[derive(Clone, Copy)]
enum Broken {
    Away,
    Full,
    Slow,
    Corrupt,
    Panics,
}

impl Broken {
    fn error(self) -> StoreError {
        match self {
            Self::Away => StoreError::Unavailable("the disk is full at /secret".to_owned()),
            Self::Full => StoreError::Full,
            Self::Slow => StoreError::TooExpensive,
            Self::Corrupt => StoreError::Corrupt {
                table: "sessions",
                id: "x".to_owned(),
                reason: "secret".to_owned(),
            },
            Self::Panics => panic!("secret"),
        }
    }
}

#[async_trait]
impl Store for Broken {
    async fn find(
        &self,
        _: &'static Table,
        _: &Tenant,
        _: &[String],
    ) -> Result<Vec<Stored>, StoreError> {
        Err(self.error())
    }

    async fn lookup(
        &self,
        _: &'static Table,
        _: &'static str,
        _: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        Err(self.error())
    }

    async fn list(
        &self,
        _: &'static Table,
        _: &Tenant,
        _: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        Err(self.error())
    }

    async fn tallies(&self, _: &Tenant, _: &[Tally]) -> Result<Vec<Vec<TallyRow>>, StoreError> {
        Err(self.error())
    }

    async fn transact(&self, _: Unit) -> Result<(), TransactError> {
        Err(TransactError::Store(self.error()))
    }

    async fn events_after(&self, _: i64, _: usize) -> Result<Vec<Entry>, StoreError> {
        Err(self.error())
    }

    async fn snapshots(&self, _: &[i64]) -> Result<Vec<(i64, String)>, StoreError> {
        Err(self.error())
    }

    async fn forget_snapshots(
        &self,
        _: &Tenant,
        _: i64,
        _: OffsetDateTime,
        _: usize,
    ) -> Result<usize, StoreError> {
        Err(self.error())
    }

    async fn series(&self, _: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        Err(self.error())
    }

    async fn stored_bytes(&self, _: &[Tenant]) -> Result<i64, StoreError> {
        Err(self.error())
    }

    async fn ping(&self) -> Result<(), StoreError> {
        Err(self.error())
    }
}

#[actix_web::test]
async fn a_full_disk_is_reported_as_such() {
    let api = Api::on(Arc::new(Broken::Full), RequestLimits::default()).await;
    let body = json!({"email": "a@b.si", "password": "correct horse 1"});
    let refused = api.post("/users/signup", &Who::anonymous(), body).await.with(503);
    assert_eq!(refused.json()["cause"]["code"], "storage_full");
    assert_eq!(refused.header("retry-after"), "60");
    let ready = api.get("/health/ready", &Who::anonymous()).await.with(503).json();
    let full = json!("storage_full");
    assert_eq!((&ready["status"], &ready["checks"]["database"]), (&full, &full));
    api.get("/health/live", &Who::anonymous()).await.with(200);
}

#[actix_web::test]
async fn a_broken_store_is_answered_without_its_secrets() {
    for (broken, status, code) in [
        (Broken::Away, 503, "service_unavailable"),
        (Broken::Slow, 422, "unprocessable_entity"),
        (Broken::Corrupt, 500, "internal_server_error"),
        (Broken::Panics, 500, "internal_server_error"),
    ] {
        let api = Api::on(Arc::new(broken), RequestLimits::default()).await;
        let body = json!({"email": "a@b.si", "password": "correct horse 1"});
        for path in ["/users/signup", "/users/login"] {
            let answer = api.post(path, &Who::anonymous(), body.clone()).await.with(status);
            assert_eq!(answer.json()["code"], code);
            let cause = if status == 422 { json!("query_too_expensive") } else { json!(null) };
            assert_eq!(answer.json()["cause"]["code"], cause);
            assert!(!answer.text.contains("secret"), "{answer:?}");
            assert!(answer.header("x-request-id").starts_with("req_"));
            assert_eq!(answer.header("retry-after"), if status == 503 { "1" } else { "" });
        }
    }
}

#[actix_web::test]
async fn a_process_without_its_store_lives_and_is_not_ready() {
    let api = Api::on(Arc::new(Broken::Away), RequestLimits::default()).await;
    api.get("/health/live", &Who::anonymous()).await.with(200);
    let ready = api.get("/health/ready", &Who::anonymous()).await.with(503).json();
    assert_eq!(ready["checks"]["database"], "unavailable");
    let health = api.get("/health", &Who::anonymous()).await.with(200).json();
    assert_eq!(health["status"], "unavailable");
}
