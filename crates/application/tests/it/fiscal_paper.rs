//! Documents that were written on paper while the device did not work: forms of a bound book in
//! Slovenia, receipts of a bound book in Croatia.

use std::sync::Arc;

use racun_documents::{Document, DocumentKind, FiscalStatus, Stage};
use racun_fiscal::furs::SalesBook;
use racun_fiscal::{Authority, Correction, Device, DeviceId, FiscalSettings, ReportContent};
use racun_fiscalization::{FinaRequest, FiscalRequest, FursRequest};
use racun_kernel::calendar;
use racun_sales::documents::{Creation, DocumentRequest};
use racun_settlement::PaymentType::{BankTransfer, Cash};
use racun_store::{Put, Store};
use racun_test_postgres::Database;
use time::macros::{date, datetime};
use time::{Date, Duration, OffsetDateTime};

use crate::fiscal::{in_croatia, in_slovenia, refused, stamp_on};
use crate::fixture::issues;
use crate::office::{Fiscalizing, fina, fiscal, furs, paid, record, worth_100};
use crate::settling::linked;
use crate::takings::{on_postgres, on_sqlite};

fn form(number: &str) -> SalesBook {
    let [invoice_number, set_number, serial_number] =
        [number, "03", "5001-0001018"].map(str::to_owned);
    SalesBook { invoice_number, set_number, serial_number }
}

fn book(number: &str, on: Date) -> FursRequest {
    let (sales_book, issue_date) = (Some(form(number)), Some(on));
    FursRequest { sales_book, issue_date, ..FursRequest::default() }
}

fn paragon(number: &str, at: OffsetDateTime) -> FinaRequest {
    let (paragon, issued_at) = (Some(number.to_owned()), Some(at));
    FinaRequest { paragon, issued_at, ..FinaRequest::default() }
}

/// A shop of the authority on each store.
async fn on_both(authority: Authority) -> Vec<(Fiscalizing, Option<Database>)> {
    let store: Arc<dyn Store> = on_sqlite();
    let embedded = Fiscalizing::open(authority, store, stamp_on(false)).await;
    let (store, database) = on_postgres().await;
    let server = Fiscalizing::open(authority, store, stamp_on(true)).await;
    vec![(embedded, None), (server, Some(database))]
}

fn day_before(own: &Fiscalizing) -> Date {
    own.authority.local(own.shop.stamp.now() - Duration::days(1)).date()
}

#[tokio::test]
async fn a_receipt_of_a_bound_book_keeps_its_time_and_is_late_from_the_first_message() {
    for (own, _database) in on_both(Authority::Fina).await {
        let at = own.shop.stamp.now() - Duration::hours(26);
        let sold = own.sell(&[Cash], fina(paragon(" 17/1 ", at))).await.unwrap();
        let day = own.authority.local(at).date();
        assert_eq!((sold.number(), sold.content.date), ("1/P1/1".to_owned(), day));
        let own_record = record(&sold);
        assert_eq!(own_record.issued_at, own.authority.local(at));
        assert_eq!((own_record.paragon.as_deref(), own_record.is_late), (Some("17/1"), true));
        assert_eq!(fiscal(&sold).status, FiscalStatus::Success);
        assert_eq!(own.payments_of(&sold).await[0].date, day);

        let heard = own.office.heard();
        assert!(heard.len() == 1 && heard[0].is_late(), "{heard:?}");
        let ReportContent::Fina(receipt) = heard[0].content() else { panic!() };
        assert_eq!(receipt.paragon.as_deref(), Some("17/1"));
        assert_eq!(receipt.issued_at, own.authority.local(at));
        assert_eq!(receipt.zki.to_string(), own_record.mark);
        let exchange = own.exchange(&sold).await.unwrap();
        assert!(exchange.attempts[0].is_late && exchange.confirmations[0].is_late);

        let next = own.invoice().await;
        assert_eq!((next.number(), record(&next).is_late), ("2/P1/1".to_owned(), false));
        assert_eq!(record(&next).paragon, None);
        assert_eq!(own.series().await.len(), 1);
    }
}

