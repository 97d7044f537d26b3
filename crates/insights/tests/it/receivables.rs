//! What customers owe.

use proptest::prelude::*;
use racun_insights::{Aging, Buckets, Movement, MovementKind, OpenItem, Statement};
use racun_kernel::{Currency, Decimal};

use crate::world::{date, decimal};

fn open(customer: &str, code: &str, due: &str, amount: &str, converted: Option<&str>) -> OpenItem {
    OpenItem {
        customer_id: Some(format!("cus_{customer}")),
        name: Some(customer.to_owned()),
        date: date(due),
        currency: code.parse().unwrap(),
        due: Some(date(due)),
        amount: decimal(amount),
        converted: converted.map(decimal),
    }
}

/// Bor owes 10 that is not due, 20 since ten days and 5 since a hundred; Cene owes 115 USD, which
/// are 100 EUR, since forty days, and 7 USD of which no rate is known.
#[test]
fn what_is_owed_by_customer_and_age() {
    let today = date("2026-11-26");
    let items = [
        open("Bor", "EUR", "2026-11-26", "10", Some("10")),
        open("Bor", "EUR", "2026-11-16", "20", Some("20")),
        open("Bor", "EUR", "2026-08-18", "5", Some("5")),
        open("Cene", "USD", "2026-10-17", "115", Some("100")),
        open("Cene", "USD", "2026-09-17", "7", None),
    ];
    let aging = Aging::of(items, today);
    let rows: Vec<_> = aging
        .customers
        .iter()
        .map(|one| {
            let sums = one.buckets.by_age.iter().map(ToString::to_string).collect::<Vec<_>>();
            (one.name.as_deref().unwrap(), one.currency.code(), sums.join(" "))
        })
        .collect();
    let expected = [("Bor", "EUR", "10 20 0 0 5"), ("Cene", "USD", "0 0 115 7 0")];
    assert_eq!(rows, expected.map(|(name, code, sums)| (name, code, sums.to_owned())));
    assert_eq!((aging.total.total(), aging.not_converted), (decimal("135"), 1));
    assert_eq!(Buckets::NAMES.len(), aging.total.by_age.len());
}

/// The name on the last document is the customer's, in whatever order documents come; one of whom
/// nothing is open is not listed.
#[test]
fn customers_are_called_as_on_their_last_document() {
    let today = date("2026-11-26");
    let named = |name: &str, due: &str, amount: &str| OpenItem {
        customer_id: Some("cus_1".to_owned()),
        ..open(name, "EUR", due, amount, Some(amount))
    };
    let items = [
        named("Bor d.o.o.", "2026-11-20", "5"),
        named("Bor s.p.", "2026-10-20", "7"),
        open("Cene", "EUR", "2026-11-25", "5", Some("5")),
        open("Cene", "EUR", "2026-11-24", "-5", Some("-5")),
    ];
    let aging = Aging::of(items, today);
    let names: Vec<_> = aging.customers.iter().map(|one| one.name.as_deref()).collect();
    assert_eq!(names, [Some("Bor d.o.o.")]);
    assert_eq!(aging.total.total(), decimal("12"));
}

fn movement(day: &str, kind: MovementKind, amount: &str) -> Movement {
    let (id, reference) = (format!("{day}{amount}"), None);
    Movement { date: date(day), kind, id, reference, amount: decimal(amount) }
}

/// 100 - 40 = 60 are owed before November; then an invoice over 50, a payment of 60 and a credit
/// note over 5: 45.
#[test]
fn a_statement_leads_from_one_balance_to_the_other() {
    let all = [
        movement("2026-11-20", MovementKind::Payment, "-60"),
        movement("2026-10-01", MovementKind::Invoice, "100"),
        movement("2026-10-05", MovementKind::Payment, "-40"),
        movement("2026-11-20", MovementKind::CreditNote, "-5"),
        movement("2026-11-01", MovementKind::Invoice, "50"),
        movement("2026-12-01", MovementKind::Invoice, "9"),
    ];
    let statement = Statement::of(date("2026-11-01"), date("2026-11-30"), all);
    assert_eq!(statement.opening_balance, decimal("60"));
    assert_eq!(statement.closing_balance, decimal("45"));
    let balances: Vec<String> =
        statement.movements.iter().map(|(_, balance)| balance.to_string()).collect();
    assert_eq!(balances, ["110", "105", "45"]);
}

proptest! {
    /// A statement's end is the next one's beginning, wherever it is cut.
    #[test]
    fn statements_follow_each_other(
        all in proptest::collection::vec((0_i64..60, -1_000_i64..1_000), 0..20),
        cut in 0_i64..60,
    ) {
        let day = |days| date("2026-10-01") + time::Duration::days(days);
        let all: Vec<Movement> = all.into_iter().map(|(days, cents)| Movement {
            date: day(days),
            amount: Decimal::new(cents, 2),
            ..movement("2026-10-01", MovementKind::Invoice, "0")
        }).collect();
        let first = Statement::of(day(0), day(cut), all.clone());
        let second = Statement::of(day(cut + 1), day(61), all.clone());
        let whole = Statement::of(day(0), day(61), all);
        prop_assert_eq!(&first.closing_balance, &second.opening_balance);
        prop_assert_eq!(&second.closing_balance, &whole.closing_balance);
        prop_assert_eq!(first.movements.len() + second.movements.len(), whole.movements.len());
    }

    /// Ages come to what is open.
    #[test]
    fn ages_come_to_what_is_open(
        items in proptest::collection::vec((0_i64..200, 0_i64..9), 0..20),
    ) {
        let items: Vec<OpenItem> = items.into_iter().map(|(days, cents)| OpenItem {
            due: Some(date("2026-06-01") + time::Duration::days(days)),
            amount: Decimal::new(cents, 2),
            converted: Some(Decimal::new(cents, 2)),
            ..open("Bor", Currency::EUR.code(), "2026-01-01", "0", None)
        }).collect();
        let sum: Decimal = items.iter().map(|one| &one.amount).sum();
        let aging = Aging::of(items, date("2026-11-26"));
        prop_assert_eq!(&aging.total.total(), &sum);
        let listed: Vec<Decimal> =
            aging.customers.iter().map(|one| one.buckets.total()).collect();
        prop_assert_eq!(listed.iter().sum::<Decimal>(), sum);
    }
}
