//! The log of deliveries: a row for each attempt.

use racun_kernel::{Issue, Issues, calendar, text};
use racun_store::{Clause, ListQuery, Operator, Page, RawQuery, Store, Value};
use racun_webhooks::{DELIVERIES, Delivery, DeliveryStatus, WebhookError};
use time::OffsetDateTime;

use super::Holder;

/// Characters of an id or a kind of event that is looked for.
const MAX_CHARS: usize = 200;

/// What is asked of the log, as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// What every list reads.
    pub list: RawQuery,
    /// Of this endpoint only.
    pub webhook_id: Option<String>,
    /// Of this kind of event only.
    pub event_type: Option<String>,
    /// Of this event only.
    pub event_id: Option<String>,
    /// `success`, `failed`, `pending`, which parked ones count as, or `parked`.
    pub status: Option<String>,
    /// Put into the queue on this day or instant, or later.
    pub date_from: Option<String>,
    /// Put into the queue on this day, at this instant, or earlier.
    pub date_to: Option<String>,
}

/// The attempts that `asked` describes, the newest first unless ordered otherwise.
///
/// # Errors
/// [`WebhookError::Invalid`] for a query that cannot be understood, and when the store fails.
pub async fn list_deliveries(
    store: &dyn Store,
    holder: &Holder,
    asked: &LogQuery,
) -> Result<Page<Delivery>, WebhookError> {
    let mut issues = Issues::default();
    let query = issues.note(ListQuery::parse(&DELIVERIES, &asked.list));
    let mut clauses = Vec::new();
    for (name, value) in [
        ("webhook_id", &asked.webhook_id),
        ("event_type", &asked.event_type),
        ("event_id", &asked.event_id),
    ] {
        let Some(value) = value else { continue };
        text::check_field(&mut issues, name, Some(value), MAX_CHARS);
        clauses.push(Clause::on(&DELIVERIES, name, Operator::Equals(value.into())));
    }
    if let Some(status) = &asked.status {
        clauses.extend(issues.collect("status", status_clause(status)));
    }
    let ends = [("date_from", &asked.date_from, false), ("date_to", &asked.date_to, true)];
    for (name, sent, is_end) in ends {
        let Some(sent) = sent else { continue };
        let Some(at) = issues.collect(name, instant(sent, is_end)) else { continue };
        let operator = if is_end { Operator::Lte(at.into()) } else { Operator::Gte(at.into()) };
        clauses.push(Clause::on(&DELIVERIES, "created_at", operator));
    }
    let (Some(mut query), true) = (query, issues.is_empty()) else { return Err(issues.into()) };
    query.clauses.extend(clauses);
    Ok(store.page(&DELIVERIES, &holder.tenant(), &query).await?)
}

/// The attempt `id`.
///
/// # Errors
/// [`WebhookError::NotFound`], and when the store fails.
pub async fn get_delivery(
    store: &dyn Store,
    holder: &Holder,
    id: &str,
) -> Result<Delivery, WebhookError> {
    let found = store.get(&DELIVERIES, &holder.tenant(), id).await?;
    found.ok_or_else(|| WebhookError::NotFound { id: id.to_owned() })
}

fn status_clause(status: &str) -> Result<Clause, Issues> {
    let named = |statuses: &[DeliveryStatus]| {
        let values = statuses.iter().map(|status| Value::from(status.name())).collect();
        Ok(Clause::on(&DELIVERIES, "status", Operator::In(values)))
    };
    match status {
        "success" => named(&[DeliveryStatus::Success]),
        "failed" => named(&[DeliveryStatus::Failed]),
        "pending" => named(&[DeliveryStatus::Pending, DeliveryStatus::Parked]),
        "parked" => named(&[DeliveryStatus::Parked]),
        _ => {
            let message = "expected success, failed, pending or parked";
            Err(Issue::new("invalid_value", message).into())
        }
    }
}

/// An instant, or the start or the last millisecond of a day in UTC.
pub(super) fn instant(text: &str, is_end: bool) -> Result<OffsetDateTime, Issues> {
    Ok(calendar::parse_instant_or_day(text, is_end)?)
}
