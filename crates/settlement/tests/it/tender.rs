//! Tips, cash that is handed over, and change: said on payments, and never part of what settles.

use proptest::prelude::*;
use racun_kernel::{Decimal, Patch};
use racun_settlement::{
    NewPayment, PaymentPatch, PaymentType, SettleableId, SettlementError, Tender,
};

use crate::inputs::codes;
use crate::world::{World, decimal, paying};

/// `new` with a tip, cash handed over and change.
fn with(new: NewPayment, [tip, tendered, change]: [Option<&str>; 3]) -> NewPayment {
    let [tip, tendered, change] = [tip, tendered, change].map(|text| text.map(decimal));
    NewPayment { tender: Tender { tip, tendered, change }, ..new }
}

fn refused(decided: crate::world::Decided) -> Vec<String> {
    match decided {
        Err(SettlementError::Invalid(issues)) => codes(&issues),
        other => panic!("answers {other:?}"),
    }
}

#[test]
fn ten_on_four_eighty_gives_back_five_twenty() {
    let mut world = World::new();
    let invoice = world.invoice("4.80");
    let new = with(NewPayment::new(PaymentType::Cash), [None, Some("10"), None]);
    world.cover(invoice, vec![new]).unwrap();
    let payment = world.active().next().unwrap();
    assert_eq!(
        (payment.amount.clone(), payment.change()),
        (decimal("4.80"), Some(decimal("5.20")))
    );
    assert_eq!(world.paid(invoice), "4.8");
}

#[test]
fn a_tip_settles_nothing_and_lessens_the_change() {
    let mut world = World::new();
    let invoice = world.invoice("4.80");
    let new = paying(invoice, "4.80", PaymentType::Cash);
    let new = with(new, [Some("0.20"), Some("10"), Some("5")]);
    let payment = world.record(new).unwrap().0.payment.unwrap();
    assert_eq!(
        (payment.tip.clone(), payment.change()),
        (Some(decimal("0.20")), Some(decimal("5")))
    );
    assert_eq!(world.paid(invoice), "4.8");
    let card = paying(world.invoice("3"), "3", PaymentType::Card);
    let card = world.record(with(card, [Some("1"), None, None])).unwrap().0.payment.unwrap();
    assert_eq!((card.tip.clone(), card.change()), (Some(decimal("1")), None));
}

#[test]
fn impossible_tenders_are_named() {
    use PaymentType::{Advance, Card, Cash};
    let mut world = World::new();
    let invoice = world.invoice("4.80");
    let (credit_note, expense) = (world.credit_note("9"), world.expense("9"));
    for (document, kind, [tip, tendered, change], expected) in [
        (invoice, Cash, [Some("-1"), None, None], "tip: out_of_range"),
        (invoice, Cash, [None, Some("-1"), None], "tendered: out_of_range"),
        (invoice, Cash, [Some("0.001"), None, None], "tip: too_many_decimals"),
        (invoice, Cash, [None, Some("10.001"), None], "tendered: too_many_decimals"),
        (invoice, Card, [None, Some("10"), None], "tendered: not_applicable"),
        (invoice, Cash, [None, Some("3.99"), None], "tendered: out_of_range"),
        (invoice, Cash, [Some("1"), Some("4.99"), None], "tendered: out_of_range"),
        (invoice, Cash, [None, Some("10"), Some("5.99")], "change: conflicting"),
        (invoice, Cash, [None, None, Some("6")], "tendered: required"),
        (invoice, Advance, [Some("1"), None, None], "tip: not_applicable"),
        (credit_note, Cash, [Some("1"), None, None], "tip: not_applicable"),
        (expense, Cash, [Some("1"), None, None], "tip: not_applicable"),
    ] {
        let new = with(paying(document, "4", kind), [tip, tendered, change]);
        assert_eq!(refused(world.record(new)), [expected], "{kind:?} {tip:?} {tendered:?}");
    }
    assert_eq!(world.active().count(), 0);
    let too_little = with(NewPayment::new(Cash), [None, Some("4.79"), None]);
    let issues = refused(world.cover(invoice, vec![too_little]));
    assert_eq!(issues, ["[0].tendered: out_of_range"]);
}

