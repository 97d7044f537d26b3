//! Linking a document to those that it comes of: what may be linked, and what a link changes there.

use std::collections::BTreeSet;

use racun_documents::{
    Content, Document, DocumentError, DocumentId, DocumentKind, RELATIONS, Relation, RelationType,
    Stage,
};
use racun_kernel::{Decimal, Issue, Issues, Load, Scope, Stamp, Store, StoreError, Stored};

use super::read::get_all;
use super::request::DocumentRequest;

/// Documents that one document may be linked to.
const MAX_LINKS: usize = 50;

/// Holds the document `id`.
pub(crate) fn load(scope: &Scope, id: DocumentId) -> Load {
    Load::One { table: id.kind().table(), tenant: scope.tenant(), id: id.to_string() }
}

/// Holds the links that name the document `id` as their target.
pub(super) fn load_targeting(scope: &Scope, id: DocumentId) -> Load {
    let (tenant, value) = (scope.tenant(), id.to_string());
    Load::Where { table: &RELATIONS, tenant, field: "target_id", value }
}

/// Holds the links of the document `id` to others.
pub(crate) fn load_sourced(scope: &Scope, id: DocumentId) -> Load {
    let (tenant, value) = (scope.tenant(), id.to_string());
    Load::Where { table: &RELATIONS, tenant, field: "source_id", value }
}

/// The documents among held rows.
pub(crate) fn documents(rows: &[Vec<Stored>]) -> Result<Vec<Document>, StoreError> {
    let of_document = |row: &Stored| Some((row.id.parse::<DocumentId>().ok()?, row.clone()));
    let found = rows.iter().flatten().filter_map(of_document);
    found.map(|(id, row)| row.read(id.kind().table())).collect()
}

/// The links among held rows.
pub(super) fn relations(rows: &[Vec<Stored>]) -> Result<Vec<Relation>, StoreError> {
    let prefix = <racun_kernel::id::Relation as racun_kernel::Kind>::PREFIX;
    let found = rows.iter().flatten().filter(|row| row.id.starts_with(prefix));
    found.map(|row| row.read(&RELATIONS)).collect()
}

/// The links of the document `id` among held rows, in their order.
pub(crate) fn of_source(rows: &[Vec<Stored>], id: DocumentId) -> Result<Vec<Relation>, StoreError> {
    let mut found = relations(rows)?;
    found.retain(|relation| relation.source_id == id);
    found.sort_by_key(|relation| (relation.position, relation.id));
    Ok(found)
}

/// The documents that a request links, in its order; `None` when it says nothing of links.
///
/// # Errors
/// One issue for each that is not there, or named twice.
pub(super) async fn named(
    store: &dyn Store,
    scope: &Scope,
    request: &DocumentRequest,
) -> Result<Option<Vec<DocumentId>>, DocumentError> {
    let Some(names) = &request.linked_documents else { return Ok(None) };
    let mut issues = Issues::default();
    if names.len() > MAX_LINKS {
        issues.push(Issue::new("too_many", format!("at most {MAX_LINKS} documents")));
    }
    let ids: Vec<Option<DocumentId>> = names.iter().map(|name| name.parse().ok()).collect();
    let found = get_all(store, scope, ids.iter().flatten().copied()).await?;
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
pub(super) fn link(source: &Document, targets: &[DocumentId], stamp: &Stamp) -> Vec<Relation> {
    let relation = |(position, target): (i64, &DocumentId)| Relation {
        id: stamp.id(),
        entity_id: source.entity_id,
        source_id: source.id,
        target_id: *target,
        relation_type: RelationType::of(source.id.kind(), target.kind()),
        amount: Decimal::zero(),
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
    let mut issues = Issues::default();
    for (n, target) in targets.iter().enumerate() {
        let others = others.iter().filter(|other| other.target_id == target.id);
        let taken = others.filter(|other| other.source_id != source).any(is_conversion);
        let reason =
            never(source, content, target).or_else(|| unforced(content, target, taken, forced));
        if let Some(message) = reason {
            issues.push(Issue::new("linked_document_invalid", message).at(n));
        }
    }
    let mut at_field = Issues::default();
    at_field.extend_at("linked_documents", issues);
    at_field.into_result(()).map_err(DocumentError::LinkRefused)
}

/// What no force helps against.
fn never(source: DocumentId, content: &Content, target: &Document) -> Option<&'static str> {
    use DocumentKind::{AdvanceInvoice, CreditNote, Invoice};
    let money = matches!(
        (source.kind(), target.id.kind()),
        (Invoice, AdvanceInvoice) | (CreditNote, Invoice | AdvanceInvoice)
    );
    if target.id == source {
        Some("a document cannot be linked to itself")
    } else if target.is_draft() {
        Some("this document is a draft; finalize it first")
    } else if matches!(target.stage, Stage::Voided(..)) {
        Some("this document is voided")
    } else if money && target.content.currency != content.currency {
        Some("this document is in another currency")
    } else {
        None
    }
}

fn unforced(
    content: &Content,
    target: &Document,
    taken: bool,
    forced: bool,
) -> Option<&'static str> {
    if forced {
        return None;
    }
    let customers = (content.customer_id, target.content.customer_id);
    if matches!(customers, (Some(ours), Some(theirs)) if ours != theirs) {
        Some("this document is of another customer; force_linked_documents links it all the same")
    } else if target.content.currency != content.currency {
        Some("this document is in another currency; force_linked_documents links it all the same")
    } else if taken {
        Some("this document was converted before; force_linked_documents links it again")
    } else if target.id.kind() == DocumentKind::AdvanceInvoice
        && target.amounts.total_applied >= target.amounts.total_with_tax
    {
        Some("nothing is left of this advance; force_linked_documents links it all the same")
    } else {
        None
    }
}

/// Whether a link uses its target up.
fn is_conversion(relation: &Relation) -> bool {
    matches!(relation.relation_type, RelationType::ConvertedFrom | RelationType::Fulfills)
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
        let left = &target.amounts.total_with_tax - &target.amounts.total_credited;
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
