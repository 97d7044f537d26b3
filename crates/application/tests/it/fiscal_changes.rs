//! A payment's change of type on a document that was or was not reported to a tax authority.

use std::sync::Arc;

use racun_documents::Document;
use racun_fiscal::{EXCHANGES, Message, Reply, fina};
use racun_fiscalization::TaxAuthority;
use racun_fiscalization::{FinaRequest, FiscalAuthority, FiscalRequest};
use racun_kernel::{Patch, Stamp};
use racun_sales::payments;
use racun_sales::{Error, documents};
use racun_settlement::PaymentType::{BankTransfer, Card, Cash, Check, Coupon, CreditCard};
use racun_settlement::{
    NewPayment, Payment, PaymentPatch, PaymentType, TypeChangeError, TypeChangeRule,
};
use racun_store::{Context, Put};
use time::macros::datetime;

use crate::fiscal::{in_croatia, in_slovenia};
use crate::fixture::NOW;
use crate::office::{Fiscalizing, fina as said_to_fina, skip, unknown};
use crate::type_changes::{attempt_of, named};

async fn payment(own: &Fiscalizing, document: &Document) -> Payment {
    own.payments_of(document).await.remove(0)
}

async fn change(
    own: &Fiscalizing,
    payment: &Payment,
    to: PaymentType,
    stamp: &Stamp,
) -> Result<Payment, TypeChangeError> {
    let (store, fiscal) = (Arc::clone(&own.shop.store), Some(own.fiscal.clone()));
    let authority: Arc<dyn TaxAuthority> =
        Arc::new(FiscalAuthority { store, fiscal, alone_since: None });
    let patch = PaymentPatch { kind: Patch::Value(to), ..PaymentPatch::default() };
    let (store, scope, entity) = (&*own.shop.store, &own.shop.scope, &own.shop.entity);
    let outcome =
        payments::change(Context::new(store, scope, stamp), &authority, entity, payment.id, patch);
    outcome.await.map_err(|error| match error {
        Error::TypeChange(error) => error,
        other => panic!("expected a refused change of type, got {other:?}"),
    })
}

/// The changes reported since the last call.
fn told(own: &Fiscalizing) -> Vec<fina::Change> {
    let heard = own.office.heard().into_iter().filter_map(|heard| match heard.message {
        Message::FinaChange(change) => Some(*change),
        _ => None,
    });
    heard.collect()
}

const fn refused(rule: TypeChangeRule) -> TypeChangeError {
    TypeChangeError::Refused(rule)
}

#[tokio::test]
async fn skipped_documents_are_paid_by_transfer_until_fiscalized() {
    let own = in_slovenia().await;
    let stamp = own.shop.stamp.clone();
    let skipped = own.sell(&[BankTransfer], skip()).await.unwrap();
    let paid = payment(&own, &skipped).await;
    for to in [Cash, Card, Check, Coupon] {
        let outcome = change(&own, &paid, to, &stamp).await;
        assert_eq!(outcome.unwrap_err(), refused(TypeChangeRule::FiscalizationRequired), "{to:?}");
    }
    let open = own.sell(&[], skip()).await.unwrap();
    let record = async |kind: PaymentType| {
        let new = NewPayment {
            document_id: Some(open.id.to_string()),
            amount: Some(crate::fixture::decimal("5")),
            ..NewPayment::new(kind)
        };
        let (store, scope, entity) = (&*own.shop.store, &own.shop.scope, &own.shop.entity);
        payments::record(Context::new(store, scope, &stamp), entity, new).await
    };
    record(BankTransfer).await.unwrap();
    let required = Error::TypeChange(refused(TypeChangeRule::FiscalizationRequired));
    assert_eq!(record(Cash).await.unwrap_err(), required);
    own.fiscalize(&open, Default::default(), &stamp).await.unwrap();
    record(Cash).await.unwrap();
    own.fiscalize(&skipped, Default::default(), &stamp).await.unwrap();
    own.office.heard();
    assert_eq!(change(&own, &paid, Cash, &stamp).await.unwrap().kind, Cash);
    assert!(own.office.heard().is_empty(), "FURS does not ask how it is paid");
}

