//! Each rule of payments as a short play, with the figures of its refusals.

use racun_kernel::Decimal;
use racun_settlement::{
    NewPayment, PaymentType, PaymentWrite, Settleable, SettleableKind, SettleableStage,
    SettlementError, SettlementEvent, SettlementRefusal,
};

use crate::script::{check, refused};
use crate::world::{Decided, World, amount, crediting, decimal, document, paying};

#[test]
fn an_invoice_takes_payments_up_to_its_total() {
    check("invoice a 100; pay p a 100; a = 100");
    check("invoice a 100; pay p a 100.01 -> payment_exceeds_total 100 0 100.01 100");
    check("invoice a 100; pay p a 60; pay q a 40; a = 100");
    check("invoice a 100; pay p a 60; pay q a 40.01 -> payment_exceeds_total 100 60 40.01 40");
    check("invoice a 100; pay p a 100; pay q a 0.01 -> payment_exceeds_total 100 100 0.01 0");
}

#[test]
fn totals_of_zero_and_below_take_nothing() {
    check("invoice a 0; pay p a 0.01 -> payment_exceeds_total 0 0 0.01 0");
    check("invoice a -5; pay p a 0.01 -> payment_exceeds_total -5 0 0.01 0");
    check("credit c 0; pay p c 0.01 -> credit_exceeds_remaining 0 0 0.01 0");
    check("invoice a -5; advance v 9; link a v; a = 0; v gives 0");
}

#[test]
fn amounts_are_money_of_the_document() {
    check("invoice a 100; pay p a 0 -> amount: out_of_range");
    check("invoice a 100; pay p a -1 -> amount: out_of_range");
    check("invoice a 100; pay p a 1.001 -> amount: too_many_decimals");
    check("invoice a 100; pay p a 1; change p 1.001 -> amount: too_many_decimals");
    check("invoice a 100; pay p a 1; change p 0 -> amount: out_of_range; a = 1");
}

#[test]
fn a_changed_amount_is_counted_again() {
    check("invoice a 100; pay p a 60; change p 100; a = 100; change p 0.01; a = 0.01");
    check(
        "invoice a 100; pay p a 60; pay q a 30; change p 70; a = 100;
         change p 70.01 -> payment_exceeds_total 100 30 70.01 70; a = 100",
    );
}

#[test]
fn drafts_and_voided_documents_take_no_payments() {
    check("?invoice a 100; pay p a 1 -> document_is_draft");
    check("?credit c 100; pay p c 1 -> document_is_draft");
    check("?expense e 100; pay p e 1 -> document_is_draft");
    check("!invoice a 100; pay p a 1 -> document_voided");
    check("!credit c 100; pay p c 1 -> document_voided");
    check("!expense e 100; pay p e 1 -> document_voided");
    check("!advance v 100; pay p v 1 -> document_voided");
    check("invoice a 100; ?credit c 50; settle p a c 1 -> document_is_draft");
    check("!invoice a 100; credit c 50; settle p a c 1 -> document_voided");
    check("invoice a 9; pay p a 4; void a; change p 3 -> document_voided");
    check("invoice a 9; pay p a 4; void a; trash p -> document_voided; a = 4");
    check("invoice a 9; pay p a 4; trash p; void a; restore p -> document_voided; erase p");
}

#[test]
fn the_trash_is_left_by_restoring_or_for_good() {
    check("invoice a 10; pay p a 4; trash p; a = 0; restore p; a = 4");
    check("invoice a 10; pay p a 4; trash p; erase p; a = 0");
    check("invoice a 10; pay p a 4; restore p -> not_in_trash");
    check("invoice a 10; pay p a 4; erase p -> not_in_trash");
    check("invoice a 10; pay p a 4; trash p; trash p -> not_found");
    check("invoice a 10; pay p a 4; trash p; change p 5 -> in_trash");
    check(
        "invoice a 10; pay p a 4; trash p; pay q a 6; restore p; a = 10; trash p; pay r a 0.01;
         restore p -> payment_exceeds_total 10 6.01 4 3.99; a = 6.01",
    );
}

