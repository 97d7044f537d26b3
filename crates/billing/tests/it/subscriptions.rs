//! The states of a subscription, one after the other.

use racun_billing::{
    AtEnd, Happening, Interval, PaymentProvider, Status, Subscription, add_months,
};
use serde_json::json;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use crate::world::{id, label, plan, start};

const NOW: OffsetDateTime = datetime!(2026-01-31 10:00 UTC);

fn paid(slug: &str, interval: Interval) -> Subscription {
    let bank = Some(PaymentProvider::Bank);
    start(&label(|_| ()), NOW).choose(&plan(slug), interval, bank, None, NOW).subscription
}

#[test]
fn months_end_on_the_last_day_where_they_lack_the_first_ones_day() {
    for (months, expected) in [
        (0, datetime!(2026-01-31 10:00 UTC)),
        (1, datetime!(2026-02-28 10:00 UTC)),
        (2, datetime!(2026-03-31 10:00 UTC)),
        (12, datetime!(2027-01-31 10:00 UTC)),
        (25, datetime!(2028-02-29 10:00 UTC)),
        (-1, datetime!(2025-12-31 10:00 UTC)),
    ] {
        assert_eq!(add_months(NOW, months), expected, "{months}");
    }
}

#[test]
fn a_start_depends_on_price_and_trial() {
    let state = |default: &str, days: u16, has_free: bool| {
        let label = label(|l| {
            l["default_plan"] = json!(default);
            l["trial_days"] = json!(days);
            if !has_free {
                l["plans"].as_array_mut().unwrap().truncate(2);
            }
        });
        let own = start(&label, NOW);
        let after = match own.at_end {
            AtEnd::Renew => "renew",
            AtEnd::Change { .. } => "change",
            AtEnd::Cancel => "cancel",
            AtEnd::Expire => "expire",
        };
        (own.status, own.trial_days_remaining(NOW), after)
    };
    assert_eq!(state("free", 14, true), (Status::Active, None, "renew"));
    assert_eq!(state("start", 14, true), (Status::Trialing, Some(14), "change"));
    assert_eq!(state("start", 14, false), (Status::Trialing, Some(14), "expire"));
    assert_eq!(state("start", 0, false), (Status::Incomplete, None, "expire"));
}

#[test]
fn a_trial_is_followed_by_the_free_plan_or_by_nothing() {
    let end = NOW + Duration::days(14);
    let own = start(&label(|_| ()), NOW);
    assert_eq!(own.clone().advance(end - Duration::MILLISECOND).subscription, own);
    let after = own.advance(end);
    assert_eq!(after.happened, [Happening::Downgraded]);
    assert_eq!(
        (after.subscription.status, &*after.subscription.plan.slug),
        (Status::Active, "free")
    );
    assert_eq!(after.subscription.period.start, end);
    let none = label(|l| l["plans"].as_array_mut().unwrap().truncate(2));
    let after = start(&none, NOW).advance(end);
    assert_eq!(
        (after.subscription.status, &after.happened[..]),
        (Status::Expired, &[Happening::Expired][..])
    );
    let later = after.subscription.clone().advance(end + Duration::days(400));
    assert_eq!((later.subscription, later.ended.len()), (after.subscription, 0), "it stays so");
}

#[test]
fn an_upgrade_is_at_once_and_a_downgrade_at_the_periods_end() {
    let later = NOW + Duration::days(3);
    let own = paid("start", Interval::Monthly);
    let up = own.clone().choose(&plan("business"), Interval::Monthly, None, None, later);
    assert_eq!((up.happened, up.is_scheduled), (Some(Happening::Upgraded), false));
    assert_eq!((up.subscription.period.start, &*up.subscription.plan.slug), (later, "business"));
    assert_eq!(up.ended.unwrap().usage.month.end, later);
    let longer = own.clone().choose(&plan("start"), Interval::Yearly, None, None, later);
    assert_eq!(longer.happened, Some(Happening::Upgraded));
    let down = own.clone().choose(&plan("free"), Interval::Monthly, None, None, later);
    assert_eq!((down.happened, down.is_scheduled), (Some(Happening::DowngradeScheduled), true));
    assert_eq!((&down.subscription.plan, down.subscription.period), (&own.plan, own.period));
    let taken_back =
        down.subscription.clone().choose(&own.plan, Interval::Monthly, None, None, later);
    assert_eq!((taken_back.subscription.at_end, taken_back.happened), (AtEnd::Renew, None));
    let after = down.subscription.advance(own.period.end);
    assert_eq!(after.happened, [Happening::Downgraded]);
    assert_eq!(
        (&*after.subscription.plan.slug, after.subscription.payment_provider),
        ("free", None)
    );
}

