//! Closings: what is accepted, what is expected in the drawer, and what is carried over.

use racun_kernel::{Currency, Patch, Principal};
use racun_pos::takings::{Day, Exchange, Facts, On, Paid, Sale, Takings, takings};
use racun_pos::{
    Actor, CarriedDay, CarriedOver, ClosedDay, ClosedPlace, Closing, Count, NewClosing,
};
use racun_store::testing::stamp;
use time::Date;
use time::macros::date;

use crate::world::{START, decimal, user};

const TODAY: Date = date!(2026 - 11 - 20);

fn actor() -> Actor {
    crate::world::actor(Principal::User(user()), stamp(START))
}

fn text(text: &str) -> Patch<String> {
    Patch::Value(text.to_owned())
}

fn counted(cash: &str) -> NewClosing {
    NewClosing { counted_cash: Patch::Value(decimal(cash)), ..NewClosing::default() }
}

fn issues(new: NewClosing) -> Vec<String> {
    let issues = new.check(TODAY, Currency::EUR).unwrap_err();
    issues.iter().map(|issue| format!("{} {}", issue, issue.code)).collect()
}

/// A day on which `cash` was paid for that much.
fn sold(date: Date, cash: &[&str]) -> Takings {
    let sale = |(n, amount): (usize, &&str)| Sale {
        invoice: format!("inv_{n}"),
        date,
        voided_at: None,
        is_credited: false,
        exchange: Exchange::Same,
        net: decimal(amount),
        gross: decimal(amount),
        taxes: Vec::new(),
        untaxed: decimal("0"),
        lines: Vec::new(),
        seller: None,
    };
    let paid = |(n, amount): (usize, &&str)| Paid {
        on: On::Invoice(format!("inv_{n}")),
        kind: "cash".to_owned(),
        date,
        amount: decimal(amount),
        tip: decimal("0"),
    };
    let facts = Facts {
        sales: cash.iter().enumerate().map(sale).collect(),
        payments: cash.iter().enumerate().map(paid).collect(),
        ..Facts::default()
    };
    takings(&Day::of(date, "UTC", None), Currency::EUR, &facts)
}

#[test]
fn a_closing_says_what_was_counted() {
    let expected = Count {
        date: TODAY,
        place: ClosedPlace::default(),
        opening_cash: decimal("0"),
        counted_cash: decimal("12.5"),
        note: None,
    };
    assert_eq!(counted("12.5").check(TODAY, Currency::EUR), Ok(expected));
    assert!(issues(NewClosing::default())[0].starts_with("counted_cash: "));
    let wrong = NewClosing {
        date: text("2026-11-21"),
        electronic_device_name: text("B1"),
        opening_cash: Patch::Value(decimal("1.001")),
        counted_cash: Patch::Value(decimal("-1")),
        note: text(&"x".repeat(10_001)),
        ..NewClosing::default()
    };
    let codes: Vec<String> = issues(wrong)
        .iter()
        .map(|issue| {
            let (path, code) = (issue.split(':').next(), issue.rsplit(' ').next());
            format!("{} {}", path.unwrap(), code.unwrap())
        })
        .collect();
    assert_eq!(
        codes,
        [
            "date date_in_future",
            "business_premise_name required",
            "opening_cash too_many_decimals",
            "counted_cash out_of_range",
            "note too_long"
        ]
    );
    assert!(issues(NewClosing { date: text("20.11."), ..counted("1") })[0].starts_with("date: "));
}

#[test]
fn two_places_never_have_one_key() {
    let place = |premise: &str, device: &str| {
        let name = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
        ClosedPlace { premise: name(premise), device: name(device) }.key()
    };
    let keys =
        [place("", ""), place("P1", ""), place("P1", "1"), place("P1/", "1"), place("P", "/1")];
    let all: std::collections::BTreeSet<_> = keys.iter().collect();
    assert_eq!(all.len(), keys.len());
}

