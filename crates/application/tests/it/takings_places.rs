//! Takings and closings of premises and devices: what a store adds up is what the fold over the
//! documents of the place comes to, and each place closes by itself.

use std::collections::BTreeMap;

use racun_documents::{Document, DocumentKind, Stage};
use racun_fiscal::{Authority, Device, DeviceId};
use racun_fiscalization::{FinaRequest, FiscalRequest, FursRequest};
use racun_kernel::{Decimal, Patch, Stamp, calendar};
use racun_pos::takings::{Day, Facts, Takings};
use racun_pos::{ClosedPlace, Closing, NewClosing, PosError};
use racun_sales::documents::{Creation, DocumentRequest};
use racun_settlement::PAYMENTS;
use racun_settlement::PaymentType::{self, Card, Cash};
use racun_store::{Context, ListQuery, Put, Record, Table};
use racun_till::closings;
use racun_till::takings::{self, Filter};
use time::Duration;

use crate::fiscal::everywhere;
use crate::fixture::decimal;
use crate::office::{Fiscalizing, fina, furs, paid};
use crate::settling::{linked, worth};
use crate::takings_facts::{back, paid as paid_fact, sale};

const INVOICE: DocumentKind = DocumentKind::Invoice;
const CREDIT_NOTE: DocumentKind = DocumentKind::CreditNote;

fn place(premise: &str, device: Option<&str>) -> ClosedPlace {
    ClosedPlace { premise: Some(premise.to_owned()), device: device.map(str::to_owned) }
}

/// Names of the devices: the first is in two premises.
fn devices(own: &Fiscalizing) -> [&'static str; 2] {
    match own.authority {
        Authority::Furs => ["B1", "B2"],
        Authority::Fina => ["1", "2"],
    }
}

/// The entity, its premises, and their devices.
fn places(own: &Fiscalizing) -> [ClosedPlace; 6] {
    let [first, second] = devices(own);
    [
        ClosedPlace::default(),
        place("P1", None),
        place("P1", Some(first)),
        place("P2", None),
        place("P2", Some(first)),
        place("P2", Some(second)),
    ]
}

/// Opens a second premise with both devices.
async fn grow(own: &Fiscalizing) {
    let [first, second] = devices(own);
    let (_, device) = own.open_place("P2", first).await;
    let id = DeviceId::new(own.authority, &own.shop.stamp);
    let other = Device { id, name: second.to_owned(), ..device };
    own.shop.store.insert(vec![Put::insert(&other)], Vec::new()).await.unwrap();
}

/// What a request says to be issued at `place`.
fn at(own: &Fiscalizing, place: &ClosedPlace) -> FiscalRequest {
    let (business_premise_name, electronic_device_name) =
        (place.premise.clone(), place.device.clone());
    match own.authority {
        Authority::Furs => furs(FursRequest {
            business_premise_name,
            electronic_device_name,
            ..FursRequest::default()
        }),
        Authority::Fina => fina(FinaRequest {
            business_premise_name,
            electronic_device_name,
            ..FinaRequest::default()
        }),
    }
}

/// A document that is issued at `place` and paid at once.
async fn issued(
    own: &Fiscalizing,
    (kind, request): (DocumentKind, DocumentRequest),
    place: &ClosedPlace,
    (by, stamp): (PaymentType, &Stamp),
) -> Document {
    let creation =
        Creation { payments: paid(&[by]), fiscal: at(own, place), ..Creation::default() };
    own.make(kind, request, creation, stamp).await.unwrap()
}

async fn rows<A: Record>(own: &Fiscalizing, table: &'static Table) -> Vec<A> {
    let query = ListQuery { limit: 100, ..ListQuery::first_page(table) };
    own.shop.store.page(table, &own.shop.scope.tenant(), &query).await.unwrap().rows
}

/// The report of `place` as it is defined; `of` is the invoice of each credit note.
async fn defined(own: &Fiscalizing, place: &ClosedPlace, of: &Document, day: &Day) -> Takings {
    let currency = own.shop.entity.currency;
    let is_here = |document: &&Document| {
        let record = document.fiscal_record().unwrap();
        document.stage != Stage::Draft
            && place.premise.as_ref().is_none_or(|name| *name == record.premise)
            && place.device.as_ref().is_none_or(|name| Some(name) == record.device.as_ref())
    };
    let invoices: Vec<Document> = rows(own, racun_documents::table_of(INVOICE)).await;
    let credit_notes: Vec<Document> = rows(own, racun_documents::table_of(CREDIT_NOTE)).await;
    let facts = Facts {
        sales: invoices
            .iter()
            .filter(is_here)
            .map(|document| sale(document, currency, &BTreeMap::new()))
            .collect(),
        returns: credit_notes
            .iter()
            .filter(is_here)
            .map(|document| back(document, &[of], currency))
            .collect(),
        advances: Vec::new(),
        payments: rows(own, &PAYMENTS).await.into_iter().filter_map(paid_fact).collect(),
    };
    racun_pos::takings::takings(day, currency, &facts)
}

