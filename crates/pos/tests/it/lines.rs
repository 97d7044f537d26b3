//! Lines: what they may hold, when two are one, and what a replacement keeps.

use racun_kernel::{Decimal, Patch};
use racun_pos::{AppendId, LineInput, MAX_LINES, TabPatch, TaxInput};
use time::Duration;

use crate::world::{World, customer, decimal, item, line, patch, table, table_id, tax, word};

fn rate(rate: &str) -> TaxInput {
    TaxInput { tax_id: None, rate: Some(decimal(rate)) }
}

/// `item × quantity` of each line.
fn orders(world: &World) -> Vec<String> {
    let order = |line: &racun_pos::TabLine| format!("{} × {}", line.name, line.quantity);
    world.tab.lines.iter().map(order).collect()
}

#[test]
fn a_line_takes_name_price_and_quantity_by_default() {
    let mut world = World::new();
    let bare = LineInput { item_id: Some(item(1).to_string()), ..LineInput::default() };
    world.append(vec![bare], None).unwrap();
    let line = &world.tab.lines[0];
    assert_eq!((line.name.as_str(), &line.quantity), ("Item 1", &1.into()));
    assert_eq!((&line.unit_gross_price, line.added_at), (&decimal("2.5"), world.now()));
    assert_eq!((&line.discount_percent, &line.tax_rates, &line.note), (&None, &None, &None));
}

#[test]
fn mistakes_in_a_line_are_named() {
    let with = |change: fn(&mut LineInput)| {
        let mut sent = line(1, "1");
        change(&mut sent);
        sent
    };
    let most = "140737488355327";
    for (sent, expected) in [
        (with(|line| line.item_id = None), "items[0].item_id=required"),
        (with(|line| line.item_id = Some("cus_1".into())), "items[0].item_id=invalid_id"),
        (line(99, "1"), "items[0].item_id=not_found"),
        (line(1, "0"), "items[0].quantity=out_of_range"),
        (line(1, "-1"), "items[0].quantity=out_of_range"),
        (line(1, "140737488355328"), "items[0].quantity=out_of_range"),
        (line(1, most), "items[0].unit_gross_price=out_of_range"),
        (with(|line| line.unit_gross_price = Some(Decimal::from(140_737_488_355_327))), "ok"),
        (with(|line| line.unit_gross_price = Some(Decimal::from(-1))), "ok"),
        (
            with(|line| line.unit_gross_price = Some(Decimal::from(-140_737_488_355_328))),
            "items[0].unit_gross_price=out_of_range",
        ),
        (with(|line| line.discount_percent = Some(100.into())), "ok"),
        (
            with(|line| line.discount_percent = Some(decimal("100.01"))),
            "items[0].discount_percent=out_of_range",
        ),
        (
            with(|line| line.discount_percent = Some((-1).into())),
            "items[0].discount_percent=out_of_range",
        ),
        (with(|line| line.name = Some(" ".into())), "items[0].name=required"),
        (with(|line| line.name = Some("ž".repeat(501))), "items[0].name=too_long"),
        (with(|line| line.note = Some("ž".repeat(500))), "ok"),
        (with(|line| line.note = Some("ž".repeat(501))), "items[0].note=too_long"),
        (with(|line| line.tax_rates = Some(Vec::new())), "ok"),
        (with(|line| line.tax_rates = Some(vec![rate("0"), rate("100")])), "ok"),
        (
            with(|line| line.tax_rates = Some(vec![TaxInput::default()])),
            "items[0].tax_rates[0].rate=required",
        ),
        (
            with(|line| line.tax_rates = Some(vec![rate("101")])),
            "items[0].tax_rates[0].rate=out_of_range",
        ),
        (
            with(|line| line.tax_rates = Some(vec![rate("22"), rate("22.0")])),
            "items[0].tax_rates[1]=duplicate_tax",
        ),
        (
            with(|line| line.tax_rates = Some((0..11).map(|n| rate(&n.to_string())).collect())),
            "items[0].tax_rates=too_many",
        ),
    ] {
        let mut world = World::new();
        assert_eq!(word(&world.append(vec![sent.clone()], None)), expected, "{sent:?}");
        assert_eq!(world.tab.lines.len(), usize::from(expected == "ok"));
    }
}

