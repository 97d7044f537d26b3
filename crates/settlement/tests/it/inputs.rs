//! What a request may say of a payment, and what it may not.

use racun_kernel::{DocumentId, Issues, Patch};
use racun_settlement::{
    MAX_NOTE_CHARS, MAX_REFERENCE_CHARS, MAX_TAG_CHARS, NewPayment, PaymentPatch, PaymentType,
    References, SettlementError, SettlementRefusal, Tender,
};
use time::macros::date;

use crate::world::{TODAY, World, decimal, document, paying};

/// Ids of documents that are not looked up here.
const INVOICE: &str = "inv_01jb2000000000000000000001";
const OTHER_INVOICE: &str = "inv_01jb2000000000000000000002";
const CREDIT_NOTE: &str = "cre_01jb2000000000000000000001";
const ADVANCE: &str = "adv_01jb2000000000000000000001";
const EXPENSE: &str = "exp_01jb2000000000000000000001";

/// The issues as `path: code`.
pub fn codes(issues: &Issues) -> Vec<String> {
    let code = |issue: &racun_kernel::Issue| {
        let at = racun_kernel::Issue { message: String::new(), ..issue.clone() };
        format!("{at}{}", issue.code)
    };
    issues.iter().map(code).collect()
}

/// A payment of `kind` that names `fields`.
fn naming(kind: PaymentType, fields: &[(&str, &str)]) -> NewPayment {
    let mut new = NewPayment { amount: Some(decimal("1")), ..NewPayment::new(kind) };
    for (field, id) in fields {
        let place = match *field {
            "document_id" => &mut new.document_id,
            "invoice_id" => &mut new.invoice_id,
            "credit_note_id" => &mut new.credit_note_id,
            "advance_invoice_id" => &mut new.advance_invoice_id,
            "expense_id" => &mut new.expense_id,
            _ => &mut new.applied_to_expense_id,
        };
        *place = Some((*id).to_owned());
    }
    new
}

#[test]
fn a_document_is_known_by_the_prefix_of_its_id() {
    let id = |id: &str| Some(id.parse::<DocumentId>().unwrap());
    let none = References::default;
    for (sent, expected) in [
        (INVOICE, References { invoice_id: id(INVOICE), ..none() }),
        (CREDIT_NOTE, References { credit_note_id: id(CREDIT_NOTE), ..none() }),
        (ADVANCE, References { advance_invoice_id: id(ADVANCE), ..none() }),
        (EXPENSE, References { expense_id: Some(EXPENSE.parse().unwrap()), ..none() }),
    ] {
        let new = naming(PaymentType::Cash, &[("document_id", sent)]);
        assert_eq!(new.references(), Ok(expected));
    }
    let both = naming(
        PaymentType::CreditNote,
        &[("document_id", INVOICE), ("invoice_id", INVOICE), ("credit_note_id", CREDIT_NOTE)],
    );
    let ids: Vec<String> = both.references().unwrap().ids().map(|id| id.to_string()).collect();
    assert_eq!(ids, [INVOICE, CREDIT_NOTE]);
}

#[test]
fn a_payment_names_documents_of_one_side() {
    use PaymentType::{Advance, Cash, CreditNote};
    for (kind, fields, expected) in [
        (Cash, &[][..], "document_id: required"),
        (Cash, &[("document_id", "est_01jb2000000000000000000001")], "document_id: invalid_id"),
        (Cash, &[("document_id", "inv_1")], "document_id: invalid_id"),
        (Cash, &[("invoice_id", CREDIT_NOTE)], "invoice_id: invalid_id"),
        (Cash, &[("credit_note_id", INVOICE)], "credit_note_id: invalid_id"),
        (Cash, &[("advance_invoice_id", INVOICE)], "advance_invoice_id: invalid_id"),
        (Cash, &[("expense_id", INVOICE)], "expense_id: invalid_id"),
        (
            Cash,
            &[("document_id", INVOICE), ("invoice_id", OTHER_INVOICE)],
            "document_id: conflicting",
        ),
        (
            Cash,
            &[("invoice_id", INVOICE), ("credit_note_id", CREDIT_NOTE)],
            "document_id: conflicting",
        ),
        (
            Cash,
            &[("invoice_id", INVOICE), ("advance_invoice_id", ADVANCE)],
            "document_id: conflicting",
        ),
        (Cash, &[("invoice_id", INVOICE), ("expense_id", EXPENSE)], "document_id: conflicting"),
        (
            CreditNote,
            &[("invoice_id", INVOICE), ("credit_note_id", CREDIT_NOTE), ("expense_id", EXPENSE)],
            "document_id: conflicting",
        ),
        (CreditNote, &[("invoice_id", INVOICE)], "credit_note_id: required"),
        (CreditNote, &[("credit_note_id", CREDIT_NOTE)], "invoice_id: required"),
        (CreditNote, &[("document_id", EXPENSE)], "type: reserved"),
        (CreditNote, &[("document_id", ADVANCE)], "type: reserved"),
        (
            Cash,
            &[("expense_id", EXPENSE), ("applied_to_expense_id", EXPENSE)],
            "applied_to_expense_id: reserved",
        ),
    ] {
        match naming(kind, fields).references() {
            Err(SettlementError::Invalid(issues)) => {
                assert_eq!(codes(&issues), [expected], "{kind:?} {fields:?}");
            }
            other => panic!("{kind:?} {fields:?} answers {other:?}"),
        }
    }
    let linked = naming(Advance, &[("invoice_id", INVOICE), ("advance_invoice_id", ADVANCE)]);
    assert_eq!(linked.references(), Err(SettlementRefusal::PaymentSystemManaged.into()));
    assert!(naming(Advance, &[("invoice_id", INVOICE)]).references().is_ok());
    assert!(naming(Advance, &[("expense_id", EXPENSE)]).references().is_ok());
}

