//! Payments on a receipt that CIS holds: recorded, deleted, restored and changed, they agree with
//! the last report to CIS.

use std::sync::Arc;

use racun_documents::Document;
use racun_fiscal::fina::PaymentMeans::{self, G, K, O, T};
use racun_fiscal::{LEASE, Means, Message};
use racun_fiscalization::TaxAuthority;
use racun_fiscalization::{FinaRequest, FiscalAuthority, FiscalRequest};
use racun_kernel::{Decimal, Patch, Stamp};
use racun_sales::Error;
use racun_sales::payments::{self, PaymentPorts};
use racun_settlement::PaymentType::{self, BankTransfer, Card, Cash};
use racun_settlement::{NewPayment, Payment, PaymentPatch, TypeChangeError, TypeChangeRule};
use racun_store::Context;
use time::OffsetDateTime;
use time::macros::datetime;

use crate::fiscal::{in_croatia, in_slovenia};
use crate::fixture::decimal;
use crate::office::{Fiscalizing, fina, record as shown, skip};

/// A shop whose payments the authority hears of.
struct Till {
    own: Fiscalizing,
    authority: Arc<dyn TaxAuthority>,
}

impl Till {
    fn of(own: Fiscalizing) -> Self {
        let (store, fiscal) = (Arc::clone(&own.shop.store), Some(own.fiscal.clone()));
        own.office.heard();
        let authority = FiscalAuthority { store, fiscal, alone_since: None };
        Self { own, authority: Arc::new(authority) }
    }

    /// The shop after its process restarted at `now`, alone with its store.
    fn started(self, now: OffsetDateTime) -> Self {
        let Self { own, .. } = self;
        let (store, fiscal) = (Arc::clone(&own.shop.store), Some(own.fiscal.clone()));
        let authority = FiscalAuthority { store, fiscal, alone_since: Some(now) };
        Self { own, authority: Arc::new(authority) }
    }

    fn ports<'a>(&'a self, stamp: &'a Stamp) -> PaymentPorts<'a> {
        let shop = &self.own.shop;
        let cx = Context::new(&*shop.store, &shop.scope, stamp);
        PaymentPorts { cx, authority: Some(&self.authority), portugal: None }
    }

    /// A receipt of 122 that CIS holds, paid by `kinds`.
    async fn sell(&self, kinds: &[PaymentType], said: FiscalRequest) -> Document {
        let invoice = self.own.sell(kinds, said).await.unwrap();
        self.own.office.heard();
        invoice
    }

    async fn pay(
        &self,
        document: &Document,
        kind: PaymentType,
        amount: &str,
        stamp: &Stamp,
    ) -> Result<Payment, Error> {
        let amount: Option<Decimal> = Some(decimal(amount));
        let document_id = Some(document.id.to_string());
        let new = NewPayment { document_id, amount, ..NewPayment::new(kind) };
        let shop = &self.own.shop;
        payments::record(self.ports(stamp), &shop.entity, new).await
    }

    async fn trash(&self, payment: &Payment, stamp: &Stamp) -> Result<Payment, Error> {
        let shop = &self.own.shop;
        payments::trash(self.ports(stamp), &shop.entity, payment.id).await
    }

    async fn restore(&self, payment: &Payment, stamp: &Stamp) -> Result<Payment, Error> {
        let shop = &self.own.shop;
        payments::restore(self.ports(stamp), &shop.entity, payment.id).await
    }

    async fn change(&self, payment: &Payment, patch: PaymentPatch) -> Result<Payment, Error> {
        let (shop, stamp) = (&self.own.shop, &self.own.shop.stamp);
        let (store, authority) = (&*shop.store, &self.authority);
        payments::change(
            Context::new(store, &shop.scope, stamp),
            authority,
            &shop.entity,
            payment.id,
            patch,
        )
        .await
    }

    /// The messages to CIS since the last call, and what the document shows of them.
    async fn told(&self, document: &Document) -> (Vec<PaymentMeans>, Option<String>) {
        let heard = self.own.office.heard().into_iter().filter_map(|heard| match heard.message {
            Message::FinaChange(change) => Some(change.means),
            _ => None,
        });
        let heard = heard.collect();
        let document = self.own.reread(document).await;
        assert_eq!(document.payment_change_unconfirmed, None);
        (heard, shown(&document).payment_type.clone())
    }

