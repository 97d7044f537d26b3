//! Stores beyond those that a plan includes: charged by the most of a month, with their invoices.

use proptest::prelude::*;
use racun_billing::{
    ChargeKind, EndedMonth, Interval, PaymentProvider, Resource, StoreBilling, Subscription,
    add_months,
};
use serde_json::json;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::world::{label, start};

const NOW: OffsetDateTime = datetime!(2026-03-01 00:00 UTC);

/// A subscriber of a plan with two stores included, with 5 invoices and more for each further one.
fn paid(interval: Interval) -> Subscription {
    let label = label(|label| {
        label["plans"][1]["limits"] = json!({
            "invoices_per_month": 5, "overage_price_cents": 7, "included_store_count": 2,
            "extra_store_price_cents": 500, "extra_store_annual_price_cents": 5_003,
            "extra_store_invoices_per_month": 10,
        });
    });
    let bank = Some(PaymentProvider::Bank);
    let plan = label.plan("start").unwrap();
    start(&label, NOW).choose(plan, interval, bank, None, NOW).subscription
}

/// Number and price of the stores that a month is charged.
fn charged(month: &EndedMonth) -> Option<(i64, i64)> {
    let line = month.charges.iter().find(|line| line.kind == ChargeKind::Stores)?;
    assert_eq!(line.cents, line.quantity * line.unit_cents);
    Some((line.quantity, line.unit_cents))
}

#[test]
fn the_most_stores_of_a_month_are_charged_and_bring_their_invoices() {
    let own = paid(Interval::Monthly).with_stores(2);
    assert_eq!(own.store_billing().billable, 0, "two are included");
    let mut own = own.with_stores(5).with_stores(1);
    let expected = StoreBilling { connected: 1, included: 2, billable: 3, invoices: 30 };
    assert_eq!(own.store_billing(), expected, "one that was there for an hour is not free");
    assert_eq!(own.check(Resource::Invoices).limit, Some(35));
    (0..36).for_each(|_| own.issue(true).unwrap());
    let first = own.advance(add_months(NOW, 1));
    let month = &first.ended[0];
    assert_eq!(charged(month), Some((3, 500)));
    let kinds: Vec<_> = month.charges.iter().map(|line| (line.kind, line.cents)).collect();
    let expected =
        [(ChargeKind::Plan, 900), (ChargeKind::Stores, 1_500), (ChargeKind::Documents, 7)];
    assert_eq!(kinds, expected, "one invoice was beyond");
    assert_eq!(month.limits.invoices_per_month, Some(35));
    assert_eq!(first.subscription.check(Resource::Invoices).limit, Some(5));
    assert_eq!(charged(&first.subscription.advance(add_months(NOW, 2)).ended[0]), None);
}

#[test]
fn a_plan_without_limit_or_price_is_not_changed_by_stores() {
    let plain = label(|label| {
        label["plans"][1]["limits"] = json!({
            "included_store_count": 1, "extra_store_invoices_per_month": 10,
            "documents_per_month": 3,
        });
    });
    let plan = plain.plan("start").unwrap();
    let own = start(&plain, NOW).choose(plan, Interval::Monthly, None, None, NOW).subscription;
    let own = own.with_stores(4);
    assert_eq!((own.store_billing().billable, own.store_billing().invoices), (0, 0));
    assert_eq!(own.limits().documents_per_month, Some(3));
    let mut priced = own.clone();
    priced.plan.limits.extra_store_price_cents = Some(100);
    assert_eq!(priced.limits().documents_per_month, Some(33), "documents are the limit here");
    priced.plan.limits.documents_per_month = None;
    assert_eq!(priced.limits().documents_per_month, None);
}

#[test]
fn twelve_months_of_a_store_come_to_its_price_of_a_year() {
    let months = paid(Interval::Yearly).with_stores(3).advance(add_months(NOW, 12)).ended;
    let prices: Vec<i64> =
        months.iter().map(|month| charged(month).map(|(_, price)| price).unwrap()).collect();
    assert_eq!((prices.len(), prices.iter().sum::<i64>()), (12, 5_003));
    assert!(prices.iter().all(|price| (416..=417).contains(price)), "{prices:?}");
    let mut monthly = paid(Interval::Yearly).with_stores(3);
    monthly.plan.limits.extra_store_annual_price_cents = None;
    let months = monthly.advance(add_months(NOW, 2)).ended;
    assert_eq!(months.iter().map(charged).collect::<Vec<_>>(), [Some((1, 500)); 2]);
}

#[test]
fn a_trial_charges_no_store_and_brings_no_invoices() {
    let label = label(|label| {
        label["plans"][1]["limits"] =
            json!({"extra_store_price_cents": 500, "extra_store_invoices_per_month": 10});
    });
    let own = start(&label, NOW).with_stores(3);
    assert_eq!((own.store_billing().connected, own.store_billing().billable), (3, 0));
    let plan = label.plan("start").unwrap().clone();
    let chosen = own.choose(&plan, Interval::Monthly, None, None, NOW + Duration::days(3));
    assert_eq!(charged(&chosen.ended.unwrap()), None);
    assert_eq!(chosen.subscription.store_billing().billable, 3, "from now on");
}

#[test]
fn what_is_left_of_the_month_of_a_store_is_taken_off_when_a_plan_cuts_it_short() {
    let higher = crate::world::plan("business");
    for (days, stores_left) in [(0, 500), (10, 500 - 500 * 10 / 31)] {
        let cut = NOW + Duration::days(days);
        let left = |stores: i64| {
            let own = paid(Interval::Monthly).with_stores(stores);
            let month = own.choose(&higher, Interval::Monthly, None, None, cut).ended.unwrap();
            let line = month.charges.iter().find(|line| line.kind == ChargeKind::CutShort);
            -line.unwrap().cents
        };
        assert_eq!(left(3) - left(2), stores_left, "{days}");
    }
}

proptest! {
    #[test]
    fn what_is_said_of_stores_is_what_the_bill_charges(
        yearly in any::<bool>(),
        steps in prop::collection::vec((0..9_i64, 0..20 * 24_i64), 1..20),
    ) {
        let interval = if yearly { Interval::Yearly } else { Interval::Monthly };
        let (mut own, mut now) = (paid(interval), NOW);
        for (stores, hours) in steps {
            let said = own.store_billing();
            let month = own.usage.month;
            now += Duration::hours(hours);
            let advanced = own.advance(now);
            if let Some(first) = advanced.ended.first() {
                prop_assert_eq!(first.usage.month, month);
                let number = charged(first).map_or(0, |(number, _)| number);
                prop_assert_eq!(number, said.billable);
                prop_assert_eq!(first.limits.invoices_per_month, Some(5 + said.invoices));
            }
            own = advanced.subscription.with_stores(stores);
            let said = own.store_billing();
            prop_assert_eq!(said.connected, stores);
            prop_assert!(said.billable >= (stores - 2).max(0), "nothing is free");
            prop_assert_eq!(own.limits().invoices_per_month, Some(5 + said.invoices));
        }
    }
}
