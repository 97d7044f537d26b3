//! The rows by which workers of any process find the exchanges of all tenants that are due.

use racun_kernel::id::{AccountId, EntityId};
use racun_kernel::{DocumentId, Environment, Tenant};
use racun_store::{Clause, Field, ListQuery, Operator, Put, Value};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::Exchange;
use crate::Authority;

/// When an exchange is due next, kept where workers find those of all entities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueExchange {
    /// The document, and the row's id.
    pub document_id: DocumentId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// Whose entity it is.
    pub account_id: AccountId,
    /// Which data set it is of.
    pub environment: Environment,
    /// Whom it is with.
    pub authority: Authority,
    /// When its next attempt is due.
    #[serde(with = "time::serde::rfc3339")]
    pub due_at: OffsetDateTime,
    /// When the document was issued.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where due exchanges are kept: in the directory, beside no entity's rows.
    pub static DUE_EXCHANGES: DueExchange = "due_exchanges";
    |due|
    id: due.document_id,
    tenant: Tenant::directory(),
    fields: {
        Field::id() => due.document_id,
        Field::text("entity_id") => due.entity_id,
        Field::text("account_id") => due.account_id,
        Field::text("environment") => due.environment.name(),
        Field::text("authority") => due.authority.name(),
        Field::instant("due_at").indexed() => due.due_at,
        Field::instant("created_at") => due.created_at,
    }
}

/// The first page of [`DUE_EXCHANGES`], earliest first, of all that are due at `now`.
#[must_use]
pub fn due_by(now: OffsetDateTime) -> ListQuery {
    ListQuery::due_by(&DUE_EXCHANGES, "due_at", now.into())
}

/// The first page of [`DUE_EXCHANGES`] of those whose attempt may still be under a lease at `now`.
#[must_use]
pub fn leased_at(now: OffsetDateTime) -> ListQuery {
    let until = Operator::Lte(Value::Instant(now + super::LEASE));
    let clauses = vec![
        Clause::on(&DUE_EXCHANGES, "due_at", Operator::Gt(Value::Instant(now))),
        Clause::on(&DUE_EXCHANGES, "due_at", until),
    ];
    ListQuery { clauses, ..due_by(now) }
}

/// What to write of the due row when an exchange changes from `before` to `after`, in the same
/// commit; `None` there means that it does not exist.
#[must_use]
pub fn due_put(
    before: Option<&Exchange>,
    after: &Exchange,
    account_id: AccountId,
    environment: Environment,
) -> Option<Put> {
    let row = |exchange: &Exchange| exchange.due_row(account_id, environment);
    Put::between(before.and_then(row).as_ref(), row(after).as_ref())
}

impl Exchange {
    /// The row by which workers find it; `None` when nothing is due.
    #[must_use]
    pub fn due_row(&self, account_id: AccountId, environment: Environment) -> Option<DueExchange> {
        let due_at = self.due_at()?;
        Some(DueExchange {
            document_id: self.document_id,
            entity_id: self.entity_id,
            account_id,
            environment,
            authority: self.content.authority(),
            due_at,
            created_at: self.created_at,
        })
    }
}
