//! Invoicing a tab: whole, by lines, in equal shares; who may, and what becomes of it.

use proptest::prelude::*;
use racun_kernel::{Currency, Decimal, DocumentId, Patch};
use racun_pos::{InvoiceStage, InvoiceTerms, LineChoice, MAX_SHARES, Part, TabStatus, deal};
use time::Duration;

use crate::world::{World, decimal, device, invoice_id, line, patch, word};

/// Two beers and three cakes, claimed by device A.
fn claimed() -> World {
    let mut world = World::new();
    world.append(vec![line(1, "2"), line(2, "3")], None).unwrap();
    world.claim("A").unwrap();
    world.happened();
    world
}

fn by(name: &str) -> InvoiceTerms {
    InvoiceTerms { device: Some(device(name)), expected_version: None }
}

fn seen(version: i64) -> InvoiceTerms {
    InvoiceTerms { device: None, expected_version: Some(version) }
}

fn choice(world: &World, n: usize, quantity: Option<&str>) -> LineChoice {
    let line_id = world.tab.lines[n].line_id.to_string();
    LineChoice { line_id, quantity: quantity.map(decimal) }
}

fn left(world: &World) -> Vec<String> {
    world.tab.lines.iter().map(|line| line.quantity.to_string()).collect()
}

#[test]
fn the_whole_tab_ends_in_its_invoice() {
    let mut world = claimed();
    world.invoice(&Part::Whole, "inv_1", "12.5", &by("A")).unwrap();
    assert_eq!(world.tab.status(), TabStatus::Issued);
    assert_eq!(world.happened(), "pos_tab.issued");
    assert_eq!(world.tab.final_totals().unwrap().gross, decimal("12.5"));
    assert_eq!((world.tab.invoices.len(), left(&world).len()), (1, 2));
    let again = world.invoice(&Part::Whole, "inv_2", "12.5", &by("A"));
    assert_eq!(word(&again), "tab_issued");
    world.close("inv_1", InvoiceStage::Issued).unwrap();
}

#[test]
fn only_the_claimant_or_who_says_what_they_saw_invoices() {
    let version = claimed().tab.version;
    for (terms, expected) in [
        (by("A"), "ok"),
        (by("B"), "already_claimed"),
        (seen(version), "device_id=required"),
        (InvoiceTerms::default(), "device_id=required"),
        (InvoiceTerms { expected_version: Some(version - 1), ..by("A") }, "stale_version"),
        (InvoiceTerms { expected_version: Some(version), ..by("A") }, "ok"),
    ] {
        let answer = claimed().invoice(&Part::Whole, "inv_1", "1", &terms);
        assert_eq!(word(&answer), expected, "{terms:?}");
    }
    let late = || {
        let mut world = claimed();
        world.pass(Duration::minutes(5));
        world
    };
    for (terms, expected) in [
        (by("A"), "ok"),
        (by("B"), "not_claimed"),
        (seen(version), "ok"),
        (seen(version + 1), "stale_version"),
        (InvoiceTerms::default(), "not_claimed"),
    ] {
        let answer = late().invoice(&Part::Whole, "inv_1", "1", &terms);
        assert_eq!(word(&answer), expected, "ran out, {terms:?}");
    }
    let open = || {
        let mut world = claimed();
        world.release("A").unwrap();
        world
    };
    let version = open().tab.version;
    for (terms, expected) in
        [(by("A"), "not_claimed"), (seen(version), "ok"), (seen(version - 1), "stale_version")]
    {
        let answer = open().invoice(&Part::Whole, "inv_1", "1", &terms);
        assert_eq!(word(&answer), expected, "open, {terms:?}");
    }
    let mut cancelled = claimed();
    cancelled.cancel(None).unwrap();
    assert_eq!(word(&cancelled.invoice(&Part::Whole, "inv_1", "1", &by("A"))), "tab_cancelled");
    let mut empty = World::new();
    empty.claim("A").unwrap();
    assert_eq!(word(&empty.invoice(&Part::Whole, "inv_1", "0", &by("A"))), "lines=required");
}

#[test]
fn chosen_lines_leave_the_tab_and_the_rest_stays_open() {
    let mut world = claimed();
    let some = Part::Lines(vec![choice(&world, 0, None), choice(&world, 1, Some("1.5"))]);
    world.invoice(&some, "inv_1", "8.75", &by("A")).unwrap();
    assert_eq!((world.tab.status(), left(&world)), (TabStatus::Open, vec!["1.5".to_owned()]));
    assert_eq!(world.happened(), "pos_tab.invoiced");
    assert_eq!(word(&world.invoice(&Part::Whole, "inv_2", "1", &by("A"))), "not_claimed");
    let rest = Part::Lines(vec![choice(&world, 0, Some("1.5"))]);
    world.invoice(&rest, "inv_2", "3.75", &seen(world.tab.version)).unwrap();
    assert_eq!((world.tab.status(), left(&world)), (TabStatus::Issued, vec!["1.5".to_owned()]));
    let invoices: Vec<DocumentId> =
        world.tab.invoices.iter().map(|invoice| invoice.invoice_id).collect();
    assert_eq!(invoices, ["inv_1", "inv_2"].map(invoice_id));
    assert_eq!(world.happened(), "pos_tab.issued");
}

