//! The queue: what is to be sent, when, and what follows from what came of it.

use racun_kernel::{
    Clause, Field, FieldKind, ListQuery, Operator, Order, Put, Record, Stamp, Table, Tenant, Value,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::{
    Answer, Delivery, DeliveryStatus, Endpoint, EndpointId, Owner, Schedule, Undelivered, Verdict,
    judge,
};

/// How long whoever takes deliveries may be busy with them before others take them. A worker begins to
/// post in the first half of it, and a receiver has 15 seconds.
pub const LEASE: Duration = Duration::seconds(45);

/// A delivery that is to be sent: what workers find it by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueDelivery {
    /// The row of [`crate::DELIVERIES`] that it is about: the attempt to make, or the one that failed
    /// before it. Also this row's id.
    pub delivery_id: String,
    /// The endpoint.
    pub endpoint_id: EndpointId,
    /// Whose it is.
    pub owner: Owner,
    /// When it is to be sent; while it is being sent, when others may take it.
    #[serde(with = "time::serde::rfc3339")]
    pub due_at: OffsetDateTime,
    /// Who sends it, while somebody does.
    pub taken_by: Option<String>,
    /// When it was put into the queue.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// Where due deliveries are kept: in the directory, where workers look for those of all tenants.
pub static DUE_DELIVERIES: Table = Table {
    name: "due_deliveries",
    fields: &[
        Field::id(),
        Field::column("endpoint_id", FieldKind::Text).indexed(),
        Field::column("due_at", FieldKind::Instant).indexed(),
        Field::column("created_at", FieldKind::Instant),
    ],
};

impl Record for DueDelivery {
    fn table(&self) -> &'static Table {
        &DUE_DELIVERIES
    }

    fn id(&self) -> String {
        self.delivery_id.clone()
    }

    fn tenant(&self) -> Tenant {
        Tenant::directory()
    }

    fn values(&self) -> Vec<Value> {
        let endpoint_id = self.endpoint_id.to_string();
        vec![
            (&self.delivery_id).into(),
            endpoint_id.into(),
            self.due_at.into(),
            self.created_at.into(),
        ]
    }
}

impl DueDelivery {
    /// What lets `delivery`, or the attempt after it, be sent at `due_at`.
    #[must_use]
    pub fn of(delivery: &Delivery, due_at: OffsetDateTime, stamp: &Stamp) -> Self {
        Self {
            delivery_id: delivery.id.to_string(),
            endpoint_id: delivery.endpoint_id,
            owner: delivery.owner,
            due_at,
            taken_by: None,
            created_at: stamp.now(),
        }
    }

    /// The same row while `worker` sends it.
    #[must_use]
    pub fn taken(&self, worker: &str, now: OffsetDateTime) -> Self {
        Self { due_at: now + LEASE, taken_by: Some(worker.to_owned()), ..self.clone() }
    }
}

/// The `limit` deliveries that have waited longest at `now`, but for those of the endpoints `busy`.
#[must_use]
pub fn due_by(now: OffsetDateTime, busy: &[String], limit: usize) -> ListQuery {
    let mut clauses = vec![Clause::on(&DUE_DELIVERIES, "due_at", Operator::Lte(now.into()))];
    if !busy.is_empty() {
        let busy = busy.iter().map(Value::from).collect();
        clauses.push(Clause::on(&DUE_DELIVERIES, "endpoint_id", Operator::NotIn(busy)));
    }
    let order = ["due_at", "id"].map(|name| Order::on(&DUE_DELIVERIES, name, false)).to_vec();
    let first = ListQuery::first_page(&DUE_DELIVERIES);
    ListQuery { limit, count: false, order, clauses, ..first }
}

/// What becomes of a due delivery when a worker takes it.
#[derive(Debug, Default)]
pub struct Taking {
    /// The attempt to make now; `None` when there is none.
    pub send: Option<(Delivery, DueDelivery)>,
    /// What is written.
    pub puts: Vec<Put>,
}

