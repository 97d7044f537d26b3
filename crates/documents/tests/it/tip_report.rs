//! The report of tips: what comes next, and what is known of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use racun_documents::{TipOutcome, TipReport, Tips};
use racun_kernel::AuthorityError;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);
const LEASE: Duration = Duration::MINUTE;

fn tips(amount: &str, payment_type: &str) -> Tips {
    Tips { amount: amount.parse().unwrap(), payment_type: payment_type.to_owned() }
}

fn begun(report: TipReport, id: &str) -> TipReport {
    report.begin(id.to_owned(), NOW, NOW + LEASE)
}

fn told(report: &TipReport) -> Tips {
    report.attempt.as_ref().unwrap().tips.clone()
}

fn refused(is_final: bool) -> TipOutcome {
    let error = AuthorityError { code: "s010".to_owned(), message: "Napaka".to_owned() };
    TipOutcome::Refused { code: "s010".to_owned(), errors: vec![error], is_final }
}

#[test]
fn a_report_begins_with_the_first_tip_and_is_confirmed_as_it_was_reported() {
    assert_eq!(TipReport::of(None, tips("0", "bank_transfer")), None, "there never were any");
    let report = TipReport::of(None, tips("3", "cash")).unwrap();
    assert!(!report.is_confirmed());
    let report = begun(report, "a");
    assert_eq!(told(&report), tips("3", "cash"));
    assert!(!report.is_confirmed());
    assert_eq!(report.leased_until(NOW), Some(NOW + LEASE));
    assert_eq!(report.leased_until(NOW + LEASE), None);
    assert_eq!(report.clone().settle("b", TipOutcome::Taken, NOW), None, "another attempt");
    let report = report.settle("a", TipOutcome::Taken, NOW).unwrap();
    assert!(report.is_confirmed());
    assert_eq!((&report.confirmed, report.confirmed_at), (&Some(tips("3", "cash")), Some(NOW)));

    // Amount and means are both news; the same tips are none.
    let same = TipReport::of(Some(report.clone()), tips("3.00", "cash")).unwrap();
    assert!(same.is_confirmed());
    for other in [tips("3", "card"), tips("4", "cash")] {
        let changed = TipReport::of(Some(report.clone()), other.clone()).unwrap();
        assert!(!changed.is_confirmed(), "{other:?}");
        assert_eq!(told(&begun(changed, "c")), other);
    }
}

#[test]
fn tips_that_are_gone_are_reported_as_zero_by_the_means_that_they_had() {
    let report = TipReport::of(None, tips("3", "card")).unwrap();
    let never_told = TipReport::of(Some(report.clone()), tips("0", "bank_transfer")).unwrap();
    assert!(never_told.is_confirmed(), "the authority has nothing to forget");
    let report = begun(report, "a").settle("a", TipOutcome::Taken, NOW).unwrap();
    let report = TipReport::of(Some(report), tips("0", "bank_transfer")).unwrap();
    assert!(!report.is_confirmed());
    let report = begun(report, "b");
    assert_eq!(told(&report), tips("0", "card"));
    let report = report.settle("b", TipOutcome::Taken, NOW).unwrap();
    assert!(report.is_confirmed());
    let again = TipReport::of(Some(report), tips("2", "cash")).unwrap();
    assert_eq!(told(&begun(again, "c")), tips("2", "cash"));
}

#[test]
fn an_attempt_of_unknown_outcome_is_repeated_until_it_is_known() {
    let report = begun(TipReport::of(None, tips("3", "cash")).unwrap(), "a");
    let lost = report.settle("a", TipOutcome::Unknown, NOW).unwrap();
    assert_eq!(lost.leased_until(NOW), None, "the next attempt may begin at once");
    let lost = TipReport::of(Some(lost), tips("5", "cash")).unwrap();
    let lost = begun(lost, "b");
    assert_eq!(told(&lost), tips("3", "cash"), "not what the tips are by now");
    // A fault that passes says nothing of the first attempt.
    let lost = lost.settle("b", refused(false), NOW).unwrap();
    assert_eq!((told(&lost), lost.error.as_deref()), (tips("3", "cash"), Some("s010")));
    let lost = begun(lost, "c");
    let known = lost.settle("c", TipOutcome::Taken, NOW).unwrap();
    assert_eq!((&known.confirmed, &known.error), (&Some(tips("3", "cash")), &None));
    assert!(!known.is_confirmed() && known.errors.is_empty());
    assert_eq!(told(&begun(known, "d")), tips("5", "cash"));
    // Back at what was confirmed, with a report of something else in doubt, it is reported again.
    let report = begun(TipReport::of(None, tips("3", "cash")).unwrap(), "a");
    let report = report.settle("a", TipOutcome::Taken, NOW).unwrap();
    let report = begun(TipReport::of(Some(report), tips("5", "cash")).unwrap(), "b");
    let report = report.settle("b", TipOutcome::Unknown, NOW).unwrap();
    let report = TipReport::of(Some(report), tips("3", "cash")).unwrap();
    assert!(!report.is_confirmed());
}

#[test]
fn a_refusal_leaves_the_errors_until_the_tips_change() {
    let report = begun(TipReport::of(None, tips("3", "cash")).unwrap(), "a");
    for is_final in [true, false] {
        let refused = report.clone().settle("a", refused(is_final), NOW).unwrap();
        assert_eq!((&refused.attempt, refused.errors.len()), (&None, 1), "nothing is in doubt");
        assert!(!refused.is_confirmed());
        let changed = TipReport::of(Some(refused), tips("4", "cash")).unwrap();
        assert_eq!((changed.error, changed.errors.len()), (None, 0));
    }
    let given_up = report.give_up("expired");
    assert_eq!((given_up.error.as_deref(), given_up.attempt), (Some("expired"), None));
}