#[test]
fn linked_advances_fill_what_is_open_in_the_order_of_the_links() {
    check("invoice a 100; advance v 60; link a v; a = 60; v gives 60");
    check("invoice a 50; advance v 60; link a v; a = 50; v gives 50");
    check("invoice a 100; advance v 60; advance w 70; link a v; link a w; v gives 60; w gives 40");
    check("invoice a 100; advance v 60; advance w 70; link a w; link a v; v gives 30; w gives 70");
    check("invoice a 100; pay p a 70; advance v 60; link a v; a = 100; v gives 30");
    check("invoice a 100; pay p a 100; advance v 60; link a v; v gives 0");
}

#[test]
fn drafts_and_voided_advances_give_nothing() {
    check("invoice a 100; ?advance v 60; pay p v 60; link a v; a = 0; v gives 0");
    check("invoice a 100; !advance v 60; link a v; a = 0");
    check("?invoice a 100; advance v 60; link a v; a = 0; v gives 0");
}

#[test]
fn payments_by_hand_displace_advance_money() {
    check("invoice a 100; advance v 60; link a v; pay p a 40; a = 100; v gives 60");
    check("invoice a 100; advance v 60; link a v; pay p a 40.01; a = 100; v gives 59.99");
    check("invoice a 100; advance v 60; link a v; pay p a 100; a = 100; v gives 0");
    check(
        "invoice a 100; advance v 100; link a v;
         pay p a 100.01 -> payment_exceeds_total 100 100 100.01 100; v gives 100",
    );
    check(
        "invoice a 100; advance v 30; advance w 70; link a v; link a w; pay p a 80;
         v gives 20; w gives 0; change p 50; v gives 30; w gives 20; trash p; w gives 70;
         restore p; v gives 30; w gives 20; a = 100",
    );
    check(
        "invoice a 100; credit c 80; advance v 100; link a v; settle p a c 80; v gives 20;
         a = 100; c = 80; pay q a 20.01 -> payment_exceeds_total 100 100 20.01 20",
    );
}

#[test]
fn freed_advance_money_serves_the_next_linked_invoice() {
    check(
        "invoice a 100; invoice b 80; advance v 100; link a v; pay p a 70; v gives 30;
         link b v; b = 70; v gives 100; trash p; a = 30; restore p; a = 100; b = 70",
    );
    check("invoice a 60; invoice b 80; advance v 100; link a v; link b v; b = 40; v gives 100");
}

#[test]
fn unlinking_and_voiding_release_the_money() {
    check("invoice a 100; advance v 60; link a v; unlink a v; a = 0; v gives 0");
    check(
        "invoice a 100; advance v 60; advance w 60; link a v; link a w; unlink a v;
         a = 60; v gives 0; w gives 60",
    );
    check("invoice a 100; advance v 60; pay p a 10; link a v; void a; a = 10; v gives 0");
}

#[test]
fn a_credit_note_is_refunded_and_used_up_to_its_total() {
    check("credit c 50; pay p c 50; c = 50");
    check("credit c 50; pay p c 50.01 -> credit_exceeds_remaining 50 0 50.01 50");
    check(
        "credit c 50; pay p c 20; change p 50;
         change p 50.01 -> credit_exceeds_remaining 50 0 50.01 50",
    );
    check("invoice a 100; credit c 50; settle p a c 50; a = 50; c = 50");
    check(
        "invoice a 100; credit c 50; pay r c 20; settle p a c 30;
         settle q a c 0.01 -> credit_exceeds_remaining 50 50 0.01 0; a = 30",
    );
    check(
        "invoice a 20; credit c 50; settle p a c 20.01 -> payment_exceeds_total 20 0 20.01 20;
         c = 0",
    );
    check(
        "credit c 50; pay p c 50; trash p; pay q c 30;
         restore p -> credit_exceeds_remaining 50 30 50 20",
    );
}