/// Takes `due`, whose row `delivery` is, for `worker`.
///
/// What somebody else took whose lease is over was interrupted: nobody knows whether it arrived, so it
/// is sent once more, as the same event under another delivery's id. A test is not. When the endpoint
/// is gone, nothing is sent; when it is not active, the event is parked.
#[must_use]
pub fn take(
    due: &DueDelivery,
    delivery: Option<Delivery>,
    endpoint: Option<&Endpoint>,
    worker: &str,
    stamp: &Stamp,
) -> Taking {
    let mut taking = Taking { send: None, puts: vec![Put::delete(due)] };
    let Some(before) = delivery else { return taking };
    let Some(endpoint) = endpoint else {
        if before.status == DeliveryStatus::Pending {
            taking.puts.push(end(&before, "the webhook was deleted", stamp));
        }
        return taking;
    };
    let was_interrupted = due.taken_by.is_some();
    if was_interrupted {
        let why = "the server stopped while this was sent; whether it arrived is not known";
        taking.puts.push(end(&before, why, stamp));
        if before.is_test {
            return taking;
        }
    }
    let sends = endpoint.active || before.is_test;
    let begun = |mut attempt: Delivery, due: DueDelivery| {
        attempt.first_attempt_at.get_or_insert(stamp.now());
        Some((attempt, due))
    };
    let attempt = match (before.status, was_interrupted) {
        (DeliveryStatus::Pending, false) if sends => {
            taking.puts = vec![Put::update(due, &due.taken(worker, stamp.now()))];
            taking.send = begun(before, due.taken(worker, stamp.now()));
            return taking;
        }
        (DeliveryStatus::Pending, false) => {
            let parked = Delivery { status: DeliveryStatus::Parked, ..before.clone() };
            taking.puts.push(Put::update(&before, &parked));
            return taking;
        }
        (DeliveryStatus::Pending, true) => before.another(endpoint, stamp),
        (DeliveryStatus::Failed, _) => before.next(endpoint, stamp),
        (DeliveryStatus::Success | DeliveryStatus::Parked, _) => return taking,
    };
    if sends {
        let due = DueDelivery::of(&attempt, stamp.now(), stamp).taken(worker, stamp.now());
        taking.puts.extend([Put::insert(&attempt), Put::insert(&due)]);
        taking.send = begun(attempt, due);
    } else {
        let parked = Delivery { status: DeliveryStatus::Parked, ..attempt };
        taking.puts.push(Put::insert(&parked));
    }
    taking
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
/// When the last attempt failed, the endpoint is disabled, if it is active. A status that refuses for
/// good ends the delivery of this event only: a receiver that refuses one event may take others.
#[must_use]
pub fn settle(
    before: &Delivery,
    due: &DueDelivery,
    outcome: &Result<Answer, Undelivered>,
    endpoint: Option<&mut Endpoint>,
    schedule: &Schedule,
    stamp: &Stamp,
) -> Settled {
    let now = stamp.now();
    let verdict = judge(before.generation, outcome);
    let mut delivery = before.clone();
    delivery.note(outcome, verdict == Verdict::Delivered);
    delivery.completed_at = Some(now);
    let first_at = *delivery.first_attempt_at.get_or_insert(now);
    if verdict == Verdict::Failed && delivery.attempt < delivery.max_attempts {
        delivery.next_retry_at =
            schedule.next_at(delivery.generation, delivery.attempt, first_at, now);
    }
    let exhausted =
        verdict == Verdict::Failed && delivery.next_retry_at.is_none() && !delivery.is_test;
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

/// The row of `parked`, which is to be sent now that its endpoint is active, from its first attempt on.
#[must_use]
pub fn unpark(
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
pub fn give_back(due: &DueDelivery, stamp: &Stamp) -> Put {
    Put::update(due, &DueDelivery { due_at: stamp.now(), taken_by: None, ..due.clone() })
}
