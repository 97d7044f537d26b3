//! What all records of the catalogue go through, written once.

use racun_kernel::{Id, Kind};
use racun_store::{
    Actor, Context, Event, EventKind, ListQuery, Page, RawQuery, Record, Table, Writes,
};
use time::OffsetDateTime;

use crate::error::{CatalogError, RefusalReason};

/// What the log tells of every record of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventKinds {
    /// It is new.
    pub created: EventKind,
    /// It changed.
    pub updated: EventKind,
    /// It went to the trash.
    pub deleted: EventKind,
    /// It came back from the trash.
    pub restored: EventKind,
    /// It is gone for good.
    pub permanently_deleted: EventKind,
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
pub async fn get<A: Resource>(cx: Context<'_>, id: Id<A::Kind>) -> Result<A, CatalogError> {
    Ok(cx.one(A::TABLE, id).await?)
}

/// The page of records that `raw` asks for.
///
/// # Errors
/// [`CatalogError::Invalid`] for a query that cannot be understood, and when the store fails.
pub async fn list<A: Resource>(cx: Context<'_>, raw: &RawQuery) -> Result<Page<A>, CatalogError> {
    let query = ListQuery::parse(A::TABLE, raw)?;
    Ok(cx.page(A::TABLE, &query).await?)
}

/// All records that `raw` asks for, page after page.
pub(crate) async fn list_all<A: Resource>(
    cx: Context<'_>,
    mut raw: RawQuery,
) -> Result<Vec<A>, CatalogError> {
    raw.limit = Some(ListQuery::MAX_LIMIT.to_string());
    raw.include_total_count = Some("false".to_owned());
    let mut all = Vec::new();
    loop {
        let page = list(cx, &raw).await?;
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
pub async fn trash<A: Trashable>(cx: Context<'_>, id: Id<A::Kind>) -> Result<A, CatalogError> {
    decide_on(cx, id, move |before: A, actor| {
        if before.is_trashed() {
            return Err(CatalogError::NotFound { id: before.id() });
        }
        let mut after = before.clone();
        after.set_deleted_at(Some(actor.now()));
        Ok(replaced(actor, &before, after, |kinds| kinds.deleted))
    })
    .await
}

/// Brings the record back from the trash.
///
/// # Errors
/// [`CatalogError::NotFound`]; [`RefusalReason::NotInTrash`]; [`CatalogError::Conflict`] when
/// another record has taken a unique value; and when the store fails.
pub async fn restore<A: Trashable>(cx: Context<'_>, id: Id<A::Kind>) -> Result<A, CatalogError> {
    decide_on(cx, id, move |before: A, actor| {
        must_be_in_trash(&before)?;
        let mut after = before.clone();
        after.set_deleted_at(None);
        Ok(replaced(actor, &before, after, |kinds| kinds.restored))
    })
    .await
}

/// Removes a record in the trash for good.
///
/// # Errors
/// [`CatalogError::NotFound`]; [`RefusalReason::NotInTrash`]; and when the store fails.
pub async fn erase<A: Trashable>(cx: Context<'_>, id: Id<A::Kind>) -> Result<(), CatalogError> {
    decide_on(cx, id, move |before: A, actor| {
        must_be_in_trash(&before)?;
        let events = happened(actor, &before, |kinds| kinds.permanently_deleted);
        Ok(((), Writes::default().delete(&before).events(events)))
    })
    .await
}

fn must_be_in_trash<A: Trashable>(record: &A) -> Result<(), CatalogError> {
    if record.is_trashed() { Ok(()) } else { Err(CatalogError::Refused(RefusalReason::NotInTrash)) }
}

/// Keeps a new record.
pub(crate) async fn create<A: Resource>(cx: Context<'_>, record: A) -> Result<A, CatalogError> {
    let events = happened(&cx.actor(), &record, |kinds| kinds.created);
    cx.write(Writes::default().insert(&record).events(events)).await?;
    Ok(record)
}

/// Changes a record; a change that leaves it as it was writes nothing.
pub(crate) async fn update<A: Resource>(
    cx: Context<'_>,
    id: Id<A::Kind>,
    change: impl FnOnce(&mut A) -> Result<(), CatalogError> + Send + 'static,
) -> Result<A, CatalogError> {
    decide_on(cx, id, move |before: A, actor| updated(actor, &before, change)).await
}

async fn decide_on<A: Resource, T: Send + 'static>(
    cx: Context<'_>,
    id: Id<A::Kind>,
    decide: impl FnOnce(A, &Actor) -> Result<(T, Writes), CatalogError> + Send + 'static,
) -> Result<T, CatalogError> {
    let mut unit = cx.unit();
    let record = unit.hold(A::TABLE, id);
    unit.decide(move |held| decide(held.one(record)?, held.actor())).await
}

/// The event of `record` for the log.
pub(crate) fn happened<A: Resource>(
    actor: &Actor,
    record: &A,
    kind: fn(&EventKinds) -> EventKind,
) -> Vec<Event> {
    vec![actor.event(kind(&A::EVENTS), record.id())]
}

/// Writes `after` in the place of `before`.
fn replaced<A: Resource>(
    actor: &Actor,
    before: &A,
    mut after: A,
    kind: fn(&EventKinds) -> EventKind,
) -> (A, Writes) {
    after.set_updated_at(actor.now());
    let writes = Writes::default().update(before, &after).events(happened(actor, &after, kind));
    (after, writes)
}

/// Writes what `change` makes of `before`, if that is anything else.
pub(crate) fn updated<A: Resource>(
    actor: &Actor,
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
    Ok(replaced(actor, before, after, |kinds| kinds.updated))
}
