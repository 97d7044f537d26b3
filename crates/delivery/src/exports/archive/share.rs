//! The next documents of an export.

use racun_documents::{Document, DocumentError, DocumentId, DocumentKind, table_of};
use racun_records::get_document;
use racun_store::{Clause, Context, ListQuery, Operator, Order, StoreError};
use time::OffsetDateTime;

use super::super::Span;
use super::job::{ExportJob, Selection, SelectionCursor};

/// Documents that are read at once.
const SHARE: usize = 50;

/// A document of an export.
pub(super) struct Next {
    /// Its id.
    pub id: DocumentId,
    /// It, as it is now; `None` when it was deleted since it was asked for.
    pub document: Option<Document>,
    /// Where the one behind it is.
    pub behind: SelectionCursor,
}

/// The documents of `kind` and `span` that there were at `until`, by day.
pub(super) fn dated(kind: DocumentKind, span: Span, until: OffsetDateTime) -> ListQuery {
    let table = table_of(kind);
    let from = span.from.map(|from| Clause::on(table, "date", Operator::Gte(from.into())));
    let to = span.to.map(|to| Clause::on(table, "date", Operator::Lte(to.into())));
    let there = Clause::on(table, "created_at", Operator::Lte(until.into()));
    ListQuery {
        clauses: from.into_iter().chain(to).chain([there]).collect(),
        order: vec![Order::on(table, "date", false)],
        limit: SHARE,
        count: false,
        ..ListQuery::first_page(table)
    }
}

/// The next documents of `export`; none when it has all of them.
///
/// # Errors
/// The store's failure.
pub(super) async fn next(cx: Context<'_>, export: &ExportJob) -> Result<Vec<Next>, DocumentError> {
    match &export.selection {
        Selection::Documents(ids) => named(cx, ids, &export.place).await,
        Selection::Dated { kinds, span } => {
            let mut place = export.place.clone();
            while let Some(kind) = kinds.get(place.at) {
                let found = of_kind(cx, dated(*kind, *span, export.created_at), *kind, &place);
                let found = found.await?;
                if !found.is_empty() {
                    return Ok(found);
                }
                place = SelectionCursor { at: place.at + 1, cursor: None };
            }
            Ok(Vec::new())
        }
        // They are one file, which is not made of documents one by one.
        Selection::Certified { .. } => Ok(Vec::new()),
    }
}

/// The next of `ids`.
async fn named(
    cx: Context<'_>,
    ids: &[DocumentId],
    place: &SelectionCursor,
) -> Result<Vec<Next>, DocumentError> {
    let mut found = Vec::new();
    for (at, id) in ids.iter().copied().enumerate().skip(place.at).take(SHARE) {
        let document = match get_document(cx, id).await {
            Ok(document) => Some(document),
            Err(DocumentError::Store(StoreError::NotFound { .. })) => None,
            Err(error) => return Err(error),
        };
        found.push(Next { id, document, behind: SelectionCursor { at: at + 1, cursor: None } });
    }
    Ok(found)
}

/// The next documents of `kind`.
async fn of_kind(
    cx: Context<'_>,
    query: ListQuery,
    kind: DocumentKind,
    place: &SelectionCursor,
) -> Result<Vec<Next>, DocumentError> {
    let query = match &place.cursor {
        None => query,
        Some(cursor) => query.behind(cursor).ok_or_else(|| {
            StoreError::Unavailable(format!("{cursor} is no cursor of {}", kind.name()))
        })?,
    };
    let page = cx.page::<Document>(table_of(kind), &query).await?;
    let next = |document: Document| {
        let cursor = Some(query.cursor_behind(&document));
        let behind = SelectionCursor { at: place.at, cursor };
        Next { id: document.id, document: Some(document), behind }
    };
    Ok(page.rows.into_iter().map(next).collect())
}
