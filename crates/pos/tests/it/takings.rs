//! The daily takings, by example and as laws.

use proptest::prelude::*;
use racun_kernel::{Currency, Decimal};
use racun_pos::takings::{
    Exchange, Ledger, Paid, Sale, SaleLine, SaleTax, Seller, Takings, takings,
};
use time::Date;
use time::macros::date;

use crate::world::decimal;

const DAY: Date = date!(2026 - 11 - 20);

fn sold(invoice: &str, net: &str, gross: &str) -> Sale {
    Sale {
        invoice: invoice.to_owned(),
        is_voided: false,
        exchange: Exchange::Same,
        net: decimal(net),
        gross: decimal(gross),
        taxes: Vec::new(),
        lines: Vec::new(),
        seller: None,
    }
}

fn tax(rate: &str, base: &str, amount: &str) -> SaleTax {
    SaleTax { rate: decimal(rate), base: decimal(base), amount: decimal(amount) }
}

fn line(category: Option<&str>, quantity: &str, total: &str) -> SaleLine {
    let category = category.map(str::to_owned);
    SaleLine { category, quantity: decimal(quantity), total: decimal(total) }
}

fn paid(invoice: &str, kind: &str, amount: &str) -> Paid {
    Paid { invoice: invoice.to_owned(), kind: kind.to_owned(), amount: decimal(amount) }
}

fn seller(user: &str, name: Option<&str>) -> Option<Seller> {
    let email = format!("{user}@klas.example");
    Some(Seller { user: user.to_owned(), name: name.map(str::to_owned), email })
}

/// The report as text, a part a line.
fn told(takings: &Takings) -> Vec<String> {
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

#[test]
fn a_day_without_invoices_comes_to_nothing() {
    let report = takings(DAY, Currency::EUR, &[], &[paid("inv_1", "cash", "5")]);
    assert_eq!((report.date, report.currency), (DAY, Currency::EUR));
    assert_eq!(told(&report), ["0 + 0 voided", "0 + 0 = 0", "", "", "", ""]);
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
        Sale { is_voided: true, ..sold("inv_3", "1000", "1220") },
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
    assert_eq!(
        told(&takings(DAY, Currency::EUR, &sales, &payments)),
        [
            "3 + 1 voided",
            "16 + 2.05 = 18.05",
            "card 1: 0.15; cash 2: 24",
            "9.5 % of 10: 0.95; 22 % of 5: 1.1",
            "Hrana 0.5: 1; Pijača 1: 5.1; – 1: 10.95",
            "Ana 1: 23.15; usr_1@klas.example 1: -6.1; – 1: 1",
        ]
    );
}

#[test]
fn two_people_of_one_name_are_told_apart_and_one_who_changed_it_is_one() {
    let by = |seller| Sale { seller, ..sold("inv_1", "1", "1") };
    let sales = [
        by(seller("usr_1", Some("Ana"))),
        by(seller("usr_2", Some("Ana"))),
        by(seller("usr_3", Some("Eva"))),
        by(seller("usr_3", Some("Eva Kos"))),
    ];
    assert_eq!(
        told(&takings(DAY, Currency::EUR, &sales, &[]))[5],
        "Eva Kos 2: 2; usr_1@klas.example 1: 1; usr_2@klas.example 1: 1"
    );
}

#[test]
fn foreign_money_is_converted_once_and_left_out_where_nobody_said_how() {
    let dollars = Sale { exchange: Exchange::At(decimal("0.5")), ..sold("inv_1", "0.01", "0.01") };
    let unknown = Sale { exchange: Exchange::Unknown, ..sold("inv_2", "0", "0") };
    let payments = [
        // 0.005 and 0.005 would be 0.01 each.
        paid("inv_1", "cash", "0.01"),
        paid("inv_1", "cash", "0.01"),
        paid("inv_1", "card", "0.01"),
        paid("inv_2", "cash", "100"),
    ];
    let report = takings(DAY, Currency::EUR, &[dollars, unknown], &payments);
    assert_eq!(
        told(&report)[..3],
        ["2 + 0 voided", "0.01 + 0 = 0.01", "card 1: 0.01; cash 2: 0.01"]
    );
}

fn amounts() -> impl Strategy<Value = Decimal> {
    (-100_000_i64..100_000).prop_map(|cents| Decimal::new(cents, 2))
}

fn sales() -> impl Strategy<Value = Vec<Sale>> {
    let line = (0..3_usize, amounts(), amounts()).prop_map(|(n, quantity, total)| SaleLine {
        category: [None, Some("a"), Some("b")][n].map(str::to_owned),
        quantity,
        total,
    });
    let one = (any::<bool>(), amounts(), amounts(), prop::collection::vec(line, 0..4), 0..3_usize);
    let one = one.prop_map(|(is_voided, net, gross, lines, n)| Sale {
        is_voided,
        net,
        gross,
        lines,
        seller: seller(["usr_1", "usr_2", "usr_3"][n], Some("Ana")).filter(|_| n > 0),
        ..sold("", "0", "0")
    });
    prop::collection::vec(one, 0..20).prop_map(|mut sales| {
        for (n, sale) in sales.iter_mut().enumerate() {
            sale.invoice = format!("inv_{n}");
        }
        sales
    })
}

proptest! {
    #[test]
    fn the_parts_come_to_the_whole_whatever_the_order(sales in sales()) {
        let payments: Vec<Paid> =
            sales.iter().map(|sale| paid(&sale.invoice, "cash", &sale.gross.to_string())).collect();
        let report = takings(DAY, Currency::EUR, &sales, &payments);
        let totals = &report.totals;
        let count = Decimal::from(i64::try_from(sales.len()).unwrap());
        prop_assert_eq!(&totals.invoices + &totals.voided, count);
        prop_assert_eq!(&totals.net + &totals.tax, totals.gross.clone());
        let by_operator: Decimal = report.by_operator.iter().map(|row| &row.total).sum();
        prop_assert_eq!(&by_operator, &totals.gross);
        let by_payment: Decimal = report.by_payment_type.iter().map(|row| &row.total).sum();
        prop_assert_eq!(&by_payment, &totals.gross);
        let standing = sales.iter().filter(|sale| !sale.is_voided).flat_map(|sale| &sale.lines);
        let by_category: Decimal = report.by_category.iter().map(|row| &row.total).sum();
        prop_assert_eq!(by_category, standing.map(|line| &line.total).sum::<Decimal>());

        let backwards: Vec<Sale> = sales.iter().rev().cloned().collect();
        prop_assert_eq!(takings(DAY, Currency::EUR, &backwards, &payments), report);
    }

    #[test]
    fn groups_come_to_what_their_sales_come_to(sales in sales()) {
        let mut ledger = Ledger::new(DAY, Currency::EUR);
        let standing: Vec<&Sale> = sales.iter().filter(|sale| !sale.is_voided).collect();
        ledger.void(&Decimal::from(i64::try_from(sales.len() - standing.len()).unwrap()));
        let sellers: std::collections::BTreeSet<_> =
            standing.iter().map(|sale| sale.seller.clone()).collect();
        for seller in sellers {
            let own: Vec<_> = standing.iter().filter(|sale| sale.seller == seller).collect();
            let invoices = Decimal::from(i64::try_from(own.len()).unwrap());
            let net = own.iter().map(|sale| &sale.net).sum();
            ledger.sell(seller, &invoices, &net, &own.iter().map(|sale| &sale.gross).sum());
        }
        standing.iter().flat_map(|sale| &sale.lines).for_each(|line| ledger.line(line));
        prop_assert_eq!(ledger.close(), takings(DAY, Currency::EUR, &sales, &[]));
    }
}
