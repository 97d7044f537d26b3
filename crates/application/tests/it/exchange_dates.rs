//! The rate of exchange of a document whose date its issue sets.

use racun_access::Entity;
use racun_documents::{Document, DocumentKind};
use racun_fiscal::{Authority, ReportContent};
use racun_fiscalization::OutsideServices;
use racun_kernel::{Decimal, Environment, Patch};
use racun_lookups::import_rates;
use racun_sales::documents::{self, Creation, DocumentRequest, ExchangeRateRequest, Finalizing};
use racun_sales::recurring::{LIMITS, run_due};
use time::OffsetDateTime;
use time::macros::{date, datetime};

use crate::fiscal::stamp_on;
use crate::fixture::{Shop, decimal};
use crate::office::{Fiscalizing, skip, worth_100};
use crate::takings::on_sqlite;

const BOTH: [Authority; 2] = [Authority::Furs, Authority::Fina];
/// The Monday after the day of the shop.
const MONDAY: OffsetDateTime = datetime!(2026-11-23 10:00 UTC);

/// A live shop: its rates are those that are kept, and change.
async fn shop_of(authority: Authority) -> Fiscalizing {
    live(Fiscalizing::open(authority, on_sqlite(), stamp_on(false)).await)
}

fn live(own: Fiscalizing) -> Fiscalizing {
    let entity = Entity { environment: Environment::Live, ..own.shop.entity };
    Fiscalizing { shop: Shop { entity, ..own.shop }, ..own }
}

/// The shop at another time.
fn at(own: Fiscalizing, now: OffsetDateTime) -> Fiscalizing {
    let stamp = own.at(now);
    Fiscalizing { shop: Shop { stamp, ..own.shop }, ..own }
}

/// Dollars for one euro by day, the newest first, as the bank publishes them.
async fn publish(shop: &Shop, days: &[(&str, &str)]) {
    let rows: String = days.iter().map(|(day, rate)| format!("{day},{rate},\n")).collect();
    let file = format!("Date,USD,\n{rows}");
    let kept = import_rates(&*shop.store, file.as_bytes(), &shop.stamp).await.unwrap();
    assert_eq!(kept, days.len());
}

fn in_dollars() -> DocumentRequest {
    DocumentRequest { currency_code: Some("USD".to_owned()), ..worth_100() }
}

async fn draft(own: &Fiscalizing, request: DocumentRequest) -> Document {
    let creation = Creation { is_draft: true, ..Creation::default() };
    own.make(DocumentKind::Invoice, request, creation, &own.shop.stamp).await.unwrap()
}

/// Day and source of the rate; the line, the tax and the total in euros.
fn exchanged(document: &Document) -> String {
    let Some(rate) = &document.content.exchange_rate else { return "none".to_owned() };
    let text = |amount: &Option<Decimal>| amount.as_ref().unwrap().to_string();
    let (line, tax) = (&document.content.lines[0], &document.amounts.taxes[0]);
    let amounts =
        [&line.total_converted, &tax.amount_converted, &document.amounts.total_with_tax_converted];
    format!("{} {} {}", rate.date, rate.source, amounts.map(text).join(" "))
}

/// The total that the authority heard last.
fn heard(own: &Fiscalizing) -> Decimal {
    match own.office.heard().last().unwrap().content() {
        ReportContent::Furs(invoice) => invoice.total,
        ReportContent::Fina(receipt) => receipt.total,
        ReportContent::FursBook(form) => panic!("{form:?}"),
    }
}

#[tokio::test]
async fn a_draft_that_is_issued_days_later_is_converted_at_the_rate_of_its_new_date() {
    for authority in BOTH {
        let own = shop_of(authority).await;
        publish(&own.shop, &[("2026-11-19", "1.2500")]).await;
        let draft = draft(&own, in_dollars()).await;
        assert_eq!(exchanged(&draft), "2026-11-19 ecb 80 17.6 97.6");
        publish(&own.shop, &[("2026-11-20", "1.6000")]).await;
        let own = at(own, MONDAY);
        let issued = own.finalize(&draft).await.unwrap();
        assert_eq!(issued.content.date, date!(2026 - 11 - 23));
        assert_eq!(exchanged(&issued), "2026-11-20 ecb 62.5 13.75 76.25");
        assert_eq!(own.reread(&issued).await.amounts, issued.amounts);
        assert_eq!(heard(&own), decimal("76.25"));
    }
}

#[tokio::test]
async fn a_rate_that_a_caller_gave_stays_on_the_day_of_issue() {
    for authority in BOTH {
        let own = shop_of(authority).await;
        publish(&own.shop, &[("2026-11-20", "1.6000"), ("2026-11-19", "1.2500")]).await;
        let given = ExchangeRateRequest {
            rate: decimal("0.9"),
            source: Some("Banka".to_owned()),
            date: None,
            quote_currency: None,
        };
        let request = DocumentRequest { exchange_rate: Patch::Value(given), ..in_dollars() };
        let draft = draft(&own, request).await;
        let own = at(own, MONDAY);
        let issued = own.finalize(&draft).await.unwrap();
        assert_eq!(issued.content.date, date!(2026 - 11 - 23));
        assert_eq!(exchanged(&issued), "2026-11-20 Banka 90 19.8 109.8");
        assert_eq!(heard(&own), decimal("109.8"));
    }
}

