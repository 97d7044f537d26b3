//! The log of requests: what callers sent to an entity, and what they were answered.
//!
//! Entries are written some moments after the answer, in batches, and some are lost where more come
//! than can be written or a process dies: nothing hangs on them. Of an entity the newest
//! [`MOST`] are kept, and none longer than [`KEPT`].

use std::collections::BTreeMap;

use racun_kernel::id::{EntityId, RequestId};
use racun_kernel::{Issue, Issues, Tenant, text};
use racun_store::{
    Clause, Context, Field, ListQuery, Operator, Order, Page, Put, RawQuery, Store, StoreError,
    Stored, Value, Writes,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// For how long an entry is kept.
pub const KEPT: Duration = Duration::days(30);
/// Entries that are kept of an entity: the newest.
pub const MOST: usize = 10_000;
/// Entries that are written in one commit.
pub const AT_ONCE: usize = ListQuery::MAX_LIMIT;

/// Characters of a filter.
const MAX_CHARS: usize = 200;

/// A request, as far as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestLog {
    /// Its id.
    pub id: RequestId,
    /// The entity that it was made in.
    pub entity_id: EntityId,
    /// The id that the answer bore: the caller's, or one that was made.
    pub request_id: String,
    /// The method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The status of the answer.
    pub res_status: u16,
    /// The area of the operation.
    pub resource_type: Option<String>,
    /// The id of what it was about.
    pub resource_id: Option<String>,
    /// The operation.
    pub action: Option<String>,
    /// What the caller's program calls itself.
    pub client_name: Option<String>,
    /// What was sent, as JSON, without secrets.
    pub req_body: Option<String>,
    /// What was answered, as JSON, without secrets.
    pub res_body: Option<String>,
    /// Some of the headers that were sent.
    pub headers: BTreeMap<String, String>,
    /// When it was answered.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where entries are kept: with their entity.
    pub static REQUEST_LOGS: RequestLog = "request_logs";
    |entry|
    id: entry.id,
    tenant: Tenant::entity(entry.entity_id),
    // An account is not charged for what the server notes of it, which is bounded by `MOST`.
    charged_bytes: |_own| 0,
    fields: {
        Field::id() => entry.id,
        Field::text("request_id") => entry.request_id,
        Field::text("method") => entry.method,
        Field::text("path") => entry.path,
        Field::number("res_status") => entry.res_status,
        Field::text("resource_type") => entry.resource_type,
        Field::text("resource_id") => entry.resource_id,
        Field::text("action") => entry.action,
        Field::text("client_name") => entry.client_name,
        Field::instant("created_at") => entry.created_at,
    }
}

/// Entities whose room an [`Appender`] remembers.
const REMEMBERED: usize = 10_000;

/// Appends to the log, and counts the entries of an entity only where there may be too many.
#[derive(Debug, Default)]
pub struct Appender {
    /// How many entries an entity may get before its entries are counted again.
    room: BTreeMap<EntityId, usize>,
}

impl Appender {
    /// Writes `entries`, at most [`AT_ONCE`] and of any entities, in one commit. Of each entity as
    /// many of the oldest go as it has then beyond [`MOST`].
    ///
    /// # Errors
    /// When the store fails.
    pub async fn append(
        &mut self,
        store: &dyn Store,
        entries: &[RequestLog],
    ) -> Result<(), StoreError> {
        let mut counts: BTreeMap<EntityId, usize> = BTreeMap::new();
        for entry in entries {
            *counts.entry(entry.entity_id).or_default() += 1;
        }
        let (mut unit, mut over) = (store.unit(Tenant::directory()), Vec::new());
        for (entity, new) in counts {
            let tenant = Tenant::entity(entity);
            for Stored { id, .. } in self.beyond(store, entity, &tenant, new).await? {
                over.push((unit.hold_row(tenant.clone(), &REQUEST_LOGS, &id), tenant.clone(), id));
            }
        }
        // Made here: the decision is waited for by all who write.
        let new: Vec<Put> = entries.iter().map(Put::insert).collect();
        unit.decide(move |held| {
            let over = over.into_iter().filter(|(row, ..)| held.has(row));
            let ends = over.map(|(_, tenant, id)| Put::delete_row(&REQUEST_LOGS, tenant, id));
            Ok(((), Writes::default().puts(ends).puts(new)))
        })
        .await
    }