#[test]
fn a_choice_that_cannot_be_is_named() {
    let world = claimed();
    let one = |n, quantity| choice(&world, n, quantity);
    let missing = LineChoice { line_id: "line_1".to_owned(), quantity: None };
    for (choices, expected) in [
        (vec![], "lines=out_of_range"),
        (vec![one(0, None), missing], "lines[1].line_id=not_found"),
        (vec![one(0, None), one(0, None)], "lines[1].line_id=duplicate"),
        (vec![one(0, Some("2.1"))], "lines[0].quantity=out_of_range"),
        (vec![one(0, Some("0"))], "lines[0].quantity=out_of_range"),
        (vec![one(0, Some("-1"))], "lines[0].quantity=out_of_range"),
    ] {
        let answer = world.clone().invoice(&Part::Lines(choices), "inv_1", "1", &by("A"));
        assert_eq!(word(&answer), expected);
    }
    for (number, of, expected) in [
        (1, 1, "share.of=out_of_range"),
        (1, MAX_SHARES + 1, "share.of=out_of_range"),
        (0, 2, "share.number=out_of_range"),
        (3, 2, "share.number=out_of_range"),
    ] {
        let answer = world.clone().invoice(&Part::Share { number, of }, "inv_1", "1", &by("A"));
        assert_eq!(word(&answer), expected);
    }
}

#[test]
fn shares_are_invoiced_one_by_one_and_the_last_one_ends_the_tab() {
    let mut world = claimed();
    let share = |number| Part::Share { number, of: 3 };
    world.invoice(&share(2), "inv_1", "4.17", &by("A")).unwrap();
    assert_eq!((world.tab.status(), world.tab.shares), (TabStatus::Open, Some(3)));
    let now = seen(world.tab.version);
    for (part, expected) in [
        (share(2), "share_invoiced"),
        (Part::Whole, "shares_outstanding"),
        (Part::Lines(vec![choice(&world, 0, None)]), "shares_outstanding"),
        (Part::Share { number: 1, of: 2 }, "shares_outstanding"),
    ] {
        assert_eq!(word(&world.clone().invoice(&part, "inv_2", "1", &now)), expected, "{part:?}");
    }
    assert_eq!(word(&world.clone().append(vec![line(3, "1")], None)), "shares_outstanding");
    let items = Patch::Value(vec![line(3, "1")]);
    let other = racun_pos::TabPatch { items, ..patch(world.tab.version) };
    assert_eq!(word(&world.clone().replace(other)), "shares_outstanding");
    let note = Patch::Value("slow".to_owned());
    let noted = racun_pos::TabPatch { note, ..patch(world.tab.version) };
    assert_eq!(word(&world.clone().replace(noted)), "ok");
    world.claim("B").unwrap();
    assert_eq!(word(&world.close("inv_9", InvoiceStage::Issued)), "shares_outstanding");
    world.invoice(&share(1), "inv_2", "4.17", &by("B")).unwrap();
    world.invoice(&share(3), "inv_3", "4.16", &seen(world.tab.version)).unwrap();
    assert_eq!(world.tab.status(), TabStatus::Issued);
    assert_eq!(world.tab.invoiced_shares().collect::<Vec<_>>(), [2, 1, 3]);
    assert_eq!(word(&world.invoice(&share(1), "inv_4", "1", &by("B"))), "tab_issued");
}

proptest! {
    /// Law: what is dealt out is all that there was, no share has more than a cent more than
    /// another, and nothing turns its sign.
    #[test]
    fn equal_shares_are_equal_to_the_cent(
        cents in prop::collection::vec(-2_000..20_000_i64, 1..40),
        of in 1..=MAX_SHARES,
    ) {
        let amounts: Vec<Decimal> = cents.iter().map(|cents| Decimal::new(*cents, 2)).collect();
        let dealt = deal(&amounts, of, Currency::EUR);
        let count = usize::try_from(of).unwrap();
        for (amount, shares) in amounts.iter().zip(&dealt) {
            prop_assert_eq!(shares.len(), count);
            prop_assert_eq!(&shares.iter().sum::<Decimal>(), amount);
            let turned = shares.iter().any(|share| {
                (share.is_negative() && amount.is_positive())
                    || (share.is_positive() && amount.is_negative())
            });
            prop_assert!(!turned, "{amount} gives {shares:?}");
        }
        let sums: Vec<Decimal> =
            (0..count).map(|n| dealt.iter().map(|shares| &shares[n]).sum()).collect();
        let (least, most) = (sums.iter().min().unwrap(), sums.iter().max().unwrap());
        prop_assert!(most - least <= Decimal::new(1, 2), "{sums:?}");
    }
}

#[test]
fn shares_are_dealt_in_the_currencys_own_unit() {
    let yen: Currency = "JPY".parse().unwrap();
    let dealt = deal(&[Decimal::from(1000), Decimal::from(1)], 3, yen);
    let shown: Vec<Vec<String>> =
        dealt.iter().map(|shares| shares.iter().map(ToString::to_string).collect()).collect();
    assert_eq!(shown, [["334", "333", "333"], ["0", "1", "0"]]);
}
