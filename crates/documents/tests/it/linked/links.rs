//! Which documents may be linked.

use racun_documents::{
    Document, DocumentError, DocumentId, DocumentKind, Relation, RelationType, Stage, Voided, link,
};
use racun_kernel::id::CustomerId;
use racun_kernel::{Decimal, Stamp};
use racun_store::testing::stamp;
use time::macros::datetime;
use ulid::Ulid;

use super::{document, left};

const NOW: time::OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

fn of(kind: DocumentKind, stamp: &Stamp) -> Document {
    document(kind, "a 1 100 22", stamp)
}

/// The messages of a refusal, by the place of the linked document.
fn messages(result: Result<(), DocumentError>) -> Vec<String> {
    match result {
        Ok(()) => Vec::new(),
        Err(DocumentError::LinkRefused(issues)) => {
            assert!(issues.iter().all(|issue| issue.code == "linked_document_invalid"));
            issues.iter().map(ToString::to_string).collect()
        }
        Err(other) => panic!("{other}"),
    }
}

fn check(source: &Document, target: &Document, forced: bool) -> Vec<String> {
    messages(link::check(source, std::slice::from_ref(target), &[], forced, left))
}

#[test]
fn links_are_made_in_the_order_of_the_request() {
    let stamp = stamp(NOW);
    let invoice = of(DocumentKind::Invoice, &stamp);
    let targets: Vec<DocumentId> = [DocumentKind::AdvanceInvoice, DocumentKind::Estimate]
        .map(|kind| of(kind, &stamp).id)
        .into();
    let made = link::links(&invoice, &targets, true, &stamp);
    let found: Vec<_> = made.iter().map(|link| (link.position, link.target_id)).collect();
    assert_eq!(found, [(0, targets[0]), (1, targets[1])]);
    let types = made.iter().map(|link| link.relation_type).collect::<Vec<_>>();
    assert_eq!(types, [RelationType::AdvanceApplied, RelationType::ConvertedFrom]);
    assert!(made.iter().all(|link| link.is_forced && link.amount.is_zero()));
}

#[test]
fn force_links_neither_drafts_nor_voided_documents_nor_money_of_another_currency() {
    use DocumentKind::{AdvanceInvoice, CreditNote, Invoice};
    let stamp = stamp(NOW);
    let draft = Document { stage: Stage::Draft, ..of(Invoice, &stamp) };
    let voided = of(Invoice, &stamp)
        .void(Voided { at: NOW, reason: None, has_original_document: None })
        .unwrap();
    let mut in_yen = of(Invoice, &stamp);
    in_yen.content.currency = "JPY".parse().unwrap();
    let mut advance_in_yen = of(AdvanceInvoice, &stamp);
    advance_in_yen.content.currency = "JPY".parse().unwrap();
    let (invoice, note) = (of(Invoice, &stamp), of(CreditNote, &stamp));
    for (source, target, reason) in [
        (&invoice, &invoice, "a document cannot be linked to itself"),
        (&invoice, &draft, "this document is a draft; finalize it first"),
        (&invoice, &voided, "this document is voided"),
        (&invoice, &advance_in_yen, "this document is in another currency"),
        (&note, &in_yen, "this document is in another currency"),
    ] {
        for forced in [false, true] {
            let expected = [format!("linked_documents[0]: {reason}")];
            assert_eq!(check(source, target, forced), expected);
        }
    }
}

#[test]
fn force_links_what_is_of_another_customer_or_was_used_before() {
    use DocumentKind::{AdvanceInvoice, DeliveryNote, Estimate, Invoice};
    let stamp = stamp(NOW);
    let customer = |n| Some(CustomerId::new(Ulid::from_parts(1, n)));
    let mut invoice = of(Invoice, &stamp);
    invoice.content.customer_id = customer(1);
    let mut of_another = of(Estimate, &stamp);
    of_another.content.customer_id = customer(2);
    let mut in_yen = of(DeliveryNote, &stamp);
    in_yen.content.currency = "JPY".parse().unwrap();
    let mut used_up = of(AdvanceInvoice, &stamp);
    used_up.amounts.total_applied = used_up.amounts.total_with_tax.clone();
    for (target, reason) in [
        (&of_another, "this document is of another customer"),
        (&in_yen, "this document is in another currency"),
        (&used_up, "nothing is left of this advance"),
    ] {
        let [found] = &check(&invoice, target, false)[..] else { panic!("{reason}") };
        assert!(found.starts_with(&format!("linked_documents[0]: {reason}; force_")), "{found}");
        assert_eq!(check(&invoice, target, true), [""; 0], "{reason}");
    }
    // Only invoices can be forced, so no other kind offers it.
    let mut note = of(DeliveryNote, &stamp);
    note.content.customer_id = customer(1);
    let expected = ["linked_documents[0]: this document is of another customer"];
    assert_eq!(check(&note, &of_another, false), expected);
}

#[test]
fn an_estimate_and_a_delivery_note_become_one_invoice_unless_forced() {
    use DocumentKind::{DeliveryNote, Estimate, Invoice};
    let stamp = stamp(NOW);
    let (first, second) = (of(Invoice, &stamp), of(Invoice, &stamp));
    for kind in [Estimate, DeliveryNote] {
        let target = of(kind, &stamp);
        let others: Vec<Relation> = link::links(&first, &[target.id], false, &stamp);
        let again = |source: &Document, forced| {
            let targets = std::slice::from_ref(&target);
            messages(link::check(source, targets, &others, forced, left))
        };
        let [found] = &again(&second, false)[..] else { panic!("{kind:?}") };
        assert!(found.contains("was converted before"), "{found}");
        assert_eq!(again(&second, true), [""; 0]);
        assert_eq!(again(&first, false), [""; 0], "its own link is none of others");
    }
}

#[test]
fn links_of_a_draft_are_checked_again_when_it_is_issued() {
    use DocumentKind::{AdvanceInvoice, Invoice};
    let stamp = stamp(NOW);
    let draft = Document { stage: Stage::Draft, ..of(Invoice, &stamp) };
    let mut advance = of(AdvanceInvoice, &stamp);
    let again = |advance: &Document, forced| {
        let links = link::links(&draft, &[advance.id], forced, &stamp);
        messages(link::check_again(&draft, std::slice::from_ref(advance), &links, left))
    };
    assert_eq!(again(&advance, false), [""; 0]);
    advance.amounts.total_applied = advance.amounts.total_with_tax.clone();
    let used_up = "linked_documents[0]: nothing is left of this advance; link another, or none";
    assert_eq!(again(&advance, false), [used_up]);
    assert_eq!(again(&advance, true), [""; 0]);
    advance.amounts.total_applied = Decimal::zero();
    let voided = Voided { at: NOW, reason: None, has_original_document: None };
    let advance = advance.void(voided).unwrap();
    assert_eq!(again(&advance, true), ["linked_documents[0]: this document is voided"]);
}

#[test]
fn a_document_keeps_the_currency_of_what_moves_money_to_it() {
    use DocumentKind::{AdvanceInvoice, Estimate, Invoice};
    let stamp = stamp(NOW);
    let mut invoice = of(Invoice, &stamp);
    invoice.content.currency = "JPY".parse().unwrap();
    let targets = [of(Estimate, &stamp), of(AdvanceInvoice, &stamp)];
    let expected = ["linked_documents[1]: this document is in another currency"];
    assert_eq!(messages(link::check_currency(&invoice, &targets)), expected);
}
