//! Changes of payments' types that meet on one invoice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_fiscalization::{Concern, Matter, TaxAuthority};
use racun_kernel::Stamp;
use racun_kernel::id::PaymentId;
use racun_sales::Error;
use racun_sales::payments;
use racun_settlement::PaymentType::{self, BankTransfer, Card, Cash, Check, Coupon};
use racun_settlement::{Payment, ReportError, TypeChange, TypeChangeError};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::authority::provider;
use crate::type_changes::{Till, failure, named, to};

/// A change to `kind` that is being reported to the authority, and what releases its `answer`.
async fn under_way(
    till: &Till,
    kind: PaymentType,
    answer: Result<(), ReportError>,
) -> (JoinHandle<Result<Payment, Error>>, oneshot::Sender<()>) {
    let (asked, was_asked) = oneshot::channel();
    let (open, gate) = oneshot::channel::<()>();
    till.authority.then(async move {
        asked.send(()).unwrap();
        gate.await.unwrap();
        answer
    });
    let task = till.begin(to(kind));
    was_asked.await.unwrap();
    (task, open)
}

#[tokio::test]
async fn during_a_report_equal_and_other_changes_wait() {
    let away = || ReportError::Unreachable("timed out".to_owned());
    for answer in [Ok(()), Err(ReportError::Provider(provider("s008"))), Err(away())] {
        let till = Till::open().await;
        let (first, open) = under_way(&till, Card, answer.clone()).await;
        till.is_untouched(till.attempt("card"), "it is being told").await;
        for kind in [Card, Check] {
            assert_eq!(failure(till.change(to(kind)).await), till.under_way("card"), "{kind:?}");
        }
        assert_eq!(till.authority.heard(), [till.to(Card)], "one at a time");
        open.send(()).unwrap();
        let outcome = first.await.unwrap();
        match answer {
            Ok(()) => assert_eq!(outcome.unwrap().kind, Card),
            Err(error) => assert_eq!(failure(outcome), TypeChangeError::from(error)),
        }
        // Then the same change finds nothing to do, or is reported again.
        till.change(to(Card)).await.unwrap();
        till.is_only(Card).await;
        till.change(to(Check)).await.unwrap();
        till.is_only(Check).await;
    }
}

/// Card twice, then cash, and the answer to the second is lost: the payment shows the last report,
/// or that it is unconfirmed.
#[tokio::test]
async fn a_till_that_repeats_a_slow_change_leaves_no_unseen_change() {
    let till = Till::open().await;
    let (first, open) = under_way(&till, Card, Ok(())).await;
    let lost = Err(ReportError::Unreachable("timed out".to_owned()));
    let repeated = failure(till.change(to(Card)).await);
    assert_eq!(repeated, till.under_way("card"));
    open.send(()).unwrap();
    assert_eq!(first.await.unwrap().unwrap().kind, Card);
    assert_eq!(till.change(to(Cash)).await.unwrap().kind, Cash);
    till.authority.then(async { lost });
    failure(till.change(to(Card)).await);
    let told: Vec<_> = till.authority.heard().into_iter().map(|change| change.to).collect();
    assert_eq!(told, [Some(Card), Some(Cash), Some(Card)]);
    let (payment, invoice) = till.stored().await;
    let pending = invoice.payment_change_unconfirmed.map(named);
    assert_eq!((payment.kind, pending), (Cash, till.attempt("card")), "the last one is in doubt");
}

/// An attempt that outlives its lease is taken over: its outcome then ends nothing.
#[tokio::test]
async fn a_late_outcome_ends_no_later_attempt() {
    for late in [Ok(()), Err(ReportError::Provider(provider("s008")))] {
        // The outcome of the attempt that takes over, and the payment after it.
        let away = || Err(ReportError::Unreachable("timed out".to_owned()));
        for (next, kind, attempt) in [(Ok(()), Card, None), (away(), Cash, Some("card"))] {
            let till = Till::open().await;
            let (first, open) = under_way(&till, Card, late.clone()).await;
            till.authority.then(async move { next });
            let _ = till.change_later(to(Card)).await;
            open.send(()).unwrap();
            let outcome = failure(first.await.unwrap());
            match &late {
                Ok(()) => assert!(matches!(outcome, TypeChangeError::Unrecorded(_))),
                Err(error) => assert_eq!(outcome, TypeChangeError::from(error.clone())),
            }
            let (payment, invoice) = till.stored().await;
            let pending = invoice.payment_change_unconfirmed.map(|pending| pending.to);
            assert_eq!((payment.kind, pending.as_deref()), (kind, attempt));
        }
    }
}

/// An authority with a ledger of its own, whose answers are lost at times. It must never hear of
/// two changes at once on one invoice.
#[derive(Default)]
struct LedgerAuthority {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    types: BTreeMap<PaymentId, PaymentType>,
    in_flight: Option<TypeChange>,
    reports: usize,
}

#[async_trait]
impl TaxAuthority for LedgerAuthority {
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
            state.types.insert(matter.change.payment_id.unwrap(), matter.change.to.unwrap());
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
    let books = Arc::new(LedgerAuthority::default());
    let tasks = [till.payment.id, other.id].into_iter().flat_map(|id| {
        [Card, Check, BankTransfer, Coupon].map(|kind| {
            let (shop, port) = (Arc::clone(&till.shop), Arc::<LedgerAuthority>::clone(&books));
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
    let kept = books.state.lock().unwrap().types.clone();
    for id in [till.payment.id, other.id] {
        let payment = payments::get(till.shop.cx(), id).await.unwrap();
        assert_eq!(kept.get(&id), Some(&payment.kind));
    }
    assert_eq!(till.stored().await.1.payment_change_unconfirmed, None);
}
