//! On a store that is far away, the gate asks all at once what the last request like it asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use racun_http_api::RequestLimits;
use racun_kernel::Tenant;
use racun_store::{Read, Rows, Store, StoreDecorator, Table};
use racun_store_sqlite::SqliteStore;
use serde_json::json;

use crate::harness::{Api, Who};

/// A store that takes its time, and counts how often a request waits for it: reads that overlap are
/// one wait.
struct Far {
    store: SqliteStore,
    running: AtomicUsize,
    waits: AtomicUsize,
}

impl Far {
    fn new() -> Self {
        let store = SqliteStore::in_memory(&racun_application::tables()).unwrap();
        Self { store, running: AtomicUsize::new(0), waits: AtomicUsize::new(0) }
    }

    async fn after_a_while<T>(&self, read: impl Future<Output = T>) -> T {
        if self.running.fetch_add(1, Ordering::SeqCst) == 0 {
            self.waits.fetch_add(1, Ordering::SeqCst);
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        let answer = read.await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        answer
    }
}

#[async_trait]
impl StoreDecorator for Far {
    fn inner(&self) -> &dyn Store {
        &self.store
    }

    async fn read(&self, read: &Read) -> Rows {
        self.after_a_while(read.ask(&self.store)).await
    }

    fn changed(&self, _: &'static Table, _: &Tenant) -> Option<u64> {
        None
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.after_a_while(self.store.read_all(reads)).await
    }
}

#[actix_web::test]
async fn the_second_request_of_a_sort_waits_once_and_believes_nothing_old() {
    let far = Arc::new(Far::new());
    let store: Arc<dyn Store> = Arc::<Far>::clone(&far);
    let api = Api::on(store, RequestLimits::default()).await;
    let owner = api.owner("ana@example.com").await;
    let member = api.member(&owner, "bor@example.com", "editor").await;
    let waits = async |who: &Who, status| {
        let before = far.waits.load(Ordering::SeqCst);
        api.get("/invoices", who).await.with(status);
        far.waits.load(Ordering::SeqCst) - before
    };
    let first = waits(&member, 200).await;
    assert!(first >= 4, "session, user, membership and entity, one after the other: {first}");
    assert_eq!(waits(&member, 200).await, 2, "all of these at once, and the invoices");

    let role = json!({"role": "viewer"});
    let id = api.id(&member).await;
    api.patch(&format!("/entities/users/{id}"), &owner, role).await.with(200);
    api.post("/invoices", &member, json!({})).await.with(403);
    api.delete(&format!("/entities/users/{id}"), &owner).await;
    waits(&member, 403).await;
    api.post("/users/logout", &member, json!({})).await.with(204);
    waits(&member, 401).await;
    let stranger = api.owner("cene@example.com").await;
    let lost = Who { token: member.token, entity: stranger.entity.clone() };
    waits(&lost, 401).await;
    assert!(waits(&stranger, 200).await >= 4, "another token is another sort");
}
