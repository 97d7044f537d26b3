//! Documents that were refused or skipped, fiscalized by order.

use racun_documents::{DocumentKind, FiscalStatus, Refused};
use racun_fiscal::{Authority, FiscalSettings};
use racun_fiscalization::{FiscalizationRefused, FiscalizeRequest};
use racun_sales::Error;
use racun_sales::documents::{self, Creation};
use racun_settlement::PaymentType::BankTransfer;
use time::Duration;

use crate::fiscal::{everywhere, in_croatia, in_slovenia, stamp_on};
use crate::fixture::{NOW, issues};
use crate::office::{Fiscalizing, fiscal, record, skip, worth_100};

fn at(premise: Option<&str>, device: Option<&str>) -> FiscalizeRequest {
    FiscalizeRequest {
        business_premise_name: premise.map(str::to_owned),
        electronic_device_name: device.map(str::to_owned),
        ..FiscalizeRequest::default()
    }
}

fn refusal(outcome: Result<racun_documents::Document, Error>) -> Refused {
    match outcome.unwrap_err() {
        Error::Document(racun_documents::DocumentError::Refused(refused)) => refused,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[tokio::test]
async fn a_refused_document_is_sent_again_as_late_and_unchanged() {
    for (own, _database) in everywhere().await {
        own.office.then_refuses("s001");
        let failed = own.invoice().await;
        let stamp = own.shop.stamp.clone();
        own.office.then_refuses("s005");
        let again = own.fiscalize(&failed, at(None, None), &stamp).await.unwrap();
        assert_eq!(fiscal(&again).status, FiscalStatus::Failed);
        assert_eq!(fiscal(&again).error.as_deref(), Some("s005"));
        let device = record(&failed).device.clone();
        let done = own.fiscalize(&failed, at(Some("P1"), device.as_deref()), &stamp).await.unwrap();
        assert_eq!(fiscal(&done).status, FiscalStatus::Success);
        assert_eq!((done.number(), &record(&done).mark), (failed.number(), &record(&failed).mark));
        let heard = own.office.heard();
        assert_eq!(heard.iter().map(|one| one.is_late()).collect::<Vec<_>>(), [false, true, true]);
        assert!(heard.iter().all(|one| one.content() == heard[0].content()));
        let outcome = own.fiscalize(&done, at(None, None), &stamp).await;
        assert_eq!(refusal(outcome), Refused::NotToFiscalize);
        assert_eq!(own.work(stamp.now() + Duration::days(1)).await.attempts, 0);
    }
}

#[tokio::test]
async fn another_place_than_that_of_the_number_is_refused() {
    let own = in_slovenia().await;
    own.office.then_refuses("S001");
    let failed = own.invoice().await;
    own.open_place("P2", "B2").await;
    let stamp = own.shop.stamp.clone();
    let found =
        issues(own.fiscalize(&failed, at(Some("P2"), Some("B2")), &stamp).await.unwrap_err());
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(own.office.heard().len(), 1);
}

#[tokio::test]
async fn a_pending_document_can_be_sent_at_once_unless_an_attempt_runs() {
    let own = in_croatia().await;
    own.office.then_is_silent();
    let pending = own.invoice().await;
    let stamp = own.shop.stamp.clone();
    own.office.dies_sending(own.fiscalize(&pending, at(None, None), &stamp)).await;
    let seen = own.fiscalize(&pending, at(None, None), &stamp).await.unwrap();
    assert_eq!(fiscal(&seen).status, FiscalStatus::Pending);
    assert_eq!(own.office.heard().len(), 2, "the third waits for the second");
    let later = own.at(NOW + racun_fiscal::LEASE);
    let done = own.fiscalize(&pending, at(None, None), &later).await.unwrap();
    assert_eq!(fiscal(&done).status, FiscalStatus::Success);
}

#[tokio::test]
async fn a_skipped_document_takes_the_next_number_and_keeps_its_old_one() {
    let own = in_slovenia().await;
    let skipped = own.sell(&[BankTransfer], skip()).await.unwrap();
    own.invoice().await;
    own.office.heard();
    let later = own.at(NOW + Duration::HOUR);
    let done = own.fiscalize(&skipped, at(Some("P1"), Some("B1")), &later).await.unwrap();
    assert_eq!((skipped.number(), done.number()), ("2026-00001".to_owned(), "P1-B1-2".to_owned()));
    assert_eq!(fiscal(&done).status, FiscalStatus::Success);
    assert_eq!(record(&done).issued_at, Authority::Furs.local(NOW + Duration::HOUR));
    let heard = own.office.heard();
    assert!(heard.len() == 1 && !heard[0].is_late(), "the authority has no such number yet");
    let versions = documents::versions(own.shop.cx(), skipped.id, |version| version);
    let versions = versions.await.unwrap().rows;
    let [version] = &versions[..] else { panic!("{versions:?}") };
    assert_eq!(version.changed_fields, ["number"]);
    assert_eq!(version.before.number(), "2026-00001");
    let next = own.sell(&[], skip()).await.unwrap();
    assert_eq!(next.number(), "2026-00002", "the number that was left stays taken");
}

#[tokio::test]
async fn documents_issued_before_are_fiscalized_in_slovenia_only() {
    for (authority, expected) in [(Authority::Furs, Some("P1-B1-1")), (Authority::Fina, None)] {
        let own = Fiscalizing::open(authority, crate::takings::on_sqlite(), stamp_on(false)).await;
        let off = FiscalSettings { enabled: false, ..own.settings() };
        own.store_settings(&off).await;
        let plain = own.invoice().await;
        let stamp = own.shop.stamp.clone();
        let outcome = own.fiscalize(&plain, at(None, None), &stamp).await;
        assert_eq!(refusal(outcome), Refused::NotToFiscalize, "it is switched off");
        own.store_settings(&own.settings()).await;
        let outcome = own.fiscalize(&plain, at(None, None), &stamp).await;
        match expected {
            Some(number) => assert_eq!(outcome.unwrap().number(), number),
            None => assert_eq!(refusal(outcome), Refused::NotToFiscalize),
        }
    }
}

#[tokio::test]
async fn drafts_voided_documents_and_estimates_are_not_fiscalized_by_order() {
    let own = in_slovenia().await;
    let stamp = own.shop.stamp.clone();
    let draft = Creation { is_draft: true, ..Creation::default() };
    let draft = own.make(DocumentKind::Invoice, worth_100(), draft, &stamp).await.unwrap();
    let kind = DocumentKind::Estimate;
    let estimate = own.make(kind, worth_100(), Creation::default(), &stamp).await.unwrap();
    let skipped = own.sell(&[], skip()).await.unwrap();
    let voided = own.void(&skipped).await.unwrap();
    assert!(voided.voided_at().is_some(), "a skipped one is simply voided");
    for (document, why) in
        [(draft, Refused::Draft), (estimate, Refused::NotToFiscalize), (voided, Refused::Voided)]
    {
        let outcome = own.fiscalize(&document, at(None, None), &stamp).await;
        assert_eq!(refusal(outcome), why);
    }
    assert!(own.office.heard().is_empty() && own.series().await.is_empty());
}

#[tokio::test]
async fn a_certificate_is_needed_to_send_again() {
    let own = in_slovenia().await;
    own.office.then_refuses("S008");
    let failed = own.invoice().await;
    own.store_settings(&FiscalSettings { certificate: None, ..own.settings() }).await;
    let stamp = own.shop.stamp.clone();
    let outcome = own.fiscalize(&failed, at(None, None), &stamp).await;
    assert_eq!(
        outcome.unwrap_err(),
        Error::Fiscalization(FiscalizationRefused::CertificateMissing)
    );
    assert_eq!(own.reread(&failed).await, failed);
}
