//! The rows beside a recurring invoice: what it made, and when it is due.

use racun_kernel::id::{AccountId, EntityId, RecurringInvoiceId, RecurringRunId};
use racun_kernel::{Environment, Stamp, Tenant, calendar};
use racun_store::{Field, ListQuery, Put, Unique, Value};
use serde::{Deserialize, Serialize};
use time::{Date, Duration, OffsetDateTime, UtcOffset};

use super::{Period, RecurringInvoice};
use crate::DocumentId;

/// One invoice that a recurring invoice made.
///
/// No two are of one period, whatever two workers do at once: the second meets
/// [`super::RecurrenceRefused::PeriodPassed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecurringRun {
    /// Its id.
    pub id: RecurringRunId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// What made it.
    pub recurring_invoice_id: RecurringInvoiceId,
    /// The period's day.
    #[serde(with = "racun_kernel::calendar::date")]
    pub run_date: Date,
    /// What was made.
    pub invoice_id: DocumentId,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where runs are kept.
    pub static RECURRING_RUNS: RecurringRun = "recurring_runs";
    |run|
    id: run.id,
    tenant: Tenant::entity(run.entity_id),
    where {
        let run_date = calendar::format_date(run.run_date);
    }
    fields: {
        Field::id() => run.id,
        Field::text("recurring_invoice_id").indexed() => run.recurring_invoice_id,
        Field::date("run_date") => run.run_date,
        Field::text("invoice_id") => run.invoice_id.to_string(),
        Field::instant("created_at") => run.created_at,
        Field::text("period").unique(Unique::Tenant).hidden()
            => format!("{}/{run_date}", run.recurring_invoice_id),
    }
}

/// When an active recurring invoice is due next, kept where workers find those of all entities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueSchedule {
    /// The recurring invoice, and the row's id.
    pub id: RecurringInvoiceId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// Whose entity it is.
    pub account_id: AccountId,
    /// Which data set it is of.
    pub environment: Environment,
    /// The day, in the entity's zone, of the next run or the next attempt at it.
    #[serde(with = "racun_kernel::calendar::date")]
    pub run_on: Date,
    /// When the recurring invoice was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where due schedules are kept: in the directory, beside no entity's rows.
    pub static DUE_SCHEDULES: DueSchedule = "due_schedules";
    |due|
    id: due.id,
    tenant: Tenant::directory(),
    fields: {
        Field::id() => due.id,
        Field::text("entity_id") => due.entity_id,
        Field::text("account_id").indexed() => due.account_id,
        Field::text("environment") => due.environment.name(),
        Field::date("run_on").indexed() => due.run_on,
        Field::instant("created_at") => due.created_at,
    }
}

/// Hours by which the zone furthest east is ahead of UTC: nowhere is it later.
const HOURS_AHEAD_OF_UTC: i64 = 14;

/// The latest day that it is at `now` in any zone.
#[must_use]
pub fn latest_day(now: OffsetDateTime) -> Date {
    let now = now.to_offset(UtcOffset::UTC);
    now.checked_add(Duration::hours(HOURS_AHEAD_OF_UTC)).unwrap_or(now).date()
}

/// The first page of [`DUE_SCHEDULES`], earliest first, of all that may be due at `now` in any
/// zone. Whether one is due in its entity's zone, [`RecurringInvoice::due`] says.
#[must_use]
pub fn due_by(now: OffsetDateTime) -> ListQuery {
    ListQuery::due_by(&DUE_SCHEDULES, "run_on", Value::Date(latest_day(now)))
}

/// What to write of the due row when a recurring invoice changes from `before` to `after`, in the
/// same commit; `None` there means that it does not exist.
#[must_use]
pub fn due_put(
    before: Option<&RecurringInvoice>,
    after: Option<&RecurringInvoice>,
    account_id: AccountId,
    environment: Environment,
) -> Option<Put> {
    let row = |recurring: Option<&RecurringInvoice>| {
        recurring.and_then(|recurring| recurring.due_row(account_id, environment))
    };
    Put::between(row(before).as_ref(), row(after).as_ref())
}

impl RecurringInvoice {
    /// The row by which workers find it; `None` when it makes no invoices.
    #[must_use]
    pub fn due_row(&self, account_id: AccountId, environment: Environment) -> Option<DueSchedule> {
        let run_on = self.next_attempt()?;
        Some(DueSchedule {
            id: self.id,
            entity_id: self.entity_id,
            account_id,
            environment,
            run_on,
            created_at: self.created_at,
        })
    }

    /// The record that the invoice of `period` is made.
    #[must_use]
    pub fn run(&self, period: Period, invoice_id: DocumentId, stamp: &Stamp) -> RecurringRun {
        RecurringRun {
            id: stamp.id(),
            entity_id: self.entity_id,
            recurring_invoice_id: self.id,
            run_date: period.run_date,
            invoice_id,
            created_at: stamp.now(),
        }
    }
}
