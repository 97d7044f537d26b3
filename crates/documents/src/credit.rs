//! What credit notes give back of the documents that they are linked to.

use racun_kernel::{Decimal, Issue, Issues, Stamp};

use crate::{Document, DocumentError, DocumentId, Relation, RelationType, Stage};

/// The documents among `targets` that the credit note `source` gives back of by its `links`.
pub fn credited<'a>(
    source: DocumentId,
    links: &'a [Relation],
    targets: impl Iterator<Item = &'a Document>,
) -> impl Iterator<Item = &'a Document> {
    let is_its = move |link: &Relation| {
        link.source_id == source && link.relation_type == RelationType::CreditFor
    };
    targets
        .filter(move |target| links.iter().any(|link| is_its(link) && link.target_id == target.id))
}

/// Spreads the `total` of a credit note over its `targets`, in the order of its links, and notes on
/// both what is given back. `left` says what a target has left to give back: that is settlement's
/// to say (`Settleable::remaining`).
///
/// # Errors
/// [`DocumentError::LinkRefused`] when more would be given back than was charged.
pub fn spread(
    total: &Decimal,
    links: &mut [Relation],
    targets: &mut [Document],
    left: impl Fn(&Document) -> Decimal,
    stamp: &Stamp,
) -> Result<(), DocumentError> {
    let mut open = total.clone();
    let mut possible = Decimal::zero();
    let mut credits = 0;
    for link in links.iter_mut().filter(|link| link.relation_type == RelationType::CreditFor) {
        let Some(target) = targets.iter_mut().find(|target| target.id == link.target_id) else {
            continue;
        };
        let most = left(target);
        link.amount = open.clone().min(most.clone()).max(Decimal::zero());
        note_credit(target, &link.amount, stamp);
        open -= &link.amount;
        possible += &most;
        credits += 1;
    }
    if credits == 0 || !open.is_positive() {
        return Ok(());
    }
    let message = format!("{total} is more than what is left to give back, {possible}");
    let issue = Issue::new("credit_exceeds_remaining", message).at("linked_documents");
    Err(DocumentError::LinkRefused(issue.into()))
}

/// Checks that the links of an issued credit note may change from `old` to `new`, or its total with
/// them: each document of which it gives back stays linked, so that there is no credit of nothing,
/// and none of them is voided, for then the credit note took it back.
///
/// # Errors
/// [`DocumentError::LinkRefused`].
pub fn check_redrawn(
    old: &[Relation],
    new: &[Relation],
    targets: &[Document],
) -> Result<(), DocumentError> {
    let mut issues = Issues::default();
    for link in old.iter().filter(|link| link.amount.is_positive()) {
        let target = targets.iter().find(|target| target.id == link.target_id);
        let number = target.map_or_else(|| link.target_id.to_string(), Document::number);
        let is_kept = new.iter().any(|kept| kept.target_id == link.target_id);
        let way_out = if target.is_some_and(|target| matches!(target.stage, Stage::Voided(..))) {
            "which is voided, so its amount and links stay"
        } else if !is_kept {
            "so it stays linked: keep the document in linked_documents, or void the credit note \
             and issue another"
        } else {
            continue;
        };
        let message = format!("the credit note gives back {} of {number}, {way_out}", link.amount);
        issues.push(Issue::new("linked_document_invalid", message).at("linked_documents"));
    }
    issues.into_result(()).map_err(DocumentError::LinkRefused)
}

/// Takes back what the links of a voided credit note gave back.
pub fn take_back(links: &mut [Relation], targets: &mut [Document], stamp: &Stamp) {
    for link in links.iter_mut().filter(|link| link.amount.is_positive()) {
        if let Some(target) = targets.iter_mut().find(|target| target.id == link.target_id) {
            note_credit(target, &-&link.amount, stamp);
        }
        link.amount = Decimal::zero();
    }
}

fn note_credit(target: &mut Document, change: &Decimal, stamp: &Stamp) {
    let mut totals = target.settled_totals();
    totals.credited = &totals.credited + change;
    *target = target.clone().settled(totals, stamp);
}
