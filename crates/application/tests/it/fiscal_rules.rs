//! Where, by whom and whether a document is fiscalized: what is refused takes no number.

use racun_documents::{DocumentKind, FiscalStatus};
use racun_fiscal::{Authority, FiscalSettings};
use racun_fiscalization::{FinaRequest, FiscalRequest, FiscalizationRefused, FursRequest};
use racun_sales::documents::{Creation, DocumentRequest};
use racun_settlement::PaymentType::{BankTransfer, Card, Cash, Check, Coupon};
use time::Duration;

use crate::fiscal::{in_croatia, in_slovenia, refused, stamp_on};
use crate::fixture::issues;
use crate::office::{Fiscalizing, fina as said_to_fina, fiscal, furs, record, skip, worth_100};
use crate::takings::on_sqlite;

#[tokio::test]
async fn a_place_that_is_unknown_closed_or_not_clear_takes_no_number() {
    for authority in [Authority::Furs, Authority::Fina] {
        let own = Fiscalizing::open(authority, on_sqlite(), stamp_on(false)).await;
        let name = authority.name();
        let at = |premise: Option<&str>, device: Option<&str>| {
            let (premise, device) = (premise.map(str::to_owned), device.map(str::to_owned));
            FiscalRequest {
                furs: FursRequest {
                    business_premise_name: premise.clone(),
                    electronic_device_name: device.clone(),
                    ..FursRequest::default()
                },
                fina: FinaRequest {
                    business_premise_name: premise,
                    electronic_device_name: device,
                    ..FinaRequest::default()
                },
                ..Default::default()
            }
        };
        let wrong = async |said: FiscalRequest, field: &str| {
            let found = issues(own.sell(&[Cash], said).await.unwrap_err());
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(&format!("{name}.{field}")), "{found:?}");
        };
        wrong(at(Some("P9"), None), "business_premise_name").await;
        wrong(at(Some("P1"), Some("9")), "electronic_device_name").await;
        let (premise, device) = own.open_place("P2", "7").await;
        wrong(at(None, None), "business_premise_name").await;
        let closed = racun_fiscal::Device { is_active: false, ..device.clone() };
        let put = racun_store::Put::update(&device, &closed);
        own.shop.store.insert(vec![put], Vec::new()).await.unwrap();
        wrong(at(Some("P2"), Some("7")), "electronic_device_name").await;
        wrong(at(Some("P2"), None), "electronic_device_name").await;
        let closed = racun_fiscal::BusinessPremise { is_active: false, ..premise.clone() };
        let put = racun_store::Put::update(&premise, &closed);
        own.shop.store.insert(vec![put], Vec::new()).await.unwrap();
        wrong(at(Some("P2"), Some("7")), "business_premise_name").await;
        assert!(own.series().await.is_empty() && own.office.heard().is_empty());
        assert_eq!(own.shop.counts().await[2], 0);
        assert_eq!(record(&own.invoice().await).number, 1);
    }
}

#[tokio::test]
async fn the_certificate_must_be_there_valid_and_usable() {
    use FiscalizationRefused::{CertificateExpired, CertificateMissing, CertificateUnusable};
    for authority in [Authority::Furs, Authority::Fina] {
        let own = Fiscalizing::open(authority, on_sqlite(), stamp_on(false)).await;
        let expired = own.certificate("old", Duration::seconds(-1));
        let foreign = racun_fiscal::Certificate {
            sealed_key: "other".to_owned(),
            ..own.certificate("x", Duration::DAY)
        };
        for (certificate, why) in [
            (None, CertificateMissing),
            (Some(expired), CertificateExpired),
            (Some(foreign), CertificateUnusable),
        ] {
            own.store_settings(&FiscalSettings { certificate, ..own.settings() }).await;
            assert_eq!(refused(own.sell(&[Cash], FiscalRequest::default()).await), why);
        }
        let settings = FiscalSettings { enabled: false, certificate: None, ..own.settings() };
        own.store_settings(&settings).await;
        assert!(own.invoice().await.fiscal.is_none(), "what is switched off fiscalizes nothing");
        assert!(own.series().await.is_empty() && own.office.heard().is_empty());
    }
}

#[tokio::test]
async fn a_skip_is_for_what_is_not_paid_or_paid_from_account_to_account() {
    let own = in_slovenia().await;
    let refuses = [Cash, Card, Check, Coupon];
    for kind in refuses {
        for kinds in [&[kind][..], &[BankTransfer, kind]] {
            assert_eq!(
                refused(own.sell(kinds, skip()).await),
                FiscalizationRefused::SkipNotAllowed
            );
        }
    }
    for kinds in [&[][..], &[BankTransfer], &[BankTransfer, BankTransfer]] {
        let skipped = own.sell(kinds, skip()).await.unwrap();
        assert_eq!(fiscal(&skipped).status, FiscalStatus::Skipped, "{kinds:?}");
    }
    own.store_settings(&FiscalSettings { default_skip: true, ..own.settings() }).await;
    for (kinds, said, skips) in [
        (&[BankTransfer][..], FiscalRequest::default(), true),
        (&[], FiscalRequest::default(), true),
        (&[Cash], FiscalRequest::default(), false),
        (&[], furs(FursRequest { skip: Some(false), ..FursRequest::default() }), false),
    ] {
        let sold = own.sell(kinds, said).await.unwrap();
        assert_eq!(!sold.is_fiscalized(), skips, "{kinds:?}");
    }
    // What takes a fiscalized document back is fiscalized.
    let invoice = own.invoice().await;
    let link =
        DocumentRequest { linked_documents: Some(vec![invoice.id.to_string()]), ..worth_100() };
    let creation = Creation { fiscal: skip(), ..Creation::default() };
    let credit = own.make(DocumentKind::CreditNote, link, creation, &own.shop.stamp).await;
    assert_eq!(refused(credit), FiscalizationRefused::SkipNotAllowed);

    let croatian = in_croatia().await;
    let skip = FinaRequest { skip: Some(true), ..FinaRequest::default() };
    let sold = croatian.sell(&[BankTransfer], said_to_fina(skip)).await;
    assert_eq!(refused(sold), FiscalizationRefused::CannotSkip);
}
