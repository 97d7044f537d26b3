//! What a test works with: a store in memory that notes events, a scope and a stamp.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_catalog::CatalogError;
use racun_kernel::{Environment, Issues, Patch, Principal, Role, Scope, Stamp};
use racun_store::testing::stamp;
use racun_store::{RawQuery, Store, StoreDecorator, StoreError, TransactError, Unit};
use racun_store_sqlite::SqliteStore;
use time::macros::datetime;

/// One entity in a store of its own.
#[derive(Clone)]
pub struct World {
    pub store: Arc<Noting>,
    pub scope: Scope,
    pub stamp: Stamp,
}

impl World {
    pub fn new() -> Self {
        let stamp = stamp(datetime!(2026-11-20 08:30 UTC));
        let inner = SqliteStore::in_memory(&racun_catalog::TABLES).unwrap();
        let store = Arc::new(Noting { inner, events: Arc::default(), races: AtomicUsize::new(0) });
        Self { scope: scope(&stamp), store, stamp }
    }

    pub fn cx(&self) -> racun_store::Context<'_> {
        racun_store::Context::new(self.store(), &self.scope, &self.stamp)
    }

    /// Another entity in the same store.
    pub fn neighbour(&self) -> Self {
        Self { scope: scope(&self.stamp), ..self.clone() }
    }

    /// The same entity, a minute later.
    pub fn later(&self) -> Self {
        Self { stamp: stamp(self.stamp.now() + time::Duration::MINUTE), ..self.clone() }
    }

    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The kinds of the events since the last call.
    pub fn events(&self) -> String {
        std::mem::take(&mut *self.store.events.lock().unwrap()).join(" ")
    }
}

#[expect(clippy::disallowed_methods, reason = "a test lets itself in")]
fn scope(stamp: &Stamp) -> Scope {
    let principal = Principal::AccountKey(stamp.id());
    Scope::grant(stamp.id(), stamp.id(), Environment::Sandbox, principal, Role::Editor)
}

/// A store that notes the events that are committed, and loses races for the default tax on demand.
pub struct Noting {
    inner: SqliteStore,
    events: Arc<Mutex<Vec<&'static str>>>,
    pub races: AtomicUsize,
}

#[async_trait]
impl StoreDecorator for Noting {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let lost = |races: usize| races.checked_sub(1);
        if self.races.fetch_update(Ordering::SeqCst, Ordering::SeqCst, lost).is_ok() {
            let duplicate = StoreError::Duplicate { table: "taxes", field: "default_slot" };
            return Err(TransactError::Store(duplicate));
        }
        let kinds = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&kinds);
        let Unit { loads, series, decide } = unit;
        let decide = Box::new(move |loaded| {
            let writes = decide(loaded)?;
            noted.lock().unwrap().extend(writes.events.iter().map(|event| event.kind.name()));
            Ok(writes)
        });
        self.inner.transact(Unit { loads, series, decide }).await?;
        self.events.lock().unwrap().append(&mut kinds.lock().unwrap());
        Ok(())
    }
}

/// A result as a word: `ok`, or why not.
pub fn word<T>(result: &Result<T, CatalogError>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(CatalogError::NotFound { .. }) => "not_found".to_owned(),
        Err(CatalogError::Refused(reason)) => reason.code().to_owned(),
        Err(CatalogError::Conflict { field }) => format!("conflict:{field}"),
        Err(CatalogError::Invalid(issues)) => codes(issues),
        Err(CatalogError::Store(error)) => panic!("{error}"),
    }
}

/// Issues as `path=code` each.
pub fn codes(issues: &Issues) -> String {
    let code = |issue: &racun_kernel::Issue| {
        let text = issue.to_string();
        let path = text.split(": ").next().unwrap();
        format!("{path}={}", issue.code)
    };
    issues.iter().map(code).collect::<Vec<_>>().join(" ")
}

/// A field that is sent.
pub fn sent(text: &str) -> Patch<String> {
    Patch::Value(text.to_owned())
}

pub fn trash_query() -> RawQuery {
    RawQuery { deleted: Some("true".to_owned()), ..RawQuery::default() }
}
