//! What months are charged: plans, add-ons, what was beyond, coupons, and what was cut short.

use racun_billing::{
    AddOn, Advanced, Charge, ChargeKind, Coupon, EndedMonth, Feature, Interval, PaymentProvider,
    Resource, Subscription, add_months, choose_add_ons, total,
};
use serde_json::{Value, json};
use time::macros::{date, datetime};
use time::{Duration, OffsetDateTime};

use crate::world::{catalogue, label, plan, start};

const NOW: OffsetDateTime = datetime!(2026-03-01 00:00 UTC);

fn paid(slug: &str, interval: Interval) -> Subscription {
    let bank = Some(PaymentProvider::Bank);
    start(&label(|_| ()), NOW).choose(&plan(slug), interval, bank, None, NOW).subscription
}

fn add_on() -> AddOn {
    serde_json::from_value(json!({"slug": "more", "name": "More", "price_cents": 300,
        "documents_per_month": 2, "invoices_per_month": 10, "features": ["furs"]}))
    .unwrap()
}

fn coupon(terms: Value) -> Coupon {
    serde_json::from_value(terms).unwrap()
}

/// Kinds and cents of what the first month that ended is charged.
fn lines(month: &EndedMonth) -> Vec<(ChargeKind, i64)> {
    month.charges.iter().map(|line| (line.kind, line.cents)).collect()
}

fn after(own: Subscription, months: i32) -> Advanced {
    own.advance(add_months(NOW, months))
}

#[test]
fn a_plan_is_charged_with_the_month_in_which_its_period_begins() {
    let months = after(paid("start", Interval::Monthly), 1).ended;
    assert_eq!(lines(&months[0]), [(ChargeKind::Plan, 900)]);
    let months = after(paid("start", Interval::Yearly), 12).ended;
    assert_eq!(lines(&months[0]), [(ChargeKind::Plan, 9_000)]);
    assert!(months.len() == 12 && months[1..].iter().all(|month| month.charges.is_empty()));
    let trial = start(&label(|_| ()), NOW).advance(NOW + Duration::days(14)).ended;
    assert!(trial[0].charges.is_empty(), "a trial costs nothing");
}

#[test]
fn what_is_beyond_a_limit_with_a_price_is_charged() {
    let mut own = paid("business", Interval::Monthly);
    for _ in 0..103 {
        own.issue(true).unwrap();
    }
    let month = &after(own, 1).ended[0];
    assert_eq!(lines(month), [(ChargeKind::Plan, 2_900), (ChargeKind::Documents, 15)]);
    let expected = Charge {
        kind: ChargeKind::Documents,
        name: "Business".to_owned(),
        quantity: 3,
        unit_cents: 5,
        cents: 15,
    };
    assert_eq!(month.charges[1], expected);
    assert_eq!(total(&month.charges), 2_915);
    // What the law wants issued beyond a limit that stops has no price.
    let mut own = paid("start", Interval::Monthly);
    (0..5).for_each(|_| own.issue_by_law(true));
    assert_eq!(lines(&after(own, 1).ended[0]), [(ChargeKind::Plan, 900)]);
}

#[test]
fn add_ons_raise_limits_bring_features_and_are_charged_by_the_month() {
    let own = paid("start", Interval::Monthly);
    assert!(own.require(Feature::Furs).is_err());
    let mut own = own.with_extras(None, Some(vec![(add_on(), 2)]), NOW);
    assert!(own.require(Feature::Furs).is_ok());
    assert_eq!(own.check(Resource::Documents).limit, Some(3 + 4));
    assert_eq!(own.check(Resource::Invoices).limit, None, "what is not limited stays so");
    for _ in 0..7 {
        own.issue(false).unwrap();
    }
    assert!(own.issue(false).is_err());
    // One that goes is charged for its month, and gone with the next one.
    let less = own.with_extras(None, Some(Vec::new()), NOW + Duration::days(1));
    assert!(less.require(Feature::Furs).is_err());
    let first = after(less, 1);
    assert_eq!(lines(&first.ended[0]), [(ChargeKind::Plan, 900), (ChargeKind::AddOn, 600)]);
    let second = after(first.subscription, 2);
    assert_eq!(lines(&second.ended[0]), [(ChargeKind::Plan, 900)]);
}

#[test]
fn the_most_of_an_add_on_in_a_month_is_charged() {
    let own = paid("start", Interval::Monthly);
    let own = own.with_extras(None, Some(vec![(add_on(), 3)]), NOW);
    let own = own.with_extras(None, Some(vec![(add_on(), 1)]), NOW + Duration::days(3));
    let own = own.with_extras(None, Some(vec![(add_on(), 2)]), NOW + Duration::days(5));
    let first = after(own, 1);
    assert_eq!(lines(&first.ended[0])[1], (ChargeKind::AddOn, 900));
    let second = after(first.subscription, 2);
    assert_eq!(lines(&second.ended[0])[1], (ChargeKind::AddOn, 600));
}

