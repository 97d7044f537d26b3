//! What was issued without an answer, and the worker that sends it again.

use std::sync::Arc;

use racun_documents::FiscalStatus;
use racun_fiscal::{Authority, FiscalSettings, LEASE, Patience, Retry, State};
use racun_fiscalization::LIMITS;
use racun_store_sqlite::SqliteStore;
use time::macros::date;
use time::{Duration, OffsetDateTime};

use crate::fiscal::{everywhere, in_croatia, in_slovenia, stamp_on};
use crate::fixture::NOW;
use crate::flaky::Flaky;
use crate::office::{Fiscalizing, fiscal, record};

const MINUTE: Duration = Duration::MINUTE;

#[tokio::test]
async fn an_unanswered_document_is_sent_again_as_late_with_the_same_code_and_content() {
    for (mut own, _database) in everywhere().await {
        // The time on PostgreSQL is its own, so nothing waits there.
        own.fiscal.retry = Retry { initial: std::time::Duration::ZERO, ..Retry::default() };
        own.office.then_is_silent();
        own.office.then_refuses("s100");
        own.office.then_confirms("late-one");
        let invoice = own.invoice().await;
        assert_eq!(fiscal(&invoice).status, FiscalStatus::Pending);
        let now = || match OffsetDateTime::from(std::time::SystemTime::now()) {
            real if real > own.shop.stamp.now() => real.max(own.shop.stamp.now()),
            _ => own.shop.stamp.now(),
        };
        let first = own.work(now()).await;
        assert_eq!((first.attempts, first.done), (1, 0), "{first:?}");
        let second = own.work(now()).await;
        assert_eq!((second.attempts, second.done), (1, 1), "{second:?}");
        assert_eq!(own.work(now()).await.attempts, 0);

        let confirmed = own.reread(&invoice).await;
        assert_eq!(fiscal(&confirmed).status, FiscalStatus::Success);
        assert_eq!(fiscal(&confirmed).confirmation().map(String::as_str), Some("late-one"));
        assert!(record(&confirmed).is_late && fiscal(&confirmed).error.is_none());
        assert_eq!(record(&confirmed).mark, record(&invoice).mark);
        assert_eq!(confirmed.number(), invoice.number());

        let heard = own.office.heard();
        assert_eq!(heard.iter().map(|one| one.is_late()).collect::<Vec<_>>(), [false, true, true]);
        let patience = heard.iter().map(|one| one.patience).collect::<Vec<_>>();
        assert_eq!(patience, [Patience::Interactive, Patience::Background, Patience::Background]);
        assert!(heard.iter().all(|one| one.content() == heard[0].content()));
        let mut ids: Vec<String> =
            heard.iter().map(|one| one.header.message_id.to_string()).collect();
        assert_eq!(ids[2], record(&confirmed).message_id);
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 3, "each sending has an id of its own");
        let exchange = own.exchange(&invoice).await.unwrap();
        let lost_on = own.authority.local(own.shop.stamp.now()).date();
        assert_eq!((exchange.attempts.len(), exchange.lost_on), (3, Some(lost_on)));
    }
}

#[tokio::test]
async fn the_wait_doubles_up_to_an_hour() {
    let own = in_slovenia().await;
    (0..12).for_each(|_| own.office.then_is_silent());
    let invoice = own.invoice().await;
    let mut now = NOW;
    for wait in [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600] {
        let wait = Duration::seconds(wait);
        assert_eq!(own.work(now + wait - Duration::MILLISECOND).await.attempts, 0, "{wait}");
        now += wait;
        assert_eq!(own.work(now).await.attempts, 1, "{wait}");
    }
    assert_eq!(own.exchange(&invoice).await.unwrap().attempts.len(), 11);
}

#[tokio::test]
async fn a_message_of_a_killed_process_is_sent_by_another_after_the_lease() {
    for authority in [Authority::Furs, Authority::Fina] {
        let own = Fiscalizing::open(authority, crate::takings::on_sqlite(), stamp_on(false)).await;
        // It dies with the message sent: only the store knows the number.
        own.office.dies_sending(own.invoice()).await;
        assert_eq!(own.office.heard().len(), 1);
        assert_eq!(own.work(NOW + LEASE - Duration::SECOND).await.attempts, 0);
        // The worker dies as well.
        own.office.dies_sending(own.work(NOW + LEASE)).await;
        assert_eq!(own.work(NOW + LEASE * 2 - Duration::SECOND).await.attempts, 0);
        let report = own.work(NOW + LEASE * 2).await;
        assert_eq!((report.attempts, report.done), (1, 1), "{report:?}");
        let heard = own.office.heard();
        assert!(heard.iter().all(|one| one.is_late()));
        let next = own.invoice().await;
        assert_eq!(record(&next).number, 2, "the number was taken");
    }
}