#[tokio::test]
async fn a_receipt_of_last_year_takes_the_next_number_of_last_year() {
    let own = in_croatia().await;
    let stamp = own.at(datetime!(2027-01-02 09:00 UTC));
    let kind = DocumentKind::Invoice;
    let sell = async |said: FinaRequest| {
        let creation =
            Creation { payments: paid(&[Cash]), fiscal: fina(said), ..Creation::default() };
        own.make(kind, worth_100(), creation, &stamp).await.unwrap()
    };
    let first = sell(FinaRequest::default()).await;
    // Half past eleven at night in Zagreb.
    let late = sell(paragon("9", datetime!(2026-12-31 22:30 UTC))).await;
    // Half past midnight.
    let early = sell(paragon("10", datetime!(2026-12-31 23:30 UTC))).await;
    let dates = [&first, &late, &early].map(|own| own.content.date);
    assert_eq!(dates, [date!(2027 - 01 - 02), date!(2026 - 12 - 31), date!(2027 - 01 - 01)]);
    assert_eq!([&first, &late, &early].map(|own| record(own).number), [1, 1, 2]);
    let keys = own.series().await;
    assert_eq!(keys, [("fina/2026/P1".to_owned(), 1), ("fina/2027/P1".to_owned(), 2)]);
}

#[tokio::test]
async fn a_form_of_a_bound_book_has_its_own_number_and_neither_mark_nor_device() {
    for (own, _database) in on_both(Authority::Furs).await {
        let on = day_before(&own);
        let sold = own.sell(&[Cash], furs(book("612", on))).await.unwrap();
        assert_eq!((&*sold.number(), sold.content.date), ("5001-0001018-03-612", on));
        assert_eq!(fiscal(&sold).status, FiscalStatus::Success);
        let known = record(&sold);
        assert_eq!((&*known.premise, &known.device, known.number), ("P1", &None, 612));
        assert_eq!((&*known.mark, &*known.qr, known.is_late), ("", "", false));
        assert_eq!((&known.book, known.issued_at.date()), (&Some(form("612")), on));
        assert_eq!(own.payments_of(&sold).await[0].date, on);
        let heard = own.office.heard();
        let [ReportContent::FursBook(sent)] =
            &heard.iter().map(|one| one.content()).collect::<Vec<_>>()[..]
        else {
            panic!("{heard:?}")
        };
        assert_eq!((&sent.book, sent.issued_on, &*sent.premise), (&form("612"), on, "P1"));

        // The other documents of the premise count as before.
        assert_eq!(own.invoice().await.number(), "P1-B1-1");
        let next = own.sell(&[Cash], furs(book("613", on))).await.unwrap();
        assert_eq!((&*next.number(), record(&next).number), ("5001-0001018-03-613", 613));

        // No number is handed out twice, for whatever kind of document.
        let before = own.shop.counts().await;
        for kind in [DocumentKind::Invoice, DocumentKind::AdvanceInvoice] {
            let fiscal = furs(book("612", on));
            let creation = Creation { payments: paid(&[Cash]), fiscal, ..Creation::default() };
            let stamp = &own.shop.stamp;
            let found = issues(own.make(kind, worth_100(), creation, stamp).await.unwrap_err());
            assert!(
                found.len() == 1
                    && found[0].starts_with("furs.sales_book_identifier.invoice_number: ")
                    && found[0].contains("5001-0001018-03-612"),
                "{found:?}"
            );
        }
        assert_eq!(own.shop.counts().await, before);
        let other = SalesBook { set_number: "04".to_owned(), ..form("612") };
        let said = FursRequest { sales_book: Some(other), ..book("612", on) };
        let other = own.sell(&[Cash], furs(said)).await.unwrap();
        assert_eq!(other.number(), "5001-0001018-04-612");
    }
}

#[tokio::test]
async fn one_of_many_requests_at_once_is_entered_from_a_form() {
    for (own, _database) in on_both(Authority::Furs).await {
        let (on, own) = (day_before(&own), Arc::new(own));
        let sales = (0..8).map(|_| {
            let own = Arc::clone(&own);
            tokio::spawn(async move { own.sell(&[Cash], furs(book("700", on))).await })
        });
        let mut sold = 0;
        for sale in sales.collect::<Vec<_>>() {
            match sale.await.unwrap() {
                Ok(_) => sold += 1,
                Err(error) => {
                    let found = issues(error);
                    assert!(found[0].contains("was entered before"), "{found:?}");
                }
            }
        }
        assert_eq!((sold, own.office.heard().len()), (1, 1));
    }
}

