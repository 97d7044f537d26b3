//! Which documents may be linked, and the links that are made.
//!
//! What a document has left is settlement's to say (`Settleable::remaining`), so callers hand it
//! in as `left`.

use racun_kernel::{Decimal, Issue, Issues, Stamp};

use crate::{Document, DocumentError, DocumentId, DocumentKind, Relation, RelationType, Stage};

/// Documents that one document may be linked to.
pub const MAX_LINKS: usize = 50;

/// Fresh links of `source` to `targets`, in their order.
#[must_use]
pub fn links(
    source: &Document,
    targets: &[DocumentId],
    is_forced: bool,
    stamp: &Stamp,
) -> Vec<Relation> {
    let relation = |(position, target): (i64, &DocumentId)| Relation {
        id: stamp.id(),
        entity_id: source.entity_id,
        source_id: source.id,
        target_id: *target,
        relation_type: RelationType::of(source.id.kind(), target.kind()),
        amount: Decimal::zero(),
        is_forced,
        position,
        created_at: stamp.now(),
    };
    (0..).zip(targets).map(relation).collect()
}

/// Checks that `source` may be linked to each of `targets`.
///
/// `others` are the links of other documents to them. A link that is forced may be to a document of
/// another customer, or one that was converted, delivered or applied in full before.
///
/// # Errors
/// [`DocumentError::LinkRefused`] with one issue for each target that does not fit.
pub fn check(
    source: &Document,
    targets: &[Document],
    others: &[Relation],
    forced: bool,
    left: impl Fn(&Document) -> Decimal,
) -> Result<(), DocumentError> {
    let reason = |target: &Document| {
        let others = others.iter().filter(|other| other.target_id == target.id);
        let taken = others.filter(|other| other.source_id != source.id).any(is_conversion);
        let unforced = || unforced(source, target, taken, &left).filter(|_| !forced);
        let hinted = || unforced().map(|(reason, force)| hinted(source.id.kind(), reason, force));
        never(source, target).map(str::to_owned).or_else(hinted)
    };
    refuse(targets, reason)
}

/// Checks that the draft `source`, which is to be issued, may still be linked as its `relations`
/// say to `targets`: none of them may have ended since, and no advance may have been used up,
/// unless it was linked by force.
///
/// # Errors
/// As [`check`].
pub fn check_again(
    source: &Document,
    targets: &[Document],
    relations: &[Relation],
    left: impl Fn(&Document) -> Decimal,
) -> Result<(), DocumentError> {
    let reason = |target: &Document| {
        let forced = relations.iter().any(|own| own.target_id == target.id && own.is_forced);
        let used_up = || used_up(target, &left).filter(|_| !forced);
        let hinted = || used_up().map(|(reason, _)| format!("{reason}; link another, or none"));
        never(source, target).map(str::to_owned).or_else(hinted)
    };
    refuse(targets, reason)
}

/// Checks that `source` has the currency of all `targets` that money moves between it and them.
///
/// # Errors
/// As [`check`].
pub fn check_currency(source: &Document, targets: &[Document]) -> Result<(), DocumentError> {
    let reason = |target: &Document| {
        let differs = is_money(source.id, target.id) && is_in_another_currency(source, target);
        differs.then(|| OTHER_CURRENCY.to_owned())
    };
    refuse(targets, reason)
}

/// Refuses when there is a `reason` against one of `targets`.
fn refuse(
    targets: &[Document],
    reason: impl Fn(&Document) -> Option<String>,
) -> Result<(), DocumentError> {
    let mut issues = Issues::default();
    for (n, target) in targets.iter().enumerate() {
        if let Some(message) = reason(target) {
            issues.push(Issue::new("linked_document_invalid", message).at(n));
        }
    }
    let mut at_field = Issues::default();
    at_field.extend_at("linked_documents", issues);
    at_field.into_result(()).map_err(DocumentError::LinkRefused)
}

const OTHER_CURRENCY: &str = "this document is in another currency";

fn is_in_another_currency(source: &Document, target: &Document) -> bool {
    target.content.currency != source.content.currency
}

/// Whether a link of `source` to `target` moves money.
fn is_money(source: DocumentId, target: DocumentId) -> bool {
    use DocumentKind::{AdvanceInvoice, CreditNote, Invoice};
    matches!(
        (source.kind(), target.kind()),
        (Invoice, AdvanceInvoice) | (CreditNote, Invoice | AdvanceInvoice)
    )
}

/// What no force helps against.
fn never(source: &Document, target: &Document) -> Option<&'static str> {
    if target.id == source.id {
        Some("a document cannot be linked to itself")
    } else if target.is_draft() {
        Some("this document is a draft; finalize it first")
    } else if matches!(target.stage, Stage::Voided(..)) {
        Some("this document is voided")
    } else if is_money(source.id, target.id) && is_in_another_currency(source, target) {
        Some(OTHER_CURRENCY)
    } else {
        None
    }
}

/// A reason against a link, and what force does about it.
type Unforced = (&'static str, &'static str);

const FORCE_LINKS: &str = "links it all the same";

/// What force helps against.
fn unforced(
    source: &Document,
    target: &Document,
    taken: bool,
    left: impl Fn(&Document) -> Decimal,
) -> Option<Unforced> {
    let customers = (source.content.customer_id, target.content.customer_id);
    if matches!(customers, (Some(ours), Some(theirs)) if ours != theirs) {
        Some(("this document is of another customer", FORCE_LINKS))
    } else if is_in_another_currency(source, target) {
        Some((OTHER_CURRENCY, FORCE_LINKS))
    } else if taken {
        Some(("this document was converted before", "links it again"))
    } else {
        used_up(target, left)
    }
}

/// Whether `target` is an advance of which nothing is left.
fn used_up(target: &Document, left: impl Fn(&Document) -> Decimal) -> Option<Unforced> {
    let is_used_up =
        target.id.kind() == DocumentKind::AdvanceInvoice && !left(target).is_positive();
    is_used_up.then_some(("nothing is left of this advance", FORCE_LINKS))
}

/// The `reason`, with what `force` does about it where documents of `kind` may be forced.
fn hinted(kind: DocumentKind, reason: &str, force: &str) -> String {
    match kind {
        DocumentKind::Invoice => format!("{reason}; force_linked_documents {force}"),
        _ => reason.to_owned(),
    }
}

/// Whether a link uses its target up.
fn is_conversion(relation: &Relation) -> bool {
    matches!(relation.relation_type, RelationType::ConvertedFrom | RelationType::Fulfills)
}
