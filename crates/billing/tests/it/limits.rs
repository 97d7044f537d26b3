//! What is counted, and what a limit that is reached does.

use racun_billing::{Limits, NotAllowed, Period, Resource, Status, Usage, UsageMonth, add_months};
use racun_store::testing::stamp;
use serde_json::json;
use time::macros::{date, datetime};

use crate::world::{id, label, plan, start};

const NOW: time::OffsetDateTime = datetime!(2026-11-21 10:00 UTC);

fn used(documents: i64, invoices: i64, e_invoicing_sends: i64) -> Usage {
    let month = Period { start: NOW, end: datetime!(2026-12-21 10:00 UTC) };
    Usage { month, documents, invoices, e_invoicing_sends }
}

#[test]
fn invoices_are_the_limit_where_they_have_one_and_else_all_documents() {
    let limits = |documents: Option<i64>, invoices: Option<i64>| Limits {
        documents_per_month: documents,
        invoices_per_month: invoices,
        ..Limits::default()
    };
    for (limits, usage, is_invoice, allowed) in [
        (limits(None, None), used(999, 999, 0), true, true),
        (limits(Some(3), None), used(2, 0, 0), true, true),
        (limits(Some(3), None), used(3, 0, 0), true, false),
        (limits(Some(3), None), used(3, 0, 0), false, false),
        (limits(Some(3), Some(5)), used(9, 4, 0), true, true),
        (limits(Some(3), Some(5)), used(9, 5, 0), true, false),
        (limits(Some(3), Some(5)), used(9, 5, 0), false, true),
        (limits(Some(0), None), used(0, 0, 0), true, false),
    ] {
        let resource = limits.meets(is_invoice);
        assert_eq!(usage.allows(&limits, resource), allowed, "{limits:?} {usage:?} {is_invoice}");
        let priced = Limits { overage_price_cents: Some(5), ..limits };
        assert!(usage.allows(&priced, resource), "what has a price is not stopped");
    }
}

#[test]
fn a_check_says_how_much_is_left_to_the_hundredth() {
    let limits = Limits { documents_per_month: Some(3), ..Limits::default() };
    for (documents, limit, percentage, allowed) in [
        (0, Some(3), "0", true),
        (1, Some(3), "33.33", true),
        (2, Some(3), "66.67", true),
        (3, Some(3), "100", false),
        (4, Some(3), "133.33", false),
        (4, None, "0", true),
        (0, Some(0), "100", false),
    ] {
        let limits = Limits { documents_per_month: limit, ..limits.clone() };
        let check = used(documents, 0, 0).check(&limits, Resource::Documents);
        assert_eq!(check.percentage, percentage.parse().unwrap(), "{documents} of {limit:?}");
        assert_eq!((check.allowed, check.usage, check.limit), (allowed, documents, limit));
    }
}

#[test]
fn a_reached_limit_names_plan_limit_usage_and_reset_day() {
    let mut own = start(&label(|l| l["default_plan"] = json!("free")), NOW);
    own.issue(true).unwrap();
    own.issue(true).unwrap();
    let before = own.clone();
    let refused = own.issue(true).unwrap_err();
    let expected = NotAllowed::LimitReached {
        plan: "Free".to_owned(),
        resource: Resource::Invoices,
        limit: 2,
        usage: 2,
        until: date!(2026 - 12 - 21),
    };
    assert_eq!((refused.clone(), refused.code()), (expected, "plan_limit_reached"));
    let told = refused.to_string();
    for part in ["Free", "2 invoices a month", "2 are used", "activate", "2026-12-21"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(own, before, "what is refused is not counted");
    own.issue_by_law(false);
    assert_eq!((own.usage.documents, own.usage.invoices), (3, 2));
}

#[test]
fn usage_beyond_a_priced_limit_is_counted_and_charged() {
    let mut own = start(&label(|_| ()), NOW)
        .choose(&plan("business"), Default::default(), None, None, NOW)
        .subscription;
    for _ in 0..103 {
        own.issue(true).unwrap();
    }
    assert_eq!(own.check(Resource::Invoices).percentage, "103".parse().unwrap());
    let ended = own.advance(add_months(NOW, 1)).ended.remove(0);
    let month = UsageMonth::new(id(1), ended, &stamp(NOW));
    assert_eq!((month.beyond, month.overage_price_cents), (3, Some(5)));
}

#[test]
fn electronic_invoices_are_counted_for_their_sender() {
    let mut own = start(&label(|_| ()), NOW);
    assert_eq!(own.send_e_invoice().unwrap_err().code(), "feature_not_available");
    own = own.choose(&plan("business"), Default::default(), None, None, NOW).subscription;
    own.send_e_invoice().unwrap();
    own.send_e_invoice().unwrap();
    assert_eq!(own.send_e_invoice().unwrap_err().code(), "plan_limit_reached");
    assert_eq!((own.usage.e_invoicing_sends, own.usage.documents), (2, 0));
}

#[test]
fn a_subscription_that_is_not_active_allows_nothing() {
    for status in [Status::Cancelled, Status::Expired, Status::Incomplete] {
        let mut own = start(&label(|_| ()), NOW);
        own.status = status;
        assert_eq!(own.issue(true), Err(NotAllowed::Inactive { status }));
        assert!(!own.check(Resource::Documents).allowed);
    }
}