#[test]
fn settlements_are_kept_by_the_system() {
    let settled = "invoice a 100; credit c 50; settle p a c 50";
    for command in ["change p 40", "trash p", "restore p", "erase p"] {
        check(&format!("{settled}; {command} -> payment_system_managed; a = 50; c = 50"));
    }
    let mut world = World::new();
    let (invoice, advance) = (world.invoice("100"), world.advance("60"));
    world.link(invoice, advance).unwrap();
    let id = world.active().find(|payment| payment.is_allocation()).unwrap().id;
    let by_hand = NewPayment {
        advance_invoice_id: Some(advance.to_string()),
        ..paying(invoice, "1", PaymentType::Advance)
    };
    for decided in [
        world.change(id, amount("40")),
        world.trash(id),
        world.restore(id),
        world.erase(id),
        world.record(by_hand),
    ] {
        assert_eq!(decided.unwrap_err(), SettlementRefusal::PaymentSystemManaged.into());
    }
    assert_eq!(world.applied(advance), "60");
}

#[test]
fn an_advance_invoice_is_issued_when_it_is_covered_exactly() {
    check("?advance v 80; pay p v 80; issue v; v = 80");
    check("?advance v 80; pay p v 79.99; issue v -> advance_not_fully_paid 80 79.99 0.01 0.01");
    check("?advance v 80; issue v -> advance_not_fully_paid 80 0 80 80");
    check("?advance v 80; pay p v 50; pay q v 30.01 -> payment_exceeds_total 80 50 30.01 30");
    check(
        "?advance v 80; pay p v 80; trash p; v = 0; issue v -> advance_not_fully_paid 80 0 80 80",
    );
    check("advance v 80; issue v -> document_not_draft");
    check("!advance v 80; issue v -> document_not_draft");
    check("invoice a 80; issue a -> not_found");
}

#[test]
fn the_coverage_of_an_issued_advance_invoice_stays() {
    check(
        "?advance v 80; pay t v 1; trash t; pay p v 80; issue v;
         pay q v 1 -> advance_payment_locked;
         change p 79 -> advance_payment_locked;
         trash p -> advance_payment_locked;
         restore t -> advance_payment_locked;
         revise v 81 -> advance_payment_locked;
         change p 80; erase t; v = 80",
    );
}

#[test]
fn an_expense_is_paid_directly() {
    check("expense e 30; pay p e 30; e = 30; trash p; e = 0");
    check("expense e 30; pay p e 30.01 -> payment_exceeds_total 30 0 30.01 30");
}

#[test]
fn another_total_holds_what_is_paid_by_hand() {
    check("invoice a 100; pay p a 60; revise a 60; a = 60");
    check("invoice a 100; pay p a 60; revise a 59.99 -> payment_exceeds_total 59.99 60 60 59.99");
    check("credit c 100; pay p c 60; revise c 59 -> credit_exceeds_remaining 59 60 60 59");
    check("?advance v 100; pay p v 60; revise v 59 -> payment_exceeds_total 59 60 60 59");
    check(
        "invoice a 100; advance v 60; link a v; pay p a 40; revise a 50; a = 50; v gives 10;
         revise a 200; a = 100; v gives 60",
    );
    check("!invoice a 100; revise a 90 -> document_voided");
    check("invoice a 100; revise a -1; a = 0");
}

#[test]
fn another_currency_needs_an_unpaid_document() {
    let mut world = World::new();
    let invoice = world.invoice("100");
    let revise = |world: &World| {
        let loaded = world.load([invoice]);
        loaded.revise(invoice, decimal("100"), "JPY".parse().unwrap(), &world.stamp)
    };
    assert_eq!(revise(&world).unwrap().documents[0].currency.code(), "JPY");
    world.pay(invoice, "1").unwrap();
    let SettlementError::Invalid(issues) = revise(&world).unwrap_err() else { panic!() };
    assert_eq!(issues.iter().next().unwrap().code, "not_updatable");
}

