//! What all records of the catalogue go through, written once.

use racun_kernel::{
    Event, Id, Kind, ListQuery, Load, Page, Put, RawQuery, Record, Scope, Stamp, Store, Table,
    Tenant, Writes,
};
use time::OffsetDateTime;

use crate::error::{CatalogError, RefusalReason};

/// The names under which the log tells what happened to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventKinds {
    /// It is new.
    pub created: &'static str,
    /// It changed.
    pub updated: &'static str,
    /// It went to the trash.
    pub deleted: &'static str,
    /// It came back from the trash.
    pub restored: &'static str,
    /// It is gone for good.
    pub permanently_deleted: &'static str,
}

/// A record of the catalogue.
pub trait Resource: Record + PartialEq {
    /// What its ids name.
    type Kind: Kind;
    /// Where it is kept.
    const TABLE: &'static Table;
    /// What the log calls its changes.
    const EVENTS: EventKinds;

    /// Notes when it changed last.
    fn set_updated_at(&mut self, now: OffsetDateTime);
}

/// A record that can be thrown away and, where the interface offers it, brought back.
pub trait Trashable: Resource {
    /// Moves it to the trash, or out of it with `None`, with all that this changes on the record.
    fn set_deleted_at(&mut self, at: Option<OffsetDateTime>);
}

/// The record `id`, in the trash or not.
///
/// # Errors
/// [`CatalogError::NotFound`], and when the store fails.
pub async fn get<A: Resource>(
    store: &dyn Store,
    scope: &Scope,
    id: Id<A::Kind>,
) -> Result<A, CatalogError> {
    let id = id.to_string();
    let found = store.get(A::TABLE, &scope.tenant(), &id).await?;
    found.ok_or(CatalogError::NotFound { id })
}

/// The page of records that `raw` asks for.
///
/// # Errors
/// [`CatalogError::Invalid`] for a query that cannot be understood, and when the store fails.
pub async fn list<A: Resource>(
    store: &dyn Store,
    scope: &Scope,
    raw: &RawQuery,
) -> Result<Page<A>, CatalogError> {
    let query = ListQuery::parse(A::TABLE, raw)?;
    Ok(store.page(A::TABLE, &scope.tenant(), &query).await?)
}

/// All records that `raw` asks for, page after page.
pub(crate) async fn list_all<A: Resource>(
    store: &dyn Store,
    scope: &Scope,
    mut raw: RawQuery,
) -> Result<Vec<A>, CatalogError> {
    raw.limit = Some(ListQuery::MAX_LIMIT.to_string());
    raw.include_total_count = Some("false".to_owned());
    let mut all = Vec::new();
    loop {
        let page = list(store, scope, &raw).await?;
        all.extend(page.rows);
        raw.next_cursor = page.pagination.next_cursor;
        if raw.next_cursor.is_none() {
            return Ok(all);
        }
    }
}

/// Moves the record to the trash.
///
/// # Errors
/// [`CatalogError::NotFound`], also when it is in the trash already; and when the store fails.
pub async fn trash<A: Trashable>(
    store: &dyn Store,
    scope: &Scope,
    id: Id<A::Kind>,
    stamp: &Stamp,
) -> Result<A, CatalogError> {
    let act = Act::new(scope, stamp);
    decide_on(store, scope, id, move |before: A| {
        if before.is_trashed() {
            return Err(CatalogError::NotFound { id: before.id() });
        }
        let mut after = before.clone();
        after.set_deleted_at(Some(act.now));
        Ok(act.replace(&before, after, |kinds| kinds.deleted))
    })
    .await
}

/// Brings the record back from the trash.
///
/// # Errors
/// [`CatalogError::NotFound`]; [`RefusalReason::NotInTrash`]; [`CatalogError::Conflict`] when another
/// record took a unique value meanwhile; and when the store fails.
pub async fn restore<A: Trashable>(
    store: &dyn Store,
    scope: &Scope,
    id: Id<A::Kind>,
    stamp: &Stamp,
) -> Result<A, CatalogError> {
    let act = Act::new(scope, stamp);
    decide_on(store, scope, id, move |before: A| {
        must_be_in_trash(&before)?;
        let mut after = before.clone();
        after.set_deleted_at(None);
        Ok(act.replace(&before, after, |kinds| kinds.restored))
    })
    .await
}