#[tokio::test]
async fn a_single_process_resends_interrupted_documents_at_once() {
    for authority in [Authority::Furs, Authority::Fina] {
        let own = Fiscalizing::open(authority, crate::takings::on_sqlite(), stamp_on(false)).await;
        own.office.dies_sending(own.invoice()).await;
        // Another one waits for its turn, not for a lease.
        own.office.then_is_silent();
        let waits = own.invoice().await;
        let (store, started) = (&*own.shop.store, own.at(NOW + Duration::SECOND));
        assert_eq!(own.work(NOW + Duration::SECOND).await.attempts, 0);
        assert_eq!(racun_fiscalization::end_leases(store, &started).await, Ok(1));
        assert_eq!(racun_fiscalization::end_leases(store, &started).await, Ok(0));
        let report = own.work(NOW + Duration::SECOND).await;
        assert_eq!((report.attempts, report.done), (1, 1), "{report:?}");
        assert_eq!(own.exchange(&waits).await.unwrap().attempts.len(), 1);
    }
}

#[tokio::test]
async fn a_confirmation_counts_whenever_it_comes_and_every_one_is_kept() {
    for (authority, shown) in [(Authority::Furs, "first"), (Authority::Fina, "second")] {
        let own = Fiscalizing::open(authority, crate::takings::on_sqlite(), stamp_on(false)).await;
        let own = Arc::new(own);
        // The answer to the first message comes when the second one is confirmed.
        let (answer, asked) = tokio::sync::oneshot::channel::<()>();
        own.office.then(async move {
            let _ = asked.await;
            Ok(racun_fiscal::Reply::Confirmed(Some("first".to_owned())))
        });
        own.office.then_confirms("second");
        let selling = tokio::spawn({
            let own = Arc::clone(&own);
            async move { own.invoice().await }
        });
        while own.office.heard().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(own.work(NOW + LEASE).await.done, 1);
        answer.send(()).unwrap();
        let invoice = selling.await.unwrap();
        assert_eq!(record(&invoice).confirmations, ["second", "first"]);
        assert_eq!(fiscal(&invoice).confirmation().map(String::as_str), Some(shown));
        assert_eq!(fiscal(&invoice).status, FiscalStatus::Success);
        assert_eq!(own.work(NOW + LEASE * 10).await.attempts, 0);
    }
}

#[tokio::test]
async fn an_answer_lost_after_acceptance_gives_two_ids_or_the_same_again() {
    let store = Flaky::new(SqliteStore::in_memory(&racun_application::tables()).unwrap());
    let store = Arc::new(store);
    let own =
        Fiscalizing::open(Authority::Furs, Arc::<Flaky<_>>::clone(&store), stamp_on(false)).await;
    // The document is stored; what came of the message is not.
    store.fail_after(1, false);
    let invoice = own.invoice().await;
    assert_eq!(fiscal(&invoice).status, FiscalStatus::Pending, "it is answered nevertheless");
    store.heal();
    let report = own.work(NOW + LEASE).await;
    assert_eq!((report.attempts, report.done), (1, 1));
    let confirmed = own.reread(&invoice).await;
    assert_eq!(fiscal(&confirmed).confirmation().map(String::as_str), Some("id-1"));
}

#[tokio::test]
async fn a_refusal_ends_it_without_a_loop() {
    let codes = ["S001", "S002", "S003", "S004", "S005", "S006", "S007", "S008"];
    let own = in_slovenia().await;
    let croatian = in_croatia().await;
    let croatian_codes = ["s001", "s002", "s003", "s004", "s005", "s013"];
    for (own, codes) in [(own, &codes[..]), (croatian, &croatian_codes)] {
        for code in codes {
            own.office.then_refuses(code);
            let invoice = own.invoice().await;
            assert_eq!(fiscal(&invoice).status, FiscalStatus::Failed, "{code}");
            assert_eq!(fiscal(&invoice).error.as_deref(), Some(*code));
            let state = own.exchange(&invoice).await.unwrap().state;
            assert_eq!(
                state,
                State::Blocked { code: (*code).to_owned(), message: "Napaka".to_owned() }
            );
        }
        own.office.heard();
        assert_eq!(own.work(NOW + Duration::days(2)).await.attempts, 0);
    }
}

