//! Series: made, chosen, changed, closed; dates in them.

use racun_kernel::id::PtSeriesId;
use racun_portugal::{
    ChainHead, Fresh, ManualNumber, NewSeries, PT_SERIES, PortugalError, PtSeries, Purpose,
    Registration, SeriesChange, SeriesStatus, TABLES, Validated, ValidationCode, check_date,
    entry_time, last_entry,
};
use racun_store::{Decision, Record as _, StoreError};
use time::macros::datetime;

use crate::key::Key;
use crate::world::{actor, changed, date, decimal, faults, said, wall};

fn new(purpose: Purpose, code: &str) -> NewSeries {
    NewSeries {
        document_type: purpose,
        series_code: code.to_owned(),
        validation_code: Some("AAJFB7NT".to_owned()),
        first_number: None,
        start_date: date("2026-01-01"),
        is_manual: false,
        initial_sequence: None,
    }
}

fn made(new: NewSeries, present: &[PtSeries]) -> Result<PtSeries, PortugalError> {
    let checked = new.check(present)?;
    let code = checked.validation_code.clone().unwrap();
    let validated = Validated { code, is_registered: false };
    checked.into_series(validated, present, &actor()).map(|decision| changed(decision).0)
}

/// The series `2026A` of invoices.
pub fn series() -> PtSeries {
    made(new(Purpose::Invoice, "2026A"), &[]).unwrap()
}

#[test]
fn a_series_is_kept_as_it_was_made() {
    let own = made(
        NewSeries {
            first_number: Some("FT FT2026A/00010".to_owned()),
            ..new(Purpose::Invoice, "FT2026A")
        },
        &[],
    )
    .unwrap();
    assert_eq!((own.initial_sequence, own.status), (10, SeriesStatus::Active));
    assert_eq!(own.number(10).as_str(), "FT FT2026A/00010");
    assert_eq!(own.number(123_456).as_str(), "FT FT2026A/123456");
    assert_eq!(own.numbers().start, 10);
    let stored = serde_json::to_string(&own).unwrap();
    assert_eq!(serde_json::from_str::<PtSeries>(&stored).unwrap(), own);
    assert_eq!(own.values().len(), PT_SERIES.fields.len());
    assert_eq!(TABLES.len(), 3);
}

#[test]
fn mistakes_in_a_new_series_are_named_by_field() {
    let wrong = NewSeries {
        validation_code: Some("AAJFB7N".to_owned()),
        initial_sequence: Some(0),
        ..new(Purpose::Invoice, "FT 2026/A")
    };
    let error = wrong.check(&[]).unwrap_err();
    let expected = ["series_code", "validation_code", "initial_sequence"];
    assert_eq!(said(&error), expected.map(|field| format!("{field}: invalid_value")));
    for first in ["2026A/1", "NC 2026A/1", "FT 2026B/1", "FT 2026A/2", "FT 2026A/0", "FT 2026A/x"] {
        let wrong = NewSeries {
            first_number: Some(first.to_owned()),
            initial_sequence: Some(1),
            ..new(Purpose::Invoice, "2026A")
        };
        let error = wrong.check(&[]).unwrap_err();
        assert_eq!(said(&error), ["first_number: invalid_value"], "{first}");
    }
    let most = NewSeries { initial_sequence: Some(999_999_999), ..new(Purpose::Invoice, "A") };
    assert!(most.clone().check(&[]).is_ok());
    let beyond = NewSeries { initial_sequence: Some(1_000_000_000), ..most };
    assert!(beyond.check(&[]).is_err());
}