#[tokio::test]
async fn croatia_gets_the_original_means_each_time() {
    let own = in_croatia().await;
    let stamp = own.shop.stamp.clone();
    own.office.then_is_silent();
    let invoice = own.invoice().await;
    own.work(NOW + time::Duration::MINUTE).await;
    let paid = payment(&own, &invoice).await;
    own.office.heard();
    let mut receipt = None;
    for (to, means) in [
        (Card, fina::PaymentMeans::K),
        (BankTransfer, fina::PaymentMeans::T),
        (Check, fina::PaymentMeans::O),
    ] {
        assert_eq!(change(&own, &paid, to, &stamp).await.unwrap().kind, to);
        let told = told(&own);
        let [sent] = &told[..] else { panic!("{told:?}") };
        assert_eq!((sent.means, sent.receipt.means), (means, fina::PaymentMeans::G));
        assert!(sent.late, "as the receipt was taken");
        assert_eq!(receipt.get_or_insert_with(|| sent.receipt.clone()), &sent.receipt);
        assert!(own.reread(&invoice).await.payment_change_unconfirmed.is_none());
    }
    // Both are the same to CIS.
    change(&own, &paid, Coupon, &stamp).await.unwrap();
    assert!(told(&own).is_empty());
}

#[tokio::test]
async fn several_payments_are_reported_together() {
    let own = in_croatia().await;
    let stamp = own.shop.stamp.clone();
    let invoice = own.sell(&[Cash, Card], FiscalRequest::default()).await.unwrap();
    let paid = own.payments_of(&invoice).await;
    let cash = paid.iter().find(|payment| payment.kind == Cash).unwrap();
    change(&own, cash, CreditCard, &stamp).await.unwrap();
    let means: Vec<_> = told(&own).into_iter().map(|change| change.means).collect();
    assert_eq!(means, [fina::PaymentMeans::K]);
    let card = paid.iter().find(|payment| payment.kind == Card).unwrap();
    change(&own, card, BankTransfer, &stamp).await.unwrap();
    let means: Vec<_> = told(&own).into_iter().map(|change| change.means).collect();
    assert_eq!(means, [fina::PaymentMeans::O]);
}

#[tokio::test]
async fn the_window_closes_at_midnight_in_zagreb() {
    let own = in_croatia().await;
    let invoice = own.invoice().await;
    let paid = payment(&own, &invoice).await;
    own.office.heard();
    let last = own.at(datetime!(2026-11-20 22:59:59 UTC));
    own.office.then_is_silent();
    let unconfirmed = change(&own, &paid, Card, &last).await.unwrap_err();
    assert!(matches!(unconfirmed, TypeChangeError::Unreachable(_)), "{unconfirmed:?}");
    let attempt = attempt_of(&paid, "cash", "card", last.now());
    let pending = own.reread(&invoice).await.payment_change_unconfirmed.map(named);
    assert_eq!(pending, Some(attempt));
    let midnight = own.at(datetime!(2026-11-20 23:00 UTC));
    let expired = change(&own, &paid, Card, &midnight).await.unwrap_err();
    assert_eq!(expired, refused(TypeChangeRule::WindowExpired));
    let after = own.reread(&invoice).await;
    assert_eq!(after.payment_change_unconfirmed, None, "it will not be confirmed any more");
    assert_eq!(payment(&own, &invoice).await.kind, Cash);
    let early = own.at(datetime!(2026-11-20 09:00 UTC));
    let future = change(&own, &paid, Card, &early).await.unwrap_err();
    assert_eq!(future, refused(TypeChangeRule::WindowExpired));
    assert_eq!(told(&own).len(), 1);
}

