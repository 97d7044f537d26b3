//! Revenue over time of documents that end by a credit note or are fiscalized later.

use racun_documents::recognition::{RECOGNITION_ENTRIES, RecognitionEntry, RecognitionSide};
use racun_documents::{Document, DocumentKind, RevenueRecognition};
use racun_fiscal::Authority;
use racun_fiscalization::{FiscalizeRequest, Ports};
use racun_kernel::RecognitionMethod;
use racun_reporting::recognition::{RecognitionQuery, recognition};
use racun_sales::documents::{self, Creation, DocumentRequest, Voiding};
use racun_store::{Context, ListQuery};
use time::macros::date;
use time::{Date, Duration};

use crate::fiscal::{in_croatia, in_slovenia};
use crate::fixture::{NOW, Shop, line, request};
use crate::office::{Fiscalizing, record, skip};
use crate::settling::linked;

/// The first and the last of the 90 days over which lines are spread: the first is that of [`NOW`].
const DAYS: (Date, Date) = (date!(2026 - 11 - 20), date!(2027 - 02 - 17));

/// An item at `price` that is spread over [`DAYS`].
fn spread(price: &str) -> DocumentRequest {
    let own = RevenueRecognition {
        method: Some(RecognitionMethod::ServicePeriodDaily),
        date_from: Some(DAYS.0),
        date_to: Some(DAYS.1),
    };
    let mut rent = line("Najem", "1", price);
    rent.revenue_recognition = Some(own);
    request(vec![rent])
}

async fn entries(shop: &Shop) -> Vec<RecognitionEntry> {
    let query = ListQuery::first_page(&RECOGNITION_ENTRIES);
    shop.cx().page(&RECOGNITION_ENTRIES, &query).await.unwrap().rows
}

/// What is recognised in each month, and what is deferred and accrued at its end.
async fn report(shop: &Shop) -> Vec<String> {
    let query = RecognitionQuery {
        side: RecognitionSide::Revenue,
        from: date!(2026 - 11 - 01),
        to: date!(2027 - 03 - 31),
        basis: None,
        group_by: None,
    };
    let rows = recognition(shop.cx(), &query).await.unwrap();
    let row = |row: &racun_insights::RecognitionRow| {
        format!("{} {} {} {}", row.period, row.recognized, row.deferred, row.accrued)
    };
    rows.iter().map(row).collect()
}

async fn make(
    (shop, own): (&Shop, Option<&Fiscalizing>),
    kind: DocumentKind,
    sent: DocumentRequest,
) -> Document {
    match own {
        Some(own) => own.make(kind, sent, Creation::default(), &shop.stamp).await.unwrap(),
        None => shop.make_of(kind, sent, Creation::default()).await.unwrap(),
    }
}

/// 90 over 90 days, of which a credit note gives back 45 on the day of the invoice; voided on
/// 5 December, when another one gives back the rest.
async fn recognised_until_it_is_voided(shop: &Shop, own: Option<&Fiscalizing>) {
    let invoice = make((shop, own), DocumentKind::Invoice, spread("90")).await;
    let back = linked(request(vec![line("Najem", "1", "45")]), &[&invoice]);
    let note = make((shop, own), DocumentKind::CreditNote, back).await;
    assert_eq!(invoice.is_fiscalized(), own.is_some());
    let before =
        ["2026-11 5.5 39.5 0", "2026-12 15.5 24 0", "2027-01 15.5 8.5 0", "2027-02 8.5 0 0"];
    assert_eq!(report(shop).await, before);

    let stamp = shop.stamp.at(NOW + Duration::days(15));
    let cx = Context::new(&*shop.store, &shop.scope, &stamp);
    let ports = Ports::new(cx, own.map(|own| &own.fiscal));
    let voided = documents::void(ports, &shop.entity, invoice.id, Voiding::default()).await;
    let voided = voided.unwrap();
    assert_eq!(voided.amounts.total_credited, voided.amounts.total_with_tax);
    assert_eq!(report(shop).await, ["2026-11 5.5 39.5 0", "2026-12 -5.5 0 0"]);
    let mut left = entries(shop).await;
    left.sort_by(|a, b| b.amount.cmp(&a.amount));
    let ended: Vec<(&str, Option<Date>)> =
        left.iter().map(|entry| (&*entry.document_id, entry.voided_on)).collect();
    let (invoice, note) = (invoice.id.to_string(), note.id.to_string());
    let day = Some(date!(2026 - 12 - 05));
    assert_eq!(ended, [(&*invoice, day), (&*note, day)], "the note over the rest has none");
}

#[tokio::test]
async fn a_fiscalized_invoice_that_ends_by_a_credit_note_is_recognised_until_then() {
    for own in [in_slovenia().await, in_croatia().await] {
        recognised_until_it_is_voided(&own.shop, Some(&own)).await;
        assert_eq!(own.office.heard().len(), 3, "the invoice and both credit notes");
    }
}

#[tokio::test]
async fn in_portugal_an_invoice_that_ends_by_a_credit_note_is_recognised_until_then() {
    let mut shop = Shop::open().await;
    shop.entity.country_code = Some("PT".to_owned());
    recognised_until_it_is_voided(&shop, None).await;
}

/// 90 over 90 days, issued on the first of them and fiscalized on 2 December: until then nothing is
/// invoiced, and what is recognised is accrued.
#[tokio::test]
async fn what_is_fiscalized_later_is_invoiced_on_its_new_date() {
    let own = in_slovenia().await;
    let creation = Creation { fiscal: skip(), ..Creation::default() };
    let kind = DocumentKind::Invoice;
    let stamp = own.shop.stamp.clone();
    let skipped = own.make(kind, spread("90"), creation, &stamp).await.unwrap();
    let after = ["2026-12 31 48 0", "2027-01 31 17 0", "2027-02 17 0 0"];
    assert_eq!(report(&own.shop).await, [&["2026-11 11 79 0"][..], &after].concat());
    let before = entries(&own.shop).await;

    let later = own.at(NOW + Duration::days(12));
    let done = own.fiscalize(&skipped, FiscalizeRequest::default(), &later).await.unwrap();
    assert_eq!(record(&done).issued_at, Authority::Furs.local(later.now()));
    assert_eq!(done.content.date, date!(2026 - 12 - 02));
    let [entry] = &entries(&own.shop).await[..] else { panic!("one line is spread") };
    assert_eq!((&entry.id, entry.invoiced_on), (&before[0].id, done.content.date));
    assert_eq!((entry.from, entry.to, entry.voided_on), (DAYS.0, DAYS.1, None));
    assert_eq!(report(&own.shop).await, [&["2026-11 11 0 11"][..], &after].concat());
}