#[test]
fn a_line_names_taxes_of_the_entity() {
    for (n, expected) in [(1, "ok"), (2, "items[0].tax_rates[0].tax_id=not_found")] {
        let named = TaxInput { tax_id: Some(tax(n).to_string()), ..rate("22") };
        let sent = LineInput { tax_rates: Some(vec![named]), ..line(1, "1") };
        assert_eq!(word(&World::new().append(vec![sent], None)), expected);
    }
}

#[test]
fn all_that_is_wrong_is_named_at_once_and_nothing_is_added() {
    let mut world = World::new();
    let wrong = vec![line(1, "1"), line(99, "0"), LineInput::default()];
    let expected = "items[1].item_id=not_found items[2].item_id=required";
    assert_eq!(word(&world.append(wrong, Some("a"))), expected);
    assert!(world.tab.lines.is_empty() && world.accepted.is_empty());
    assert_eq!(word(&world.append(vec![line(1, "1")], Some("a"))), "ok");
}

/// A change of a line, and whether it still is the same order.
type Variation = (fn(&mut LineInput), bool);

#[test]
fn lines_of_the_same_order_merge_and_no_others() {
    let changes: [Variation; 11] = [
        (|_| {}, true),
        (|line| line.name = Some("Another name".to_owned()), true),
        (|line| line.unit_gross_price = Some(decimal("2.50")), true),
        (|line| line.discount_percent = Some(decimal("0.0")), true),
        (|line| line.item_id = Some(item(2).to_string()), false),
        (|line| line.unit_gross_price = Some(decimal("2.51")), false),
        (|line| line.discount_percent = Some(5.into()), false),
        (|line| line.note = Some("no ice".to_owned()), false),
        (|line| line.tax_rates = Some(Vec::new()), false),
        (|line| line.tax_rates = Some(vec![rate("9.5")]), false),
        (|line| line.tax_rates = Some(vec![rate("22")]), false),
    ];
    for (n, (change, merges)) in changes.into_iter().enumerate() {
        let mut world = World::new();
        world.append(vec![line(1, "1.5")], None).unwrap();
        let mut more = line(1, "2");
        change(&mut more);
        world.append(vec![more.clone()], None).unwrap();
        assert_eq!(world.tab.lines.len(), if merges { 1 } else { 2 }, "case {n}");
        world.append(vec![more], None).unwrap();
        assert_eq!(world.tab.lines.len(), if merges { 1 } else { 2 }, "case {n}");
        let last = if merges { "5.5" } else { "4" };
        assert_eq!(world.tab.lines.last().unwrap().quantity, decimal(last), "case {n}");
    }
}

#[test]
fn a_merged_line_keeps_its_id_name_and_origin() {
    let mut world = World::new();
    world.append(vec![line(1, "1"), line(2, "1"), line(1, "1")], None).unwrap();
    assert_eq!(orders(&world), ["Item 1 × 2", "Item 2 × 1"]);
    let first = world.tab.lines[0].clone();
    world.pass(Duration::minutes(1));
    world.append(vec![line(1, "3")], None).unwrap();
    let merged = racun_pos::TabLine { quantity: 5.into(), ..first };
    assert_eq!(world.tab.lines[0], merged);
}

#[test]
fn a_sum_that_no_invoice_holds_is_refused() {
    let mut world = World::new();
    let much = |quantity| LineInput { unit_gross_price: Some(1.into()), ..line(1, quantity) };
    world.append(vec![much("140737488355326")], None).unwrap();
    let refused = world.append(vec![line(2, "1"), much("2")], None);
    assert_eq!(word(&refused), "items[1].quantity=out_of_range");
    assert_eq!(world.tab.lines.len(), 1);
    world.append(vec![much("1")], None).unwrap();
}

/// `count` lines that do not merge.
fn apart(count: usize, from: usize) -> Vec<LineInput> {
    let apart = |n: usize| LineInput { note: Some(n.to_string()), ..line(1, "1") };
    (from..from + count).map(apart).collect()
}

