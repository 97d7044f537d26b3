//! The exchange about a document, whatever happens to it.

use std::time::Duration as Wait;

use proptest::prelude::*;
use racun_fiscal::{
    Exchange, ExchangeOutcome, LEASE, Message, MessageId, ReportContent, Retry, SaleKind, State,
    due_put, fina, furs,
};
use racun_kernel::{DocumentId, DocumentKind, Environment};
use racun_store::{PutKind, Record};
use time::macros::{date, datetime};
use time::{Duration, OffsetDateTime};
use ulid::Ulid;

use crate::world;

const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

fn invoice() -> DocumentId {
    DocumentId::new(DocumentKind::Invoice, Ulid::from_parts(1, 1))
}

/// What may happen to an exchange.
#[derive(Debug, Clone)]
enum Step {
    Begin,
    Confirm(usize, u8),
    Refuse(usize, bool),
    Silence(usize),
    PutOff,
}

fn step() -> impl Strategy<Value = Step> {
    // Which attempt is answered: the last one, or one before it.
    let nth = 0..3_usize;
    prop_oneof![
        Just(Step::Begin),
        (nth.clone(), any::<u8>()).prop_map(|(nth, id)| Step::Confirm(nth, id)),
        (nth.clone(), any::<bool>()).prop_map(|(nth, is_final)| Step::Refuse(nth, is_final)),
        nth.prop_map(Step::Silence),
        Just(Step::PutOff),
    ]
}

fn open() -> Exchange {
    let stamp = racun_store::testing::stamp(NOW);
    let content =
        ReportContent::Furs(Box::new(world::invoice(&world::sale(SaleKind::Invoice, "122"))));
    Exchange::open(invoice(), stamp.id(), content, MessageId::new(&stamp), NOW)
}

#[test]
fn paper_forms_are_reported_as_such_from_the_first_message() {
    let stamp = racun_store::testing::stamp(NOW);
    let sale = world::sale(SaleKind::Invoice, "122");
    let paragon = fina::Receipt { paragon: Some("17/1".to_owned()), ..world::receipt(&sale) };
    let [invoice_number, set_number, serial_number] =
        ["612", "03", "5001-0001018"].map(str::to_owned);
    let book = furs::SalesBook { invoice_number, set_number, serial_number };
    let (taxpayer, premise) = ("10039856".to_owned(), "P1".to_owned());
    let on = date!(2026 - 11 - 18);
    let form = furs::BookInvoice::of(&sale, taxpayer, premise, book, on);
    for (content, is_late) in [
        (ReportContent::Fina(Box::new(paragon)), [true, true]),
        (ReportContent::Fina(Box::new(world::receipt(&sale))), [false, true]),
        (ReportContent::FursBook(Box::new(form)), [false, false]),
    ] {
        let id = || MessageId::new(&stamp);
        let exchange = Exchange::open(invoice(), stamp.id(), content, id(), NOW);
        let stored = serde_json::to_value(&exchange).unwrap();
        assert_eq!(serde_json::from_value::<Exchange>(stored).unwrap(), exchange);
        let exchange = exchange.begin(id(), NOW + LEASE);
        let late: Vec<bool> = exchange.attempts.iter().map(|attempt| attempt.is_late).collect();
        assert_eq!(late, is_late);
        if let ReportContent::FursBook(_) = exchange.content {
            assert_eq!((exchange.lost_on, exchange.content.issued_on()), (Some(on), on));
            assert!(matches!(exchange.content.message(true), Message::FursBook(_)));
        }
    }
}

fn outcome(step: &Step) -> Option<(usize, ExchangeOutcome)> {
    let (nth, outcome) = match step {
        Step::Confirm(nth, id) => (nth, ExchangeOutcome::Confirmed(format!("id-{id}"))),
        Step::Refuse(nth, is_final) => {
            let (code, message) = ("S001".to_owned(), "Napaka".to_owned());
            let errors = Vec::new();
            (nth, ExchangeOutcome::Refused { code, message, errors, is_final: *is_final })
        }
        Step::Silence(nth) => (nth, ExchangeOutcome::Unknown("timed out".to_owned())),
        Step::Begin | Step::PutOff => return None,
    };
    Some((*nth, outcome))
}

proptest! {
    #[test]
    fn nothing_is_lost_and_what_is_confirmed_stays_so(
        steps in prop::collection::vec(step(), 0..40),
    ) {
        let stamp = racun_store::testing::stamp(NOW);
        let (account, sandbox) = (stamp.id(), Environment::Sandbox);
        let mut exchange = open();
        let mut now = NOW;
        for step in steps {
            now += Duration::SECOND;
            let before = exchange.clone();
            exchange = match (&step, outcome(&step)) {
                (_, Some((nth, outcome))) => {
                    let place = before.attempts.len().saturating_sub(1 + nth);
                    let message_id = before.attempts[place].message_id.clone();
                    exchange.settle(&message_id, outcome, &Retry::default(), now)
                }
                (Step::Begin, _) if before.may_be_sent(now) => {
                    exchange.begin(MessageId::new(&stamp), now)
                }
                (Step::PutOff, _) if before.is_due(now) => {
                    exchange.put_off("certificate", now + LEASE, now)
                }
                _ => exchange,
            };
            prop_assert_eq!(&exchange.content, &before.content);
            let ids = |exchange: &Exchange| -> Vec<String> {
                exchange.attempts.iter().map(|attempt| attempt.message_id.to_string()).collect()
            };
            prop_assert!(ids(&exchange).starts_with(&ids(&before)));
            prop_assert!(exchange.attempts[1..].iter().all(|attempt| attempt.is_late));
            prop_assert!(exchange.confirmations.starts_with(&before.confirmations));
            let is_confirmed = exchange.state == State::Confirmed;
            prop_assert_eq!(is_confirmed, !exchange.confirmations.is_empty());
            let rests = is_confirmed || matches!(exchange.state, State::Blocked { .. });
            prop_assert_eq!(exchange.due_at().is_none(), rests, "all else is due some time");
            let put = due_put(Some(&before), &exchange, account, sandbox).map(|put| put.kind);
            let expected = match (before.due_at(), exchange.due_at()) {
                (Some(then), Some(now)) => (then != now).then_some(PutKind::Update),
                (Some(_), None) => Some(PutKind::Delete),
                (None, Some(_)) => Some(PutKind::Insert),
                (None, None) => None,
            };
            prop_assert_eq!(put, expected);
            let text = serde_json::to_string(&exchange).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Exchange>(&text).unwrap(), &exchange);
            prop_assert_eq!(exchange.values().len(), exchange.table().fields.len());
        }
    }
}

#[test]
fn an_attempt_under_way_is_left_alone_until_its_lease_is_over() {
    let exchange = open();
    let over = NOW + LEASE;
    let early = over - Duration::MILLISECOND;
    assert!(!exchange.is_due(early) && !exchange.may_be_sent(early));
    assert!(exchange.is_due(over) && exchange.may_be_sent(over));
}

#[test]
fn waits_double_to_the_most_and_never_overflow() {
    let retry = Retry { initial: Wait::from_secs(30), max: Wait::from_secs(3600) };
    let seconds = |attempts| retry.after(attempts).as_secs();
    assert_eq!([0, 1, 2, 3, 7, 8, 9].map(seconds), [30, 30, 60, 120, 1920, 3600, 3600]);
    assert_eq!(seconds(usize::MAX), 3600);
}
