//! Replay: events are put into the queue once more.

use racun_kernel::{Issue, Issues, Stamp};
use racun_store::{Clause, ListQuery, Operator, Put, RawQuery, Store, Writes};
use racun_webhooks::{
    DELIVERIES, Delivery, DeliveryStatus, DueDelivery, ENDPOINTS, Endpoint, Refused, Schedule,
    WebhookError, resume,
};

use super::log::instant;
use super::{Holder, Webhooks};

/// Events that one call puts into the queue at most.
const MOST: usize = 1_000;

/// Which deliveries are replayed, as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Range {
    /// From this day or instant on.
    pub from: String,
    /// Until this day or instant.
    pub to: String,
    /// `failed`, `pending` for what was parked, or `success`; absent: all that did not arrive.
    pub status: Option<String>,
}

/// What a replay did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Events that were put into the queue.
    pub count: usize,
    /// Whether others of the range are left: the same call goes on with them.
    pub has_more: bool,
}

/// Puts the event of the delivery `id` into the queue once more, and answers its new first attempt:
/// the same event under the same id, with a new signature.
///
/// # Errors
/// [`WebhookError::NotFound`], also when the endpoint is gone; [`Refused::Inactive`],
/// [`Refused::UnderWay`], [`Refused::IsTest`]; the store's failure.
pub async fn replay_one(
    store: &dyn Store,
    webhooks: &Webhooks,
    holder: &Holder,
    id: String,
    stamp: &Stamp,
) -> Result<Delivery, WebhookError> {
    let seen = super::get_delivery(store, holder, &id).await?;
    let (stamp, schedule) = (stamp.clone(), webhooks.schedule.clone());
    // What the log shows of an endpoint of either generation can be replayed.
    let holder = Holder { generation: seen.generation, ..holder.clone() };
    let mut unit = store.unit(holder.tenant());
    let (endpoint, delivery) =
        (unit.hold(&ENDPOINTS, seen.endpoint_id), unit.hold(&DELIVERIES, seen.id));
    unit.decide(move |held| {
        let endpoint = holder.reached(held.one(endpoint)?)?;
        let delivery = held.one(delivery)?;
        let (attempt, puts) = queue_again(delivery, &endpoint, &schedule, &stamp)?;
        Ok((attempt, Writes::default().puts(puts)))
    })
    .await
}

/// Puts the events of a range of the endpoint `id` into the queue once more, the oldest first: each
/// once, however many attempts there were, and none twice when the call is repeated, but for those
/// that had arrived.
///
/// # Errors
/// [`WebhookError::NotFound`]; [`WebhookError::Invalid`]; [`Refused::Inactive`]; the store's
/// failure.
pub async fn replay_range(
    store: &dyn Store,
    webhooks: &Webhooks,
    holder: &Holder,
    id: &str,
    range: &Range,
    stamp: &Stamp,
) -> Result<Replayed, WebhookError> {
    let endpoint = super::get(store, holder, id).await?;
    let clauses = clauses(&endpoint, range, stamp)?;
    if !endpoint.active {
        return Err(Refused::Inactive.into());
    }
    let mut raw = RawQuery {
        limit: Some("100".to_owned()),
        include_total_count: Some("false".to_owned()),
        order_by: vec!["created_at".to_owned(), "id".to_owned()],
        ..RawQuery::default()
    };
    let mut replayed = Replayed::default();
    loop {
        let mut query = ListQuery::parse(&DELIVERIES, &raw)?;
        query.clauses.extend(clauses.iter().cloned());
        let page = store.page::<Delivery>(&DELIVERIES, &holder.tenant(), &query).await?;
        replayed.count += replay_page(store, webhooks, holder, id, page.rows, stamp).await?;
        raw.next_cursor = page.pagination.next_cursor;
        if raw.next_cursor.is_none() {
            return Ok(replayed);
        }
        if replayed.count >= MOST {
            return Ok(Replayed { has_more: true, ..replayed });
        }
    }
}

