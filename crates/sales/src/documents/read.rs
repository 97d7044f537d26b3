//! Reading documents, and calculating without keeping anything.

use racun_access::Entity;
use racun_documents::{
    Document, DocumentError, DocumentId, DocumentKind, RELATIONS, Relation, TitleType, VERSIONS,
    Version,
};
use racun_kernel::{Issues, Scope};
use racun_records::{ROW_LIMIT, all_in, by_field, get_document, get_documents};
use racun_store::{Context, ListQuery, Order, Page, RawQuery, Store, StoreError, Walk};

use super::buyer::buyer;
use super::create::{Origin, draft};
use super::gather::{ResolvedReferences, gather};
use super::line_records::archived_of_items;
use super::rates;
use super::request::DocumentRequest;
use crate::vat::Inquiry;

/// That lines of `document` have no category, because that of their item is archived.
///
/// # Errors
/// When the store fails.
pub async fn archived_categories(
    cx: Context<'_>,
    document: &Document,
) -> Result<Issues, StoreError> {
    let lines = document.content.lines.iter();
    archived_of_items(cx, lines.map(|line| (line.item_id, line.financial_category_id))).await
}

/// That `document` is in another currency than its entity's, and not converted.
///
/// # Errors
/// When the store fails.
pub async fn unconverted(cx: Context<'_>, document: &Document) -> Result<Issues, StoreError> {
    let content = &document.content;
    rates::missing(cx, document.entity_id, content.currency, content.exchange_rate.as_ref()).await
}

/// The page of documents of `kind` that `raw` asks for.
///
/// # Errors
/// What in `raw` cannot be understood, or the store's failure.
pub async fn list(
    cx: Context<'_>,
    kind: DocumentKind,
    raw: &RawQuery,
) -> Result<Page<Document>, DocumentError> {
    let query = ListQuery::parse(racun_documents::table_of(kind), raw)?;
    Ok(cx.store.page(racun_documents::table_of(kind), &cx.tenant(), &query).await?)
}

/// The newest of some rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newest<T> {
    /// The rows, newest first.
    pub rows: Vec<T>,
    /// Whether there are older ones.
    pub has_more: bool,
}

/// What `shown` takes of the newest versions of the document `id`, at most a thousand. A version
/// has the whole document before the update: one page of them is in memory at a time.
///
/// # Errors
/// [`StoreError::NotFound`], or the store's failure.
pub async fn versions<T>(
    cx: Context<'_>,
    id: DocumentId,
    mut shown: impl FnMut(Version) -> T,
) -> Result<Newest<T>, DocumentError> {
    get_document(cx, id).await?;
    let clauses = vec![by_field(&VERSIONS, "document_id", &id.to_string())];
    let order = vec![Order::on(&VERSIONS, "version", true)];
    let query = ListQuery { clauses, order, ..ListQuery::first_page(&VERSIONS) };
    let mut walk = Walk::through(&VERSIONS, cx.tenant(), query);
    let mut rows = Vec::new();
    while let Some(page) = walk.next::<Version>(cx.store).await? {
        let left = ROW_LIMIT - rows.len();
        if page.len() > left {
            rows.extend(page.into_iter().take(left).map(shown));
            return Ok(Newest { rows, has_more: true });
        }
        rows.extend(page.into_iter().map(&mut shown));
    }
    Ok(Newest { rows, has_more: false })
}

/// A link as one of its sides sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationView {
    /// The link.
    pub relation: Relation,
    /// The side that looks.
    pub viewed_from: DocumentId,
    /// The other side.
    pub related: RelatedDocument,
}

/// The other side of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedDocument {
    /// Its id.
    pub id: DocumentId,
    /// Its number as written.
    pub number: String,
    /// What it calls itself, when it is an estimate.
    pub title_type: Option<TitleType>,
}

/// The links of the documents `ids`, each as the document among them sees it; those of one document
/// in the order in which they were made. Links to deleted drafts are left out.
///
/// # Errors
/// When the store fails.
pub async fn relations_of(
    store: &dyn Store,
    scope: &Scope,
    ids: &[DocumentId],
) -> Result<Vec<RelationView>, DocumentError> {
    let tenant = scope.tenant();
    let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let from: Vec<Relation> = all_in(store, &tenant, &RELATIONS, "source_id", &texts).await?;
    let to: Vec<Relation> = all_in(store, &tenant, &RELATIONS, "target_id", &texts).await?;
    let seen_from =
        from.into_iter().map(|relation| (relation.source_id, relation.target_id, relation));
    let seen_to = to.into_iter().map(|relation| (relation.target_id, relation.source_id, relation));
    let mut seen: Vec<_> = seen_from.chain(seen_to).collect();
    seen.sort_by_key(|(from, _, relation)| {
        (*from, relation.created_at, relation.position, relation.id)
    });
    let others = get_documents(store, scope, seen.iter().map(|(_, other, _)| *other)).await?;
    let view = |(viewed_from, other, relation): (DocumentId, DocumentId, Relation)| {
        let document = others.iter().find(|document| document.id == other)?;
        let estimate = other.kind() == DocumentKind::Estimate;
        let related = RelatedDocument {
            id: other,
            number: document.number(),
            title_type: estimate.then_some(document.content.title_type),
        };
        Some(RelationView { relation, viewed_from, related })
    };
    Ok(seen.into_iter().filter_map(view).collect())
}

/// The document that `request` would make, without making it. VIES is not asked: what it said
/// before counts, however old that is.
///
/// # Errors
/// What [`super::create`] would refuse.
pub async fn calculate(
    cx: Context<'_>,
    entity: &Entity,
    kind: DocumentKind,
    request: DocumentRequest,
) -> Result<Document, DocumentError> {
    let gathered = recalled(cx, entity, &request).await?;
    let origin = Origin::Request(None);
    draft(&cx.actor(), kind, &request, &gathered, origin).map(|(document, _)| document)
}

/// What `request` names, with what VIES said before of its customer: it is not asked.
pub(super) async fn recalled(
    cx: Context<'_>,
    entity: &Entity,
    request: &DocumentRequest,
) -> Result<ResolvedReferences, DocumentError> {
    let mut gathered = gather(cx.store, entity, request, None, cx.stamp).await?;
    if let Some(inquiry) = Inquiry::of_sale(entity, buyer(request, &gathered, None).as_ref()) {
        gathered.finding = Some(inquiry.recall(cx).await?);
    }
    Ok(gathered)
}
