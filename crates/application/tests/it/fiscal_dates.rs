//! The date of a fiscalized document is the day of its issue, which the authority receives.

use racun_documents::{Document, DocumentKind};
use racun_fiscal::Authority;
use racun_kernel::{Patch, Stamp};
use racun_sales::documents::{Creation, DocumentRequest};
use racun_settlement::PaymentType::{BankTransfer, Cash};
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};

use crate::fiscal::{in_slovenia, stamp_on};
use crate::fixture::{NOW, Shop, issues};
use crate::office::{Fiscalizing, paid, record, skip, worth_100};
use crate::takings::on_sqlite;

const BOTH: [Authority; 2] = [Authority::Furs, Authority::Fina];

async fn shop_of(authority: Authority) -> Fiscalizing {
    Fiscalizing::open(authority, on_sqlite(), stamp_on(false)).await
}

fn dated(date: Option<Date>) -> DocumentRequest {
    DocumentRequest { date, ..worth_100() }
}

async fn sell(
    own: &Fiscalizing,
    date: Option<Date>,
    stamp: &Stamp,
) -> Result<Document, racun_sales::Error> {
    let creation = Creation { payments: paid(&[Cash]), ..Creation::default() };
    own.make(DocumentKind::Invoice, dated(date), creation, stamp).await
}

async fn draft(own: &Fiscalizing, date: Option<Date>, stamp: &Stamp) -> Document {
    let creation = Creation { is_draft: true, ..Creation::default() };
    own.make(DocumentKind::Invoice, dated(date), creation, stamp).await.unwrap()
}

/// The shop at another time, also to what takes its own stamp.
fn at(own: Fiscalizing, now: OffsetDateTime) -> Fiscalizing {
    let stamp = own.at(now);
    Fiscalizing { shop: Shop { stamp, ..own.shop }, ..own }
}

#[tokio::test]
async fn another_day_than_that_of_the_issue_is_refused_and_takes_no_number() {
    for authority in BOTH {
        let own = shop_of(authority).await;
        for day in [date!(2026 - 11 - 19), date!(2026 - 11 - 21), date!(2025 - 11 - 20)] {
            let refused = issues(sell(&own, Some(day), &own.shop.stamp).await.unwrap_err());
            let [issue] = &refused[..] else { panic!("{refused:?}") };
            assert!(issue.contains("date") && issue.contains("2026-11-20"), "{issue}");
        }
        assert!(own.series().await.is_empty());
        for day in [None, Some(date!(2026 - 11 - 20))] {
            let sold = sell(&own, day, &own.shop.stamp).await.unwrap();
            assert_eq!(sold.content.date, record(&sold).issued_at.date());
        }
    }
}

#[tokio::test]
async fn a_draft_takes_the_present_day_unless_one_is_given() {
    for authority in BOTH {
        let own = shop_of(authority).await;
        let silent = draft(&own, None, &own.shop.stamp).await;
        let said = draft(&own, Some(date!(2026 - 11 - 19)), &own.shop.stamp).await;
        let next = at(own, NOW + time::Duration::DAY);
        let issued = next.finalize(&silent).await.unwrap();
        assert_eq!(issued.content.date, date!(2026 - 11 - 21));
        assert_eq!(record(&issued).issued_at.date(), issued.content.date);
        assert!(issued.content.date_due >= Some(issued.content.date));
        let refused = issues(next.finalize(&said).await.unwrap_err());
        assert!(refused.iter().any(|issue| issue.contains("2026-11-21")), "{refused:?}");
        assert!(next.reread(&said).await.is_draft());
        assert_eq!(next.series().await.len(), 1);
    }
}

#[tokio::test]
async fn the_year_of_a_number_is_that_of_the_date_at_the_authority() {
    for authority in BOTH {
        // Entities keep their own zone; at 23:30 in London it is the next year at the authority.
        let own = shop_of(authority).await;
        let timezone = "Europe/London".to_owned();
        let entity = racun_access::Entity { timezone, ..own.shop.entity };
        let own = Fiscalizing { shop: Shop { entity, ..own.shop }, ..own };
        let old = own.at(datetime!(2026-12-31 22:59:59 UTC));
        let new = own.at(datetime!(2026-12-31 23:00 UTC));
        let last = sell(&own, None, &old).await.unwrap();
        assert_eq!(last.content.date, date!(2026 - 12 - 31));
        let back = sell(&own, Some(date!(2026 - 12 - 31)), &new).await;
        assert!(back.is_err(), "no second number of the old year");
        let first = sell(&own, None, &new).await.unwrap();
        assert_eq!(first.content.date, date!(2027 - 01 - 01));
        assert_eq!(last.number(), first.number());
        assert_ne!(last.content.date.year(), first.content.date.year());
        let own = at(own, datetime!(2026-12-31 23:00:01 UTC));
        own.void(&first).await.unwrap();
        let sent = own.office.heard();
        let credit = sent.last().unwrap().content();
        assert_eq!(credit.issued_on(), date!(2027 - 01 - 01));
    }
}

#[tokio::test]
async fn a_skipped_document_is_dated_on_the_day_of_its_fiscalization() {
    let own = in_slovenia().await;
    let creation =
        Creation { payments: paid(&[BankTransfer]), fiscal: skip(), ..Creation::default() };
    let request = DocumentRequest {
        date_due: Patch::Value(date!(2026 - 12 - 31)),
        ..dated(Some(date!(2026 - 11 - 10)))
    };
    let kind = DocumentKind::Invoice;
    let skipped = own.make(kind, request, creation, &own.shop.stamp).await.unwrap();
    assert_eq!(skipped.content.date, date!(2026 - 11 - 10), "FURS is not told of it");
    let stamp = own.at(datetime!(2027-01-02 10:00 UTC));
    let issued = own.fiscalize(&skipped, Default::default(), &stamp).await.unwrap();
    assert_eq!(issued.content.date, date!(2027 - 01 - 02));
    assert_eq!(record(&issued).issued_at.date(), issued.content.date);
    // What was supplied stays supplied then, for VAT; it is not due before it is issued.
    assert_eq!(issued.content.date_service, Some(date!(2026 - 11 - 10)));
    assert_eq!(issued.content.date_due, Some(date!(2027 - 01 - 02)));
    let keys: Vec<String> = own.series().await.into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["furs/2027/P1"]);
}

#[tokio::test]
async fn a_draft_with_payments_is_refused_with_what_is_meant() {
    let own = shop_of(Authority::Furs).await;
    let creation = Creation { is_draft: true, payments: paid(&[Cash]), ..Creation::default() };
    let stamp = &own.shop.stamp;
    let made = own.make(DocumentKind::Invoice, worth_100(), creation, stamp).await;
    let refused = issues(made.unwrap_err());
    let [issue] = &refused[..] else { panic!("{refused:?}") };
    assert!(issue.contains("payments") && issue.contains("is_draft"), "{issue}");
    assert!(!issue.contains("inv_"), "it speaks of no document that is not there: {issue}");
}