#[tokio::test]
async fn a_draft_without_a_rate_takes_that_of_its_date_when_it_is_issued() {
    for authority in BOTH {
        let own = shop_of(authority).await;
        let draft = draft(&own, in_dollars()).await;
        assert_eq!(exchanged(&draft), "none", "no rates are kept");
        let own = at(own, MONDAY);
        assert!(own.finalize(&draft).await.is_err(), "the authority takes euros");
        publish(&own.shop, &[("2026-11-20", "1.6000")]).await;
        let issued = own.finalize(&draft).await.unwrap();
        assert_eq!(exchanged(&issued), "2026-11-20 ecb 62.5 13.75 76.25");
        assert_eq!(heard(&own), decimal("76.25"));
    }
}

#[tokio::test]
async fn a_draft_that_keeps_its_date_keeps_its_rate() {
    let shop = Shop::open().await;
    let entity = Entity { environment: Environment::Live, ..shop.entity };
    let shop = Shop { entity, ..shop };
    publish(&shop, &[("2026-11-19", "1.2500")]).await;
    let draft = shop.draft(in_dollars()).await.unwrap();
    publish(&shop, &[("2026-11-20", "1.6000")]).await;
    let shop = Shop { stamp: shop.stamp.at(MONDAY), ..shop };
    let how = Finalizing::default();
    let issued = documents::finalize(shop.cx(), &shop.entity, draft.id, how).await.unwrap();
    assert_eq!(issued.content.date, date!(2026 - 11 - 20));
    assert_eq!(exchanged(&issued), "2026-11-19 ecb 80 17.6 97.6");
}

#[tokio::test]
async fn what_is_fiscalized_later_is_converted_at_the_rate_of_its_new_date() {
    let own = shop_of(Authority::Furs).await;
    let days = [("2026-11-20", "1.6000"), ("2026-11-09", "2.0000")];
    publish(&own.shop, &days).await;
    let creation = Creation { fiscal: skip(), ..Creation::default() };
    let request = DocumentRequest { date: Some(date!(2026 - 11 - 10)), ..in_dollars() };
    let kind = DocumentKind::Invoice;
    let skipped = own.make(kind, request, creation, &own.shop.stamp).await.unwrap();
    assert_eq!(exchanged(&skipped), "2026-11-09 ecb 50 11 61");
    let stamp = own.at(MONDAY);
    let issued = own.fiscalize(&skipped, Default::default(), &stamp).await.unwrap();
    assert_eq!(exchanged(&issued), "2026-11-20 ecb 62.5 13.75 76.25");
    assert_eq!(heard(&own), decimal("76.25"));
    let versions = documents::versions(own.shop.cx(), issued.id, |version| version);
    let versions = versions.await.unwrap().rows;
    assert_eq!(versions[0].changed_fields, ["number", "date", "exchange_rate"]);
    assert_eq!(exchanged(&versions[0].before), exchanged(&skipped));
}

/// The sandbox's rates stand still; their days do not.
#[tokio::test]
async fn a_recurring_invoice_that_is_late_has_the_rate_of_the_day_of_its_issue() {
    for authority in BOTH {
        let own = Fiscalizing::open(authority, on_sqlite(), stamp_on(false)).await;
        let (kind, creation) = (DocumentKind::Invoice, Creation::default());
        let template = own.make(kind, in_dollars(), creation, &own.shop.stamp).await.unwrap();
        own.shop.monthly(&template, date!(2026 - 12 - 01)).await;
        let stamp = own.at(datetime!(2026-12-10 10:00 UTC));
        let outside = OutsideServices { fiscal: Some(&own.fiscal), ..OutsideServices::default() };
        let report = run_due(&*own.shop.store, outside, &stamp, LIMITS).await.unwrap();
        assert_eq!((report.done, report.problems), (1, Vec::new()));
        let made = own.shop.made().await.remove(0);
        assert_eq!(made.content.date, date!(2026 - 12 - 10));
        assert_eq!(exchanged(&made), "2026-12-10 sandbox 80 17.6 97.6");
    }
}

#[tokio::test]
async fn a_sale_of_a_day_that_began_at_the_authority_only_has_its_rate() {
    let own = Fiscalizing::open(Authority::Furs, on_sqlite(), stamp_on(false)).await;
    let entity = Entity { timezone: "Europe/London".to_owned(), ..own.shop.entity };
    let own = Fiscalizing { shop: Shop { entity, ..own.shop }, ..own };
    // Half past eleven in London is the next day at the authority.
    let stamp = own.at(datetime!(2026-11-18 23:30 UTC));
    let (kind, creation) = (DocumentKind::Invoice, Creation::default());
    let sold = own.make(kind, in_dollars(), creation, &stamp).await.unwrap();
    assert_eq!(sold.content.date, date!(2026 - 11 - 19));
    assert_eq!(exchanged(&sold), "2026-11-19 sandbox 80 17.6 97.6");
}
