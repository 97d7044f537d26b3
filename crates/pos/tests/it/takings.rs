//! The daily takings, by example and as laws.

use racun_kernel::{Currency, Decimal};
use racun_pos::takings::{
    Advance, Day, Exchange, Facts, On, Paid, Return, Sale, SaleLine, SaleTax, Seller, Takings,
    takings,
};
use time::macros::{date, datetime};
use time::{Date, Duration, OffsetDateTime};

use crate::world::decimal;

pub const DAY: Date = date!(2026 - 11 - 20);
pub const NEXT: Date = date!(2026 - 11 - 21);
pub const NOON: OffsetDateTime = datetime!(2026-11-20 12:00 UTC);

pub fn day(date: Date) -> Day {
    Day::of(date, "UTC", None)
}

pub fn sold(invoice: &str, net: &str, gross: &str) -> Sale {
    Sale {
        invoice: invoice.to_owned(),
        date: DAY,
        voided_at: None,
        is_credited: false,
        exchange: Exchange::Same,
        net: decimal(net),
        gross: decimal(gross),
        taxes: Vec::new(),
        untaxed: Decimal::zero(),
        lines: Vec::new(),
        seller: None,
    }
}

pub fn returned(credit_note: &str, net: &str, gross: &str) -> Return {
    Return {
        credit_note: credit_note.to_owned(),
        date: DAY,
        voided_at: None,
        of: Vec::new(),
        exchange: Exchange::Same,
        net: decimal(net),
        gross: decimal(gross),
        taxes: Vec::new(),
        untaxed: Decimal::zero(),
    }
}

pub fn tax(rate: &str, base: &str, amount: &str) -> SaleTax {
    SaleTax { rate: decimal(rate), base: decimal(base), amount: decimal(amount) }
}

pub fn line(category: Option<&str>, quantity: &str, total: &str) -> SaleLine {
    let category = category.map(str::to_owned);
    SaleLine { category, quantity: decimal(quantity), total: decimal(total) }
}

pub fn on(id: &str) -> On {
    match &id[..4] {
        "inv_" => On::Invoice(id.to_owned()),
        "adv_" => On::Advance(id.to_owned()),
        _ => On::CreditNote(id.to_owned()),
    }
}

pub fn paid(id: &str, kind: &str, amount: &str) -> Paid {
    Paid {
        on: on(id),
        kind: kind.to_owned(),
        date: DAY,
        amount: decimal(amount),
        tip: Decimal::zero(),
    }
}

pub fn seller(user: &str, name: Option<&str>) -> Option<Seller> {
    Some(Seller {
        user: Some(user.to_owned()),
        label: None,
        name: name.map(str::to_owned),
        email: Some(format!("{user}@klas.example")),
    })
}

/// The report of `sales` and `payments`, whose laws hold.
pub fn report(sales: &[Sale], payments: &[Paid]) -> Takings {
    let (sales, payments) = (sales.to_vec(), payments.to_vec());
    lawful(&day(DAY), &Facts { sales, payments, ..Facts::default() })
}

pub fn lawful(day: &Day, facts: &Facts) -> Takings {
    let report = takings(day, Currency::EUR, facts);
    for law in report.laws() {
        assert_eq!(law.left, law.right, "{}", law.says);
    }
    report
}

/// The report as text, a part a line.
pub fn told(takings: &Takings) -> Vec<String> {
    let label = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
    let totals = &takings.totals;
    let join = |parts: Vec<String>| parts.join("; ");
    let payments = takings.by_payment_type.iter();
    let (taxes, categories) = (takings.by_tax_rate.iter(), takings.by_category.iter());
    let operators = takings.by_operator.iter();
    vec![
        format!("{} + {} voided", totals.invoices, totals.voided),
        format!("{} + {} = {}", totals.net, totals.tax, totals.gross),
        join(payments.map(|row| format!("{} {}: {}", row.kind, row.invoices, row.total)).collect()),
        join(taxes.map(|row| format!("{} % of {}: {}", row.rate, row.base, row.amount)).collect()),
        join(
            categories
                .map(|row| format!("{} {}: {}", label(&row.category), row.quantity, row.total))
                .collect(),
        ),
        join(
            operators
                .map(|row| format!("{} {}: {}", label(&row.operator), row.invoices, row.total))
                .collect(),
        ),
    ]
}

