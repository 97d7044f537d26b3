//! Laws of takings on random days.

use proptest::prelude::*;
use racun_kernel::{Currency, Decimal};
use racun_pos::takings::*;
use time::{Date, Duration, OffsetDateTime};

use crate::takings::*;

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
        voided_at: is_voided.then_some(NOON),
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

const DAYS: usize = 4;

fn nth(day: usize) -> Date {
    DAY + Duration::days(i64::try_from(day).unwrap())
}

/// An instant of that day or a later one.
fn from_day_on(day: usize, chance: u16) -> Option<OffsetDateTime> {
    let hours = usize::from(chance) % (4 * 24 * DAYS);
    let left = 24 * (DAYS - day);
    let hours = i64::try_from(hours).unwrap();
    (hours < i64::try_from(left).unwrap())
        .then(|| nth(day).midnight().assume_utc() + Duration::hours(hours))
}

/// Days on which things are sold, given back, voided, paid and paid ahead.
fn days() -> impl Strategy<Value = Facts> {
    let sale = (0..DAYS, any::<u16>(), any::<bool>(), amounts(), amounts());
    let back = (0..DAYS, any::<u16>(), prop::option::of(0..8_usize), amounts());
    let kinds = ["cash", "card", "advance", "credit_note"];
    let payment = (0..3_usize, 0..8_usize, 0..kinds.len(), 0..DAYS + 1, 1..10_000_i64);
    (
        prop::collection::vec(sale, 0..8),
        prop::collection::vec(back, 0..6),
        prop::collection::vec(any::<u16>(), 0..4),
        prop::collection::vec(payment, 0..30),
    )
        .prop_map(move |(sales, backs, advances, payments)| {
            let sales: Vec<Sale> = sales
                .into_iter()
                .enumerate()
                .map(|(n, (day, chance, is_credited, net, gross))| Sale {
                    date: nth(day),
                    voided_at: from_day_on(day, chance),
                    is_credited,
                    net,
                    gross,
                    ..sold(&format!("inv_{n}"), "0", "0")
                })
                .collect();
            let returns = backs.into_iter().enumerate().map(|(n, (day, chance, of, gross))| {
                let of: Vec<_> = of.and_then(|of| sales.get(of)).into_iter().collect();
                Return {
                    date: nth(day),
                    // One that takes back a voided sale stays.
                    voided_at: from_day_on(day, chance).filter(|_| of.is_empty()),
                    of: of.iter().map(|sale| (sale.date, sale.voided_at)).collect(),
                    net: gross.clone(),
                    gross,
                    ..returned(&format!("cre_{n}"), "0", "0")
                }
            });
            let advances = advances.into_iter().enumerate().map(|(n, chance)| Advance {
                invoice: format!("adv_{n}"),
                voided_at: from_day_on(0, chance),
                is_credited: chance % 2 == 0,
                exchange: Exchange::Same,
            });
            let payments = payments.into_iter().map(|(what, n, kind, day, cents)| Paid {
                on: on(&format!("{}_{n}", ["inv", "cre", "adv"][what])),
                kind: kinds[kind].to_owned(),
                date: nth(day),
                amount: Decimal::new(cents, 2),
                tip: Decimal::zero(),
            });
            let (returns, advances) = (returns.collect(), advances.collect());
            let payments = payments.collect();
            Facts { sales, returns, advances, payments }
        })
}

/// What `sale` adds to all days together.
fn lasting(sale: &Sale) -> Decimal {
    let own = day(sale.date).standing(sale.date, sale.voided_at);
    let is_gone = sale.voided_at.is_some() && !sale.is_credited;
    if own == Standing::Voided || is_gone { Decimal::zero() } else { sale.gross.clone() }
}

