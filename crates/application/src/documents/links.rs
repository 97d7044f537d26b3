//! Linking a document to those that it comes of: what may be linked, and what a link changes there.

use std::collections::BTreeSet;

use racun_documents::{
    Content, Document, DocumentError, DocumentId, DocumentKind, RELATIONS, Relation, RelationType,
    Stage,
};
use racun_kernel::{
    Context, Decimal, Held, Issue, Issues, Many, One, Stamp, StoreError, UnitBuilder,
};

use super::read::get_all;
use super::request::DocumentRequest;
use crate::settling::settleable;

/// Documents that one document may be linked to.
const MAX_LINKS: usize = 50;

/// Holds the document `id`.
pub(crate) fn hold(unit: &mut UnitBuilder<'_>, id: DocumentId) -> One<Document> {
    unit.hold(racun_documents::table_of(id.kind()), id)
}

/// Holds the documents `ids`.
pub(crate) fn hold_each(
    unit: &mut UnitBuilder<'_>,
    ids: impl IntoIterator<Item = DocumentId>,
) -> Many<Document> {
    unit.hold_each(ids.into_iter().map(|id| (racun_documents::table_of(id.kind()), id.to_string())))
}

/// Holds the links that name any of the documents `ids` as their target.
pub(super) fn hold_targeting(
    unit: &mut UnitBuilder<'_>,
    ids: impl IntoIterator<Item = DocumentId>,
) -> Many<Relation> {
    let ids = ids.into_iter().map(|id| id.to_string());
    unit.hold_where_each(&RELATIONS, "target_id", ids)
}

/// The links of a document to others, as a unit holds them.
pub(crate) struct Sourced(Many<Relation>);

impl Sourced {
    /// Holds the links of the document `id` to others.
    pub fn hold(unit: &mut UnitBuilder<'_>, id: DocumentId) -> Self {
        Self(unit.hold_where(&RELATIONS, "source_id", id))
    }

    /// The links, in their order.
    pub fn read(self, held: &Held) -> Result<Vec<Relation>, StoreError> {
        let mut found = held.all(self.0)?;
        found.sort_by_key(|relation| (relation.position, relation.id));
        Ok(found)
    }
}

/// The documents that a request links, in its order; `None` when it says nothing of links.
///
/// # Errors
/// One issue for each that is not there, or named twice.
pub(super) async fn named(
    cx: Context<'_>,
    request: &DocumentRequest,
) -> Result<Option<Vec<DocumentId>>, DocumentError> {
    let Some(names) = &request.linked_documents else { return Ok(None) };
    let mut issues = Issues::default();
    if names.len() > MAX_LINKS {
        issues.push(Issue::new("too_many", format!("at most {MAX_LINKS} documents")));
    }
    let ids: Vec<Option<DocumentId>> = names.iter().map(|name| name.parse().ok()).collect();
    let found = get_all(cx.store, cx.scope, ids.iter().flatten().copied()).await?;
    let mut seen = BTreeSet::new();
    for (n, id) in ids.iter().enumerate() {
        let there = id.is_some_and(|id| found.iter().any(|document| document.id == id));
        if !there {
            issues.push(Issue::new("not_found", "there is no such document in this entity").at(n));
        } else if !seen.insert(*id) {
            issues.push(Issue::new("duplicate", "this document is linked twice").at(n));
        }
    }
    let mut at_field = Issues::default();
    at_field.extend_at("linked_documents", issues);
    at_field.into_result(())?;
    Ok(Some(ids.into_iter().flatten().collect()))
}

