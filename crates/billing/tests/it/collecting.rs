//! Bills that are collected by card: each once at most, whatever is declined, lost, told again.

use std::collections::BTreeMap;

use proptest::prelude::*;
use racun_billing::{
    Begun, CardOnFile, ChargeKind, Collection, CollectionState, EndedMonth, Interval, Payer,
    PaymentProvider, Status, Subscription, Sum, Taken, Turn, UsageMonth,
};
use racun_kernel::Stamp;
use racun_store::testing::stamp;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::world::{id, label, plan, start};

const NOW: OffsetDateTime = datetime!(2027-01-01 08:00 UTC);

fn card(name: &str) -> CardOnFile {
    CardOnFile {
        payment_method: name.to_owned(),
        brand: "visa".to_owned(),
        last4: "4242".to_owned(),
    }
}

fn payer(name: &str) -> Payer {
    Payer { customer: "cus_1".to_owned(), payment_method: name.to_owned() }
}

fn subscriber() -> Subscription {
    let own = start(&label(|_| ()), NOW).known_as("cus_1", NOW).with_card(card("good"), NOW);
    let by_card = Some(PaymentProvider::CardProcessor);
    own.choose(&plan("start"), Interval::Monthly, by_card, None, NOW).subscription
}

/// The least that a card is charged.
const LEAST: i64 = 50;
const USUAL: Sum = Sum { cents: 900, minimum: LEAST };

fn begun(collection: Collection, payer: Payer, now: OffsetDateTime) -> (Collection, u32) {
    match collection.begin(Some(payer), USUAL, now) {
        Begun::Charge(collection, attempt) => (*collection, attempt.number),
        other => panic!("{other:?}"),
    }
}

fn declined() -> Taken {
    Taken::Declined("card_declined".to_owned())
}

#[test]
fn a_declined_bill_is_tried_after_one_three_five_and_seven_days_and_then_fails() {
    let (mut collection, mut now) = (Collection::open(NOW), NOW);
    for days in [1, 3, 5, 7] {
        let (after, number) = begun(collection, payer("bad"), now);
        let (after, turn) = after.settle(number, declined(), Some(&payer("bad")), now);
        assert_eq!(turn, Some(Turn::Declined));
        let next = now + Duration::days(days);
        assert_eq!((after.due_at, after.next_look(now)), (Some(next), Some(next)));
        let early = after.clone().begin(Some(payer("bad")), USUAL, next - Duration::SECOND);
        assert_eq!(early, Begun::Waits(next));
        (collection, now) = (after, next);
    }
    let (after, number) = begun(collection, payer("bad"), now);
    let (failed, _) = after.settle(number, declined(), Some(&payer("bad")), now);
    assert_eq!((failed.state, failed.due_at), (CollectionState::Failed, None));
    let later = failed.clone().begin(Some(payer("bad")), USUAL, now + Duration::days(90));
    assert_eq!(later, Begun::Over);
    let (after, number) = begun(failed.hurried(now), payer("good"), now);
    let (paid, turn) = after.settle(number, Taken::Paid("pi_1".to_owned()), None, now);
    assert_eq!((turn, paid.state, paid.attempts), (Some(Turn::Paid), CollectionState::Paid, 6));
    let again = paid.clone().settle(number, Taken::Paid("pi_1".to_owned()), None, now);
    assert_eq!(again, (paid, None), "told again it changes nothing");
}

#[test]
fn an_attempt_without_an_answer_is_made_again_as_it_was() {
    let (collection, number) = begun(Collection::open(NOW), payer("old"), NOW);
    let later = NOW + Duration::minutes(30);
    let again = collection.clone().hurried(later).begin(Some(payer("new")), USUAL, later);
    let Begun::Charge(same, attempt) = again else { panic!("{again:?}") };
    assert_eq!((attempt.number, &attempt.payer), (number, &payer("old")));
    assert_eq!(collection.next_look(later), Some(later + Duration::minutes(30)));
    // Its end may be told by an event only, once the processor forgot its key.
    let forgotten = collection.begin(Some(payer("old")), USUAL, NOW + Duration::hours(21));
    assert!(matches!(forgotten, Begun::Waits(_)), "{forgotten:?}");
    let (after, _) = same.settle(number, declined(), Some(&payer("new")), later);
    assert_eq!(after.due_at, Some(later), "the other card is tried at once");
}

#[test]
fn what_a_bank_takes_its_time_with_is_not_sent_again() {
    let (collection, number) = begun(Collection::open(NOW), payer("good"), NOW);
    let processing = Taken::Processing("pi_1".to_owned());
    let (collection, turn) = collection.settle(number, processing, None, NOW);
    assert_eq!(turn, None);
    let again = collection.clone().begin(Some(payer("good")), USUAL, NOW);
    assert!(matches!(again, Begun::Waits(_)), "{again:?}");
    let other = collection.clone().settle(number + 1, declined(), None, NOW);
    assert_eq!(other, (collection, None), "an attempt that is not its own");
}

