//! Documents by their ids.

use std::collections::{BTreeMap, BTreeSet};

use racun_documents::{Document, DocumentError, DocumentId, DocumentKind};
use racun_kernel::Scope;
use racun_store::{Context, Many, One, Store, StoreError, UnitBuilder};

/// The document `id`.
///
/// # Errors
/// [`StoreError::NotFound`], also for deleted drafts.
pub async fn get_document(cx: Context<'_>, id: DocumentId) -> Result<Document, DocumentError> {
    let document: Option<Document> =
        cx.store.get(racun_documents::table_of(id.kind()), &cx.tenant(), &id.to_string()).await?;
    let live = document.filter(|document| document.deleted_at.is_none());
    live.ok_or_else(|| StoreError::NotFound { id: id.to_string() }.into())
}

/// The document, unless it is deleted.
///
/// # Errors
/// [`StoreError::NotFound`].
pub fn live_document(document: Document) -> Result<Document, StoreError> {
    match document.deleted_at {
        None => Ok(document),
        Some(_) => Err(StoreError::NotFound { id: document.id.to_string() }),
    }
}

/// The documents of any kinds with these ids, drafts included, deleted ones not.
///
/// # Errors
/// When the store fails.
pub async fn get_documents(
    store: &dyn Store,
    scope: &Scope,
    ids: impl Iterator<Item = DocumentId>,
) -> Result<Vec<Document>, StoreError> {
    let mut by_kind: BTreeMap<DocumentKind, BTreeSet<String>> = BTreeMap::new();
    for id in ids {
        by_kind.entry(id.kind()).or_default().insert(id.to_string());
    }
    let mut found = Vec::new();
    for (kind, ids) in by_kind {
        let ids: Vec<String> = ids.into_iter().collect();
        let rows: Vec<Document> =
            store.get_all(racun_documents::table_of(kind), &scope.tenant(), &ids).await?;
        found.extend(rows.into_iter().filter(|document| document.deleted_at.is_none()));
    }
    Ok(found)
}

/// Holds the document `id`.
pub fn hold_document(unit: &mut UnitBuilder<'_>, id: DocumentId) -> One<Document> {
    unit.hold(racun_documents::table_of(id.kind()), id)
}

/// Holds the documents `ids`.
pub fn hold_documents(
    unit: &mut UnitBuilder<'_>,
    ids: impl IntoIterator<Item = DocumentId>,
) -> Many<Document> {
    unit.hold_each(ids.into_iter().map(|id| (racun_documents::table_of(id.kind()), id.to_string())))
}