#[test]
fn an_append_past_500_lines_is_refused_whole() {
    let mut world = World::new();
    world.append(apart(499, 0), None).unwrap();
    assert_eq!(word(&world.append(apart(2, 499), Some("a"))), "items=too_many");
    assert_eq!(world.tab.lines.len(), 499);
    world.append(apart(1, 499), Some("a")).unwrap();
    world.append(apart(500, 0), Some("b")).unwrap();
    assert_eq!(world.tab.lines.len(), MAX_LINES);
    assert!(world.tab.lines.iter().all(|line| line.quantity == 2.into()));
    assert_eq!(word(&world.append(apart(1, 500), None)), "items=too_many");
    assert_eq!(word(&world.append(apart(501, 0), None)), "items=too_many");
    let items = |count| TabPatch { items: Patch::Value(apart(count, 0)), ..patch(4) };
    assert_eq!(word(&world.replace(items(501))), "items=too_many");
    world.replace(items(500)).unwrap();
}

#[test]
fn an_append_id_has_1_to_64_characters() {
    for (id, expected) in [
        ("a".to_owned(), None),
        ("ž".repeat(64), None),
        (String::new(), Some("invalid_length")),
        ("ž".repeat(65), Some("invalid_length")),
        ("a\0".to_owned(), Some("invalid_value")),
    ] {
        let code = AppendId::parse(id.clone()).err().map(|issue| issue.code);
        assert_eq!(code, expected, "{id}");
    }
}

#[test]
fn a_replacement_keeps_what_it_does_not_mention() {
    let mut world = World::new();
    world.append(vec![line(1, "1")], None).unwrap();
    let metadata = [("k".to_owned(), "v".to_owned())].into();
    let all = TabPatch {
        items: Patch::Absent,
        note: Patch::Value("by the window".to_owned()),
        customer_id: Patch::Value(customer(1).to_string()),
        table_id: Patch::Value(table_id(1).to_string()),
        metadata: Patch::Value(metadata),
        ..patch(2)
    };
    world.replace(all).unwrap();
    let before = world.tab.clone();
    assert_eq!((before.table_id, before.customer_id), (Some(table_id(1)), Some(customer(1))));
    assert_eq!(before.metadata.get("k"), Some("v"));
    world.replace(TabPatch { items: Patch::Value(Vec::new()), ..patch(3) }).unwrap();
    let emptied = racun_pos::Tab { lines: Vec::new(), version: 4, ..before.clone() };
    assert_eq!(world.tab, emptied);
    let nothing = TabPatch {
        note: Patch::Null,
        customer_id: Patch::Null,
        table_id: Patch::Null,
        metadata: Patch::Null,
        ..patch(4)
    };
    world.replace(nothing).unwrap();
    let tab = &world.tab;
    assert_eq!((&tab.note, tab.customer_id, tab.table_id), (&None, None, None));
    assert!(tab.metadata.entries().is_empty());
}

#[test]
fn a_replaced_line_stays_the_line_that_it_names() {
    let mut world = World::new();
    world.append(vec![line(1, "1"), line(2, "1")], None).unwrap();
    let kept = world.tab.lines[1].clone();
    world.pass(Duration::minutes(1));
    world.references.items.clear();
    let again = LineInput { line_id: Some(kept.line_id.to_string()), ..line(2, "7") };
    world.replace(TabPatch { items: Patch::Value(vec![again.clone()]), ..patch(2) }).unwrap();
    let quantity = 7.into();
    assert_eq!(world.tab.lines, [racun_pos::TabLine { quantity, ..kept }], "its item may be gone");
    world.replace(TabPatch { items: Patch::Value(vec![again.clone()]), ..patch(3) }).unwrap();
    assert_eq!(world.tab.version, 3, "the same lines again change nothing");

    let twice = Patch::Value(vec![again.clone(), again.clone()]);
    let refused = world.replace(TabPatch { items: twice, ..patch(3) });
    assert_eq!(word(&refused), "items[1].line_id=duplicate");
    let other = LineInput { item_id: Some(item(1).to_string()), ..again };
    let refused = world.replace(TabPatch { items: Patch::Value(vec![other]), ..patch(3) });
    assert_eq!(word(&refused), "items[0].item_id=not_found");
}