    /// The oldest entries of `entity`, as many as it has beyond [`MOST`] when `new` ones come.
    async fn beyond(
        &mut self,
        store: &dyn Store,
        entity: EntityId,
        tenant: &Tenant,
        new: usize,
    ) -> Result<Vec<Stored>, StoreError> {
        if let Some(left) = self.room.get(&entity).and_then(|room| room.checked_sub(new)) {
            self.room.insert(entity, left);
            return Ok(Vec::new());
        }
        let counted = ListQuery { limit: 1, ..ListQuery::first_page(&REQUEST_LOGS) };
        let page = store.page::<RequestLog>(&REQUEST_LOGS, tenant, &counted).await?;
        let total = usize::try_from(page.pagination.total).unwrap_or(0) + new;
        if self.room.len() >= REMEMBERED {
            self.room.clear();
        }
        // Half of it: another process may write as much before it is counted again.
        self.room.insert(entity, MOST.saturating_sub(total) / 2);
        oldest(store, tenant, total.saturating_sub(MOST)).await
    }
}

/// The oldest `count` entries of `tenant`, but [`AT_ONCE`] at most.
async fn oldest(
    store: &dyn Store,
    tenant: &Tenant,
    count: usize,
) -> Result<Vec<Stored>, StoreError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let query = ListQuery {
        limit: count.min(AT_ONCE),
        count: false,
        order: vec![Order::on(&REQUEST_LOGS, "created_at", false)],
        ..ListQuery::first_page(&REQUEST_LOGS)
    };
    let (mut rows, _) = store.list(&REQUEST_LOGS, tenant, &query).await?;
    // A store answers one more, by which a page knows that there is another.
    rows.truncate(query.limit);
    Ok(rows)
}

/// What is asked of the log, as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestQuery {
    /// What every list reads.
    pub list: RawQuery,
    /// Part of the path.
    pub path: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// `2xx`, `4xx`, `5xx`, or one status.
    pub status: Option<String>,
    /// What the program calls itself.
    pub client_name: Option<String>,
    /// From this instant on.
    pub from: Option<OffsetDateTime>,
    /// Until this instant.
    pub to: Option<OffsetDateTime>,
}

/// Why the log is not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestLogError {
    /// The query cannot be understood.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The entries that `asked` describes, the newest first unless ordered otherwise.
///
/// # Errors
/// [`RequestLogError`].
pub async fn list(
    cx: Context<'_>,
    asked: &RequestQuery,
) -> Result<Page<RequestLog>, RequestLogError> {
    let mut issues = Issues::default();
    let query = issues.note(ListQuery::parse(&REQUEST_LOGS, &asked.list));
    let on = |name, operator| Clause::on(&REQUEST_LOGS, name, operator);
    let mut clauses = Vec::new();
    let mut named = |name, sent: &Option<String>, operator: fn(String) -> Operator| {
        let Some(sent) = sent else { return };
        text::check_field(&mut issues, name, Some(sent), MAX_CHARS);
        clauses.push(on(name, operator(sent.clone())));
    };
    named("path", &asked.path, |path| Operator::Contains(text::fold(&path)));
    named("method", &asked.method, |method| Operator::Equals(method.to_uppercase().into()));
    named("client_name", &asked.client_name, |name| Operator::Equals(name.into()));
    if let Some(status) = &asked.status {
        clauses.extend(issues.collect("status", status_clause(status)));
    }
    clauses.extend(asked.from.map(|at| on("created_at", Operator::Gte(at.into()))));
    clauses.extend(asked.to.map(|at| on("created_at", Operator::Lte(at.into()))));
    let mut query = match query {
        Some(query) if issues.is_empty() => query,
        _ => return Err(issues.into()),
    };
    query.clauses.extend(clauses);
    Ok(cx.page(&REQUEST_LOGS, &query).await?)
}

fn status_clause(status: &str) -> Result<Clause, Issues> {
    let between = |least: i64, most: i64| {
        let (least, most): (Value, Value) = (least.into(), most.into());
        Clause::on(&REQUEST_LOGS, "res_status", Operator::Between(least, most))
    };
    let class = status.strip_suffix("xx").and_then(|class| class.parse::<i64>().ok());
    let exact = status.parse::<i64>().ok();
    match (class, exact) {
        (Some(class), _) if (1..=5).contains(&class) => Ok(between(class * 100, class * 100 + 99)),
        (_, Some(exact)) if (100..=599).contains(&exact) => Ok(between(exact, exact)),
        _ => Err(Issue::new("invalid_value", "expected 2xx, 4xx, 5xx or a status").into()),
    }
}