    async fn hears(&self, document: &Document, means: &[PaymentMeans], shown: &str) {
        assert_eq!(self.told(document).await, (means.to_vec(), Some(shown.to_owned())));
    }
}

fn refused(rule: TypeChangeRule) -> Error {
    TypeChangeError::Refused(rule).into()
}

#[tokio::test]
async fn deleting_a_payment_and_recording_another_is_reported_like_its_change() {
    let till = Till::of(in_croatia().await);
    let stamp = till.own.shop.stamp.clone();
    let invoice = till.sell(&[], FiscalRequest::default()).await;
    let cash = till.pay(&invoice, Cash, "122", &stamp).await.unwrap();
    till.hears(&invoice, &[G], "cash").await;
    till.trash(&cash, &stamp).await.unwrap();
    till.hears(&invoice, &[T], "bank_transfer").await;
    let card = till.pay(&invoice, Card, "122", &stamp).await.unwrap();
    till.hears(&invoice, &[K], "card").await;
    till.trash(&card, &stamp).await.unwrap();
    till.restore(&cash, &stamp).await.unwrap();
    till.hears(&invoice, &[T, G], "cash").await;
    // What CIS holds already is no news: nothing is sent.
    let half = PaymentPatch { amount: Patch::Value(decimal("61")), ..PaymentPatch::default() };
    till.change(&cash, half).await.unwrap();
    till.pay(&invoice, Cash, "1", &stamp).await.unwrap();
    till.hears(&invoice, &[], "cash").await;
    till.pay(&invoice, Card, "60", &stamp).await.unwrap();
    till.hears(&invoice, &[O], "other").await;
}

#[tokio::test]
async fn after_the_day_of_issue_no_way_leads_round_the_rule() {
    let till = Till::of(in_croatia().await);
    let stamp = till.own.shop.stamp.clone();
    let paid = till.sell(&[Cash, Cash], FiscalRequest::default()).await;
    let open = till.sell(&[], FiscalRequest::default()).await;
    let gone = till.pay(&open, Card, "22", &stamp).await.unwrap();
    till.trash(&gone, &stamp).await.unwrap();
    till.own.office.heard();
    let next = till.own.at(datetime!(2026-11-20 23:00 UTC));
    let expired = || refused(TypeChangeRule::WindowExpired);
    for kind in [Cash, Card, PaymentType::Coupon] {
        assert_eq!(till.pay(&open, kind, "22", &next).await.unwrap_err(), expired(), "{kind:?}");
    }
    assert_eq!(till.restore(&gone, &next).await.unwrap_err(), expired());
    till.pay(&open, BankTransfer, "22", &next).await.unwrap();
    // Of two in cash one may go; then the other is the one that CIS has.
    let all = till.own.payments_of(&paid).await;
    till.trash(&all[0], &next).await.unwrap();
    assert_eq!(till.trash(&all[1], &next).await.unwrap_err(), expired());
    till.hears(&paid, &[], "cash").await;
    till.hears(&open, &[], "bank_transfer").await;
}

#[tokio::test]
async fn what_was_chosen_when_it_was_issued_is_what_cis_holds() {
    let till = Till::of(in_croatia().await);
    let stamp = till.own.shop.stamp.clone();
    let said = || fina(FinaRequest { payment_type: Some(Means::Cash), ..FinaRequest::default() });
    let invoice = till.sell(&[], said()).await;
    till.pay(&invoice, Cash, "22", &stamp).await.unwrap();
    till.hears(&invoice, &[], "cash").await;
    let other = till.sell(&[], said()).await;
    till.pay(&other, BankTransfer, "22", &stamp).await.unwrap();
    till.hears(&other, &[T], "bank_transfer").await;
}

#[tokio::test]
async fn before_the_first_report_payments_change_freely() {
    let till = Till::of(in_croatia().await);
    let stamp = till.own.shop.stamp.clone();
    till.own.office.then_is_silent();
    let invoice = till.sell(&[], FiscalRequest::default()).await;
    let early = till.pay(&invoice, Cash, "22", &stamp).await.unwrap_err();
    assert_eq!(early, refused(TypeChangeRule::NotConfirmedYet));
    till.pay(&invoice, BankTransfer, "22", &stamp).await.unwrap();
    till.own.fiscalize(&invoice, Default::default(), &stamp).await.unwrap();
    till.pay(&invoice, Cash, "22", &stamp).await.unwrap();
    till.hears(&invoice, &[O], "other").await;
}