#[tokio::test]
async fn an_unanswered_form_is_sent_again_unchanged() {
    let own = in_slovenia().await;
    own.office.then_is_silent();
    let on = day_before(&own);
    let sold = own.sell(&[Cash], furs(book("612", on))).await.unwrap();
    assert_eq!(fiscal(&sold).status, FiscalStatus::Pending);
    assert_eq!(own.exchange(&sold).await.unwrap().lost_on, Some(on));
    assert_eq!(own.work(own.shop.stamp.now() + Duration::minutes(2)).await.done, 1);
    let confirmed = own.reread(&sold).await;
    assert_eq!(fiscal(&confirmed).status, FiscalStatus::Success);
    assert!(!record(&confirmed).is_late && record(&confirmed).qr.is_empty());
    let heard = own.office.heard();
    assert_eq!(heard[0].content(), heard[1].content());
    assert!(heard.iter().all(|one| !one.is_late()));
    assert_ne!(heard[0].header.message_id, heard[1].header.message_id);
}

#[tokio::test]
async fn the_alarm_about_paper_comes_on_its_own_last_day() {
    let own = in_slovenia().await;
    (0..3).for_each(|_| own.office.then_is_silent());
    own.sell(&[Cash], furs(book("612", date!(2026 - 11 - 18)))).await.unwrap();
    // Two working days have passed, not ten.
    let report = own.work(datetime!(2026-11-25 08:00 UTC)).await;
    assert!(report.alarms.is_empty(), "{report:?}");
    let report = own.work(datetime!(2026-12-02 08:00 UTC)).await;
    assert_eq!(report.alarms.len(), 1, "{report:?}");
    assert_eq!(report.alarms[0].deadline, date!(2026 - 12 - 02));
}

