//! What credit notes give back of the documents that they are linked to.

use proptest::collection::vec;
use proptest::prelude::*;
use racun_documents::{Document, DocumentError, DocumentKind, Relation, Voided, credit, link};
use racun_kernel::{Decimal, Stamp};
use racun_store::testing::stamp;
use time::macros::datetime;

use super::{decimal, document, left};

const NOW: time::OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

/// An invoice without tax for each of `totals`, and a credit note's links to them.
fn linked(totals: &[i64], stamp: &Stamp) -> (Vec<Relation>, Vec<Document>) {
    let of = |kind, total: &i64| document(kind, &format!("a 1 {total}"), stamp);
    let invoices: Vec<Document> =
        totals.iter().map(|total| of(DocumentKind::Invoice, total)).collect();
    let ids: Vec<_> = invoices.iter().map(|invoice| invoice.id).collect();
    (link::links(&of(DocumentKind::CreditNote, &1), &ids, false, stamp), invoices)
}

fn amounts(links: &[Relation]) -> Vec<String> {
    links.iter().map(|link| link.amount.to_string()).collect()
}

fn refused(result: Result<(), DocumentError>) -> String {
    match result {
        Err(DocumentError::LinkRefused(issues)) => issues.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn credit_fills_what_is_left_in_the_order_of_the_links() {
    let stamp = stamp(NOW);
    for (total, given) in
        [("0", ["0", "0", "0"]), ("70", ["70", "0", "0"]), ("130.50", ["100", "30.50", "0"])]
    {
        let (mut links, mut invoices) = linked(&[100, 50, 10], &stamp);
        credit::spread(&decimal(total), &mut links, &mut invoices, left, &stamp).unwrap();
        let found: Vec<Decimal> = links.iter().map(|link| link.amount.clone()).collect();
        assert_eq!(found, given.map(decimal), "{total}");
        let noted = invoices.iter().map(|invoice| invoice.amounts.total_credited.clone());
        assert_eq!(noted.collect::<Vec<_>>(), given.map(decimal), "{total}");
    }
}

#[test]
fn no_more_is_given_back_than_is_left() {
    let stamp = stamp(NOW);
    let (mut links, mut invoices) = linked(&[100, 50], &stamp);
    credit::spread(&decimal("120"), &mut links, &mut invoices, left, &stamp).unwrap();
    let (mut further, _) = linked(&[1, 1], &stamp);
    for (link, invoice) in further.iter_mut().zip(&invoices) {
        link.target_id = invoice.id;
    }
    let more = credit::spread(&decimal("31"), &mut further, &mut invoices, left, &stamp);
    let expected = "linked_documents: 31 is more than what is left to give back, 30";
    assert_eq!(refused(more), expected);
}

#[test]
fn a_credit_note_without_documents_gives_back_of_none() {
    credit::spread(&decimal("31"), &mut [], &mut [], left, &stamp(NOW)).unwrap();
}

#[test]
fn credited_documents_stay_linked_and_voided_ones_unchanged() {
    let stamp = stamp(NOW);
    let (mut links, mut invoices) = linked(&[100, 50], &stamp);
    credit::spread(&decimal("100"), &mut links, &mut invoices, left, &stamp).unwrap();
    let [first, second] = &links[..] else { panic!() };
    let only =
        |link: &Relation| credit::check_redrawn(&links, std::slice::from_ref(link), &invoices);
    assert_eq!(only(first), Ok(()), "nothing was given back of the second");
    let kept = refused(only(second));
    assert!(kept.contains("gives back 100 of") && kept.contains("stays linked"), "{kept}");
    let voided = Voided { at: NOW, reason: None, has_original_document: None };
    let invoices = [invoices[0].clone().void(voided).unwrap()];
    let ended = refused(credit::check_redrawn(&links, &links, &invoices));
    assert!(ended.contains("is voided, so its amount and links stay"), "{ended}");
}

#[test]
fn credited_are_the_documents_that_the_credit_note_itself_gives_back_of() {
    let stamp = stamp(NOW);
    let (links, invoices) = linked(&[100, 50], &stamp);
    let of = |source| credit::credited(source, &links[..1], invoices.iter()).count();
    assert_eq!((of(links[0].source_id), of(invoices[0].id)), (1, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Credit that is taken back leaves the documents as they were.
    #[test]
    fn credit_that_is_taken_back_was_never_given(
        totals in vec(1..=1000_i64, 1..5),
        share in 0..=100_i64,
    ) {
        let stamp = stamp(NOW);
        let (mut links, mut invoices) = linked(&totals, &stamp);
        let (former, before) = (links.clone(), invoices.clone());
        let total = &Decimal::from(totals.iter().sum::<i64>()) * &Decimal::new(share, 2);
        credit::spread(&total, &mut links, &mut invoices, left, &stamp).unwrap();
        let given: Decimal = links.iter().map(|link| &link.amount).sum();
        prop_assert_eq!(&given, &total);
        credit::take_back(&mut links, &mut invoices, &stamp);
        prop_assert_eq!(amounts(&links), amounts(&former));
        let credited = |documents: &[Document]| -> Vec<Decimal> {
            documents.iter().map(|one| one.amounts.total_credited.clone()).collect()
        };
        prop_assert_eq!(credited(&invoices), credited(&before));
    }
}
