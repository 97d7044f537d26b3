//! From attempt to attempt.

use racun_kernel::{Put, PutKind};
use racun_webhooks::{
    Delivery, DeliveryStatus, DueDelivery, Endpoint, LEASE, PERMANENT_STATUSES, Schedule, Settled,
    Undelivered, settle, take,
};
use time::Duration;

use crate::world::{START, answered, at_start, delivery, endpoint, told};

fn due(delivery: &Delivery) -> DueDelivery {
    DueDelivery::of(delivery, START, &at_start())
}

fn kinds(puts: &[Put]) -> Vec<(PutKind, &'static str)> {
    puts.iter().map(|put| (put.kind, put.table.name)).collect()
}

/// The statuses of the deliveries that `puts` leave.
fn left(puts: &[Put]) -> Vec<DeliveryStatus> {
    let of_log = puts.iter().filter(|put| put.table.name == "webhook_deliveries");
    of_log.map(|put| serde_json::from_str::<Delivery>(&put.body).unwrap().status).collect()
}

fn attempt(
    delivery: &Delivery,
    outcome: &Result<racun_webhooks::Answer, Undelivered>,
    endpoint: &mut Endpoint,
) -> Settled {
    let (schedule, stamp) = (Schedule::default(), at_start());
    settle(delivery, &due(delivery), outcome, Some(endpoint), &schedule, &stamp)
}

#[test]
fn an_event_that_arrives_leaves_the_queue() {
    let stamp = at_start();
    let (mut endpoint, _) = endpoint(&stamp);
    let settled = attempt(&delivery(&endpoint, &stamp), &answered(204), &mut endpoint);
    assert_eq!(settled.delivery.status, DeliveryStatus::Success);
    assert_eq!(settled.delivery.response_status, Some(204));
    assert_eq!((settled.delivery.duration_ms, settled.delivery.error_message), (Some(12), None));
    let expected = [(PutKind::Update, "webhook_deliveries"), (PutKind::Delete, "due_deliveries")];
    assert_eq!(kinds(&settled.puts), expected);
    assert!(endpoint.active && endpoint.last_delivery_at == Some(START));
    assert_eq!(endpoint.last_error, None);
}

#[test]
fn permanent_statuses_end_the_delivery_and_leave_the_endpoint_active() {
    let stamp = at_start();
    for status in PERMANENT_STATUSES {
        let (mut endpoint, _) = endpoint(&stamp);
        let settled = attempt(&delivery(&endpoint, &stamp), &answered(status), &mut endpoint);
        assert_eq!(settled.delivery.status, DeliveryStatus::Failed, "{status}");
        assert_eq!(settled.delivery.next_retry_at, None, "{status}");
        assert!(settled.delivery.is_open() && endpoint.active && !settled.disabled, "{status}");
        assert!(endpoint.last_error.as_deref().unwrap().contains(&status.to_string()));
    }
}

#[test]
fn an_endpoint_is_disabled_after_the_fifth_attempt_and_once() {
    let stamp = at_start();
    let (mut endpoint, _) = endpoint(&stamp);
    let (mut row, mut ids, mut waits) = (delivery(&endpoint, &stamp), Vec::new(), Vec::new());
    let mut disabled = Vec::new();
    loop {
        ids.push(row.id);
        assert_eq!((row.event_id.as_str(), row.request_body == told().body()), ("evt_1", true));
        let settled = attempt(&row, &answered(500), &mut endpoint);
        disabled.push(settled.disabled);
        let Some(next_at) = settled.delivery.next_retry_at else { break };
        waits.push((next_at - START).whole_seconds());
        let due = DueDelivery::of(&settled.delivery, next_at, &stamp);
        let taking = take(&due, Some(settled.delivery), Some(&endpoint), "worker", &stamp);
        row = taking.send.unwrap().0;
    }
    assert_eq!(waits, [60, 300, 1_800, 7_200]);
    assert_eq!(disabled, [false, false, false, false, true]);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5, "each attempt has an id of its own");
    assert!(!endpoint.active);
    assert!(endpoint.disabled_reason.as_deref().unwrap().contains("5 attempts"));
    let last = Delivery { attempt: 5, ..delivery(&endpoint, &stamp) };
    let late = Delivery { status: DeliveryStatus::Pending, ..last };
    assert!(!attempt(&late, &answered(500), &mut endpoint).disabled, "it is disabled already");
}

