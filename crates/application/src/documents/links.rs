//! Links of a document to its source documents, as requests name them and units hold them.

use std::collections::BTreeSet;

use racun_documents::{Document, DocumentError, DocumentId, RELATIONS, Relation, link};
use racun_kernel::{Issue, Issues};
use racun_store::{Context, Held, Many, One, StoreError, UnitBuilder};

use super::read::get_all;
use super::request::DocumentRequest;

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
    if names.len() > link::MAX_LINKS {
        issues.push(Issue::new("too_many", format!("at most {} documents", link::MAX_LINKS)));
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