#[tokio::test]
async fn pending_documents_are_sent_after_a_switch_off_and_with_a_new_certificate() {
    let own = in_slovenia().await;
    own.office.then_is_silent();
    let invoice = own.invoice().await;
    let expired = own.certificate("old", -Duration::MINUTE);
    let off = FiscalSettings { enabled: false, certificate: Some(expired), ..own.settings() };
    own.store_settings(&off).await;
    own.office.heard();
    // With a certificate that does not sign it waits a quarter of an hour, in every run.
    let report = own.work(NOW + MINUTE).await;
    assert_eq!((report.attempts, report.problems.len()), (0, 1), "{report:?}");
    assert_eq!(own.work(NOW + MINUTE * 15).await.problems.len(), 0);
    let waiting = own.reread(&invoice).await;
    assert_eq!(fiscal(&waiting).error.as_deref(), Some("certificate_expired"));
    assert_eq!(fiscal(&waiting).status, FiscalStatus::Pending);
    let certificate = Some(own.certificate("second", Duration::days(9)));
    own.store_settings(&FiscalSettings { enabled: false, certificate, ..own.settings() }).await;
    assert_eq!(own.work(NOW + MINUTE * 16).await.done, 1);
    let heard = own.office.heard();
    assert_eq!(heard[0].certificate, b"second");
    assert_eq!(record(&own.reread(&invoice).await).mark, record(&invoice).mark);
}

#[tokio::test]
async fn an_alarm_is_raised_once_before_the_last_day_ends() {
    // A Friday: the second working day is the Tuesday after in Slovenia, the Monday in Croatia.
    for (authority, last) in
        [(Authority::Furs, date!(2026 - 11 - 24)), (Authority::Fina, date!(2026 - 11 - 23))]
    {
        let own = Fiscalizing::open(authority, crate::takings::on_sqlite(), stamp_on(false)).await;
        (0..5).for_each(|_| own.office.then_is_silent());
        let invoice = own.invoice().await;
        let begins = racun_kernel::calendar::start_of_day(last, authority.zone()).unwrap();
        assert!(own.work(begins - Duration::SECOND).await.alarms.is_empty());
        let report = own.work(begins + Duration::HOUR).await;
        let [alarm] = &report.alarms[..] else { panic!("{report:?}") };
        assert_eq!((alarm.document_id, alarm.deadline), (invoice.id, last));
        assert_eq!(alarm.error.as_deref(), Some("timed out"), "it says what came in the way");
        assert!(own.work(begins + Duration::HOUR * 9).await.alarms.is_empty());
        assert_eq!(own.work(begins + Duration::days(30)).await.attempts, 1, "it is never given up");
    }
}

#[tokio::test]
async fn an_authority_that_is_silent_is_left_alone_for_the_rest_of_a_run() {
    let own = in_slovenia().await;
    (0..11).for_each(|_| own.office.then_is_silent());
    for _ in 0..5 {
        own.invoice().await;
    }
    own.office.heard();
    let stamp = own.at(NOW + MINUTE);
    let store = &*own.shop.store;
    let stamps = || stamp.clone();
    let report = racun_fiscalization::run_due(store, &own.fiscal, &stamps, LIMITS);
    let report = report.await.unwrap();
    assert_eq!((report.attempts, report.has_more), (3, true), "{report:?}");
    assert!(report.alarms.is_empty(), "{report:?}");
    // No other entity's alarm waits behind the silence.
    let stamp = own.at(NOW + Duration::days(5));
    let stamps = || stamp.clone();
    let report = racun_fiscalization::run_due(store, &own.fiscal, &stamps, LIMITS).await.unwrap();
    assert_eq!((report.attempts, report.alarms.len()), (3, 5), "{report:?}");
}

#[tokio::test]
async fn two_workers_send_a_message_once() {
    for (mut own, _database) in everywhere().await {
        own.fiscal.retry = Retry { initial: std::time::Duration::ZERO, ..Retry::default() };
        (0..6).for_each(|_| own.office.then_is_silent());
        for _ in 0..6 {
            own.invoice().await;
        }
        own.office.heard();
        let now = OffsetDateTime::from(std::time::SystemTime::now()).max(own.shop.stamp.now());
        let reports = tokio::join!(own.work(now), own.work(now), own.work(now));
        let sent = reports.0.attempts + reports.1.attempts + reports.2.attempts;
        assert_eq!((sent, own.office.heard().len()), (6, 6), "{reports:?}");
    }
}