#[tokio::test]
async fn nothing_changes_before_the_receipt_is_confirmed_or_when_it_was_not_kept() {
    let own = in_croatia().await;
    let stamp = own.shop.stamp.clone();
    for code in [None, Some("s001")] {
        match code {
            None => own.office.then_is_silent(),
            Some(code) => own.office.then_refuses(code),
        }
        let invoice = own.invoice().await;
        let paid = payment(&own, &invoice).await;
        let outcome = change(&own, &paid, Card, &stamp).await;
        assert_eq!(outcome.unwrap_err(), refused(TypeChangeRule::NotConfirmedYet), "{code:?}");
        own.fiscalize(&invoice, Default::default(), &stamp).await.unwrap();
        change(&own, &paid, Card, &stamp).await.unwrap();
    }
    let invoice = own.invoice().await;
    let paid = payment(&own, &invoice).await;
    let exchange = own.exchange(&invoice).await.unwrap();
    own.shop.store.insert(vec![Put::delete(&exchange)], Vec::new()).await.unwrap();
    own.office.heard();
    let outcome = change(&own, &paid, Card, &stamp).await;
    assert_eq!(outcome.unwrap_err(), refused(TypeChangeRule::RecordUnavailable));
    assert!(told(&own).is_empty());
    assert_eq!(own.reread(&invoice).await.payment_change_unconfirmed, None);
    assert_eq!(EXCHANGES.name, "fiscal_exchanges");
}

#[tokio::test]
async fn a_refusal_and_silence_leave_the_payment_as_it_was() {
    let own = in_croatia().await;
    let stamp = own.shop.stamp.clone();
    let invoice = own.invoice().await;
    let paid = payment(&own, &invoice).await;
    for (code, is_kept) in [("s005", false), ("s012", false), ("s006", true), ("s013", false)] {
        own.office.then_refuses(code);
        let outcome = change(&own, &paid, Card, &stamp).await.unwrap_err();
        let TypeChangeError::Provider(provider) = outcome else { panic!("{outcome:?}") };
        assert_eq!((&*provider.code, &*provider.message), (code, "Napaka"));
        let kept = own.reread(&invoice).await.payment_change_unconfirmed.is_some();
        assert_eq!(kept, is_kept, "{code}");
        assert_eq!(payment(&own, &invoice).await.kind, Cash);
    }
    own.office.then(async { unknown("timed out") });
    change(&own, &paid, Card, &stamp).await.unwrap_err();
    own.office.then(async { Ok(Reply::Confirmed(None)) });
    assert_eq!(change(&own, &paid, Card, &stamp).await.unwrap().kind, Card);
    assert!(own.reread(&invoice).await.payment_change_unconfirmed.is_none());
}

#[tokio::test]
async fn a_business_is_named_for_cash_and_cards_only() {
    let own = in_croatia().await;
    let stamp = own.shop.stamp.clone();
    let customer = racun_sales::documents::CustomerRequest {
        party: racun_documents::PartyPatch {
            name: Patch::Value("Kupac d.o.o.".to_owned()),
            country_code: Patch::Value("HR".to_owned()),
            tax_number: Patch::Value("HR12345678903".to_owned()),
            ..Default::default()
        },
        save_customer: Some(false),
    };
    let request = documents::DocumentRequest {
        customer: Patch::Value(customer),
        ..crate::office::worth_100()
    };
    let creation = documents::Creation {
        payments: crate::office::paid(&[BankTransfer]),
        fiscal: said_to_fina(FinaRequest::default()),
        ..documents::Creation::default()
    };
    let kind = racun_documents::DocumentKind::Invoice;
    let invoice = own.make(kind, request, creation, &stamp).await.unwrap();
    let heard = own.office.heard();
    let racun_fiscal::ReportContent::Fina(sent) = heard[0].content() else { panic!() };
    assert_eq!(sent.buyer_oib, None);
    let paid = payment(&own, &invoice).await;
    change(&own, &paid, Cash, &stamp).await.unwrap();
    assert_eq!(told(&own)[0].buyer_oib.as_deref(), Some("12345678903"));
    change(&own, &paid, BankTransfer, &stamp).await.unwrap();
    assert_eq!(told(&own)[0].buyer_oib, None);
}
