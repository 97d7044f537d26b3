//! What credit notes and invoices have of one another's money, and of an advance.

use racun_settlement::{SettleableId, SettlementError};

use crate::script::{check, refused};
use crate::world::{World, crediting, decimal};

#[test]
fn an_advance_gives_its_money_once() {
    // To a credit note first, then to an invoice; and the other way round.
    check("advance v 100; back c v 100; pay p c 100; invoice a 100; link a v; a = 0; v has 0");
    check("advance v 100; back c v 60; invoice a 100; link a v; a = 40; v gives 40; v has 0");
    check(
        "advance v 100; invoice a 60; link a v; back c v 40.01 -> too_much; back c v 40; v has 0",
    );
    // A payment by hand frees advance money, which a credit note may have; then the invoice may
    // not.
    check(
        "advance v 100; invoice a 60; link a v; pay p a 60; v gives 0; back c v 70; trash p; a = 30;
         restore p; a = 60; v has 30; unlink a v; v has 30",
    );
    check(
        "advance v 100; back c v 30; invoice a 100; link a v; revise c 30.01 -> \
         credit_exceeds_remaining",
    );
    check(
        "advance v 100; back c v 30; invoice a 60; link a v; revise c 40; v has 0; revise a 80; \
         a = 60",
    );
}

#[test]
fn money_settled_on_a_voided_document_is_released() {
    check("advance v 100; back c v 100; void c; invoice a 100; link a v; a = 100");
    check("advance v 100; invoice a 100; link a v; void a; v gives 0; back c v 100; v has 0");
    check(
        "invoice a 100; credit c 100; settle p a c 100; void a; c = 0; a = 0; invoice b 70; settle \
         q b c 70",
    );
    // Money that was received stays where it was received.
    check("invoice a 100; credit c 100; pay p a 30; settle q a c 70; void a; c = 0; a = 30");
    // A credit note that ends gives up what it settled, and advance money takes its place.
    check(
        "advance v 40; invoice a 100; back c a 60; settle p a c 60; link a v; a = 100; void c; a = \
         40",
    );
    check(
        "advance v 40; invoice a 100; back c a 70; settle p a c 70; link a v; v gives 30; void \
         c; v gives 40",
    );
}

#[test]
fn an_invoice_stays_above_its_credit_notes() {
    check(
        "invoice a 100; back c a 60; revise a 60; revise a 59.99 -> items: \
         credit_exceeds_remaining",
    );
    check(
        "invoice a 100; back c a 60; revise c 100; revise c 100.01 -> credit_exceeds_remaining; a \
         has 0",
    );
    check("invoice a 100; back c a 60; void c; revise a 1; back d a 1.01 -> too_much; back d a 1");
    check("invoice a -5; back c a 0.01 -> too_much; revise a -6; revise a 5; back c a 5");
}

#[test]
fn another_currency_needs_an_uncredited_document() {
    let mut world = World::new();
    let invoice = world.invoice("100");
    world.credit(invoice, "1").unwrap();
    let loaded = world.load([invoice]);
    let revised = loaded.revise(invoice, decimal("100"), "JPY".parse().unwrap(), &world.stamp);
    let SettlementError::Invalid(issues) = revised.unwrap_err() else { panic!() };
    assert_eq!(issues.iter().next().unwrap().code, "not_updatable");
}

#[test]
fn credit_notes_settle_an_invoice_that_is_to_be_voided() {
    // Paid by hand, credit notes that are there; then what each settles, the one over the rest
    // last.
    for (paid, credits, settled) in [
        ("0", vec![], vec!["100"]),
        ("40", vec![], vec!["60"]),
        ("100", vec![], vec!["0"]),
        ("0", vec!["30"], vec!["30", "70"]),
        ("40", vec!["30"], vec!["30", "30"]),
        ("40", vec!["50", "20"], vec!["50", "10", "0"]),
    ] {
        let mut world = World::new();
        let (invoice, advance) = (world.invoice("100"), world.advance("50"));
        world.link(invoice, advance).unwrap();
        if paid != "0" {
            world.pay(invoice, paid).unwrap();
        }
        let mut notes: Vec<SettleableId> =
            credits.iter().map(|total| world.credit(invoice, total).unwrap()).collect();
        let rest = world.documents[&invoice].remaining().to_string();
        notes.push(world.credit(invoice, &rest).unwrap());
        world.settle_by_credit(invoice, &notes).unwrap();
        let now: Vec<String> = notes.iter().map(|note| world.paid(*note)).collect();
        assert_eq!(now, settled, "{paid} {credits:?}");
        assert_eq!(world.applied(advance), "0");
        assert_eq!(world.paid(invoice), "100");
    }
}

#[test]
fn credit_settled_on_a_voided_invoice_is_released() {
    let mut world = World::new();
    let (invoice, other) = (world.invoice("100"), world.credit_note("80"));
    world.record(crediting(invoice, other, "80")).unwrap();
    let own = world.credit(invoice, "100").unwrap();
    world.settle_by_credit(invoice, std::slice::from_ref(&own)).unwrap();
    assert_eq!([other, own].map(|note| world.paid(note)), ["0", "100"]);
    assert_eq!(world.paid(invoice), "100");
}

#[test]
fn a_debt_is_not_voided_with_the_invoice() {
    // The credit of 60 was paid back, although the invoice was never paid: 60 are owed.
    let mut world = World::new();
    let invoice = world.invoice("100");
    let note = world.credit(invoice, "60").unwrap();
    world.pay(note, "60").unwrap();
    let rest = world.credit(invoice, "40").unwrap();
    let decided = world.settle_by_credit(invoice, &[note, rest]);
    assert_eq!(refused(decided), "document_credited");
}

#[test]
fn the_text_on_too_much_money_says_that_paying_again_frees_the_advance() {
    let mut world = World::new();
    let (invoice, advance) = (world.invoice("322"), world.advance("122"));
    world.link(invoice, advance).unwrap();
    let message = world.pay(invoice, "322.01").unwrap_err().to_string();
    assert_eq!(
        message,
        "payments cannot exceed the document's total of 322; this payment may come to 322 at most, \
         more than the 200 that are due: money that is paid takes the place of money of linked \
         advance invoices, which is then free again for other invoices"
    );
    world.unlink(invoice, advance).unwrap();
    let message = world.pay(invoice, "322.01").unwrap_err().to_string();
    assert!(message.ends_with("may come to 322 at most"), "{message}");
}