#[test]
fn one_series_of_a_type_is_active_and_identifiers_are_used_once() {
    let first = series();
    for (purpose, code, expected) in [
        (Purpose::Invoice, "2026B", Some("pt_series_active")),
        (Purpose::AdvanceInvoice, "2026a", Some("duplicate")),
        (Purpose::AdvanceInvoice, "2026B", None),
        (Purpose::CreditNote, "2026A", None),
    ] {
        let found = made(new(purpose, code), std::slice::from_ref(&first));
        let found = found.err().map(|error| said(&error).remove(0));
        assert_eq!(found.as_deref(), expected, "{purpose:?} {code}");
    }
    let manual = NewSeries { is_manual: true, ..new(Purpose::Invoice, "M1") };
    let manual = made(manual, std::slice::from_ref(&first)).unwrap();
    let closed = changed(first.clone().close(&actor()).unwrap()).0;
    assert!(made(new(Purpose::Invoice, "2026B"), &[closed.clone(), manual]).is_ok());
    let again = made(new(Purpose::Invoice, "2026A"), &[closed]).unwrap_err();
    assert_eq!(said(&again), ["duplicate"], "closed ones count");
    for (field, expected) in [("key", "duplicate"), ("active", "pt_series_active")] {
        let race = PortugalError::from(StoreError::Duplicate { table: "pt_series", field });
        assert_eq!(said(&race), [expected]);
    }
}

#[test]
fn there_are_so_many_series_and_no_more() {
    let present: Vec<PtSeries> = (0..racun_portugal::MAX_SERIES)
        .map(|n| PtSeries {
            series_code: racun_portugal::SeriesCode::new(&format!("S{n}")).unwrap(),
            is_manual: true,
            ..series()
        })
        .collect();
    let error = new(Purpose::Invoice, "A").check(&present).unwrap_err();
    assert_eq!(said(&error), ["too_many_series"]);
    assert!(new(Purpose::Invoice, "A").check(&present[1..]).is_ok());
}

#[test]
fn a_document_takes_the_series_that_is_named_or_the_only_one() {
    let invoices = series();
    let book = PtSeries { id: PtSeriesId::new(7_u128.into()), is_manual: true, ..series() };
    let closed = PtSeries { status: SeriesStatus::Closed, ..series() };
    let choose = |present: &[PtSeries], named: Option<PtSeriesId>, purpose, manual| {
        PtSeries::choose(present, named, purpose, manual).map(|own| own.id).map_err(|error| {
            match error {
                PortugalError::NotFound { .. } => "not_found".to_owned(),
                other => said(&other).remove(0),
            }
        })
    };
    let present = [invoices.clone(), book.clone()];
    assert_eq!(choose(&present, None, Purpose::Invoice, false), Ok(invoices.id));
    assert_eq!(choose(&present, None, Purpose::Invoice, true), Ok(book.id));
    assert_eq!(choose(&present, Some(book.id), Purpose::Invoice, true), Ok(book.id));
    for (present, named, purpose, expected) in [
        (&present[..], Some(book.id), Purpose::Invoice, "pt_series_of_other_type"),
        (&present, Some(invoices.id), Purpose::CreditNote, "pt_series_of_other_type"),
        (&present, None, Purpose::CreditNote, "pt_series_missing"),
        (&present, Some(PtSeriesId::new(9_u128.into())), Purpose::Invoice, "not_found"),
        (std::slice::from_ref(&closed), Some(closed.id), Purpose::Invoice, "pt_series_closed"),
        (std::slice::from_ref(&closed), None, Purpose::Invoice, "pt_series_missing"),
    ] {
        assert_eq!(choose(present, named, purpose, false), Err(expected.to_owned()));
    }
}

#[test]
fn where_several_books_of_forms_are_open_one_is_named() {
    let book = |n: u128, code: &str| PtSeries {
        id: PtSeriesId::new(n.into()),
        series_code: racun_portugal::SeriesCode::new(code).unwrap(),
        is_manual: true,
        ..series()
    };
    let open = [series(), book(7, "M1"), book(8, "M2")];
    let error = PtSeries::choose(&open, None, Purpose::Invoice, true).unwrap_err();
    assert_eq!(said(&error), ["series_id: required"]);
    assert!(error.to_string().contains("M1, M2; send the id of one"), "{error}");
    for book in &open[1..] {
        let chosen = PtSeries::choose(&open, Some(book.id), Purpose::Invoice, true);
        assert_eq!(chosen.unwrap().id, book.id);
    }
    let closed = changed(open[2].clone().close(&actor()).unwrap()).0;
    let open = [open[1].clone(), closed];
    let only = PtSeries::choose(&open, None, Purpose::Invoice, true).unwrap();
    assert_eq!(only.id, open[0].id);
}