#[test]
fn a_coupon_takes_off_plans_and_add_ons_for_its_months_and_nothing_else() {
    let mut own = paid("business", Interval::Monthly);
    (0..102).for_each(|_| own.issue(true).unwrap());
    let half = coupon(json!({"code": "HALF", "percent_off": 50, "months": 2}));
    let own = own.with_extras(Some(half), Some(vec![(add_on(), 1)]), NOW);
    let expected =
        [(ChargeKind::Plan, 2_900), (ChargeKind::AddOn, 300), (ChargeKind::Coupon, -1_600)];
    let mut own = Some(own);
    for month in 1..=3 {
        let advanced = after(own.take().unwrap(), month);
        let lines = lines(&advanced.ended[0]);
        let coupon = lines.iter().any(|(kind, _)| *kind == ChargeKind::Coupon);
        assert_eq!(coupon, month < 3, "{month}");
        if month == 1 {
            assert_eq!(lines, expected, "invoices beyond the limit of 110 were none");
        }
        own = Some(advanced.subscription);
    }
    let fixed = coupon(json!({"code": "BIG", "amount_off_cents": 5_000}));
    let own = paid("start", Interval::Monthly).with_extras(Some(fixed), None, NOW);
    let month = &after(own, 1).ended[0];
    assert_eq!(total(&month.charges), 0, "no more is taken off than there is");
}

#[test]
fn a_higher_plan_takes_off_what_is_left_of_the_one_before() {
    let half = coupon(json!({"code": "HALF", "percent_off": 50}));
    let own = paid("start", Interval::Monthly);
    let own = own.with_extras(Some(half), Some(vec![(add_on(), 1)]), NOW);
    // March has 31 days: 21 of them are left.
    let cut = NOW + Duration::days(10);
    let bank = Some(PaymentProvider::Bank);
    let chosen = own.choose(&plan("business"), Interval::Monthly, bank, None, cut);
    let month = chosen.ended.unwrap();
    let left = 450 - 450 * 10 / 31 + 150 - 150 * 10 / 31;
    let expected = [
        (ChargeKind::Plan, 900),
        (ChargeKind::AddOn, 300),
        (ChargeKind::Coupon, -600),
        (ChargeKind::CutShort, -left),
    ];
    assert_eq!(lines(&month), expected);
    let next = chosen.subscription.advance(add_months(cut, 1)).ended;
    let expected =
        [(ChargeKind::Plan, 2_900), (ChargeKind::AddOn, 300), (ChargeKind::Coupon, -1_600)];
    assert_eq!(lines(&next[0]), expected, "the coupon stays with the next plan");
}

/// Cents that coupons take off in each of `months`, where the code is named at the begin of each
/// month that `names` holds.
fn taken_off(months: i32, names: &[i32]) -> Vec<i64> {
    let half = coupon(json!({"code": "HALF", "percent_off": 50, "months": 2}));
    let other = coupon(json!({"code": "TEN", "percent_off": 10}));
    let mut own = paid("start", Interval::Monthly);
    let mut off = Vec::new();
    for month in 0..months {
        let at = add_months(NOW, month);
        if names.contains(&month) {
            own = own.with_extras(Some(other.clone()), None, at);
            own = own.with_extras(Some(half.clone()), None, at);
        }
        let advanced = own.advance(add_months(NOW, month + 1));
        let coupons = advanced.ended[0].charges.iter();
        off.push(coupons.filter(|line| line.kind == ChargeKind::Coupon).map(|l| l.cents).sum());
        own = advanced.subscription;
    }
    off
}

#[test]
fn a_coupon_that_is_named_again_is_not_renewed() {
    assert_eq!(taken_off(4, &[0]), [-450, -450, 0, 0]);
    assert_eq!(taken_off(4, &[0, 1, 2, 3]), [-450, -450, 0, 0]);
    let stored = json!({"coupon": {"code": "HALF", "percent_off": 50, "months": 2},
        "since": "2026-01-01T00:00:00Z"});
    let mut own = paid("start", Interval::Monthly);
    own.coupon = Some(serde_json::from_value(stored).unwrap());
    let half = coupon(json!({"code": "HALF", "percent_off": 50, "months": 2}));
    let again = own.with_extras(Some(half), None, NOW).coupon.unwrap();
    assert_eq!(again.since, datetime!(2026-01-01 00:00 UTC), "one of before the list");
}