fn clauses(endpoint: &Endpoint, range: &Range, stamp: &Stamp) -> Result<Vec<Clause>, Issues> {
    let mut issues = Issues::default();
    let from = issues.collect("from", instant(&range.from, false));
    let to = issues.collect("to", instant(&range.to, true));
    let on = |name, operator| Clause::on(&DELIVERIES, name, operator);
    let status = |status: DeliveryStatus| on("status", Operator::Equals(status.name().into()));
    let open = on("open", Operator::Equals(endpoint.id.to_string().into()));
    let which = match range.status.as_deref() {
        None => vec![open],
        Some("failed") => vec![open, status(DeliveryStatus::Failed)],
        Some("pending" | "parked") => vec![open, status(DeliveryStatus::Parked)],
        Some("success") => vec![status(DeliveryStatus::Success)],
        Some(_) => {
            let message = "expected failed, pending or success; absent for all that did not arrive";
            issues.push(Issue::new("invalid_value", message).at("status"));
            Vec::new()
        }
    };
    let (Some(from), Some(to), true) = (from, to, issues.is_empty()) else { return Err(issues) };
    if to < from {
        return Err(Issue::new("invalid_range", "the end is before the start").at("to").into());
    }
    let mut clauses = vec![
        on("webhook_id", Operator::Equals(endpoint.id.to_string().into())),
        on("created_at", Operator::Between(from.into(), to.into())),
        // What this call makes is not part of what it repeats.
        on("created_at", Operator::Lt(stamp.now().into())),
    ];
    clauses.extend(which);
    Ok(clauses)
}

async fn replay_page(
    store: &dyn Store,
    webhooks: &Webhooks,
    holder: &Holder,
    id: &str,
    rows: Vec<Delivery>,
    stamp: &Stamp,
) -> Result<usize, WebhookError> {
    if rows.is_empty() {
        return Ok(0);
    }
    let (holder, stamp, schedule) = (holder.clone(), stamp.clone(), webhooks.schedule.clone());
    let mut unit = store.unit(holder.tenant());
    let endpoint = unit.hold(&ENDPOINTS, id);
    let rows = unit.hold_each(rows.iter().map(|row| (&DELIVERIES, row.id.to_string())));
    unit.decide(move |held| {
        let endpoint = holder.reached(held.one(endpoint)?)?;
        let mut writes = Writes::default();
        let mut count = 0;
        for delivery in held.all::<Delivery>(rows)? {
            let arrived = delivery.status == DeliveryStatus::Success && !delivery.is_test;
            if delivery.is_open() || arrived {
                writes = writes.puts(queue_again(delivery, &endpoint, &schedule, &stamp)?.1);
                count += 1;
            }
        }
        Ok((count, writes))
    })
    .await
}

/// What puts the event of `delivery` into the queue once more.
fn queue_again(
    delivery: Delivery,
    endpoint: &Endpoint,
    schedule: &Schedule,
    stamp: &Stamp,
) -> Result<(Delivery, Vec<Put>), WebhookError> {
    if delivery.is_test {
        return Err(Refused::IsTest.into());
    }
    if !endpoint.active {
        return Err(Refused::Inactive.into());
    }
    if delivery.status == DeliveryStatus::Pending {
        return Err(Refused::UnderWay.into());
    }
    let (attempt, mut puts) = if delivery.status == DeliveryStatus::Parked {
        let attempt = resume(&delivery, endpoint, schedule, stamp);
        let put = Put::update(&delivery, &attempt);
        (attempt, vec![put])
    } else {
        let attempt = delivery.again(endpoint, schedule, stamp);
        let replayed_at = Some(stamp.now());
        let before = Delivery { replayed_at, ..delivery.clone() };
        let puts = vec![Put::update(&delivery, &before), Put::insert(&attempt)];
        (attempt, puts)
    };
    puts.push(Put::insert(&DueDelivery::of(&attempt, stamp.now(), stamp.now())));
    Ok((attempt, puts))
}
