//! What a tally means, by example.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Tenant};
use racun_store::{
    Clause, Condition, Extremes, Field, FieldKind, Figure, Operator, Part, Tally, TallyRow, Value,
    Within, evaluate_tally,
};
use serde::{Deserialize, Serialize};
use time::macros::datetime;

racun_store::record! {
    static ORDERS: Order = "orders";
    |order|
    id: order.id,
    tenant: Tenant::entity(EntityId::new(1_u128.into())),
    trashed: order.trashed,
    fields: {
        Field::instant("created_at") => datetime!(2026-11-20 08:30 UTC),
        Field::text("shop") => order.shop,
        Field::number("total") => order.total,
        Field::text("parent").indexed() => order.parent,
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Order {
    id: String,
    shop: Option<String>,
    total: Decimal,
    parent: Option<String>,
    lines: Vec<Line>,
    trashed: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Line {
    kind: Option<String>,
    quantity: Decimal,
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Five orders; the last is in the trash. `parent` is the order before each.
fn orders() -> Vec<Order> {
    let order = |id: &str, shop: Option<&str>, total: &str, parent: Option<&str>, lines: &[_]| {
        let line = |(kind, quantity): &(&str, &str)| Line {
            kind: (!kind.is_empty()).then(|| (*kind).to_owned()),
            quantity: decimal(quantity),
        };
        Order {
            id: id.to_owned(),
            shop: shop.map(str::to_owned),
            total: decimal(total),
            parent: parent.map(str::to_owned),
            lines: lines.iter().map(line).collect(),
            trashed: id == "e",
        }
    };
    vec![
        order("a", Some("north"), "0.1", None, &[("tea", "1"), ("tea", "2.5"), ("", "1")]),
        order("b", Some("north"), "0.20", Some("a"), &[("milk", "1")]),
        order("c", None, "3", Some("b"), &[]),
        order("d", Some("Etna"), "3.0", Some("e"), &[("tea", "-1")]),
        order("e", Some("north"), "100", Some("a"), &[("tea", "100")]),
    ]
}

/// The groups as text: `north=2,0.3`.
fn told(tally: &Tally) -> String {
    let text = |value: &Value| value.as_text().unwrap_or_else(|| "null".to_owned());
    let join = |texts: Vec<String>| texts.join(",");
    let row = |TallyRow { by, figures, extremes }: TallyRow| {
        let figures = figures.iter().map(Decimal::to_string).collect();
        let extremes = extremes.iter().map(|(a, b)| format!("[{}..{}]", text(a), text(b)));
        let extremes: String = extremes.collect();
        format!("{}={}{extremes}", join(by.iter().map(text).collect()), join(figures))
    };
    let rows = evaluate_tally(tally, &orders(), &orders());
    rows.into_iter().map(row).collect::<Vec<_>>().join(" ")
}

#[test]
fn tallies_mean_what_they_say() {
    let all = Tally::of(&ORDERS);
    let (shop, total) = (Part::field(&ORDERS, "shop"), Part::field(&ORDERS, "total"));
    let money = vec![Figure::Count, Figure::Sum(total)];
    let small = decimal("0.1");
    let kind = Part::Element(&["kind"], FieldKind::Text);
    let quantity = Figure::Sum(Part::Element(&["quantity"], FieldKind::Number));
    let on = |clauses| Some(Within::new(&ORDERS, "parent", &ORDERS, clauses));
    for (tally, expected, why) in [
        (all.clone(), "=4", "rows outside the trash"),
        (
            Tally { by: vec![shop], figures: money.clone(), ..all.clone() },
            "null=1,3 Etna=1,3 north=2,0.3",
            "null first, then byte by byte; sums are exact",
        ),
        (
            Tally { by: vec![total], figures: vec![], ..all.clone() },
            "0.1= 0.2= 3=",
            "equal numbers are one group",
        ),
        (
            Tally {
                figures: vec![Figure::CountDistinct(shop), Figure::CountDistinct(total)],
                ..all.clone()
            },
            "=2,3",
            "null is no value of its own",
        ),
        (
            Tally {
                by: vec![Part::day_of(&ORDERS, "created_at")],
                figures: vec![Figure::Filled(shop)],
                extremes: vec![
                    Extremes { of: total, or: None },
                    Extremes {
                        of: Part::Body(&["shop"], FieldKind::Number),
                        or: Some(Part::Body(&["total"], FieldKind::Number)),
                    },
                    Extremes { of: Part::Body(&["none"], FieldKind::Number), or: None },
                ],
                ..all.clone()
            },
            "2026-11-20=3[0.1..3][0.1..3][null..null]",
            "c has no shop; the second part counts where the first one is null",
        ),
        (all.clone().only("shop", Operator::Equals("south".into())), "", "no group of nothing"),
        (
            Tally { within: on(vec![]), ..all.clone() },
            "=2",
            "c and b name an order; a names none, d one in the trash",
        ),
        (
            Tally {
                within: on(vec![Clause::on(&ORDERS, "shop", Operator::Equals("north".into()))]),
                by: vec![Part::Body(&["id"], FieldKind::Text)],
                ..all.clone()
            },
            "b=1 c=1",
            "the other row fulfils the conditions, not this one",
        ),
        (
            Tally { within: on(vec![]), by: vec![Part::named(&ORDERS, "shop")], ..all.clone() },
            "north=2",
            "groups by what the other row says",
        ),
        (
            Tally {
                filter: vec![Condition::on(&ORDERS, "total", Operator::Gt((&small).into()))],
                by: vec![shop],
                ..all.clone()
            },
            "null=1 Etna=1 north=1",
            "of the rows, those of which the filter holds",
        ),
        (
            Tally {
                each: Some(&["lines"]),
                filter: vec![Condition { part: kind, operator: Operator::Equals("tea".into()) }],
                figures: vec![Figure::Count, quantity],
                ..all.clone()
            },
            "=3,2.5",
            "of the lines, those of which the filter holds",
        ),
        (
            Tally {
                each: Some(&["lines"]),
                by: vec![kind],
                figures: vec![Figure::Count, quantity, Figure::CountDistinct(shop)],
                ..all.clone()
            },
            "null=1,1,1 milk=1,1,1 tea=3,2.5,2",
            "lines, each with its order's fields; c has none",
        ),
        (
            Tally {
                by: vec![Part::Body(&["shop"], FieldKind::Number), kind],
                figures: vec![quantity],
                ..all.clone()
            },
            "null,null=0",
            "what is of another kind, or no element, is null",
        ),
        (Tally { each: Some(&["shop"]), ..all.clone() }, "", "what is no array has no elements"),
    ] {
        assert_eq!(told(&tally), expected, "{why}");
    }
}

#[test]
fn only_a_tally_that_looks_inside_needs_bodies() {
    let of_columns = Tally {
        by: vec![Part::field(&ORDERS, "shop")],
        figures: vec![Figure::Sum(Part::field(&ORDERS, "total"))],
        ..Tally::of(&ORDERS)
    };
    assert!(!of_columns.needs_bodies());
    let text = FieldKind::Text;
    for inside in [
        Tally { each: Some(&["lines"]), ..of_columns.clone() },
        Tally { by: vec![Part::Body(&["id"], text)], ..of_columns.clone() },
        Tally { figures: vec![Figure::CountDistinct(Part::Body(&["id"], text))], ..of_columns },
    ] {
        assert!(inside.needs_bodies(), "{inside:?}");
    }
}

#[test]
fn tallies_that_differ_in_what_they_make_of_rows_read_them_once() {
    let all = Tally::of(&ORDERS);
    let dear = Condition::on(&ORDERS, "total", Operator::Gt(1.into()));
    let tallies = [
        all.clone(),
        all.clone().only("shop", Operator::Equals("north".into())),
        Tally { filter: vec![dear], by: vec![Part::field(&ORDERS, "shop")], ..all.clone() },
        Tally { each: Some(&["lines"]), ..all },
    ];
    assert_eq!(Tally::of_the_same_rows(&tallies), [vec![0, 2, 3], vec![1]]);
}