/// The days that `closings`, all of one place, closed, as they are `now`.
fn since(closings: &[Closing], now: &[Takings]) -> Option<CarriedOver> {
    let carried = || closings.iter().filter_map(|closing| closing.carried_over.clone());
    let days = closings.iter().zip(now).map(|(closing, now)| {
        let of_the_day = |day: &CarriedDay| day.date == closing.date;
        let carried = carried().flat_map(CarriedOver::into_days).filter(of_the_day).collect();
        ClosedDay { closing: closing.clone(), carried, now: now.clone() }
    });
    CarriedOver::since(closings.last()?, &days.collect::<Vec<_>>())
}

#[test]
fn sales_after_a_closing_are_in_the_next_one() {
    let close = |date, opening: &str, cash: &str, report, carried, number| {
        let new = NewClosing { opening_cash: Patch::Value(decimal(opening)), ..counted(cash) };
        let count = Count { date, ..new.check(TODAY, Currency::EUR).unwrap() };
        Closing::draw_up(count, report, carried, number, None, &actor())
    };
    let yesterday = date!(2026 - 11 - 19);
    let frozen = sold(yesterday, &["8.40", "1.60"]);
    let (first, events) = close(yesterday, "50", "59", frozen.clone(), None, 1);
    assert_eq!((&first.expected_cash, &first.difference), (&decimal("60"), &decimal("-1")));
    assert_eq!(
        (events[0].kind.name(), &events[0].subject),
        ("pos_closing.created", &first.id.to_string())
    );
    let alone = std::slice::from_ref(&first);
    assert_eq!(since(alone, std::slice::from_ref(&frozen)), None);

    let now = sold(yesterday, &["8.40", "1.60", "5"]);
    let carried = since(alone, std::slice::from_ref(&now)).unwrap();
    assert_eq!((&carried.sum.date, &carried.sum.invoices), (&yesterday, &decimal("1")));
    assert_eq!((&carried.sum.gross, &carried.sum.turnover), (&decimal("5"), &decimal("5")));
    let (second, _) = close(TODAY, "59", "67", sold(TODAY, &["3"]), Some(carried), 2);
    assert_eq!((&second.expected_cash, &second.difference), (&decimal("67"), &decimal("0")));
    assert_eq!(first.report, frozen);

    // What a closing carried over is covered, and a day that was closed before the last one counts.
    let closed = [first, second];
    let today = || sold(TODAY, &["3"]);
    assert_eq!(since(&closed, &[now, today()]), None);
    let fewer = sold(yesterday, &["8.40", "1.60", "5", "-2"]);
    let carried = since(&closed, &[fewer, today()]).unwrap();
    assert_eq!((carried.sum.closing_id, &carried.sum.cash), (closed[1].id, &decimal("-2")));
    assert_eq!(carried.days.len(), 1);
    assert_eq!((carried.days[0].closing_id, carried.days[0].date), (closed[0].id, yesterday));
    assert_eq!(carried.days[0].net_by_payment_type, carried.sum.net_by_payment_type);
}

/// Closings of earlier versions say what they carried over of the day before only.
#[test]
fn closings_without_days_covered_the_day_before() {
    let close = |date, report, carried, number| {
        let count = Count { date, ..counted("0").check(TODAY, Currency::EUR).unwrap() };
        Closing::draw_up(count, report, carried, number, None, &actor()).0
    };
    let yesterday = date!(2026 - 11 - 19);
    let now = sold(yesterday, &["8", "5"]);
    let first = close(yesterday, sold(yesterday, &["8"]), None, 1);
    let alone = std::slice::from_ref(&first);
    let carried = since(alone, std::slice::from_ref(&now)).unwrap();
    let carried = CarriedOver { days: Vec::new(), ..carried };
    let second = close(TODAY, sold(TODAY, &[]), Some(carried), 2);
    let closed = [first, second];
    assert_eq!(since(&closed, &[now, sold(TODAY, &[])]), None);
}
