//! The queue: what is to be sent, when, and what follows from what came of it.

use racun_kernel::{Stamp, Tenant};
use racun_store::{Clause, Field, ListQuery, Operator, Order, Put};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    AttemptVerdict, Delivery, DeliveryStatus, Endpoint, EndpointId, Owner, ReceiverResponse,
    Schedule, Undelivered, judge,
};

/// An event that is to be sent to an endpoint: what workers find its deliveries by. It keeps its
/// place from attempt to attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueDelivery {
    /// Its id: that of the first of the deliveries.
    pub id: String,
    /// The row of [`crate::DELIVERIES`] that it is about: the attempt to make, or the one that
    /// failed before it.
    pub delivery_id: String,
    /// The endpoint.
    pub endpoint_id: EndpointId,
    /// Whose it is.
    pub owner: Owner,
    /// When it is to be sent; while it is being sent, when others may take it.
    #[serde(with = "time::serde::rfc3339")]
    pub due_at: OffsetDateTime,
    /// The worker that sends it, while one does.
    pub taken_by: Option<String>,
    /// Its place in the queue of its endpoint: the time of the event, or of the request to replay
    /// it.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where due deliveries are kept: in the directory, where workers look for those of all
    /// tenants.
    pub static DUE_DELIVERIES: DueDelivery = "due_deliveries";
    |due|
    id: due.id,
    tenant: Tenant::directory(),
    fields: {
        Field::id() => due.id,
        Field::text("endpoint_id").indexed() => due.endpoint_id.to_string(),
        Field::instant("due_at").indexed() => due.due_at,
        Field::instant("created_at") => due.created_at,
    }
}

impl DueDelivery {
    /// What lets `delivery` and the attempts after it be sent, from `due_at` on, of what happened,
    /// or was asked for, at `came_at`. A test clock may be ahead: what came later than it is due
    /// came then.
    #[must_use]
    pub fn of(delivery: &Delivery, due_at: OffsetDateTime, came_at: OffsetDateTime) -> Self {
        Self {
            id: delivery.id.to_string(),
            delivery_id: delivery.id.to_string(),
            endpoint_id: delivery.endpoint_id,
            owner: delivery.owner,
            due_at,
            taken_by: None,
            created_at: came_at.min(due_at),
        }
    }

    /// The same row while `worker` sends it, who has until `until`.
    #[must_use]
    pub fn taken(&self, worker: &str, until: OffsetDateTime) -> Self {
        Self { due_at: until, taken_by: Some(worker.to_owned()), ..self.clone() }
    }
}

/// The `limit` deliveries that have waited longest at `now`, but for those of the endpoints `busy`:
/// by them workers find endpoints to work for.
#[must_use]
pub fn due_by(now: OffsetDateTime, busy: &[EndpointId], limit: usize) -> ListQuery {
    let mut query = ListQuery { limit, ..ListQuery::due_by(&DUE_DELIVERIES, "due_at", now.into()) };
    if !busy.is_empty() {
        let busy = busy.iter().map(|endpoint| endpoint.to_string().into()).collect();
        query.clauses.push(Clause::on(&DUE_DELIVERIES, "endpoint_id", Operator::NotIn(busy)));
    }
    query
}

/// The `limit` deliveries of `endpoint` that are due at `now` and whose events came first.
///
/// Another attempt at an old event goes before the first attempt at a newer one. So an endpoint
/// that takes nothing has soon had the last attempt at something, is disabled, and is left in
/// peace.
#[must_use]
pub fn due_for(endpoint: &EndpointId, now: OffsetDateTime, limit: usize) -> ListQuery {
    // `due_by` with another order. What is due came before now, so the last clause is true of all
    // of it. Stores see by it that the index of this order is of more use than the one on what is
    // due, of which there may be much for others.
    let mut query = due_by(now, &[], limit);
    query.order = vec![Order::on(&DUE_DELIVERIES, "created_at", false)];
    let endpoint = Operator::Equals(endpoint.to_string().into());
    query.clauses.insert(0, Clause::on(&DUE_DELIVERIES, "endpoint_id", endpoint));
    query.clauses.push(Clause::on(&DUE_DELIVERIES, "created_at", Operator::Lte(now.into())));
    query
}

/// What becomes of a due delivery when a worker takes it.
#[derive(Debug, Default)]
pub struct LeaseAttempt {
    /// The attempt to make now; `None` when there is none.
    pub send: Option<(Delivery, DueDelivery)>,
    /// What is written.
    pub puts: Vec<Put>,
}

/// Takes `due`, whose row `delivery` is, for `worker`.
///
/// A delivery of another worker whose lease has expired was interrupted, and may have arrived or
/// not. So the same event is sent once more, under a new delivery id; a test event is not. When the
/// endpoint is gone, nothing is sent; when it is not active, the event is parked.
#[must_use]
pub fn take(
    due: &DueDelivery,
    delivery: Option<Delivery>,
    endpoint: Option<&Endpoint>,
    worker: &str,
    schedule: &Schedule,
    stamp: &Stamp,
) -> LeaseAttempt {
    let (attempt, log) = match (delivery, endpoint) {
        (None, _) => (None, Vec::new()),
        (Some(before), None) => {
            let is_open = before.status == DeliveryStatus::Pending;
            let ended = is_open.then(|| end(&before, "the webhook was deleted", stamp));
            (None, ended.into_iter().collect())
        }
        (Some(before), Some(endpoint)) => begin(due.taken_by.is_some(), before, endpoint, stamp),
    };
    let until = stamp.now() + schedule.lease();
    let send = attempt.map(|attempt| {
        let delivery_id = attempt.id.to_string();
        (attempt, DueDelivery { delivery_id, ..due.taken(worker, until) })
    });
    let place = match &send {
        Some((_, taken)) => Put::update(due, taken),
        None => Put::delete(due),
    };
    LeaseAttempt { send, puts: std::iter::once(place).chain(log).collect() }
}