/// What the report says of money and of what was given back, a part a line.
pub fn money(takings: &Takings) -> [String; 3] {
    let refunds = &takings.refunds;
    let later = &takings.voided_later;
    let back = refunds.by_payment_type.iter();
    let back: Vec<_> =
        back.map(|row| format!("{} {}: {}", row.kind, row.count, row.total)).collect();
    let net = takings.net_by_payment_type.iter();
    let net: Vec<_> = net.map(|row| format!("{}: {}", row.kind, row.total)).collect();
    [
        format!("{} back {}, {} later {}", refunds.count, refunds.gross, later.count, later.gross),
        back.join("; "),
        net.join("; "),
    ]
}

#[test]
fn a_day_without_invoices_comes_to_nothing() {
    let report = report(&[], &[paid("inv_1", "cash", "5")]);
    assert_eq!((report.date, report.currency), (DAY, Currency::EUR));
    assert_eq!(told(&report), ["0 + 0 voided", "0 + 0 = 0", "", "", "", ""]);
    assert_eq!(money(&report), ["0 back 0, 0 later 0", "", ""]);
}

#[test]
fn a_day_is_added_up_in_all_its_parts() {
    let sales = [
        Sale {
            taxes: vec![tax("22", "10", "2.2"), tax("9.5", "10", "0.95")],
            lines: vec![line(Some("Pijača"), "2", "12.2"), line(None, "1", "10.95")],
            seller: seller("usr_2", Some("Ana")),
            ..sold("inv_1", "20", "23.15")
        },
        Sale {
            taxes: vec![tax("22.0", "-5", "-1.1")],
            lines: vec![line(Some("Hrana"), "0.5", "1"), line(Some("Pijača"), "-1", "-7.1")],
            seller: seller("usr_1", None),
            ..sold("inv_2", "-5", "-6.1")
        },
        Sale { voided_at: Some(NOON), ..sold("inv_3", "1000", "1220") },
        sold("inv_4", "1", "1"),
    ];
    let payments = [
        paid("inv_1", "cash", "20"),
        paid("inv_1", "cash", "3"),
        paid("inv_1", "card", "0.15"),
        paid("inv_4", "cash", "1"),
        paid("inv_3", "cash", "1220"),
        paid("inv_9", "check", "7"),
    ];
    let report = report(&sales, &payments);
    assert_eq!(
        told(&report),
        [
            "3 + 1 voided",
            "16 + 2.05 = 18.05",
            "card 1: 0.15; cash 2: 24",
            "9.5 % of 10: 0.95; 22 % of 5: 1.1",
            "Hrana 0.5: 1; Pijača 1: 5.1; – 1: 10.95",
            "Ana 1: 23.15; usr_1@klas.example 1: -6.1; – 1: 1",
        ]
    );
    // What the voided invoice was paid went back with it.
    assert_eq!(money(&report)[2], "card: 0.15; cash: 24");
    assert_eq!(report.unpaid, decimal("-6.1"));
}

#[test]
fn two_people_of_one_name_are_distinguished_and_one_who_changed_it_is_one() {
    let by = |seller| Sale { seller, ..sold("inv_1", "1", "1") };
    let sales = [
        by(seller("usr_1", Some("Ana"))),
        by(seller("usr_2", Some("Ana"))),
        by(seller("usr_3", Some("Eva"))),
        by(seller("usr_3", Some("Eva Kos"))),
    ];
    assert_eq!(
        told(&report(&sales, &[]))[5],
        "Eva Kos 2: 2; usr_1@klas.example 1: 1; usr_2@klas.example 1: 1"
    );
}