#[test]
fn limits_of_texts_hold_at_their_edge() {
    let texts = |over: usize| NewPayment {
        reference: Some("ž".repeat(MAX_REFERENCE_CHARS + over)),
        tag: Some("ž".repeat(MAX_TAG_CHARS + over)),
        note: Some("ž".repeat(MAX_NOTE_CHARS + over)),
        metadata: (0..50 + over).map(|n| (format!("a.{n}"), "ž".repeat(250))).collect(),
        ..naming(PaymentType::Cash, &[("document_id", INVOICE)])
    };
    assert!(texts(0).references().is_ok());
    let Err(SettlementError::Invalid(issues)) = texts(1).references() else { panic!() };
    let expected =
        ["reference: too_long", "tag: too_long", "note: too_long", "metadata: too_many_properties"];
    assert_eq!(codes(&issues), expected);
    let long = NewPayment {
        note: Some("a\0b".to_owned()),
        metadata: [("k".repeat(251), "v".to_owned()), ("l".to_owned(), "v".repeat(251))].into(),
        ..texts(0)
    };
    let Err(SettlementError::Invalid(issues)) = long.references() else { panic!() };
    // The refusal repeats no long key.
    let key = format!("metadata.{}: too_long", "k".repeat(250));
    assert_eq!(codes(&issues), ["note: invalid_value", &key, "metadata.l: too_long"]);
}

#[test]
fn everything_that_is_wrong_is_named_at_once() {
    let new = NewPayment {
        amount: Some(decimal("0")),
        tag: Some("t".repeat(MAX_TAG_CHARS + 1)),
        ..NewPayment::new(PaymentType::Cash)
    };
    let Err(SettlementError::Invalid(issues)) = new.references() else { panic!() };
    assert_eq!(codes(&issues), ["document_id: required", "amount: out_of_range", "tag: too_long"]);
    let new = NewPayment {
        tender: Tender { tip: Some(decimal("1")), ..Tender::default() },
        ..naming(PaymentType::Cash, &[("credit_note_id", "cre_1"), ("document_id", "est_1")])
    };
    let Err(SettlementError::Invalid(issues)) = new.references() else { panic!() };
    let expected = ["credit_note_id: invalid_id", "document_id: invalid_id", "tip: not_applicable"];
    assert_eq!(codes(&issues), expected);
}

#[test]
fn a_payment_holds_what_was_said_of_it() {
    let mut world = World::new();
    let invoice = world.invoice("100");
    let new = NewPayment {
        date: Some(date!(2026 - 11 - 03)),
        reference: Some("SI00 7".to_owned()),
        metadata: [("till.no".to_owned(), "3".to_owned())].into(),
        ..paying(invoice, "12.50", PaymentType::DebitCard)
    };
    let payment = world.record(new).unwrap().0.payment.unwrap();
    assert_eq!(payment.invoice_id, Some(document(invoice)));
    assert_eq!((payment.amount.clone(), payment.date), (decimal("12.5"), date!(2026 - 11 - 03)));
    assert_eq!(payment.metadata.get("till.no"), Some("3"));
    let payment = world.pay(invoice, "1").unwrap().0.payment.unwrap();
    assert_eq!(payment.date, TODAY);
}