/// The attempt to make, of or after `before`, and what is written in the log.
fn begin(
    was_interrupted: bool,
    before: Delivery,
    endpoint: &Endpoint,
    stamp: &Stamp,
) -> (Option<Delivery>, Vec<Put>) {
    let mut log = Vec::new();
    if was_interrupted {
        let why = "the server stopped while this was sent; whether it arrived is not known";
        log.push(end(&before, why, stamp));
        if before.is_test {
            return (None, log);
        }
    }
    let (attempt, is_new) = match (before.status, was_interrupted) {
        (DeliveryStatus::Pending, false) => (before.clone(), false),
        (DeliveryStatus::Pending, true) => (before.another(endpoint, stamp), true),
        (DeliveryStatus::Failed, _) => (before.next(endpoint, stamp), true),
        (DeliveryStatus::Success | DeliveryStatus::Parked, _) => return (None, log),
    };
    if endpoint.active || before.is_test {
        log.extend(is_new.then(|| Put::insert(&attempt)));
        let first_attempt_at = attempt.first_attempt_at.or(Some(stamp.now()));
        return (Some(Delivery { first_attempt_at, ..attempt }), log);
    }
    let parked = Delivery { status: DeliveryStatus::Parked, ..attempt };
    log.push(if is_new { Put::insert(&parked) } else { Put::update(&before, &parked) });
    (None, log)
}

/// The row of an attempt that ended without an answer.
fn end(before: &Delivery, why: &str, stamp: &Stamp) -> Put {
    let mut after = before.clone();
    // What follows is another row, so this one is not left open; but for a test, nothing else does.
    after.replayed_at = Some(stamp.now());
    after.completed_at = Some(stamp.now());
    after.note(&Err(Undelivered::Failed(why.to_owned())), false);
    Put::update(before, &after)
}

/// What follows from what came of an attempt.
#[derive(Debug)]
pub struct Settled {
    /// The attempt as it ended.
    pub delivery: Delivery,
    /// What is written, but for the endpoint.
    pub puts: Vec<Put>,
    /// Whether this disabled the endpoint.
    pub disabled: bool,
}

/// Ends the attempt `before`, which `due` stands for, with `outcome`, and notes it on the endpoint.
///
/// When the last attempt failed, the endpoint is disabled, if it is active. A status that refuses
/// for good ends the delivery of this event only: a receiver that refuses one event may take
/// others.
#[must_use]
pub fn settle(
    before: &Delivery,
    due: &DueDelivery,
    outcome: &Result<ReceiverResponse, Undelivered>,
    endpoint: Option<&mut Endpoint>,
    schedule: &Schedule,
    stamp: &Stamp,
) -> Settled {
    let now = stamp.now();
    let verdict = judge(before.generation, outcome);
    let mut delivery = before.clone();
    delivery.note(outcome, verdict == AttemptVerdict::Delivered);
    delivery.completed_at = Some(now);
    let first_at = *delivery.first_attempt_at.get_or_insert(now);
    if verdict == AttemptVerdict::Failed && delivery.attempt < delivery.max_attempts {
        delivery.next_retry_at =
            schedule.next_at(delivery.generation, delivery.attempt, first_at, now);
    }
    let exhausted =
        verdict == AttemptVerdict::Failed && delivery.next_retry_at.is_none() && !delivery.is_test;
    let mut disabled = false;
    if let Some(endpoint) = endpoint {
        endpoint.last_delivery_at = Some(now);
        endpoint.last_error.clone_from(&delivery.error_message);
        if exhausted {
            let (attempt, kind) = (delivery.attempt, &delivery.event_type);
            let error = delivery.error_message.as_deref().unwrap_or_default();
            let reason = format!("{attempt} attempts to deliver {kind} failed; the last: {error}");
            disabled = endpoint.disable(reason, now);
        }
    }
    let mut puts = vec![Put::update(before, &delivery)];
    puts.push(match delivery.next_retry_at {
        None => Put::delete(due),
        Some(due_at) => Put::update(due, &DueDelivery { due_at, taken_by: None, ..due.clone() }),
    });
    Settled { delivery, puts, disabled }
}

/// The row of `parked`, which is to be sent now that its endpoint is active, from its first attempt
/// on.
#[must_use]
pub fn resume(
    parked: &Delivery,
    endpoint: &Endpoint,
    schedule: &Schedule,
    stamp: &Stamp,
) -> Delivery {
    let (id, created_at) = (parked.id, parked.created_at);
    Delivery { id, created_at, ..parked.again(endpoint, schedule, stamp) }
}

/// Gives back what was taken and not sent.
#[must_use]
pub fn release(due: &DueDelivery, stamp: &Stamp) -> Put {
    Put::update(due, &DueDelivery { due_at: stamp.now(), taken_by: None, ..due.clone() })
}