#[test]
fn what_is_taken_for_an_endpoint_that_is_not_active_is_parked() {
    let stamp = at_start();
    let (mut endpoint, _) = endpoint(&stamp);
    let first = delivery(&endpoint, &stamp);
    endpoint.active = false;
    assert_eq!(delivery(&endpoint, &stamp).status, DeliveryStatus::Parked);
    let taking = take(&due(&first), Some(first.clone()), Some(&endpoint), "worker", &stamp);
    assert!(taking.send.is_none());
    assert_eq!(left(&taking.puts), [DeliveryStatus::Parked]);
    let failed = Delivery { status: DeliveryStatus::Failed, ..first };
    let taking = take(&due(&failed), Some(failed), Some(&endpoint), "worker", &stamp);
    assert!(taking.send.is_none());
    assert_eq!(left(&taking.puts), [DeliveryStatus::Parked], "its next attempt");
}

#[test]
fn what_was_interrupted_is_sent_again_as_the_same_event() {
    let stamp = at_start();
    let (endpoint, _) = endpoint(&stamp);
    let first = delivery(&endpoint, &stamp);
    let taken = due(&first).taken("somebody", START);
    assert_eq!(taken.due_at, START + LEASE);
    let later = stamp.at(START + LEASE);
    let taking = take(&taken, Some(first.clone()), Some(&endpoint), "worker", &later);
    let (again, due) = taking.send.unwrap();
    assert_ne!(again.id, first.id);
    assert_eq!((again.event_id, again.attempt), (first.event_id.clone(), first.attempt));
    assert_eq!(due.taken_by.as_deref(), Some("worker"));
    assert_eq!(left(&taking.puts), [DeliveryStatus::Failed, DeliveryStatus::Pending]);

    let test = Delivery::test(&endpoint, &told(), &stamp);
    let taken = DueDelivery::of(&test, START, &stamp).taken("somebody", START);
    let taking = take(&taken, Some(test), Some(&endpoint), "worker", &later);
    assert!(taking.send.is_none(), "a test is tried once");
    assert_eq!(left(&taking.puts), [DeliveryStatus::Failed]);
}

#[test]
fn nothing_is_sent_to_an_endpoint_that_is_gone() {
    let stamp = at_start();
    let (endpoint, _) = endpoint(&stamp);
    let first = delivery(&endpoint, &stamp);
    let taking = take(&due(&first), Some(first), None, "worker", &stamp);
    assert!(taking.send.is_none());
    let expected = [(PutKind::Delete, "due_deliveries"), (PutKind::Update, "webhook_deliveries")];
    assert_eq!(kinds(&taking.puts), expected);
}

#[test]
fn a_test_that_fails_disables_nothing_and_is_not_tried_again() {
    let stamp = at_start();
    let (mut endpoint, _) = endpoint(&stamp);
    let test = Delivery::test(&endpoint, &told(), &stamp);
    let failed = Err(Undelivered::Failed("nobody\0 listens".to_owned()));
    let settled = attempt(&test, &failed, &mut endpoint);
    assert_eq!((settled.delivery.next_retry_at, settled.disabled), (None, false));
    assert_eq!(settled.delivery.error_message.as_deref(), Some("nobody listens"));
    assert!(endpoint.active && !settled.delivery.is_open());
    assert_eq!(settled.delivery.completed_at, Some(START + Duration::ZERO));
}