#[test]
fn no_money_moves_between_currencies() {
    let mut world = World::new();
    let (invoice, advance, note) =
        (world.invoice("100"), world.advance("60"), world.credit_note("50"));
    world.documents.get_mut(&invoice).unwrap().currency = "USD".parse().unwrap();
    world.link(invoice, advance).unwrap();
    assert_eq!(world.paid(invoice), "0");
    let decided = world.record(crediting(invoice, note, "1"));
    assert_eq!(refused(decided), "credit_note_id: currency_mismatch");
}

#[test]
fn a_document_is_made_with_its_payments() {
    let open = || NewPayment::new(PaymentType::Cash);
    let of = |sum: &str| NewPayment { amount: Some(decimal(sum)), ..open() };
    // Total of the invoice, linked advance, payments; then what is recorded, or the refusal.
    for (advance, payments, expected) in [
        (None, vec![open()], "100"),
        (None, vec![of("30"), of("70")], "30 70"),
        (None, vec![open(), of("30")], "30 70"),
        (None, vec![of("30")], "30"),
        (None, vec![], ""),
        (None, vec![of("30"), of("70.01")], "payment_exceeds_total 100 30 70.01 70"),
        (None, vec![of("100"), open()], "[1].amount: nothing_due"),
        (None, vec![open(), open()], "[1].amount: required"),
        (None, vec![of("0"), open()], "[0].amount: out_of_range"),
        (Some("60"), vec![open()], "40"),
        (Some("60"), vec![of("70")], "70"),
        (Some("60"), vec![of("20"), open()], "20 20"),
        (Some("100"), vec![open()], "[0].amount: nothing_due"),
    ] {
        let mut world = World::new();
        let invoice = world.invoice("100");
        if let Some(advance) = advance {
            let advance = world.advance(advance);
            world.links.insert(invoice, vec![advance]);
        }
        let inserted = match world.cover(invoice, payments) {
            Ok(applied) => {
                let by_hand = |write: &PaymentWrite| match write {
                    PaymentWrite::Insert(payment) if !payment.is_allocation() => {
                        Some(payment.amount.to_string())
                    }
                    _ => None,
                };
                applied.0.writes.iter().filter_map(by_hand).collect::<Vec<_>>().join(" ")
            }
            refusal => refused(refusal),
        };
        assert_eq!(inserted, expected);
    }
}

#[test]
fn a_document_is_made_with_at_most_a_hundred_payments() {
    let mut world = World::new();
    let invoice = world.invoice("1000");
    let one = NewPayment { amount: Some(Decimal::from(1)), ..NewPayment::new(PaymentType::Cash) };
    let decided = world.cover(invoice, vec![one.clone(); 101]);
    assert_eq!(refused(decided), "too_many");
    world.cover(invoice, vec![one; 100]).unwrap();
    assert_eq!(world.paid(invoice), "100");
}

#[test]
fn a_draft_advance_invoice_is_covered_and_issued() {
    let mut world = World::new();
    let advance = world.draft_advance("80");
    world.cover(advance, vec![NewPayment::new(PaymentType::Cash)]).unwrap();
    let applied = world.issue_advance(advance).unwrap();
    assert_eq!(applied.0.events, [SettlementEvent::AdvancePaid(document(advance))]);
    assert_eq!(world.documents[&advance].stage, SettleableStage::Issued);
}

#[test]
fn each_event_is_logged_once() {
    let mut world = World::new();
    let (invoice, advance) = (world.invoice("100"), world.advance("60"));
    let told = |decided: Decided| decided.unwrap().0.events;
    let applied = world.link(invoice, advance);
    assert_eq!(told(applied), [SettlementEvent::AdvanceApplied(document(advance))]);
    let decided = world.pay(invoice, "40").unwrap();
    let id = decided.0.payment.as_ref().unwrap().id;
    let paid = SettlementEvent::InvoicePaid(document(invoice));
    let expected = [SettlementEvent::PaymentReceived(id), paid.clone()];
    assert_eq!(told(Ok(decided)), expected);
    assert_eq!(told(world.change(id, amount("50"))), [SettlementEvent::PaymentUpdated(id)]);
    assert_eq!(told(world.trash(id)), [SettlementEvent::PaymentDeleted(id)]);
    let expected = [SettlementEvent::PaymentRestored(id), paid];
    assert_eq!(told(world.restore(id)), expected);
    world.trash(id).unwrap();
    assert_eq!(told(world.erase(id)), [SettlementEvent::PaymentErased(id)]);
}