#[test]
fn an_operator_is_called_as_in_the_fiscal_record_and_namesakes_stay_two() {
    let labelled = |user: Option<&str>, label: &str| {
        let (user, label) = (user.map(str::to_owned), Some(label.to_owned()));
        let seller = Seller { user, label, name: Some("Ana Kos".to_owned()), email: None };
        Sale { seller: Some(seller), ..sold("inv_1", "1", "1") }
    };
    let unlabelled = Sale { seller: seller("usr_1", Some("Ana Kos")), ..sold("inv_1", "1", "1") };
    let sales =
        [labelled(Some("usr_1"), "Ana"), labelled(Some("usr_2"), "Ana"), labelled(None, "Ana")];
    let sales: Vec<Sale> = sales.into_iter().chain([unlabelled]).collect();
    let report = report(&sales, &[]);
    let rows = report.by_operator.iter();
    let rows: Vec<_> =
        rows.map(|row| (row.operator.as_deref(), row.user.as_deref(), &row.total)).collect();
    let [one, two] = [decimal("1"), decimal("2")];
    assert_eq!(
        rows,
        [
            (Some("Ana"), Some("usr_1"), &two),
            (Some("Ana"), Some("usr_2"), &one),
            (Some("Ana"), None, &one),
        ]
    );
}

#[test]
fn foreign_money_is_converted_once_and_left_out_without_a_rate() {
    let dollars = Sale { exchange: Exchange::At(decimal("0.5")), ..sold("inv_1", "0.01", "0.01") };
    let unknown = Sale { exchange: Exchange::Unknown, ..sold("inv_2", "0", "0") };
    let payments = [
        // 0.005 and 0.005 would be 0.01 each.
        paid("inv_1", "cash", "0.01"),
        paid("inv_1", "cash", "0.01"),
        paid("inv_1", "card", "0.01"),
        paid("inv_2", "cash", "100"),
    ];
    let report = report(&[dollars, unknown], &payments);
    assert_eq!(
        told(&report)[..3],
        ["2 + 0 voided", "0.01 + 0 = 0.01", "card 1: 0.01; cash 2: 0.01"]
    );
}

#[test]
fn cash_refunds_reduce_the_cash_in_the_drawer() {
    let back = Return { taxes: vec![tax("5", "4", "0.2")], ..returned("cre_1", "4", "4.2") };
    let facts = Facts {
        sales: vec![sold("inv_1", "8", "8.4")],
        returns: vec![back],
        payments: vec![paid("inv_1", "cash", "8.4"), paid("cre_1", "cash", "4.2")],
        ..Facts::default()
    };
    let report = lawful(&day(DAY), &facts);
    assert_eq!(told(&report)[1..3], ["8 + 0.4 = 8.4", "cash 1: 8.4"]);
    assert_eq!(money(&report), ["1 back 4.2, 0 later 0", "cash 1: 4.2", "cash: 4.2"]);
    assert_eq!(report.refunds.by_tax_rate, [tax("5", "4", "0.2")]);
    assert_eq!((report.cash(), report.turnover()), (decimal("4.2"), decimal("4.2")));
}

#[test]
fn untaxed_sales_are_at_rate_0() {
    let untaxed = decimal("8.4");
    let back = Return { untaxed: decimal("4.2"), ..returned("cre_1", "4.2", "4.2") };
    let zero = Sale { taxes: vec![tax("0", "1", "0")], ..sold("inv_2", "1", "1") };
    let facts = Facts {
        sales: vec![Sale { untaxed, ..sold("inv_1", "8.4", "8.4") }, zero],
        returns: vec![back],
        ..Facts::default()
    };
    let report = lawful(&day(DAY), &facts);
    assert_eq!(report.by_tax_rate, [tax("0", "9.4", "0")]);
    assert_eq!(report.refunds.by_tax_rate, [tax("0", "4.2", "0")]);
}

#[test]
fn money_shows_on_the_day_on_which_it_moved() {
    let advance = Advance {
        invoice: "adv_1".to_owned(),
        voided_at: None,
        is_credited: false,
        exchange: Exchange::Same,
    };
    let ahead = Paid { date: DAY, ..paid("adv_1", "bank_transfer", "122") };
    let facts = Facts {
        sales: vec![Sale { date: NEXT, ..sold("inv_1", "150", "183") }],
        advances: vec![advance],
        payments: vec![
            ahead,
            Paid { date: NEXT, ..paid("inv_1", "advance", "122") },
            Paid { date: date!(2026 - 12 - 01), ..paid("inv_1", "cash", "11") },
        ],
        ..Facts::default()
    };
    let first = lawful(&day(DAY), &facts);
    assert_eq!(told(&first)[..3], ["0 + 0 voided", "0 + 0 = 0", ""]);
    assert_eq!(money(&first)[2], "bank_transfer: 122");
    let second = lawful(&day(NEXT), &facts);
    assert_eq!(told(&second)[1..3], ["150 + 33 = 183", "advance 1: 122; cash 1: 11"]);
    assert_eq!((&money(&second)[2][..], second.unpaid.clone()), ("", decimal("50")));
    let later = lawful(&day(date!(2026 - 12 - 01)), &facts);
    assert_eq!(money(&later)[2], "cash: 11");
}