async fn close(
    own: &Fiscalizing,
    place: &ClosedPlace,
    days_ago: i64,
    stamp: &Stamp,
) -> Result<Closing, PosError> {
    let entity = &own.shop.entity;
    let today = calendar::local_date(own.shop.stamp.now(), &entity.timezone).unwrap();
    let new = NewClosing {
        date: Patch::Value(calendar::format_date(today - Duration::days(days_ago))),
        business_premise_name: Patch::from(place.premise.clone()),
        electronic_device_name: Patch::from(place.device.clone()),
        counted_cash: Patch::Value(decimal("0")),
        ..NewClosing::default()
    };
    closings::close(Context::new(&*own.shop.store, &own.shop.scope, stamp), entity, new).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_has_the_takings_of_its_own_documents_and_closes_by_itself() {
    for (own, _database) in everywhere().await {
        grow(&own).await;
        let places = places(&own);
        let [all, one, one_first, two, two_first, two_second] = &places;
        let now = &own.shop.stamp;
        issued(&own, (INVOICE, worth("1")), one_first, (Cash, now)).await;
        let sold = issued(&own, (INVOICE, worth("20")), two_first, (Cash, now)).await;
        issued(&own, (INVOICE, worth("300")), two_second, (Card, now)).await;
        // Given back at the other device of the premise.
        let note = (CREDIT_NOTE, linked(worth("5"), &[&sold]));
        issued(&own, note, two_second, (Cash, now)).await;

        let zone = &own.shop.entity.timezone;
        let mut reports = Vec::new();
        for place in &places {
            let filter = Filter { place: place.clone(), ..Filter::default() };
            let cx = own.shop.cx();
            let report = takings::daily(cx, &own.shop.entity, None, &filter).await.unwrap();
            let day = Day::of(report.date, zone, None);
            assert_eq!(report, defined(&own, place, &sold, &day).await, "{place:?}");
            reports.push(report);
        }
        let figures = reports.iter().map(|report| {
            let gross = [&report.totals.gross, &report.refunds.gross, &report.cash()];
            gross.map(ToString::to_string)
        });
        let expected = [
            ["321", "5", "16"],
            ["1", "0", "1"],
            ["1", "0", "1"],
            ["320", "5", "15"],
            ["20", "0", "20"],
            ["300", "5", "-5"],
        ];
        assert_eq!(figures.collect::<Vec<_>>(), expected, "{:?}", own.authority);

        // One of four closes the day of a device; premise, entity and other devices stay open.
        let once = || close(&own, two_first, 0, now);
        let (a, b, c, d) = tokio::join!(once(), once(), once(), once());
        let outcomes = [a, b, c, d];
        let closed: Vec<&Closing> = outcomes.iter().filter_map(|it| it.as_ref().ok()).collect();
        assert_eq!(closed.len(), 1, "{outcomes:?}");
        assert_eq!((closed[0].number, &closed[0].report), (1, &reports[4]));
        for place in [all, one, one_first, two, two_second] {
            let closing = close(&own, place, 0, now).await.unwrap();
            assert_eq!((closing.number, &closing.place), (1, place));
            let twice = close(&own, place, 0, now).await.unwrap_err();
            assert_eq!(twice, PosError::DayClosed(Box::new(closing)));
        }

        // What is sold later is in the next closings of the places that it is sold at.
        let later = &now.at(now.now() + Duration::seconds(1));
        issued(&own, (INVOICE, worth("4000")), two_first, (Cash, later)).await;
        let mut carried = Vec::new();
        for place in &places {
            let closing = close(&own, place, 1, later).await.unwrap();
            assert_eq!((closing.number, closing.report.totals.gross), (2, Decimal::zero()));
            let over = closing.carried_over;
            carried.push(over.map_or_else(Decimal::zero, |it| it.sum.gross).to_string());
        }
        assert_eq!(carried, ["4000", "0", "0", "4000", "4000", "0"]);
    }
}