#[tokio::test]
async fn a_first_payment_without_an_answer_is_an_attempt_that_the_same_one_ends() {
    let till = Till::of(in_croatia().await);
    let stamp = till.own.shop.stamp.clone();
    let invoice = till.sell(&[], FiscalRequest::default()).await;
    till.own.office.then_is_silent();
    let lost = till.pay(&invoice, Cash, "22", &stamp).await.unwrap_err();
    assert!(matches!(lost, Error::TypeChange(TypeChangeError::Unreachable(_))), "{lost:?}");
    let pending = till.own.reread(&invoice).await.payment_change_unconfirmed.unwrap();
    assert_eq!((pending.payment_id, &*pending.from, &*pending.to), (None, "none", "cash"));
    assert_eq!(till.own.payments_of(&invoice).await, [], "nothing is recorded");
    let other = till.pay(&invoice, Card, "22", &stamp).await.unwrap_err();
    let message = other.to_string();
    assert!(message.contains("a new payment from none to cash"), "{message}");
    till.pay(&invoice, Cash, "22", &stamp).await.unwrap();
    till.hears(&invoice, &[G, G], "cash").await;
    // And who dies leaves a lease besides.
    till.own.office.dies_sending(till.pay(&invoice, Card, "10", &stamp)).await;
    let again = till.pay(&invoice, Card, "10", &stamp).await.unwrap_err();
    let Error::TypeChange(TypeChangeError::Unconfirmed { wait, .. }) = again else {
        panic!("{again:?}")
    };
    assert_eq!(wait, Some(61));
    let later = till.own.at(stamp.now() + LEASE);
    till.pay(&invoice, Card, "10", &later).await.unwrap();
    till.hears(&invoice, &[O, O], "other").await;
    assert_eq!(till.own.payments_of(&invoice).await.len(), 2);
}

#[tokio::test]
async fn a_single_process_takes_over_payment_reports_at_once() {
    let till = Till::of(in_croatia().await);
    let stamp = till.own.shop.stamp.clone();
    let invoice = till.sell(&[], FiscalRequest::default()).await;
    let dies = async |till: &Till, stamp: &Stamp| {
        till.own.office.dies_sending(till.pay(&invoice, Cash, "22", stamp)).await;
    };
    dies(&till, &stamp).await;
    let later = till.own.at(stamp.now() + time::Duration::SECOND);
    let till = till.started(later.now());
    // What this process itself begins keeps its lease.
    dies(&till, &later).await;
    let twin = till.pay(&invoice, Cash, "22", &later).await.unwrap_err();
    let refused = Error::TypeChange(TypeChangeError::Unconfirmed {
        payment_id: None,
        from: "none".to_owned(),
        to: "cash".to_owned(),
        wait: Some(61),
    });
    assert_eq!(twin, refused);
    let again = till.own.at(later.now() + time::Duration::SECOND);
    let till = till.started(again.now());
    till.pay(&invoice, Cash, "22", &again).await.unwrap();
    till.hears(&invoice, &[G, G, G], "cash").await;
}

#[tokio::test]
async fn slovenia_lets_nothing_back_that_a_skip_forbids() {
    let till = Till::of(in_slovenia().await);
    let stamp = till.own.shop.stamp.clone();
    let invoice = till.sell(&[BankTransfer], skip()).await;
    let paid = till.own.payments_of(&invoice).await.remove(0);
    till.trash(&paid, &stamp).await.unwrap();
    till.restore(&paid, &stamp).await.unwrap();
    till.trash(&paid, &stamp).await.unwrap();
    let required = refused(TypeChangeRule::FiscalizationRequired);
    assert_eq!(till.pay(&invoice, Cash, "22", &stamp).await.unwrap_err(), required);
    till.own.fiscalize(&invoice, Default::default(), &stamp).await.unwrap();
    till.pay(&invoice, Cash, "22", &stamp).await.unwrap();
    assert_eq!(till.own.office.heard().len(), 1, "FURS does not ask how it is paid");
}