proptest! {
    #[test]
    fn the_parts_come_to_the_whole_whatever_the_order(sales in sales()) {
        let payments: Vec<Paid> =
            sales.iter().map(|sale| paid(&sale.invoice, "cash", &sale.gross.to_string())).collect();
        let whole = report(&sales, &payments);
        let totals = &whole.totals;
        let count = Decimal::from(i64::try_from(sales.len()).unwrap());
        prop_assert_eq!(&totals.invoices + &totals.voided, count);
        prop_assert_eq!(&totals.net + &totals.tax, totals.gross.clone());
        let by_operator: Decimal = whole.by_operator.iter().map(|row| &row.total).sum();
        prop_assert_eq!(&by_operator, &totals.gross);
        let by_payment: Decimal = whole.by_payment_type.iter().map(|row| &row.total).sum();
        prop_assert_eq!(&by_payment, &totals.gross);
        let standing = sales.iter().filter(|sale| sale.voided_at.is_none());
        let standing = standing.flat_map(|sale| &sale.lines);
        let by_category: Decimal = whole.by_category.iter().map(|row| &row.total).sum();
        prop_assert_eq!(by_category, standing.map(|line| &line.total).sum::<Decimal>());

        let backwards: Vec<Sale> = sales.iter().rev().cloned().collect();
        prop_assert_eq!(report(&backwards, &payments), whole);
    }

    #[test]
    fn groups_come_to_what_their_sales_come_to(sales in sales()) {
        let mut ledger = Ledger::new(DAY, Currency::EUR);
        let standing: Vec<&Sale> =
            sales.iter().filter(|sale| sale.voided_at.is_none()).collect();
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
        prop_assert_eq!(ledger.close(), report(&sales, &[]));
    }

    /// Each law holds on each day, and all days together come to what still stands.
    #[test]
    fn the_laws_hold_on_random_days(facts in days(), closed in 0..30_i64) {
        let (mut turnover, mut drawer) = (Decimal::zero(), Decimal::zero());
        for n in 0..=DAYS {
            // Closed on the day, or after it.
            let closed_at = nth(n).midnight().assume_utc() + Duration::hours(closed);
            let day = Day::of(nth(n), "UTC", Some(closed_at));
            let report = takings(&day, Currency::EUR, &facts);
            for law in report.laws() {
                prop_assert_eq!(law.left, law.right, "day {}: {}", n, law.says);
            }
            let report = takings(&super::takings::day(nth(n)), Currency::EUR, &facts);
            turnover += &report.turnover();
            drawer += &report.net_by_payment_type.iter().map(|row| &row.total).sum();
        }
        let undone = |back: &&Return| back.of.iter().any(|(date, at)| {
            *date == back.date && day(*date).standing(*date, *at) == Standing::Voided
        });
        let backs = facts.returns.iter().filter(|back| back.voided_at.is_none() && !undone(back));
        let sold: Decimal = facts.sales.iter().map(lasting).collect::<Vec<_>>().iter().sum();
        let expected = &sold - &backs.map(|back| &back.gross).sum::<Decimal>();
        prop_assert_eq!(turnover, expected);

        let gone = |id: &String| {
            let sale = facts.sales.iter().find(|sale| sale.invoice == *id);
            let advance = facts.advances.iter().find(|advance| advance.invoice == *id);
            let sale = sale.map(|it| it.voided_at.is_some() && !it.is_credited);
            sale.or(advance.map(|it| it.voided_at.is_some() && !it.is_credited)) != Some(false)
        };
        let mut left = Decimal::zero();
        let is_money = |payment: &&Paid| racun_pos::takings::is_money(&payment.kind);
        for payment in facts.payments.iter().filter(is_money) {
            match &payment.on {
                On::Invoice(id) | On::Advance(id) if !gone(id) => left += &payment.amount,
                On::CreditNote(id) if facts.returns.iter().any(|it| it.credit_note == *id) => {
                    left -= &payment.amount;
                }
                _ => {}
            }
        }
        prop_assert_eq!(drawer, left);
    }
}