/// The first document of a series.
fn head() -> ChainHead {
    let entered_at = wall("2026-01-05T10:00:00");
    ChainHead { sequence: 1, date: date("2026-01-05"), entered_at, hash: None }
}

#[test]
fn a_series_in_use_is_only_closed() {
    let change = |change: SeriesChange, mut own: PtSeries, used: bool| {
        own.head = used.then(head);
        own.change(change, &actor()).map_err(|error| said(&error).remove(0))
    };
    let code = SeriesChange { validation_code: Some("ZZJFB7NT".into()), ..Default::default() };
    let (after, events) = changed(change(code.clone(), series(), false).unwrap());
    assert_eq!(
        (after.validation_code.as_str(), &*events),
        ("ZZJFB7NT", &["pt_series.updated"][..])
    );
    let refused = |input: SeriesChange, own: PtSeries, used: bool| {
        change(input, own, used).map(|_| ()).unwrap_err()
    };
    assert_eq!(refused(code.clone(), series(), true), "pt_series_used");
    let wrong = SeriesChange { validation_code: Some("A".into()), ..Default::default() };
    assert_eq!(refused(wrong, series(), false), "validation_code: invalid_value");
    let close = SeriesChange { status: Some(SeriesStatus::Closed), ..Default::default() };
    let (closed, events) = changed(change(close.clone(), series(), true).unwrap());
    assert_eq!((closed.status, &*events), (SeriesStatus::Closed, &["pt_series.closed"][..]));
    assert!(matches!(change(close, closed.clone(), true), Ok(Decision::Unchanged(_))));
    let open = SeriesChange { status: Some(SeriesStatus::Active), ..Default::default() };
    assert_eq!(refused(open, closed.clone(), true), "pt_series_closed");
    assert_eq!(refused(code, closed, false), "pt_series_closed");
}

#[test]
fn series_that_the_authority_ended_are_closed() {
    for (registration, status) in [
        (Registration::Registered, SeriesStatus::Active),
        (Registration::Finalised, SeriesStatus::Closed),
        (Registration::Annulled, SeriesStatus::Closed),
    ] {
        let (after, _) = changed(series().registered_as(registration, &actor()));
        assert_eq!((after.registration, after.status), (Some(registration), status));
        assert!(matches!(after.registered_as(registration, &actor()), Decision::Unchanged(_)));
    }
    let code = ValidationCode::new("AAJFB7NT").unwrap();
    let checked = new(Purpose::Invoice, "2026A").check(&[]).unwrap();
    let validated = Validated { code, is_registered: true };
    let own = changed(checked.into_series(validated, &[], &actor()).unwrap()).0;
    assert_eq!(own.registration, Some(Registration::Registered));
}

#[test]
fn dates_of_a_series_do_not_run_back_or_ahead() {
    let entry = wall("2026-03-10T10:00:00");
    for (day, last, expected) in [
        ("2026-03-10", None, None),
        ("2026-03-10", Some("2026-03-10"), None),
        ("2026-03-09", Some("2026-03-09"), None),
        ("2026-03-11", None, Some("date: date_in_future")),
        ("2026-03-08", Some("2026-03-09"), Some("date: date_not_in_order")),
        ("2025-12-31", None, Some("date: date_before_series")),
    ] {
        let found = check_date(date(day), entry, date("2026-01-01"), last.map(date));
        let found = found.err().map(|issue| faults(&issue.into()).remove(0));
        assert_eq!(found.as_deref(), expected, "{day} {last:?}");
    }
    assert_eq!(entry_time(entry, None), Ok(entry));
    assert_eq!(entry_time(entry, Some(wall("2026-03-10T09:59:59"))), Ok(entry));
}