#[tokio::test]
async fn credit_notes_name_the_form_that_they_correct() {
    let own = in_slovenia().await;
    let (on, stamp) = (day_before(&own), own.shop.stamp.clone());
    let invoices = [
        own.sell(&[Cash], furs(book("612", on))).await.unwrap(),
        own.sell(&[Cash], furs(book("613", on))).await.unwrap(),
        own.sell(&[Cash], furs(book("614", on))).await.unwrap(),
    ];
    own.office.heard();
    let note = async |of: &Document, fiscal: FiscalRequest| {
        let request: DocumentRequest = linked(worth_100(), &[of]);
        let creation = Creation { fiscal, ..Creation::default() };
        own.make(DocumentKind::CreditNote, request, creation, &stamp).await
    };
    // Issued on the device, written on another form, and by voiding.
    let credit = note(&invoices[0], FiscalRequest::default()).await.unwrap();
    let written = note(&invoices[1], furs(book("615", on))).await.unwrap();
    let voided = own.void(&invoices[2]).await.unwrap();
    assert!(matches!(voided.stage, Stage::Voided(..)));
    assert_eq!(
        (credit.number(), written.number()),
        ("P1-B1-1".into(), "5001-0001018-03-615".into())
    );
    let heard = own.office.heard();
    let references: Vec<Vec<Correction>> = heard
        .iter()
        .map(|one| match one.content() {
            ReportContent::Furs(sent) => sent.references.clone(),
            ReportContent::FursBook(sent) => sent.references.clone(),
            ReportContent::Fina(_) => panic!(),
        })
        .collect();
    let corrected: Vec<(String, Date)> = references
        .iter()
        .map(|all| match &all[..] {
            [Correction::Form(form)] => (form.book.invoice_number.clone(), form.issued_on),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = ["612", "613", "614"].map(|number| (number.to_owned(), on));
    assert_eq!(corrected, expected);
    // A form that an invoice was entered from is none of a credit note.
    let other = own.invoice().await;
    let found = issues(note(&other, furs(book("612", on))).await.unwrap_err());
    assert!(found[0].contains("sales_book_identifier.invoice_number"), "{found:?}");
}

#[tokio::test]
async fn where_several_devices_are_a_form_is_taken_back_by_a_credit_note_that_names_one() {
    let own = in_slovenia().await;
    let (_, first) = own.open_place("P2", "B1").await;
    let id = DeviceId::new(Authority::Furs, &own.shop.stamp);
    let second = Device { id, name: "B2".to_owned(), ..first };
    own.shop.store.insert(vec![Put::insert(&second)], Vec::new()).await.unwrap();
    let place =
        || FursRequest { business_premise_name: Some("P2".to_owned()), ..FursRequest::default() };
    let said = FursRequest {
        business_premise_name: place().business_premise_name,
        ..book("612", day_before(&own))
    };
    let sold = own.sell(&[Cash], furs(said)).await.unwrap();
    let found = issues(own.void(&sold).await.unwrap_err());
    assert!(found.len() == 1 && found[0].contains("a credit note that names one"), "{found:?}");
    let said = FursRequest { electronic_device_name: Some("B2".to_owned()), ..place() };
    let creation = Creation { fiscal: furs(said), ..Creation::default() };
    let request = linked(worth_100(), &[&sold]);
    let note = own.make(DocumentKind::CreditNote, request, creation, &own.shop.stamp).await;
    assert_eq!(note.unwrap().number(), "P2-B2-1");
}

#[tokio::test]
async fn a_form_is_reported_for_any_payment_and_any_author() {
    let own = in_slovenia().await;
    let settings = FiscalSettings {
        default_skip: true,
        operator_number: None,
        operator_label: None,
        ..own.settings()
    };
    own.store_settings(&settings).await;
    let on = day_before(&own);
    let sold = own.sell(&[BankTransfer], furs(book("612", on))).await.unwrap();
    assert_eq!(fiscal(&sold).status, FiscalStatus::Success);
    assert_eq!(record(&sold).operator_number, None);
    // A document that a device issues needs an operator.
    let found = issues(own.sell(&[Cash], FiscalRequest::default()).await.unwrap_err());
    assert_eq!(found.len(), 2, "{found:?}");
}

#[tokio::test]
async fn forms_that_furs_refuses_are_refused_at_their_field() {
    let own = in_slovenia().await;
    let on = day_before(&own);
    let bad = SalesBook { set_number: "3".to_owned(), ..form("0612") };
    let cases = [
        (FursRequest { issue_date: None, ..book("1", on) }, "furs.issue_date"),
        (FursRequest { sales_book: None, ..book("1", on) }, "furs.sales_book_identifier"),
        (book("1", date!(2026 - 11 - 21)), "furs.issue_date"),
        (FursRequest { skip: Some(true), ..book("1", on) }, "furs.skip"),
        (
            FursRequest { electronic_device_name: Some("B1".to_owned()), ..book("1", on) },
            "furs.electronic_device_name",
        ),
        (book("a", on), "furs.sales_book_identifier.invoice_number"),
    ];
    for (said, field) in cases {
        let found = issues(own.sell(&[Cash], furs(said)).await.unwrap_err());
        assert!(found.len() == 1 && found[0].starts_with(&format!("{field}: ")), "{found:?}");
    }
    let said = FursRequest { sales_book: Some(bad), ..book("1", on) };
    assert_eq!(issues(own.sell(&[Cash], furs(said)).await.unwrap_err()).len(), 2);
    let dated = DocumentRequest { date: Some(date!(2026 - 11 - 20)), ..worth_100() };
    let creation = Creation { fiscal: furs(book("1", on)), ..Creation::default() };
    let made = own.make(DocumentKind::Invoice, dated, creation, &own.shop.stamp).await;
    let found = issues(made.unwrap_err());
    assert!(found.len() == 1 && found[0].starts_with("date: "), "{found:?}");
    let found =
        issues(own.sell(&[Cash], fina(paragon("1", own.shop.stamp.now()))).await.unwrap_err());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("fina.paragon_br_rac: "), "{found:?}");
    assert!(found[1].starts_with("fina.issued_at: "), "{found:?}");
    assert!(own.series().await.is_empty() && own.office.heard().is_empty());
    assert_eq!(own.shop.counts().await[2], 0);
}

#[tokio::test]
async fn forms_that_cis_refuses_are_refused_at_their_field() {
    let own = in_croatia().await;
    let now = own.shop.stamp.now();
    let good = paragon("17", now - Duration::HOUR);
    let cases = [
        (FinaRequest { issued_at: None, ..good.clone() }, "fina.issued_at"),
        (FinaRequest { paragon: None, ..good.clone() }, "fina.paragon_br_rac"),
        (FinaRequest { paragon: Some(" ".to_owned()), ..good.clone() }, "fina.paragon_br_rac"),
        (FinaRequest { paragon: Some("1\n2".to_owned()), ..good.clone() }, "fina.paragon_br_rac"),
        (FinaRequest { paragon: Some("č".repeat(101)), ..good.clone() }, "fina.paragon_br_rac"),
        (paragon("17", now + Duration::SECOND), "fina.issued_at"),
        (paragon("17", now - Duration::days(30) - Duration::SECOND), "fina.issued_at"),
    ];
    for (said, field) in cases {
        let found = issues(own.sell(&[Cash], fina(said)).await.unwrap_err());
        assert!(found.len() == 1 && found[0].starts_with(&format!("{field}: ")), "{found:?}");
    }
    let skip = FinaRequest { skip: Some(true), ..good.clone() };
    refused(own.sell(&[Cash], fina(skip)).await);
    let dated = DocumentRequest { date: Some(date!(2026 - 11 - 19)), ..worth_100() };
    let creation = Creation { fiscal: fina(good.clone()), ..Creation::default() };
    let made = own.make(DocumentKind::Invoice, dated, creation, &own.shop.stamp).await;
    assert!(issues(made.unwrap_err())[0].starts_with("date: "));
    let found =
        issues(own.sell(&[Cash], furs(book("1", date!(2026 - 11 - 19)))).await.unwrap_err());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(own.series().await.is_empty() && own.office.heard().is_empty());
    // As old as it may be, and with its own date.
    let at = now - Duration::days(30);
    let day = own.authority.local(at).date();
    let dated = DocumentRequest { date: Some(day), ..worth_100() };
    let said = FinaRequest { paragon: Some("č".repeat(100)), ..paragon("17", at) };
    let creation = Creation { fiscal: fina(said), ..Creation::default() };
    let made = own.make(DocumentKind::Invoice, dated, creation, &own.shop.stamp).await.unwrap();
    assert_eq!(made.content.date, day);
}

#[tokio::test]
async fn a_draft_is_on_paper_when_it_is_finalized() {
    for own in [in_slovenia().await, in_croatia().await] {
        let at = own.shop.stamp.now() - Duration::days(1);
        let said = || match own.authority {
            Authority::Furs => furs(book("612", at.date())),
            Authority::Fina => fina(paragon("17", at)),
        };
        let draft = |fiscal| Creation { is_draft: true, fiscal, ..Creation::default() };
        let (kind, stamp) = (DocumentKind::Invoice, &own.shop.stamp);
        let made = own.make(kind, worth_100(), draft(said()), stamp).await;
        let found = issues(made.unwrap_err());
        assert!(found.len() == 2 && found[0].starts_with(own.authority.name()), "{found:?}");
        let made = own.make(kind, worth_100(), draft(FiscalRequest::default()), stamp).await;
        let issued = own.finalize_as(&made.unwrap(), said()).await.unwrap();
        let number = match own.authority {
            Authority::Furs => "5001-0001018-03-612",
            Authority::Fina => "1/P1/1",
        };
        assert_eq!((&*issued.number(), issued.content.date), (number, at.date()));
        assert_eq!(fiscal(&issued).status, FiscalStatus::Success);

        // A draft with another date, and one that is not fiscalized.
        let dated = DocumentRequest {
            date: Some(calendar::parse_date("2026-11-01").unwrap()),
            ..worth_100()
        };
        let made = own.make(kind, dated, draft(FiscalRequest::default()), stamp).await.unwrap();
        let other = match own.authority {
            Authority::Furs => furs(book("613", at.date())),
            Authority::Fina => fina(paragon("18", at)),
        };
        let found = issues(own.finalize_as(&made, other.clone()).await.unwrap_err());
        assert!(found[0].starts_with("date: "), "{found:?}");
        own.store_settings(&FiscalSettings { enabled: false, ..own.settings() }).await;
        let found = issues(own.finalize_as(&made, other).await.unwrap_err());
        assert!(found.len() == 2 && found[0].starts_with(own.authority.name()), "{found:?}");
    }
}
