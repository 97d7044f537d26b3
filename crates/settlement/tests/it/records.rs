//! How payments are stored.

use racun_kernel::Tenant;
use racun_settlement::{NewPayment, PAYMENTS, Payment, PaymentType, TABLES};
use racun_store::testing::assert_stored_as_declared;
use racun_store::{Field, Record, Value};

use crate::world::{World, entity, paying};

fn check(payment: &Payment) {
    assert_eq!(payment.table(), &PAYMENTS);
    assert_eq!(payment.tenant(), Tenant::entity(entity()));
    assert_stored_as_declared(payment);
}

/// A payment with all that one can hold.
fn payment() -> Payment {
    let mut world = World::new();
    let invoice = world.invoice("100");
    let new = NewPayment {
        reference: Some("SI00 7-2026".to_owned()),
        tag: Some("Blagajna".to_owned()),
        note: Some("Žiro".to_owned()),
        metadata: [("till.no".to_owned(), "3".to_owned())].into(),
        ..paying(invoice, "12.50", PaymentType::BankTransfer)
    };
    world.record(new).unwrap().0.payment.unwrap()
}

#[test]
fn payments_are_stored_as_declared() {
    let payment = payment();
    check(&payment);
    check(&Payment { deleted_at: Some(payment.created_at), ..payment.clone() });
    let body = serde_json::to_value(&payment).unwrap();
    assert_eq!(body["type"], "bank_transfer");
    assert_eq!(body["date"], "2026-11-20");
    assert_eq!(payment.search_text(&payment.values()), "si00 7-2026\u{1f}blagajna\u{1f}ziro");
    assert_eq!(payment.value("type"), Value::from("bank_transfer"));
}

#[test]
fn payments_are_found_by_their_documents_and_invoices_by_their_allocations() {
    for name in [
        "invoice_id",
        "credit_note_id",
        "advance_invoice_id",
        "expense_id",
        "applied_to_expense_id",
        "allocation_of",
    ] {
        let (_, field) = PAYMENTS.field(name).unwrap();
        assert!(field.indexed, "{name}");
        assert_eq!(field.public, name != "allocation_of");
    }
    let mut world = World::new();
    let (invoice, advance) = (world.invoice("100"), world.advance("60"));
    world.link(invoice, advance).unwrap();
    let mut allocation = world.active().find(|p| p.is_allocation()).unwrap().clone();
    check(&allocation);
    assert_eq!(allocation.value("allocation_of"), Value::from(invoice.to_string()));
    allocation.deleted_at = Some(allocation.created_at);
    assert_eq!(allocation.value("allocation_of"), Value::Null);
    assert_eq!(payment().value("allocation_of"), Value::Null);
}

#[test]
fn every_table_starts_with_its_id_and_has_a_trash() {
    for table in TABLES {
        assert_eq!(table.fields[0], Field::id());
        assert!(table.has_trash());
        assert!(table.field("created_at").is_some());
    }
}

#[test]
fn types_are_known_by_their_names() {
    for kind in PaymentType::ALL {
        assert_eq!(PaymentType::from_name(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
    assert_eq!(PaymentType::from_name("barter"), None);
}