#[test]
fn attempts_have_a_bound_whatever_cards_are_given() {
    let mut collection = Collection::open(NOW);
    for n in 0..30 {
        let (after, number) = begun(collection, payer(&format!("bad{n}")), NOW);
        collection = after.settle(number, declined(), None, NOW).0.hurried(NOW);
    }
    assert_eq!(collection.state, CollectionState::Failed);
    assert_eq!(collection.begin(Some(payer("good")), USUAL, NOW), Begun::Over);
}

#[test]
fn what_is_too_little_for_a_card_is_carried_and_never_a_decline() {
    let little = Sum { cents: LEAST - 1, minimum: LEAST };
    let begun_of = Collection::open(NOW).begin(Some(payer("good")), little, NOW);
    let Begun::Carried(carried) = begun_of else { panic!("{begun_of:?}") };
    let counts = (carried.attempts, carried.declines, carried.next_look(NOW));
    assert_eq!((carried.state, counts), (CollectionState::Carried, (0, 0, None)));
    let hurried = carried.clone().hurried(NOW).begin(Some(payer("new")), little, NOW);
    assert_eq!(hurried, Begun::Over, "another card does not pay it, either");
    let told = carried.clone().settle(1, Taken::Paid("pi_1".to_owned()), None, NOW);
    assert_eq!(told, (*carried, None));
    let least = Sum { cents: LEAST, minimum: LEAST };
    let enough = Collection::open(NOW).begin(Some(payer("good")), least, NOW);
    assert!(matches!(enough, Begun::Charge(..)), "{enough:?}");
    // The processor alone knows what the money is changed into.
    let (sent, number) = begun(Collection::open(NOW), payer("good"), NOW);
    let (carried, turn) = sent.settle(number, Taken::TooSmall, Some(&payer("good")), NOW);
    assert_eq!((carried.state, turn), (CollectionState::Carried, Some(Turn::Carried)));
    assert_eq!((carried.attempts, carried.declines, carried.failure), (0, 0, None));
}

#[test]
fn what_is_carried_ends_a_debt_and_is_a_line_of_the_next_bill() {
    let own = subscriber().bill_declined(id(7), NOW).0;
    assert_eq!(own.status, Status::PastDue);
    let own = own.bill_carried(id(7), 15, NOW);
    assert!(own.status == Status::Active && own.owes.is_empty());
    let advanced = own.advance(NOW + Duration::days(31));
    let lines: Vec<_> = advanced.ended[0].charges.iter().map(|one| (one.kind, one.cents)).collect();
    assert_eq!(lines, [(ChargeKind::Plan, 900), (ChargeKind::Carried, 15)]);
    assert_eq!((advanced.ended[0].due.cents, advanced.subscription.carried_cents), (915, 0));
}

#[derive(Debug, Clone)]
enum Step {
    Pass(i64),
    Choose(usize, bool),
    Card(bool),
    Work { is_answered: bool, is_reached: bool },
    Tell(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1..20 * 24_i64).prop_map(Step::Pass),
        2 => (0..3_usize, any::<bool>()).prop_map(|(n, yearly)| Step::Choose(n, yearly)),
        2 => any::<bool>().prop_map(Step::Card),
        6 => (any::<bool>(), any::<bool>())
            .prop_map(|(is_answered, is_reached)| Step::Work { is_answered, is_reached }),
        2 => any::<usize>().prop_map(Step::Tell),
    ]
}

/// A subscription with its bills, and a processor that remembers keys.
struct World {
    own: Subscription,
    now: OffsetDateTime,
    bills: Vec<UsageMonth>,
    /// What became of each key, with the cents that it took.
    taken: BTreeMap<String, (Taken, i64)>,
    charges: i64,
}

impl World {
    fn stamp(&self) -> Stamp {
        stamp(self.now)
    }

    fn note(&mut self, ended: Vec<EndedMonth>) {
        for month in ended {
            let own = month.charges.iter().filter(|line| line.kind != ChargeKind::Carried);
            self.charges += own.map(|line| line.cents).sum::<i64>();
            let n = u128::try_from(self.bills.len()).unwrap_or_default();
            let bill = UsageMonth::new(id(1), month, &self.stamp());
            self.bills.push(UsageMonth { id: id(n), ..bill });
        }
    }

    fn work(&mut self, is_answered: bool, is_reached: bool) {
        for n in 0..self.bills.len() {
            let bill = self.bills[n].clone();
            let Some(collection) = bill.collection.clone() else { continue };
            let sum = Sum { cents: bill.due_cents(), minimum: LEAST };
            let (collection, attempt) = match collection.begin(self.own.payer(), sum, self.now) {
                Begun::Charge(collection, attempt) => (collection, attempt),
                Begun::Carried(collection) => {
                    self.turn(n, *collection, Some(Turn::Carried));
                    continue;
                }
                Begun::Over | Begun::Waits(_) => continue,
            };
            self.bills[n].collection = Some(*collection);
            let key = bill.attempt_key(attempt.number);
            if is_reached {
                let outcome = match attempt.payer.payment_method == "good" {
                    true => (Taken::Paid(format!("pi_{key}")), bill.due_cents()),
                    false => (declined(), 0),
                };
                self.taken.entry(key.clone()).or_insert(outcome);
            }
            let answer = self.taken.get(&key).filter(|_| is_answered).cloned();
            self.settle(n, attempt.number, answer.map_or(Taken::Unknown, |(taken, _)| taken));
        }
    }