#[test]
fn a_coupon_takes_nothing_off_a_month_that_began_before_it() {
    let half = coupon(json!({"code": "HALF", "percent_off": 50, "months": 1}));
    let own = paid("start", Interval::Monthly);
    let own = own.with_extras(Some(half), None, NOW + Duration::days(10));
    let first = after(own, 1);
    assert_eq!(lines(&first.ended[0]), [(ChargeKind::Plan, 900)]);
    let second = after(first.subscription, 2);
    assert_eq!(lines(&second.ended[0])[1], (ChargeKind::Coupon, -450));
    assert_eq!(lines(&after(second.subscription, 3).ended[0]), [(ChargeKind::Plan, 900)]);
}

#[test]
fn a_month_that_is_cut_short_at_once_comes_to_nothing() {
    for (late, expected) in [
        (Duration::ZERO, 0),
        (Duration::milliseconds(3), 0),
        (Duration::seconds(1), 0),
        (Duration::days(1), 900 / 31),
    ] {
        let own = paid("start", Interval::Monthly);
        let bank = Some(PaymentProvider::Bank);
        let chosen = own.choose(&plan("business"), Interval::Monthly, bank, None, NOW + late);
        let month = chosen.ended.unwrap();
        assert_eq!(total(&month.charges), expected, "{late}: {:?}", lines(&month));
        assert_eq!(month.due.cents, expected, "{late}");
    }
}

#[test]
fn no_month_with_any_choices_costs_less_than_nothing_in_all() {
    // What is cut short is never more than what was charged for it.
    for days in 0..60 {
        let own = paid("start", Interval::Monthly);
        let at = NOW + Duration::days(days);
        let advanced = own.advance(at);
        let sum: i64 = advanced.ended.iter().map(|month| total(&month.charges)).sum();
        let bank = Some(PaymentProvider::Bank);
        let chosen =
            advanced.subscription.choose(&plan("business"), Interval::Monthly, bank, None, at);
        let ended = chosen.ended.unwrap();
        assert!(sum + total(&ended.charges) >= 0, "{days}");
    }
}

#[test]
fn coupons_and_add_ons_are_checked_and_found() {
    let wrong = |change: fn(&mut Value), expected: &str| {
        let file = crate::world::file(change);
        let read = serde_json::from_value::<racun_billing::Catalogue>(file).unwrap();
        let told = read.complete().unwrap_err().to_string();
        assert!(told.contains(expected), "{expected}: {told}");
    };
    wrong(|l| l["coupons"] = json!([{"code": "A B", "percent_off": 5}]), "coupons[0].code");
    wrong(|l| l["coupons"] = json!([{"code": "A"}]), "coupons[0].percent_off");
    wrong(|l| l["coupons"] = json!([{"code": "A", "percent_off": 101}]), "coupons[0].percent_off");
    let both = |l: &mut Value| {
        l["coupons"] = json!([{"code": "A", "percent_off": 1, "amount_off_cents": 1}]);
    };
    wrong(both, "coupons[0].percent_off");
    let twice = |l: &mut Value| {
        l["coupon_codes"] = json!(["A"]);
        l["coupons"] = json!([{"code": "A", "percent_off": 1}]);
    };
    wrong(twice, "coupons[0].code");
    let less = |l: &mut Value| {
        l["add_ons"] = json!([{"slug": "a", "name": "A", "price_cents": -1}]);
    };
    wrong(less, "add_ons[0].price_cents");
    let sold = catalogue(|l| {
        l["coupon_codes"] = json!(["PLAIN"]);
        l["coupons"] = json!([{"code": "A", "percent_off": 5, "until": "2026-12-31"}]);
    });
    let label = sold.by_slug("acme").unwrap();
    assert_eq!(label.coupon("A", date!(2026 - 12 - 31)).unwrap().unwrap().percent_off, Some(5));
    assert!(label.coupon("A", date!(2027 - 01 - 01)).is_err());
    assert!(label.coupon("B", date!(2026 - 12 - 31)).is_err());
    assert_eq!(label.coupon("PLAIN", date!(2027 - 01 - 01)).unwrap(), None);
    let all = [add_on()];
    let choose = |wanted: &[(&str, i64)]| {
        let wanted: Vec<_> = wanted.iter().map(|(slug, n)| ((*slug).to_owned(), *n)).collect();
        choose_add_ons(&all, &wanted).map_err(|issues| issues.to_string())
    };
    assert_eq!(choose(&[("more", 2)]).unwrap(), [(add_on(), 2)]);
    for wanted in [&[("none", 1)][..], &[("more", -1)], &[("more", 1_001)], &[("more", 1); 2]] {
        assert!(choose(wanted).is_err(), "{wanted:?}");
    }
}