/// Removes a record in the trash for good.
///
/// # Errors
/// [`CatalogError::NotFound`]; [`RefusalReason::NotInTrash`]; and when the store fails.
pub async fn erase<A: Trashable>(
    store: &dyn Store,
    scope: &Scope,
    id: Id<A::Kind>,
    stamp: &Stamp,
) -> Result<(), CatalogError> {
    let act = Act::new(scope, stamp);
    decide_on(store, scope, id, move |before: A| {
        must_be_in_trash(&before)?;
        let events = act.events(&before, |kinds| kinds.permanently_deleted);
        Ok(((), Writes { puts: vec![Put::delete(&before)], events, takes_number: false }))
    })
    .await
}

fn must_be_in_trash<A: Trashable>(record: &A) -> Result<(), CatalogError> {
    if record.is_trashed() { Ok(()) } else { Err(CatalogError::Refused(RefusalReason::NotInTrash)) }
}

/// Keeps a new record.
pub(crate) async fn create<A: Resource>(
    store: &dyn Store,
    scope: &Scope,
    record: A,
    stamp: &Stamp,
) -> Result<A, CatalogError> {
    let events = Act::new(scope, stamp).events(&record, |kinds| kinds.created);
    store.insert(vec![Put::insert(&record)], events).await?;
    Ok(record)
}

/// Changes a record; a change that leaves it as it was writes nothing.
pub(crate) async fn update<A: Resource>(
    store: &dyn Store,
    scope: &Scope,
    id: Id<A::Kind>,
    stamp: &Stamp,
    change: impl FnOnce(&mut A) -> Result<(), CatalogError> + Send + 'static,
) -> Result<A, CatalogError> {
    let act = Act::new(scope, stamp);
    decide_on(store, scope, id, move |before: A| act.update(&before, change)).await
}

async fn decide_on<A: Resource, T: Send + 'static>(
    store: &dyn Store,
    scope: &Scope,
    id: Id<A::Kind>,
    decide: impl FnOnce(A) -> Result<(T, Writes), CatalogError> + Send + 'static,
) -> Result<T, CatalogError> {
    let id = id.to_string();
    let load = Load::One { table: A::TABLE, tenant: scope.tenant(), id: id.clone() };
    store
        .decide(vec![load], None, move |loaded| {
            let row = loaded.rows.into_iter().flatten().next();
            decide(row.ok_or(CatalogError::NotFound { id })?.read(A::TABLE)?)
        })
        .await
}

/// Who does something, where and when: what a decision takes with it into the store.
#[derive(Clone)]
pub(crate) struct Act {
    tenant: Tenant,
    actor: String,
    stamp: Stamp,
    pub now: OffsetDateTime,
}

impl Act {
    pub fn new(scope: &Scope, stamp: &Stamp) -> Self {
        let (tenant, actor) = (scope.tenant(), scope.principal().id());
        Self { tenant, actor, stamp: stamp.clone(), now: stamp.now() }
    }

    /// What the log is told.
    pub fn events<A: Resource>(
        &self,
        record: &A,
        kind: fn(&EventKinds) -> &'static str,
    ) -> Vec<Event> {
        let (tenant, actor) = (self.tenant.clone(), self.actor.clone());
        vec![Event::new(tenant, kind(&A::EVENTS), record.id(), actor, &self.stamp)]
    }

    /// Writes `after` in the place of `before`.
    pub fn replace<A: Resource>(
        &self,
        before: &A,
        mut after: A,
        kind: fn(&EventKinds) -> &'static str,
    ) -> (A, Writes) {
        after.set_updated_at(self.now);
        let puts = vec![Put::update(before, &after)];
        let events = self.events(&after, kind);
        (after, Writes { puts, events, takes_number: false })
    }

    /// Writes what `change` makes of `before`, if that is anything else.
    pub fn update<A: Resource>(
        &self,
        before: &A,
        change: impl FnOnce(&mut A) -> Result<(), CatalogError>,
    ) -> Result<(A, Writes), CatalogError> {
        if before.is_trashed() {
            return Err(CatalogError::Refused(RefusalReason::InTrash));
        }
        let mut after = before.clone();
        change(&mut after)?;
        if after == *before {
            return Ok((after, Writes::default()));
        }
        Ok(self.replace(before, after, |kinds| kinds.updated))
    }
}