#[test]
fn years_are_counted_month_by_month() {
    let own = paid("start", Interval::Yearly);
    assert_eq!(own.period.end, datetime!(2027-01-31 10:00 UTC));
    let after = own.advance(datetime!(2026-04-01 00:00 UTC));
    let ends: Vec<_> = after.ended.iter().map(|month| month.usage.month.end.date()).collect();
    assert_eq!(
        ends,
        [datetime!(2026-02-28 0:00 UTC).date(), datetime!(2026-03-31 0:00 UTC).date()]
    );
    assert_eq!((after.happened.len(), after.subscription.usage.documents), (0, 0));
}

#[test]
fn a_cancellation_waits_for_the_end_and_can_be_taken_back() {
    let (own, happened) = paid("start", Interval::Monthly).cancel(NOW);
    assert_eq!(happened, Some(Happening::CancellationScheduled));
    assert_eq!(own.cancel_at(), Some(own.period.end));
    assert_eq!(own.clone().cancel(NOW).1, None);
    let back = own.clone().choose(&own.plan, Interval::Monthly, None, None, NOW).subscription;
    assert_eq!((back.cancel_at(), back.at_end), (None, AtEnd::Renew));
    let after = own.clone().advance(own.period.end);
    assert_eq!(
        (after.subscription.status, &after.happened[..]),
        (Status::Cancelled, &[Happening::Cancelled][..])
    );
    let again = after.subscription.choose(
        &plan("start"),
        Interval::Monthly,
        None,
        None,
        NOW + Duration::days(90),
    );
    assert_eq!((again.happened, again.ended), (Some(Happening::Subscribed), None));
    assert_eq!(again.subscription.status, Status::Active);
}

#[test]
fn an_unpaid_subscription_expires_at_its_end() {
    let (own, happened) = paid("start", Interval::Monthly).bill_declined(id(9), NOW);
    assert_eq!((own.status, happened), (Status::PastDue, Some(Happening::PaymentFailed)));
    assert!(own.status.is_running(), "it goes on until then");
    let again = own.clone().bill_declined(id(9), NOW);
    assert_eq!((&again.0, again.1), (&own, happened), "each decline is told");
    assert_eq!(own.clone().bill_paid(id(8), NOW).status, Status::PastDue, "another bill");
    let paid = own.clone().bill_paid(id(9), NOW).advance(own.period.end);
    assert_eq!(
        (paid.subscription.status, &paid.happened[..]),
        (Status::Active, &[Happening::Renewed][..])
    );
    let after = own.clone().advance(own.period.end);
    assert_eq!(
        (after.subscription.status, &after.happened[..]),
        (Status::Expired, &[Happening::Expired][..])
    );
}

#[test]
fn who_pays_by_the_year_and_owes_is_not_given_the_next_month() {
    let (own, _) = paid("start", Interval::Yearly).bill_declined(id(9), NOW);
    let month = own.usage.month.end;
    let after = own.advance(month);
    assert_eq!(
        (after.subscription.status, &after.happened[..]),
        (Status::Expired, &[Happening::Expired][..])
    );
    assert_eq!(after.subscription.period.end, month);
}

#[test]
fn a_payment_by_bank_names_the_subscription() {
    let own = paid("start", Interval::Monthly);
    assert_eq!(own.bank_reference(), Some(own.id.ulid().to_string()));
    assert_eq!(start(&label(|_| ()), NOW).bank_reference(), None);
}

#[test]
fn the_account_gets_the_events_of_its_entity() {
    let own = start(&label(|_| ()), NOW);
    let told = own.event(Happening::Renewed, "system", &racun_store::testing::stamp(NOW));
    assert_eq!(told.tenant, racun_kernel::Tenant::account(own.account_id));
    assert_eq!(
        (told.subject, told.kind.name()),
        (own.id.to_string(), "white_label_subscription.renewed")
    );
    let all = [
        (Happening::Subscribed, "subscribed"),
        (Happening::Upgraded, "upgraded"),
        (Happening::DowngradeScheduled, "downgrade_scheduled"),
        (Happening::Downgraded, "downgraded"),
        (Happening::CancellationScheduled, "cancellation_scheduled"),
        (Happening::Cancelled, "cancelled"),
        (Happening::Expired, "expired"),
        (Happening::PaymentFailed, "payment_failed"),
    ];
    for (happening, name) in all {
        assert_eq!(happening.event().name(), format!("white_label_subscription.{name}"));
    }
}
