//! Whatever is done and whatever time passes: periods follow each other, and changes come when due.

use proptest::prelude::*;
use racun_billing::{Advanced, Happening, Interval, Status, Subscription, Usage};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::world::{id, label, plan, start};

#[derive(Debug, Clone)]
enum Step {
    Pass(i64),
    Choose(usize, bool),
    Cancel,
    Fail,
    Pay,
    Issue(bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1..40 * 24_i64).prop_map(Step::Pass),
        1 => (24 * 300..24 * 800_i64).prop_map(Step::Pass),
        4 => (0..3_usize, any::<bool>()).prop_map(|(n, yearly)| Step::Choose(n, yearly)),
        1 => Just(Step::Cancel),
        1 => Just(Step::Fail),
        1 => Just(Step::Pay),
        3 => any::<bool>().prop_map(Step::Issue),
    ]
}

/// A subscription, and all months that it had.
struct History {
    own: Subscription,
    now: OffsetDateTime,
    months: Vec<Usage>,
    /// Documents that were let through.
    issued: i64,
}

impl History {
    fn advance(&mut self) {
        let before = self.own.clone();
        let Advanced { subscription, ended, happened } = self.own.clone().advance(self.now);
        let again = subscription.clone().advance(self.now);
        assert_eq!(
            (&again.subscription, again.happened.len()),
            (&subscription, 0),
            "twice is once"
        );
        if self.now < before.period.end && before.status != Status::PastDue {
            assert_eq!(subscription.plan, before.plan, "no change before the period's end");
            assert_eq!(subscription.period, before.period);
            assert!(happened.is_empty());
        }
        let ends = |what: &Happening| matches!(what, Happening::Cancelled | Happening::Expired);
        assert!(happened.iter().rev().skip(1).all(|what| !ends(what)), "an end is the last");
        self.months.extend(ended.into_iter().map(|month| month.usage));
        self.own = subscription;
    }

    fn choose(&mut self, slug: &str, interval: Interval) {
        let before = self.own.clone();
        let chosen = before.clone().choose(&plan(slug), interval, None, None, self.now);
        let (after, ended) = (chosen.subscription, chosen.ended);
        match chosen.happened {
            Some(Happening::DowngradeScheduled) => {
                assert!(chosen.is_scheduled && ended.is_none());
                assert_eq!(
                    (&after.plan, after.period, after.interval),
                    (&before.plan, before.period, before.interval)
                );
                assert!(plan(slug).base_price_cents <= before.plan.base_price_cents);
            }
            Some(Happening::Upgraded | Happening::Subscribed) => {
                assert_eq!((&after.plan.slug[..], after.period.start), (slug, self.now));
                assert_eq!((after.status, after.usage.documents), (Status::Active, 0));
                assert_eq!(ended.is_some(), before.status.is_running());
            }
            None => assert_eq!((&after.plan, after.period), (&before.plan, before.period)),
            other => panic!("{other:?}"),
        }
        self.months.extend(ended.map(|month| month.usage));
        self.own = after;
    }

    fn take(&mut self, step: &Step) {
        let own = self.own.clone();
        match step {
            Step::Pass(hours) => {
                self.now += Duration::hours(*hours);
                self.advance();
            }
            Step::Choose(n, yearly) => {
                let interval = if *yearly { Interval::Yearly } else { Interval::Monthly };
                self.choose(["free", "start", "business"][*n], interval);
            }
            Step::Cancel => self.own = own.cancel(self.now).0,
            Step::Fail => self.own = own.bill_declined(id(9), self.now).0,
            Step::Pay => self.own = own.bill_paid(id(9), self.now),
            Step::Issue(is_invoice) => {
                self.issued += i64::from(self.own.issue(*is_invoice).is_ok());
            }
        }
    }

    fn check(&self) {
        let own = &self.own;
        assert!(own.period.start < own.period.end);
        assert!(own.period.start <= own.usage.month.start && own.usage.month.end <= own.period.end);
        if own.status.is_running() {
            assert!(own.period.contains(self.now), "one current period, and it is now");
            assert!(own.usage.month.contains(self.now), "one current month, and it is now");
        }
        assert_eq!(own.due_row().is_some(), own.status.is_running());
    }
}

proptest! {
    #[test]
    fn periods_neither_overlap_nor_leave_gaps_and_every_document_is_in_one(
        hour in 0..365 * 24_i64,
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let now = datetime!(2027-01-01 00:00 UTC) + Duration::hours(hour);
        let own = start(&label(|_| ()), now);
        let mut history = History { own, now, months: Vec::new(), issued: 0 };
        history.check();
        // While it does not run there is no period; a new one may begin after a while.
        let mut restarts = Vec::new();
        for step in &steps {
            let ran = history.own.status.is_running();
            history.take(step);
            if !ran && history.own.status.is_running() {
                restarts.push(history.now);
            }
            history.check();
        }
        let mut months = history.months.clone();
        if history.own.status.is_running() {
            months.push(history.own.usage.clone());
        }
        for pair in months.windows(2) {
            let (end, next) = (pair[0].month.end, pair[1].month.start);
            prop_assert!(end == next || (end < next && restarts.contains(&next)), "{end} {next}");
        }
        let counted: i64 = months.iter().map(|usage| usage.documents).sum();
        prop_assert_eq!(counted, history.issued);
    }
}
