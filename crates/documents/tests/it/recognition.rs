//! Which lines are spread over days of service, and what becomes of their entries.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use racun_documents::number_format::{FormatKind, NumberFormat};
use racun_documents::recognition::{RecognitionDefault, RecognitionEntry, changes, ended, redated};
use racun_documents::{
    Document, DocumentKind, NewDocument, NewLine, NumberFormats, Numbering, RevenueRecognition,
};
use racun_kernel::RecognitionMethod::{Immediate, ServicePeriodDaily};
use racun_kernel::id::EntityId;
use racun_kernel::{RecognitionMethod, Tenant};
use racun_store::PutKind;
use racun_store::testing::stamp;
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};
use ulid::Ulid;

use crate::life_cycle::content;

const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);
const FROM: Date = date!(2026 - 11 - 01);
const TO: Date = date!(2027 - 10 - 31);

fn line(name: &str, method: Option<RecognitionMethod>, days: Option<(Date, Date)>) -> NewLine {
    let (date_from, date_to) = days.unzip();
    NewLine {
        name: Some(name.to_owned()),
        price: Some(100.into()),
        revenue_recognition: Some(RevenueRecognition { method, date_from, date_to }),
        ..NewLine::default()
    }
}

/// A document with these lines, which names the days of November as its service.
fn issued(kind: DocumentKind, lines: Vec<NewLine>) -> Document {
    let (date_service, date_service_to) = (Some(FROM), Some(date!(2026 - 11 - 30)));
    let content = racun_documents::Content { date_service, date_service_to, ..content() };
    let entity = EntityId::new(Ulid::from_parts(1, 1));
    let draft = Document::draft(NewDocument::new(kind, entity, content, lines), &stamp(NOW));
    let draft = draft.unwrap();
    let formats = NumberFormats {
        main: NumberFormat::parse("{yyyy}-{nnnnn}", FormatKind::Main).unwrap(),
        unit: NumberFormat::parse("{yyyy}-{u}-{nnnnn}", FormatKind::Unit).unwrap(),
        start: 1,
    };
    let numbering = Numbering::of(kind, Tenant::entity(entity), draft.content.date, &formats, None);
    draft.issue(&numbering, 1, None, draft_day(), &stamp(NOW)).unwrap()
}

fn draft_day() -> Date {
    NOW.date()
}

/// Name, amount and days of each entry.
fn told(entries: &[RecognitionEntry]) -> Vec<String> {
    let told = |entry: &RecognitionEntry| {
        let name = entry.name.as_deref().unwrap_or_default();
        format!("{name} {} {}..{}", entry.amount, entry.from, entry.to)
    };
    entries.iter().map(told).collect()
}

#[test]
fn a_line_says_itself_what_becomes_of_it_or_the_default_does() {
    let invoice = issued(
        DocumentKind::Invoice,
        vec![
            line("year", Some(ServicePeriodDaily), Some((FROM, TO))),
            line("document's", Some(ServicePeriodDaily), None),
            line("at once", Some(Immediate), Some((FROM, TO))),
            line("silent with days", None, Some((FROM, TO))),
            line("silent", None, None),
        ],
    );
    let year = "year 100 2026-11-01..2027-10-31";
    let month = "document's 100 2026-11-01..2026-11-30";
    let of = |default| told(&invoice.recognition(default, &[], &stamp(NOW)));
    assert_eq!(of(RecognitionDefault::Off), [year, month]);
    let silent =
        ["silent with days 100 2026-11-01..2027-10-31", "silent 100 2026-11-01..2026-11-30"];
    let all = [&[year, month][..], &silent].concat();
    assert_eq!(of(RecognitionDefault::ServicePeriodDaily), all);
    for kind in [DocumentKind::Estimate, DocumentKind::AdvanceInvoice] {
        let other = issued(kind, vec![line("year", Some(ServicePeriodDaily), Some((FROM, TO)))]);
        let daily = RecognitionDefault::ServicePeriodDaily;
        assert!(other.recognition(daily, &[], &stamp(NOW)).is_empty(), "{kind:?} earns nothing");
    }
}

#[test]
fn a_credit_note_follows_the_line_that_it_gives_back_and_is_below_zero() {
    let daily = Some(ServicePeriodDaily);
    let invoice = issued(DocumentKind::Invoice, vec![line("year", daily, Some((FROM, TO)))]);
    let credited = invoice.recognition(RecognitionDefault::Off, &[], &stamp(NOW));
    let back = issued(
        DocumentKind::CreditNote,
        vec![
            line("year", None, None),
            line("something else", None, None),
            line("own", daily, None),
            line("year", Some(Immediate), None),
        ],
    );
    let entries = back.recognition(RecognitionDefault::Off, &credited, &stamp(NOW));
    let expected = ["year -100 2026-11-01..2027-10-31", "own -100 2026-11-01..2026-11-30"];
    assert_eq!(told(&entries), expected);
    assert_eq!((entries[0].starts_on(), credited[0].starts_on()), (back.content.date, FROM));
}

#[test]
fn entries_follow_their_document() {
    let daily = Some(ServicePeriodDaily);
    let lines = || vec![line("a", daily, Some((FROM, TO))), line("b", daily, Some((FROM, TO)))];
    let invoice = issued(DocumentKind::Invoice, lines());
    let made =
        |stamp: &racun_kernel::Stamp| invoice.recognition(RecognitionDefault::Off, &[], stamp);
    let (stamp, later) = (stamp(NOW), stamp(NOW).at(NOW + time::Duration::DAY));
    let before = made(&stamp);
    assert!(changes(&before, made(&later)).is_empty(), "nothing changed but the time");
    let mut after = made(&later);
    after[0].amount = 50.into();
    after.pop();
    let puts = changes(&before, after);
    let kinds: Vec<PutKind> = puts.iter().map(|put| put.kind).collect();
    assert_eq!(kinds, [PutKind::Delete, PutKind::Update]);
    let ids: Vec<&str> = puts.iter().map(|put| put.id.as_str()).collect();
    assert_eq!(ids, [before[1].id.as_str(), before[0].id.as_str()], "a line keeps its entry");

    let over = ended(&before, date!(2026 - 12 - 24), &later);
    assert_eq!(over.len(), 2);
    assert!(over[0].body.contains(r#""voided_on":"2026-12-24""#), "{}", over[0].body);
    assert!(redated(&before, invoice.content.date, &later).is_empty());
    assert_eq!(redated(&before, date!(2026 - 12 - 24), &later).len(), 2);
}
