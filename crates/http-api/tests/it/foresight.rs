//! On a store that is far away, the gate asks all at once what the last request like it asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use racun_http_api::Limits;
use racun_kernel::{
    ListQuery, Logged, Read, Rows, Store, StoreError, Stored, Table, Tally, TallyRow, Tenant,
    TransactError, Unit,
};
use racun_store_sqlite::SqliteStore;
use serde_json::json;

use crate::harness::{Api, Who};

/// A store that takes its time, and counts how often somebody waits for it: reads that overlap are
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
impl Store for Far {
    async fn find(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        ids: &[String],
    ) -> Result<Vec<Stored>, StoreError> {
        self.after_a_while(self.store.find(table, tenant, ids)).await
    }

    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        self.after_a_while(self.store.lookup(table, field, value)).await
    }

    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        self.after_a_while(self.store.list(table, tenant, query)).await
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.after_a_while(self.store.read_all(reads)).await
    }

    async fn tallies(
        &self,
        tenant: &Tenant,
        tallies: &[Tally],
    ) -> Result<Vec<Vec<TallyRow>>, StoreError> {
        self.store.tallies(tenant, tallies).await
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        self.store.transact(unit).await
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Logged>, StoreError> {
        self.store.events_after(position, limit).await
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        self.store.series(tenant).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.store.ping().await
    }
}

#[actix_web::test]
async fn the_second_request_of_a_sort_waits_once_and_believes_nothing_old() {
    let far = Arc::new(Far::new());
    let store: Arc<dyn Store> = Arc::<Far>::clone(&far);
    let api = Api::on(store, Limits::default()).await;
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
