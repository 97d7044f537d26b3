//! Reading documents, and calculating without keeping anything.

use racun_access::Entity;
use racun_documents::{Document, DocumentError, DocumentId, DocumentKind, VERSIONS, Version};
use racun_kernel::{
    Clause, ListQuery, Operator, Page, RawQuery, Scope, Stamp, Store, StoreError, Value,
};

use super::gather::gather;
use super::request::DocumentRequest;

/// More versions than are shown of one document.
const VERSION_LIMIT: usize = 1000;

/// The document `id`.
///
/// # Errors
/// [`StoreError::NotFound`], also for deleted drafts.
pub async fn get(
    store: &dyn Store,
    scope: &Scope,
    id: DocumentId,
) -> Result<Document, DocumentError> {
    let document: Option<Document> =
        store.get(id.kind().table(), &scope.tenant(), &id.to_string()).await?;
    let live = document.filter(|document| document.deleted_at.is_none());
    live.ok_or_else(|| StoreError::NotFound { id: id.to_string() }.into())
}

/// The page of documents of `kind` that `raw` asks for.
///
/// # Errors
/// What in `raw` cannot be understood, or the store's failure.
pub async fn list(
    store: &dyn Store,
    scope: &Scope,
    kind: DocumentKind,
    raw: &RawQuery,
) -> Result<Page<Document>, DocumentError> {
    let query = ListQuery::parse(kind.table(), raw)?;
    Ok(store.page(kind.table(), &scope.tenant(), &query).await?)
}

/// The versions of the document `id`, newest first.
///
/// # Errors
/// [`StoreError::NotFound`], or the store's failure.
pub async fn versions(
    store: &dyn Store,
    scope: &Scope,
    id: DocumentId,
) -> Result<Vec<Version>, DocumentError> {
    get(store, scope, id).await?;
    let of_document = VERSIONS.field("document_id").map(|(place, field)| Clause {
        field,
        place,
        key: None,
        operator: Operator::Equals(Value::Text(id.to_string())),
    });
    let query = ListQuery {
        limit: VERSION_LIMIT,
        count: false,
        clauses: of_document.into_iter().collect(),
        ..ListQuery::first_page(&VERSIONS)
    };
    let mut versions: Vec<Version> = store.page(&VERSIONS, &scope.tenant(), &query).await?.rows;
    versions.sort_by_key(|version| std::cmp::Reverse(version.version));
    Ok(versions)
}

/// The document that `request` would make, without making it.
///
/// # Errors
/// What [`super::create`] would refuse.
pub async fn calculate(
    store: &dyn Store,
    scope: &Scope,
    entity: &Entity,
    kind: DocumentKind,
    request: DocumentRequest,
    stamp: &Stamp,
) -> Result<Document, DocumentError> {
    let gathered = gather(store, entity, &request, stamp).await?;
    super::write::draft(scope, kind, &request, &gathered, None, stamp).map(|(document, _)| document)
}