/// Fresh links of `source` to `targets`, in their order.
pub(super) fn link(
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

/// Checks that `source` may be linked to each of `targets`, which are held.
///
/// `others` are the links of other documents to them. A link that is forced may be to a document of
/// another customer, or one that was converted, delivered or applied in full before.
///
/// # Errors
/// [`DocumentError::LinkRefused`] with one issue for each target that does not fit.
pub(super) fn check(
    source: DocumentId,
    content: &Content,
    targets: &[Document],
    others: &[Relation],
    forced: bool,
) -> Result<(), DocumentError> {
    let reason = |target: &Document| {
        let others = others.iter().filter(|other| other.target_id == target.id);
        let taken = others.filter(|other| other.source_id != source).any(is_conversion);
        let unforced = || unforced(content, target, taken).filter(|_| !forced);
        let hinted = || unforced().map(|(reason, force)| hinted(source.kind(), reason, force));
        never(source, content, target).map(str::to_owned).or_else(hinted)
    };
    refuse(targets, reason)
}

/// Checks that the draft `source`, which is to be issued, may still be linked as its `relations`
/// say to `targets`, which are held: nothing may have ended meanwhile, nor an advance have been
/// used up but where it was linked by force.
///
/// # Errors
/// As [`check`].
pub(super) fn check_again(
    source: DocumentId,
    content: &Content,
    targets: &[Document],
    relations: &[Relation],
) -> Result<(), DocumentError> {
    let reason = |target: &Document| {
        let forced = relations.iter().any(|own| own.target_id == target.id && own.is_forced);
        let used_up = || used_up(target).filter(|_| !forced);
        let hinted = || used_up().map(|(reason, _)| format!("{reason}; link another, or none"));
        never(source, content, target).map(str::to_owned).or_else(hinted)
    };
    refuse(targets, reason)
}

/// Checks that `source` has the currency of all `targets` that money moves between it and them.
///
/// # Errors
/// As [`check`].
pub(super) fn check_currency(
    source: DocumentId,
    content: &Content,
    targets: &[Document],
) -> Result<(), DocumentError> {
    let reason = |target: &Document| {
        let differs = is_money(source, target) && target.content.currency != content.currency;
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

/// Whether a link of `source` to `target` moves money.
fn is_money(source: DocumentId, target: &Document) -> bool {
    use DocumentKind::{AdvanceInvoice, CreditNote, Invoice};
    matches!(
        (source.kind(), target.id.kind()),
        (Invoice, AdvanceInvoice) | (CreditNote, Invoice | AdvanceInvoice)
    )
}

/// What no force helps against.
fn never(source: DocumentId, content: &Content, target: &Document) -> Option<&'static str> {
    if target.id == source {
        Some("a document cannot be linked to itself")
    } else if target.is_draft() {
        Some("this document is a draft; finalize it first")
    } else if matches!(target.stage, Stage::Voided(..)) {
        Some("this document is voided")
    } else if is_money(source, target) && target.content.currency != content.currency {
        Some(OTHER_CURRENCY)
    } else {
        None
    }
}

/// A reason against a link, and what force does about it.
type Unforced = (&'static str, &'static str);

const ALL_THE_SAME: &str = "links it all the same";

/// What force helps against.
fn unforced(content: &Content, target: &Document, taken: bool) -> Option<Unforced> {
    let customers = (content.customer_id, target.content.customer_id);
    if matches!(customers, (Some(ours), Some(theirs)) if ours != theirs) {
        Some(("this document is of another customer", ALL_THE_SAME))
    } else if target.content.currency != content.currency {
        Some((OTHER_CURRENCY, ALL_THE_SAME))
    } else if taken {
        Some(("this document was converted before", "links it again"))
    } else {
        used_up(target)
    }
}

/// Whether `target` is an advance of which nothing is left.
fn used_up(target: &Document) -> Option<Unforced> {
    let is_used_up =
        target.id.kind() == DocumentKind::AdvanceInvoice && !remaining(target).is_positive();
    is_used_up.then_some(("nothing is left of this advance", ALL_THE_SAME))
}

/// The `reason`, with what `force` does about it where documents of `kind` may be forced.
fn hinted(kind: DocumentKind, reason: &str, force: &str) -> String {
    match kind {
        DocumentKind::Invoice => format!("{reason}; force_linked_documents {force}"),
        _ => reason.to_owned(),
    }
}

/// What `document` has left to give back or, when it is an advance invoice, to be applied.
fn remaining(document: &Document) -> Decimal {
    settleable(document).map_or_else(Decimal::zero, |document| document.remaining())
}

/// Whether a link uses its target up.
fn is_conversion(relation: &Relation) -> bool {
    matches!(relation.relation_type, RelationType::ConvertedFrom | RelationType::Fulfills)
}

/// The documents among `targets` that the credit note `source` gives back of by its `links`.
pub(super) fn credited<'a>(
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
/// both what is given back.
///
/// # Errors
/// [`DocumentError::LinkRefused`] when more would be given back than was charged.
pub(super) fn credit(
    total: &Decimal,
    links: &mut [Relation],
    targets: &mut [Document],
    stamp: &Stamp,
) -> Result<(), DocumentError> {
    let mut open = total.clone();
    let mut possible = Decimal::zero();
    let mut credits = 0;
    for link in links.iter_mut().filter(|link| link.relation_type == RelationType::CreditFor) {
        let Some(target) = targets.iter_mut().find(|target| target.id == link.target_id) else {
            continue;
        };
        let left = remaining(target);
        link.amount = open.clone().min(left.clone()).max(Decimal::zero());
        note_credit(target, &link.amount, stamp);
        open -= &link.amount;
        possible += &left;
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
pub(super) fn check_redrawn(
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
pub(super) fn uncredit(links: &mut [Relation], targets: &mut [Document], stamp: &Stamp) {
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