#[test]
fn a_tip_can_come_later_and_cash_that_becomes_a_card_was_not_handed_over() {
    let mut world = World::new();
    let invoice = world.invoice("4.80");
    let new = with(paying(invoice, "4.80", PaymentType::Cash), [None, Some("10"), None]);
    let id = world.record(new).unwrap().0.payment.unwrap().id;
    let tip = PaymentPatch { tip: Patch::Value(decimal("0.50")), ..PaymentPatch::default() };
    let applied = world.change(id, tip).unwrap().0;
    assert_eq!(applied.documents, [], "totals stay");
    assert_eq!(applied.payment.unwrap().change(), Some(decimal("4.70")));
    let wrong = PaymentPatch { change: Patch::Value(decimal("5")), ..PaymentPatch::default() };
    assert_eq!(refused(world.change(id, wrong)), ["change: conflicting"]);
    let card = PaymentPatch { kind: Patch::Value(PaymentType::Card), ..PaymentPatch::default() };
    let handed = PaymentPatch { tendered: Patch::Value(decimal("10")), ..card.clone() };
    assert_eq!(refused(world.change(id, handed)), ["tendered: not_applicable"]);
    let payment = world.change(id, card).unwrap().0.payment.unwrap();
    assert_eq!((payment.tip.clone(), payment.tendered.clone()), (Some(decimal("0.50")), None));
    let none = PaymentPatch { tip: Patch::Null, ..PaymentPatch::default() };
    assert_eq!(world.change(id, none).unwrap().0.payment.unwrap().tip, None);
}

#[test]
fn payments_that_were_stored_before_say_nothing_of_it() {
    let mut world = World::new();
    let invoice = world.invoice("4.80");
    let payment = world.pay(invoice, "1").unwrap().0.payment.unwrap();
    let mut body = serde_json::to_value(&payment).unwrap();
    let fields = body.as_object_mut().unwrap();
    assert!(fields.remove("tip").is_some() && fields.remove("tendered").is_some());
    assert_eq!(serde_json::from_value::<racun_settlement::Payment>(body).unwrap(), payment);
}

proptest! {
    /// Law: whatever is handed over, what is settled is the same as without it.
    #[test]
    fn cash_handed_over_settles_nothing(
        totals in prop::collection::vec(1..3_000_i64, 3),
        payments in prop::collection::vec(
            (0..3_usize, 1..2_000_i64, 0..500_i64, 0..900_i64, any::<bool>()),
            1..12,
        ),
    ) {
        let mut plain = World::new();
        let mut handed = World::new();
        for (world, tells) in [(&mut plain, false), (&mut handed, true)] {
            let invoices: Vec<SettleableId> =
                totals
                    .iter()
                    .map(|cents| world.invoice(&Decimal::new(*cents, 2).to_string()))
                    .collect();
            for (invoice, cents, tip, rest, trash) in &payments {
                let amount = Decimal::new(*cents, 2).to_string();
                let new = paying(invoices[*invoice], &amount, PaymentType::Cash);
                let (tip, tendered) =
                    (Decimal::new(*tip, 2), Decimal::new(cents + tip + rest, 2));
                let tender = Tender { tip: Some(tip), tendered: Some(tendered), change: None };
                let new = if tells { NewPayment { tender, ..new } } else { new };
                let recorded = world.record(new);
                if let Ok(recorded) = recorded && *trash {
                    let id = recorded.0.payment.unwrap().id;
                    world.trash(id).unwrap();
                }
            }
        }
        let figures = |world: &World| -> Vec<(SettleableId, Decimal)> {
            let documents = world.documents.values();
            documents.map(|document| (document.id, document.total_paid.clone())).collect()
        };
        prop_assert_eq!(figures(&plain).len(), 3);
        let paid = |world: &World| -> Vec<Decimal> {
            figures(world).into_iter().map(|(_, paid)| paid).collect()
        };
        prop_assert_eq!(paid(&plain), paid(&handed));
    }
}