#[test]
fn the_last_document_is_that_of_all_active_series() {
    let with = |last: Option<&str>, status| {
        let head = last.map(|at| ChainHead {
            sequence: 1,
            date: date("2026-03-10"),
            entered_at: wall(at),
            hash: None,
        });
        PtSeries { head, status, ..series() }
    };
    let active = |last| with(last, SeriesStatus::Active);
    let (early, late) = ("2026-03-10T09:00:00", "2026-03-10T10:00:00");
    let ahead = with(Some("2026-03-12T10:00:00"), SeriesStatus::Closed);
    for (series, expected) in [
        (vec![], None),
        (vec![active(None), ahead.clone()], None),
        (vec![active(Some(late)), active(Some(early)), active(None), ahead], Some(late)),
    ] {
        assert_eq!(last_entry(&series), expected.map(wall));
    }
}

#[test]
fn the_clock_on_the_wall_is_that_of_the_zone() {
    let instant = datetime!(2026-07-01 00:30:15.987 UTC);
    for (zone, expected) in [
        ("Europe/Lisbon", "2026-07-01T01:30:15"),
        ("Atlantic/Azores", "2026-07-01T00:30:15"),
        ("Nowhere", ""),
    ] {
        let wall = racun_portugal::WallTime::of(instant, zone);
        assert_eq!(wall.map_or_else(String::new, |wall| wall.to_string()), expected, "{zone}");
    }
    for wrong in ["2026-07-01T01:30:15Z", "2026-07-01 01:30:15", "2026-07-01T01:30:15.1", ""] {
        assert!(wrong.parse::<racun_portugal::WallTime>().is_err(), "{wrong}");
    }
}

#[test]
fn a_recovered_document_needs_a_series_of_its_own() {
    let key = Key::read("test_a");
    let form = ManualNumber::new(racun_portugal::Code::Ft, Some("V"), Some(23)).unwrap();
    let fresh = |form: Option<ManualNumber>| Fresh {
        date: date("2026-10-03"),
        wall: wall("2026-10-04T09:00:00"),
        total: decimal("12.30"),
        form,
    };
    let book = PtSeries { is_manual: true, ..series() };
    let (own, _) = book.certify(None, 1, &fresh(Some(form.clone())), &key).unwrap();
    assert_eq!(own.hash_control.to_string(), "1-FTM V/23");
    for (series, form) in [(book, None), (series(), Some(form))] {
        let error = series.certify(None, 1, &fresh(form), &key).unwrap_err();
        assert_eq!(said(&error), ["pt_series_of_other_type"]);
    }
}

#[test]
fn receipts_are_numbered_and_not_signed() {
    let receipts = PtSeries { document_type: Purpose::Payment, ..series() };
    let at = wall("2026-01-05T09:00:00");
    let (own, head) = receipts.receipt(None, 1, at).unwrap();
    assert_eq!((own.number.as_str(), own.atcud.as_str()), ("RG 2026A/1", "AAJFB7NT-1"));
    assert_eq!((head.date, head.hash.clone()), (date("2026-01-05"), None));
    let next = |sequence| receipts.receipt(Some(&head), sequence, at);
    assert_eq!(next(2).unwrap().0.number.as_str(), "RG 2026A/2");
    assert!(matches!(next(3).unwrap_err(), PortugalError::OutOfSequence { expected: 2, shown: 3 }));
    let back = receipts.receipt(Some(&head), 2, wall("2026-01-05T07:59:59")).unwrap_err();
    assert_eq!(said(&back), ["clock_behind"]);
    let early = receipts.receipt(None, 1, wall("2025-12-31T09:00:00")).unwrap_err();
    assert_eq!(said(&early), ["date: date_before_series"]);
}

#[test]
fn documents_are_signed_and_receipts_are_not_taken_for_one() {
    let receipts = PtSeries { document_type: Purpose::Payment, ..series() };
    let at = wall("2026-01-05T09:00:00");
    let fresh = Fresh { date: at.date(), wall: at, total: decimal("12.30"), form: None };
    let signed = receipts.certify(None, 1, &fresh, &Key::read("test_a")).unwrap_err();
    assert_eq!(said(&signed), ["pt_series_of_other_type"]);
    assert_eq!(said(&series().receipt(None, 1, at).unwrap_err()), ["pt_series_of_other_type"]);
}