    fn settle(&mut self, n: usize, number: u32, taken: Taken) {
        let Some(before) = self.bills[n].collection.clone() else { return };
        let (after, turn) = before.settle(number, taken, self.own.payer().as_ref(), self.now);
        self.turn(n, after, turn);
    }

    fn turn(&mut self, n: usize, after: Collection, turn: Option<Turn>) {
        self.bills[n].collection = Some(after);
        let (own, bill) = (self.own.clone(), self.bills[n].id);
        self.own = match turn {
            Some(Turn::Paid) => own.bill_paid(bill, self.now),
            Some(Turn::Carried) => own.bill_carried(bill, self.bills[n].due_cents(), self.now),
            Some(Turn::Declined) => own.bill_declined(bill, self.now).0,
            None => own,
        };
    }

    /// An event of the processor, perhaps again.
    fn tell(&mut self, which: usize) {
        let Some((key, (taken, _))) = self.taken.iter().nth(which % self.taken.len().max(1)) else {
            return;
        };
        let (taken, key) = (taken.clone(), key.clone());
        for n in 0..self.bills.len() {
            for number in 1..=30 {
                if self.bills[n].attempt_key(number) == key {
                    self.settle(n, number, taken.clone());
                }
            }
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Pass(hours) => {
                self.now += Duration::hours(*hours);
                let mut advanced = self.own.clone().advance(self.now);
                self.note(std::mem::take(&mut advanced.ended));
                self.own = advanced.subscription;
            }
            Step::Choose(n, yearly) if self.own.owes.is_empty() || *n == 0 => {
                let slug = ["free", "start", "business"][*n];
                let by_card = Some(PaymentProvider::CardProcessor);
                let interval = if *yearly { Interval::Yearly } else { Interval::Monthly };
                let own = self.own.clone();
                let chosen = own.choose(&plan(slug), interval, by_card, None, self.now);
                self.note(chosen.ended.into_iter().collect());
                self.own = chosen.subscription;
            }
            Step::Choose(..) => {}
            Step::Card(is_good) => {
                let name = if *is_good { "good" } else { "bad" };
                self.own = self.own.clone().with_card(card(name), self.now);
                for bill in &mut self.bills {
                    let owed = bill.collection.clone().filter(|_| self.own.owes.contains(&bill.id));
                    if let Some(collection) = owed {
                        bill.collection = Some(collection.hurried(self.now));
                    }
                }
            }
            Step::Work { is_answered, is_reached } => self.work(*is_answered, *is_reached),
            Step::Tell(which) => self.tell(*which),
        }
    }

    fn check(&self) {
        let is_carried = |bill: &&UsageMonth| bill.state() == CollectionState::Carried;
        let own = self.bills.iter().filter(|bill| !is_carried(bill));
        let due = own.map(UsageMonth::due_cents).sum::<i64>() + self.own.carried_cents;
        assert!(self.own.credit_cents >= 0 && self.bills.iter().all(|one| one.due_cents() >= 0));
        assert_eq!(due, self.charges + self.own.credit_cents, "nothing is lost or charged twice");
        assert!(self.bills.iter().filter(is_carried).all(|bill| bill.due_cents() < LEAST));
        assert!(self.taken.values().all(|(_, cents)| *cents == 0 || *cents >= LEAST));
        for bill in &self.bills {
            let own = self.taken.iter().filter(|(key, (taken, _))| {
                key.rsplit_once('-').is_some_and(|(own, _)| own == bill.id.to_string())
                    && matches!(taken, Taken::Paid(_))
            });
            assert!(own.count() <= 1, "collected at most once");
        }
        let owes = |bill: &&UsageMonth| {
            !matches!(bill.state(), CollectionState::Paid | CollectionState::Carried)
        };
        let owed = self.bills.iter().filter(owes).any(|bill| self.own.owes.contains(&bill.id));
        assert_eq!(owed, !self.own.owes.is_empty(), "what is owed is not paid");
        assert!(self.own.status != Status::PastDue || owed);
    }
}

proptest! {
    #[test]
    fn what_was_collected_is_what_the_bills_say_and_no_credit_is_lost(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut world = World {
            own: subscriber(),
            now: NOW,
            bills: Vec::new(),
            taken: BTreeMap::new(),
            charges: 0,
        };
        for step in &steps {
            world.take(step);
            world.check();
        }
        // All that happened comes in the end.
        for which in 0..world.taken.len() {
            world.tell(which);
        }
        world.check();
        let taken: i64 = world.taken.values().map(|(_, cents)| cents).sum();
        let is_paid = |bill: &&UsageMonth| bill.state() == CollectionState::Paid;
        let paid: i64 = world.bills.iter().filter(is_paid).map(UsageMonth::due_cents).sum();
        prop_assert_eq!(taken, paid);
    }
}
