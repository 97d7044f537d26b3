//! Changes of payments' types that meet on one invoice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_application::payments::{self, Concern, Matter, TaxAuthority};
use racun_kernel::Stamp;
use racun_kernel::id::PaymentId;
use racun_settlement::PaymentType::{self, BankTransfer, Card, Cash, Check, Coupon};
use racun_settlement::{ReportError, TypeChange, TypeChangeError};
use tokio::sync::oneshot;

use crate::authority::provider;
use crate::fixture::Shop;
use crate::type_changes::{Till, failure, to};

#[tokio::test]
async fn a_different_change_at_the_same_time_is_refused_and_the_same_is_told_again() {
    let away = || ReportError::Unreachable("timed out".to_owned());
    for second in [Ok(()), Err(ReportError::Provider(provider("s008"))), Err(away())] {
        let till = Till::open().await;
        let mut gates = Vec::new();
        let mut tasks = Vec::new();
        for answer in [Ok(()), second.clone()] {
            let (asked, was_asked) = oneshot::channel();
            let (open, gate) = oneshot::channel::<()>();
            till.authority.then(async move {
                asked.send(()).unwrap();
                gate.await.unwrap();
                answer
            });
            tasks.push(till.begin(to(Card)));
            was_asked.await.unwrap();
            gates.push(open);
        }
        till.is_untouched(till.attempt("card"), "both were told").await;
        assert_eq!(failure(till.change(to(Check)).await), till.unconfirmed("card"));
        assert_eq!(till.authority.heard(), [till.to(Card), till.to(Card)]);
        for (gate, (task, answer)) in gates.into_iter().zip(tasks.into_iter().zip([Ok(()), second]))
        {
            gate.send(()).unwrap();
            let outcome = task.await.unwrap();
            match answer {
                Ok(()) => assert_eq!(outcome.unwrap().kind, Card),
                Err(error) => assert_eq!(failure(outcome), TypeChangeError::from(error)),
            }
            // The first confirmation made the change, and nothing undoes it.
            till.is_only(Card).await;
        }
        till.change(to(Check)).await.unwrap();
        till.is_only(Check).await;
    }
}

#[tokio::test]
async fn a_late_confirmation_undoes_no_later_change() {
    /// What comes between a report and its confirmation, and what the payment is after it.
    type Case = (&'static [(PaymentType, Option<&'static str>)], PaymentType, Option<&'static str>);
    let cases: [Case; 4] = [
        // The same change, and the next.
        (&[(Card, None), (Check, None)], Check, None),
        // The next is not confirmed: this one is made, and the next one's attempt stands.
        (&[(Card, None), (Check, Some("s006"))], Card, Some("check")),
        // The same change is refused, and another one made, or not confirmed.
        (&[(Card, Some("s008")), (Check, None)], Check, None),
        (&[(Card, Some("s008")), (Check, Some("s006"))], Cash, Some("check")),
    ];
    for (between, kind, attempt) in cases {
        let till = Till::open().await;
        let (asked, was_asked) = oneshot::channel();
        let (open, gate) = oneshot::channel::<()>();
        till.authority.then(async move {
            asked.send(()).unwrap();
            gate.await.unwrap();
            Ok(())
        });
        let late = till.begin(to(Card));
        was_asked.await.unwrap();
        for (kind, code) in between {
            match code {
                Some(code) => till.authority.then_refuses(code),
                None => till.authority.then(async { Ok(()) }),
            }
            assert_eq!(till.change(to(*kind)).await.is_ok(), code.is_none());
        }
        open.send(()).unwrap();
        let outcome = late.await.unwrap();
        if kind == Card {
            assert_eq!(outcome.unwrap().kind, Card);
        } else {
            assert!(matches!(failure(outcome), TypeChangeError::Unrecorded(_)));
        }
        let (payment, invoice) = till.stored().await;
        let pending = invoice.payment_change_unconfirmed.map(|pending| pending.to);
        assert_eq!((payment.kind, pending.as_deref()), (kind, attempt));
    }
}

#[tokio::test]
async fn a_late_refusal_clears_no_later_attempt() {
    let till = Till::open().await;
    let (asked, was_asked) = oneshot::channel();
    let (open, gate) = oneshot::channel::<()>();
    till.authority.then(async move {
        asked.send(()).unwrap();
        gate.await.unwrap();
        Err(ReportError::Provider(provider("s008")))
    });
    let late = till.begin(to(Card));
    was_asked.await.unwrap();
    till.authority.then_refuses("s008");
    failure(till.change(to(Card)).await);
    till.authority.then_is_away();
    failure(till.change(to(Check)).await);
    open.send(()).unwrap();
    failure(late.await.unwrap());
    till.is_untouched(till.attempt("check"), "the later attempt stands").await;
}

/// An authority with books of its own, whose answers are lost now and then. It must never hear of
/// two changes at once on one invoice.
#[derive(Default)]
struct Books {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    types: BTreeMap<PaymentId, PaymentType>,
    in_flight: Option<TypeChange>,
    reports: usize,
}

#[async_trait]
impl TaxAuthority for Books {
    fn concern(&self, _: &Matter) -> Concern {
        Concern::MustReport
    }

    async fn report(&self, matter: &Matter, _: &Stamp) -> Result<(), ReportError> {
        let fate = {
            let mut state = self.state.lock().unwrap();
            assert_eq!(state.in_flight, None, "{:?} comes at once", matter.change);
            state.in_flight = Some(matter.change.clone());
            state.reports += 1;
            state.reports % 4
        };
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        let mut state = self.state.lock().unwrap();
        state.in_flight = None;
        if fate != 1 {
            state.types.insert(matter.change.payment_id, matter.change.to);
        }
        match fate {
            1 => Err(ReportError::Unreachable("the question was lost".to_owned())),
            2 => Err(ReportError::Provider(provider("s006"))),
            _ => Ok(()),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_on_one_invoice_take_turns_and_agree_with_the_authority_in_the_end() {
    let till = Till::open().await;
    let other = till.shop.pay(&till.invoice, "10").await.unwrap();
    let books = Arc::new(Books::default());
    let tasks = [till.payment.id, other.id].into_iter().flat_map(|id| {
        [Card, Check, BankTransfer, Coupon].map(|kind| {
            let (shop, port) = (Arc::clone(&till.shop), Arc::<Books>::clone(&books));
            let port: Arc<dyn TaxAuthority> = port;
            tokio::spawn(async move {
                let mut refused = 0;
                loop {
                    match shop.change(&port, id, to(kind)).await {
                        Ok(payment) => break assert_eq!(payment.kind, kind),
                        Err(error) => match failure(Err(error)) {
                            TypeChangeError::Unconfirmed { .. } => refused += 1,
                            TypeChangeError::Unreachable(_) | TypeChangeError::Provider(_) => {}
                            other => panic!("{other:?}"),
                        },
                    }
                    tokio::task::yield_now().await;
                }
                refused
            })
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut refused = 0;
    for task in tasks {
        refused += task.await.unwrap();
    }
    assert!(refused > 0, "no two changes met");
    let Shop { store, scope, .. } = &*till.shop;
    let kept = books.state.lock().unwrap().types.clone();
    for id in [till.payment.id, other.id] {
        let payment = payments::get(&**store, scope, id).await.unwrap();
        assert_eq!(kept.get(&id), Some(&payment.kind));
    }
    assert_eq!(till.stored().await.1.payment_change_unconfirmed, None);
}