#[test]
fn a_line_id_of_no_line_makes_a_new_line() {
    let mut world = World::new();
    let strange = LineInput { line_id: Some("line_1".to_owned()), ..line(1, "1") };
    world.replace(TabPatch { items: Patch::Value(vec![strange]), ..patch(1) }).unwrap();
    assert_ne!(world.tab.lines[0].line_id.to_string(), "line_1");
}

#[test]
fn mistakes_in_a_replacement_are_named() {
    let text = |text: &str| Patch::Value(text.to_owned());
    for (sent, expected) in [
        (TabPatch { items: Patch::Null, ..patch(1) }, "items=required"),
        (TabPatch { note: text(&"ž".repeat(10_001)), ..patch(1) }, "note=too_long"),
        (TabPatch { note: text(&"ž".repeat(10_000)), ..patch(1) }, "ok"),
        (TabPatch { customer_id: text("cus_1"), ..patch(1) }, "customer_id=invalid_id"),
        (
            TabPatch { customer_id: text(&customer(2).to_string()), ..patch(1) },
            "customer_id=not_found",
        ),
        (TabPatch { table_id: text("ptbl_1"), ..patch(1) }, "table_id=invalid_id"),
        (TabPatch { table_id: text(&table_id(2).to_string()), ..patch(1) }, "table_id=not_found"),
        (TabPatch { note: text("x"), ..patch(2) }, "stale_version"),
    ] {
        assert_eq!(word(&World::new().replace(sent.clone())), expected, "{sent:?}");
    }
}

#[test]
fn a_tab_stays_with_a_table_and_customer_that_went_away() {
    let mut world = World::new();
    let named = TabPatch {
        customer_id: Patch::Value(customer(1).to_string()),
        table_id: Patch::Value(table_id(1).to_string()),
        ..patch(1)
    };
    world.replace(named.clone()).unwrap();
    world.references.customer = None;
    world.references.table = Some(racun_pos::PosTable { is_active: false, ..table(1) });
    world.replace(TabPatch { expected_version: 2, ..named }).unwrap();
    assert_eq!(world.tab.version, 2);
}

/// A line with a name and a price of its own.
fn free(name: &str, price: &str) -> LineInput {
    LineInput {
        name: Some(name.to_owned()),
        unit_gross_price: Some(decimal(price)),
        ..LineInput::default()
    }
}

#[test]
fn a_line_without_an_item_has_a_name_and_a_price_of_its_own() {
    let mut world = World::new();
    let taxed = LineInput { tax_rates: Some(vec![rate("9.5")]), ..free("Daily soup", "4.20") };
    world.append(vec![taxed.clone(), free("Corkage", "5")], None).unwrap();
    let line = &world.tab.lines[0];
    assert_eq!((line.item_id, line.name.as_str(), &line.quantity), (None, "Daily soup", &1.into()));
    assert_eq!(line.unit_gross_price, decimal("4.2"));
    world.append(vec![taxed, free("Corkage", "5"), free("Cake", "5")], None).unwrap();
    assert_eq!(orders(&world), ["Daily soup × 2", "Corkage × 2", "Cake × 1"]);
    for (sent, expected) in [
        (LineInput { name: None, ..free("", "5") }, "items[0].name=required"),
        (free(" ", "5"), "items[0].name=required"),
        (
            LineInput { unit_gross_price: None, ..free("Cake", "5") },
            "items[0].unit_gross_price=required",
        ),
        (LineInput::default(), "items[0].item_id=required"),
    ] {
        assert_eq!(word(&world.clone().append(vec![sent], None)), expected);
    }
    let again = LineInput {
        line_id: Some(world.tab.lines[1].line_id.to_string()),
        quantity: Some(7.into()),
        ..LineInput::default()
    };
    let items = Patch::Value(vec![again]);
    world.replace(racun_pos::TabPatch { items, ..patch(world.tab.version) }).unwrap();
    assert_eq!(orders(&world), ["Corkage × 7"]);
}
