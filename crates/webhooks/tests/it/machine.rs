//! Whatever happens to an event, it ends delivered, failed or parked.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use racun_kernel::Stamp;
use racun_store::{Put, PutKind};
use racun_webhooks::{
    Delivery, DeliveryStatus, DueDelivery, Endpoint, Schedule, resume, settle, take,
};
use time::Duration;

use crate::world::{START, answered, at_start, delivery, endpoint};

/// What may happen next.
#[derive(Debug, Clone, Copy)]
enum Move {
    /// A worker takes what is due, and the receiver answers so.
    Attempt(u16),
    /// A worker takes what is due, and dies.
    Die,
    Pause,
    Resume,
    /// What is parked or has failed is put into the queue.
    Replay,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => prop::sample::select(vec![200, 301, 404, 500]).prop_map(Move::Attempt),
        1 => Just(Move::Die),
        1 => Just(Move::Pause),
        2 => Just(Move::Resume),
        1 => Just(Move::Replay),
    ];
    prop::collection::vec(one, 1..60)
}

/// The rows of one event.
struct World {
    endpoint: Endpoint,
    log: BTreeMap<String, Delivery>,
    queue: BTreeMap<String, DueDelivery>,
    posted: Vec<Delivery>,
}

impl World {
    fn write(&mut self, puts: Vec<Put>) {
        for put in puts {
            match (put.table.name, put.kind) {
                ("due_deliveries", PutKind::Delete) => {
                    assert!(self.queue.remove(&put.id).is_some());
                }
                ("due_deliveries", kind) => {
                    let row = serde_json::from_str(&put.body).unwrap();
                    let there = self.queue.insert(put.id, row).is_some();
                    assert_eq!(there, kind == PutKind::Update);
                }
                (_, kind) => {
                    let row = serde_json::from_str(&put.body).unwrap();
                    let there = self.log.insert(put.id, row).is_some();
                    assert_eq!(there, kind == PutKind::Update);
                }
            }
        }
    }

    fn step(&mut self, next: Move, stamp: &Stamp) {
        match next {
            Move::Pause => self.endpoint.active = false,
            Move::Resume => {
                self.endpoint.active = true;
                self.endpoint.disabled_reason = None;
            }
            Move::Replay => self.replay(stamp),
            Move::Die => drop(self.take(stamp)),
            Move::Attempt(status) => {
                for (attempt, due) in self.take(stamp) {
                    self.posted.push(attempt.clone());
                    let schedule = Schedule::default();
                    let outcome = answered(status);
                    let endpoint = Some(&mut self.endpoint);
                    let settled = settle(&attempt, &due, &outcome, endpoint, &schedule, stamp);
                    self.write(settled.puts);
                }
            }
        }
    }

    fn take(&mut self, stamp: &Stamp) -> Vec<(Delivery, DueDelivery)> {
        let due: Vec<_> =
            self.queue.values().filter(|due| due.due_at <= stamp.now()).cloned().collect();
        let mut taken = Vec::new();
        for due in due {
            let row = self.log.get(&due.delivery_id).cloned();
            let (endpoint, schedule) = (Some(&self.endpoint), Schedule::default());
            let taking = take(&due, row, endpoint, "worker", &schedule, stamp);
            self.write(taking.puts);
            taken.extend(taking.send);
        }
        taken
    }

    fn replay(&mut self, stamp: &Stamp) {
        let open: Vec<_> = self.log.values().filter(|row| row.is_open()).cloned().collect();
        for row in open.into_iter().filter(|_| self.endpoint.active) {
            let schedule = Schedule::default();
            let again = if row.status == DeliveryStatus::Parked {
                resume(&row, &self.endpoint, &schedule, stamp)
            } else {
                let replayed_at = Some(stamp.now());
                self.log.insert(row.id.to_string(), Delivery { replayed_at, ..row.clone() });
                row.again(&self.endpoint, &schedule, stamp)
            };
            let due = DueDelivery::of(&again, stamp.now(), stamp.now());
            assert!(self.queue.insert(due.id.clone(), due).is_none(), "two in one place");
            self.log.insert(again.id.to_string(), again);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn an_event_is_never_lost_and_never_in_two_places(moves in moves()) {
        let mut stamp = at_start();
        let (endpoint, _) = endpoint(&stamp);
        let first = delivery(&endpoint, &stamp);
        let due = DueDelivery::of(&first, START, START);
        let mut world = World {
            endpoint,
            log: BTreeMap::from([(first.id.to_string(), first)]),
            queue: BTreeMap::from([(due.id.clone(), due)]),
            posted: Vec::new(),
        };
        for next in moves {
            world.step(next, &stamp);
            stamp = stamp.at(stamp.now() + Duration::hours(3));
            let open = world.log.values().filter(|row| row.is_open()).count();
            let arrived =
                world.log.values().filter(|row| row.status == DeliveryStatus::Success).count();
            let places = world.queue.len() + open + arrived;
            prop_assert!(world.queue.len() + open <= 1, "waits in two places");
            prop_assert!(places >= 1, "lost");
            prop_assert!(!world.endpoint.active || world.endpoint.disabled_reason.is_none());
            for row in world.log.values() {
                prop_assert!(row.attempt <= row.max_attempts);
                let waits = matches!(row.status, DeliveryStatus::Pending | DeliveryStatus::Parked);
                prop_assert_eq!(row.completed_at.is_none(), waits);
            }
        }
        let ids: BTreeSet<_> = world.posted.iter().map(|row| row.id).collect();
        prop_assert!(world.posted.iter().all(|row| row.event_id == "evt_1"));
        prop_assert!(ids.len() == world.posted.len(), "no attempt has the id of another");
    }
}