#[test]
fn a_voiding_on_a_later_day_shows_there_and_leaves_the_day_as_it_was() {
    let sale = sold("inv_1", "4", "4.8");
    let facts = |voided_at| Facts {
        sales: vec![Sale { voided_at, ..sale.clone() }],
        payments: vec![paid("inv_1", "cash", "4.8")],
        ..Facts::default()
    };
    let before = lawful(&day(DAY), &facts(None));
    let at = Some(datetime!(2026-11-21 09:00 UTC));
    assert_eq!(lawful(&day(DAY), &facts(at)), before);
    let shown = lawful(&day(NEXT), &facts(at));
    assert_eq!(told(&shown)[..2], ["0 + 0 voided", "0 + 0 = 0"]);
    assert_eq!(money(&shown), ["0 back 0, 1 later 4.8", "", "cash: -4.8"]);

    // On its own day it is as if nothing had been sold, unless the day was closed before.
    let gone = lawful(&day(DAY), &facts(Some(NOON)));
    assert_eq!((&told(&gone)[0][..], &money(&gone)[2][..]), ("0 + 1 voided", "cash: 0"));
    let closed = Day::of(DAY, "UTC", Some(NOON - Duration::HOUR));
    let kept = lawful(&closed, &facts(Some(NOON)));
    assert_eq!((&kept.totals, &kept.by_payment_type), (&before.totals, &before.by_payment_type));
    assert_eq!(money(&kept), ["0 back 0, 1 later 4.8", "", "cash: 0"]);
    // What happened before the closing, happened before it.
    let closed = Day::of(DAY, "UTC", Some(NOON + Duration::HOUR));
    assert_eq!(lawful(&closed, &facts(Some(NOON))), gone);
}

#[test]
fn a_credit_note_that_voids_a_sale_of_the_same_day_is_no_refund() {
    let sale = Sale { voided_at: Some(NOON), is_credited: true, ..sold("inv_1", "8", "8.4") };
    let back = Return { of: vec![(DAY, Some(NOON))], ..returned("cre_1", "8", "8.4") };
    let facts = |sale: &Sale, back: &Return| Facts {
        sales: vec![sale.clone()],
        returns: vec![back.clone()],
        payments: vec![paid("inv_1", "cash", "8.4"), paid("cre_1", "cash", "8.4")],
        ..Facts::default()
    };
    let report = lawful(&day(DAY), &facts(&sale, &back));
    assert_eq!(told(&report)[..3], ["0 + 1 voided", "0 + 0 = 0", ""]);
    assert_eq!(money(&report), ["0 back 0, 0 later 0", "cash 1: 8.4", "cash: 0"]);

    // On a later day it is one, and only it reports the voiding.
    let at = Some(datetime!(2026-11-21 09:00 UTC));
    let sale = Sale { voided_at: at, ..sale };
    let back = Return { date: NEXT, of: vec![(DAY, at)], ..back };
    let report = lawful(&day(NEXT), &facts(&sale, &back));
    assert_eq!(money(&report)[0], "1 back 8.4, 0 later 0");
}

#[test]
fn tips_are_in_the_drawer_and_no_turnover() {
    let tipped = Paid { tip: decimal("1"), ..paid("inv_1", "cash", "8.4") };
    let report = report(&[sold("inv_1", "8", "8.4")], &[tipped, paid("inv_1", "card", "0.1")]);
    let tips = report.tips.iter().map(|row| (&row.kind[..], &row.total)).collect::<Vec<_>>();
    assert_eq!(tips, [("cash", &decimal("1"))]);
    assert_eq!(
        (money(&report)[2].as_str(), report.cash()),
        ("card: 0.1; cash: 8.4", decimal("9.4"))
    );
    assert_eq!(report.turnover(), decimal("8.4"));
}