#[test]
fn a_draft_is_never_reported_paid() {
    let mut world = World::new();
    let draft = world.add(SettleableKind::Invoice, SettleableStage::Draft, "100");
    assert_eq!(world.revise(draft, "0").unwrap().0.events, []);
    let issued = world.invoice("100");
    let events = world.revise(issued, "0").unwrap().0.events;
    assert_eq!(events, [SettlementEvent::InvoicePaid(document(issued))]);
}

#[test]
fn a_document_that_was_not_loaded_is_not_found() {
    let mut world = World::new();
    let (invoice, advance) = (world.invoice("100"), world.advance("60"));
    world.link(invoice, advance).unwrap();
    for missing in [invoice, advance] {
        let mut loaded = world.load([invoice]);
        loaded.documents.retain(|document| document.id != missing);
        let decided = loaded.record(paying(invoice, "1", PaymentType::Card), &world.stamp);
        assert_eq!(decided, Err(SettlementError::NotFound { id: missing.to_string() }));
    }
}

#[test]
fn each_kind_of_document_is_settled_by_itself() {
    for kind in [SettleableKind::Invoice, SettleableKind::CreditNote, SettleableKind::Expense] {
        let mut world = World::new();
        let (first, second) = (
            world.add(kind, SettleableStage::Issued, "10"),
            world.add(kind, SettleableStage::Issued, "10"),
        );
        let applied = world.pay(first, "4").unwrap();
        assert_eq!(applied.0.documents.len(), 1, "only what changed is answered");
        assert_eq!((world.paid(first), world.paid(second)), ("4".to_owned(), "0".to_owned()));
    }
}

#[test]
fn a_revised_total_must_cover_the_payments() {
    let of = |total: &str| {
        let mut world = World::new();
        let expense = world.expense("122");
        world.pay(expense, "50").unwrap();
        let paid = world.documents[&expense].clone();
        Settleable { total_with_tax: decimal(total), ..paid }.must_hold_what_is_paid()
    };
    assert_eq!(of("50"), Ok(()));
    let Err(SettlementRefusal::PaymentExceedsTotal(figures)) = of("49.99") else { panic!() };
    assert_eq!((figures.amount, figures.maximum), (decimal("50"), decimal("49.99")));
}

#[test]
fn an_advance_invoice_is_issued_with_payments_that_cover_it() {
    let mut world = World::new();
    let advance = world.draft_advance("80");
    world.pay(advance, "30").unwrap();
    let id = document(advance);
    let issue = |payments| world.load([advance]).issue_advance(id, payments, &world.stamp);
    let of = |amount: Option<&str>| NewPayment {
        amount: amount.map(decimal),
        ..NewPayment::new(PaymentType::Cash)
    };
    for payments in [vec![of(Some("50"))], vec![of(None)], vec![of(None), of(Some("20"))]] {
        let count = payments.len();
        let outcome = issue(payments).unwrap();
        let [document] = &outcome.documents[..] else { panic!("{outcome:?}") };
        assert_eq!((document.stage, document.is_paid()), (SettleableStage::Issued, true));
        assert_eq!(outcome.writes.len(), count);
        assert_eq!(outcome.events.last(), Some(&SettlementEvent::AdvancePaid(id)));
    }
    let Err(SettlementError::Refused(refusal)) = issue(vec![of(Some("49.99"))]) else { panic!() };
    assert_eq!(refusal.code(), "advance_not_fully_paid");
    let Err(SettlementError::Refused(refusal)) = issue(vec![of(Some("50.01"))]) else { panic!() };
    assert_eq!(refusal.code(), "payment_exceeds_total");
}
