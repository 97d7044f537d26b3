//! From attempt to attempt.

use std::collections::BTreeMap;

use racun_store::{Put, PutKind, evaluate};
use racun_webhooks::{
    Delivery, DeliveryStatus, DueDelivery, Endpoint, PERMANENT_STATUSES, Schedule, Settled,
    Undelivered, due_by, due_for, settle, take,
};
use time::Duration;

use crate::world::{START, answered, at_start, delivery, endpoint, told};

fn due(delivery: &Delivery) -> DueDelivery {
    DueDelivery::of(delivery, START, START)
}

fn schedule() -> Schedule {
    Schedule::default()
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
    outcome: &Result<racun_webhooks::ReceiverResponse, Undelivered>,
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
        let due = DueDelivery::of(&settled.delivery, next_at, START);
        let taking =
            take(&due, Some(settled.delivery), Some(&endpoint), "worker", &schedule(), &stamp);
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
fn another_attempt_goes_before_the_first_one_at_what_came_later() {
    let (stamp, at) = (at_start(), |seconds| START + Duration::seconds(seconds));
    let (mut endpoint, _) = endpoint(&stamp);
    let rows = [1, 2, 3].map(|came| {
        let first = delivery(&endpoint, &stamp);
        DueDelivery::of(&first, at(came), at(came))
    });
    let [old, ..] = rows.clone();
    let now = stamp.at(at(100));
    let taking =
        take(&old, Some(delivery(&endpoint, &stamp)), Some(&endpoint), "a", &schedule(), &now);
    let (attempt, taken) = taking.send.unwrap();
    let settled = settle(&attempt, &taken, &answered(500), Some(&mut endpoint), &schedule(), &now);
    let again: DueDelivery = serde_json::from_str(&settled.puts[1].body).unwrap();
    assert_eq!((&again.id, again.created_at, again.due_at), (&old.id, at(1), at(160)));
    let [_, second, third] = rows;
    let queue = vec![third.clone(), again.clone(), second.clone()];
    let found = |seconds| evaluate(&queue, &due_for(&endpoint.id, at(seconds), 10)).rows;
    assert_eq!(found(159), [second.clone(), third.clone()], "it waits");
    assert_eq!(found(160), [again.clone(), second.clone(), third.clone()]);
    // What has waited longest tells whose turn it is, and not which of its events.
    assert_eq!(evaluate(&queue, &due_by(at(160), &[], 10)).rows, [second, third, again]);
    assert_eq!(evaluate(&queue, &due_by(at(160), &[endpoint.id], 10)).rows, []);
}

#[test]
fn deliveries_of_a_test_clock_are_due_at_its_time() {
    let stamp = at_start();
    let (endpoint, _) = endpoint(&stamp);
    let ahead = DueDelivery::of(&delivery(&endpoint, &stamp), START, START + Duration::days(9));
    let queue = vec![ahead.clone()];
    assert_eq!(evaluate(&queue, &due_for(&endpoint.id, START, 10)).rows, [ahead]);
}

#[test]
fn an_endpoint_that_is_silent_is_soon_disabled_however_much_waits_for_it() {
    let stamp = at_start();
    let (mut endpoint, _) = endpoint(&stamp);
    let hasty = Schedule::new([0, 1, 1, 1, 1].map(Duration::seconds).to_vec());
    let (mut log, mut queue) = (BTreeMap::new(), BTreeMap::new());
    for n in 0..1_000 {
        let row = delivery(&endpoint, &stamp);
        let due = DueDelivery::of(&row, START, START + Duration::milliseconds(n));
        log.insert(row.id.to_string(), row);
        queue.insert(due.id.clone(), due);
    }
    let (mut now, mut attempts) = (START + Duration::seconds(1), 0);
    while endpoint.active {
        let rows: Vec<_> = queue.values().cloned().collect();
        let share = evaluate(&rows, &due_for(&endpoint.id, now, 4)).rows;
        let (begun, over) = (stamp.at(now), stamp.at(now + Duration::seconds(1)));
        let taken = share.iter().filter_map(|due| {
            let before = log.get(&due.delivery_id).cloned();
            take(due, before, Some(&endpoint), "a", &hasty, &begun).send
        });
        for (attempt, taken) in taken.collect::<Vec<_>>() {
            let silence = Err(Undelivered::Failed("no answer".to_owned()));
            let settled = settle(&attempt, &taken, &silence, Some(&mut endpoint), &hasty, &over);
            log.insert(attempt.id.to_string(), settled.delivery);
            for put in settled.puts.iter().filter(|put| put.table.name == "due_deliveries") {
                queue.remove(&put.id);
                if put.kind == PutKind::Update {
                    queue.insert(put.id.clone(), serde_json::from_str(&put.body).unwrap());
                }
            }
            attempts += 1;
        }
        now += Duration::seconds(1);
    }
    // While the first four wait for a second, others have their turn for one.
    assert_eq!((now - START, attempts), (Duration::seconds(10), 4 * 9));
}

#[test]
fn deliveries_to_inactive_endpoints_are_parked() {
    let stamp = at_start();
    let (mut endpoint, _) = endpoint(&stamp);
    let first = delivery(&endpoint, &stamp);
    endpoint.active = false;
    assert_eq!(delivery(&endpoint, &stamp).status, DeliveryStatus::Parked);
    let taking =
        take(&due(&first), Some(first.clone()), Some(&endpoint), "worker", &schedule(), &stamp);
    assert!(taking.send.is_none());
    assert_eq!(left(&taking.puts), [DeliveryStatus::Parked]);
    let failed = Delivery { status: DeliveryStatus::Failed, ..first };
    let taking = take(&due(&failed), Some(failed), Some(&endpoint), "worker", &schedule(), &stamp);
    assert!(taking.send.is_none());
    assert_eq!(left(&taking.puts), [DeliveryStatus::Parked], "its next attempt");
}

#[test]
fn interrupted_deliveries_are_repeated_as_the_same_event() {
    let stamp = at_start();
    let (endpoint, _) = endpoint(&stamp);
    let first = delivery(&endpoint, &stamp);
    let taken = due(&first).taken("somebody", START + schedule().lease());
    let later = stamp.at(START + schedule().lease());
    let taking = take(&taken, Some(first.clone()), Some(&endpoint), "worker", &schedule(), &later);
    let (again, due) = taking.send.unwrap();
    assert_ne!(again.id, first.id);
    assert_eq!((again.event_id, again.attempt), (first.event_id.clone(), first.attempt));
    assert_eq!(due.taken_by.as_deref(), Some("worker"));
    assert_eq!(due.due_at, START + Duration::seconds(45 + 45), "others may take it then");
    assert_eq!(left(&taking.puts), [DeliveryStatus::Failed, DeliveryStatus::Pending]);

    let test = Delivery::test(&endpoint, &told(), &stamp);
    let taken = DueDelivery::of(&test, START, START).taken("somebody", START);
    let taking = take(&taken, Some(test), Some(&endpoint), "worker", &schedule(), &later);
    assert!(taking.send.is_none(), "a test is tried once");
    assert_eq!(left(&taking.puts), [DeliveryStatus::Failed]);
}

#[test]
fn nothing_is_sent_to_an_endpoint_that_is_gone() {
    let stamp = at_start();
    let (endpoint, _) = endpoint(&stamp);
    let first = delivery(&endpoint, &stamp);
    let taking = take(&due(&first), Some(first), None, "worker", &schedule(), &stamp);
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
