use racun_mail::{Cap, PER_SUBJECT, SANDBOX, SendWindow};
use racun_store::testing::stamp;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

const START: OffsetDateTime = datetime!(2026-11-21 08:00 UTC);

fn window() -> SendWindow {
    SendWindow::new("inv_x".to_owned(), None, stamp(START).id(), START)
}

#[test]
fn limits_are_those_of_the_contract() {
    let caps = |caps: &[Cap]| -> Vec<(usize, i64)> {
        caps.iter().map(|cap| (cap.count, cap.within.whole_hours())).collect()
    };
    assert_eq!(caps(&PER_SUBJECT), [(5, 1), (50, 720)]);
    assert_eq!(caps(&SANDBOX), [(50, 24)]);
}

#[test]
fn the_next_may_go_when_the_first_that_counts_leaves() {
    let mut window = window();
    for minute in [0, 10, 20, 30, 40] {
        window = window.with_another(&PER_SUBJECT, START + Duration::minutes(minute)).unwrap();
    }
    let at = |seconds: i64| {
        window.clone().with_another(&PER_SUBJECT, START + Duration::seconds(seconds))
    };
    assert_eq!(at(2400).unwrap_err().retry_after, 1200);
    assert_eq!(at(3599).unwrap_err().retry_after, 1);
    let late = START + Duration::milliseconds(3_599_500);
    assert_eq!(window.clone().with_another(&PER_SUBJECT, late).unwrap_err().retry_after, 1);
    let after = at(3600).unwrap();
    let again = after.with_another(&PER_SUBJECT, START + Duration::seconds(3600)).unwrap_err();
    assert_eq!(again.retry_after, 600, "then the second has to leave");
}

#[test]
fn of_two_limits_the_later_one_says_when_to_come_back() {
    let mut window = window();
    for n in 0..50 {
        window = window.with_another(&PER_SUBJECT, START + Duration::hours(n / 5 * 2)).unwrap();
    }
    let now = START + Duration::hours(18);
    let reached = window.with_another(&PER_SUBJECT, now).unwrap_err();
    assert_eq!(reached.cap.count, 50);
    assert_eq!(i64::from(reached.retry_after), (30 * 24 - 18) * 3600);
    assert!(reached.to_string().starts_with("at most 50 mails in 30 days"), "{reached}");
}