#[test]
fn an_amount_is_needed() {
    let mut world = World::new();
    let invoice = world.invoice("100");
    let new = NewPayment { amount: None, ..paying(invoice, "1", PaymentType::Cash) };
    let Err(SettlementError::Invalid(issues)) = world.record(new) else { panic!() };
    assert_eq!(codes(&issues), ["amount: required"]);
}

#[test]
fn a_patch_changes_what_it_names_and_clears_what_it_nulls() {
    let mut world = World::new();
    let invoice = world.invoice("100");
    let new = NewPayment {
        reference: Some("r".to_owned()),
        tag: Some("t".to_owned()),
        metadata: [("a".to_owned(), "b".to_owned())].into(),
        ..paying(invoice, "10", PaymentType::Cash)
    };
    let before = world.record(new).unwrap().0.payment.unwrap();
    let patch = PaymentPatch {
        kind: Patch::Value(PaymentType::CreditCard),
        date: Patch::Value(date!(2026 - 11 - 01)),
        reference: Patch::Null,
        note: Patch::Value("n".to_owned()),
        metadata: Patch::Null,
        document_id: Patch::Value(invoice.to_string()),
        invoice_id: Patch::Value(invoice.to_string()),
        credit_note_id: Patch::Null,
        ..PaymentPatch::default()
    };
    let applied = world.change(before.id, patch).unwrap();
    assert_eq!(applied.0.documents, [], "totals stay");
    let after = applied.0.payment.unwrap();
    assert_eq!((after.kind, after.date), (PaymentType::CreditCard, date!(2026 - 11 - 01)));
    let texts = (after.reference.as_deref(), after.tag.as_deref(), after.note.as_deref());
    assert_eq!(texts, (None, Some("t"), Some("n")));
    assert!(after.metadata.entries().is_empty());
    let applied = world.change(before.id, PaymentPatch::default()).unwrap();
    assert_eq!((applied.0.payment, applied.0.writes), (Some(after), vec![]));
}

#[test]
fn document_and_required_fields_of_a_payment_cannot_change() {
    let mut world = World::new();
    let (invoice, other) = (world.invoice("100"), world.invoice("100"));
    let id = world.pay(invoice, "10").unwrap().0.payment.unwrap().id;
    let patch = PaymentPatch {
        amount: Patch::Null,
        kind: Patch::Null,
        date: Patch::Null,
        tag: Patch::Value("t".repeat(MAX_TAG_CHARS + 1)),
        document_id: Patch::Value(other.to_string()),
        invoice_id: Patch::Null,
        credit_note_id: Patch::Value(CREDIT_NOTE.to_owned()),
        advance_invoice_id: Patch::Value(ADVANCE.to_owned()),
        expense_id: Patch::Value(EXPENSE.to_owned()),
        applied_to_expense_id: Patch::Value(EXPENSE.to_owned()),
        ..PaymentPatch::default()
    };
    let Err(SettlementError::Invalid(issues)) = world.change(id, patch) else { panic!() };
    let expected = [
        "invoice_id: not_updatable",
        "credit_note_id: not_updatable",
        "advance_invoice_id: not_updatable",
        "expense_id: not_updatable",
        "applied_to_expense_id: not_updatable",
        "document_id: not_updatable",
        "amount: required",
        "date: required",
        "type: required",
        "tag: too_long",
    ];
    assert_eq!(codes(&issues), expected);
}

#[test]
fn a_type_that_settles_by_a_document_is_neither_taken_nor_left() {
    let mut world = World::new();
    let invoice = world.invoice("100");
    let cash = world.pay(invoice, "10").unwrap().0.payment.unwrap();
    let advance = world.record(paying(invoice, "10", PaymentType::Advance)).unwrap();
    let advance = advance.0.payment.unwrap();
    for (payment, to) in [
        (&cash, PaymentType::CreditNote),
        (&cash, PaymentType::Advance),
        (&advance, PaymentType::Cash),
    ] {
        let patch = PaymentPatch { kind: Patch::Value(to), ..PaymentPatch::default() };
        let Err(SettlementError::Invalid(issues)) = world.change(payment.id, patch) else {
            panic!()
        };
        assert_eq!(codes(&issues), ["type: not_updatable"], "{to:?}");
    }
    assert_eq!(advance.clone().change_type(PaymentType::Advance), Ok(advance));
    assert_eq!(cash.change_type(PaymentType::Other).unwrap().kind, PaymentType::Other);
}
