//! Links to documents.

use racun_access::enter_as_recipient;
use racun_documents::{Document, DocumentError, DocumentId, DocumentKind};
use racun_kernel::Stamp;
use racun_sales::documents;
use racun_store::{Context, Decision, Store, StoreError};

/// The path of a kind's documents.
const fn path(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Invoice => "invoices",
        DocumentKind::Estimate => "estimates",
        DocumentKind::CreditNote => "credit-notes",
        DocumentKind::AdvanceInvoice => "advance-invoices",
        DocumentKind::DeliveryNote => "delivery-notes",
    }
}

/// Where the document with this shareable id is seen, `base` being the server's public address.
#[must_use]
pub fn link(base: &str, kind: DocumentKind, shareable_id: &str) -> String {
    format!("{}/{}/shareable/{shareable_id}", base.trim_end_matches('/'), path(kind))
}

/// Gives a document a shareable id, unless it has one.
///
/// # Errors
/// [`StoreError::NotFound`], or a refusal of drafts.
pub async fn share(cx: Context<'_>, id: DocumentId) -> Result<Document, DocumentError> {
    let at = cx.stamp.clone();
    amend(cx, id, move |document| document.shared(&at)).await
}

/// Takes a document's shareable id away: its links lead nowhere from then on.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn unshare(cx: Context<'_>, id: DocumentId) -> Result<Document, DocumentError> {
    let at = cx.stamp.clone();
    amend(cx, id, move |document| Ok(document.unshared(&at))).await
}

async fn amend(
    cx: Context<'_>,
    id: DocumentId,
    change: impl FnOnce(Document) -> Result<Document, DocumentError> + Send + 'static,
) -> Result<Document, DocumentError> {
    let decide = move |before: Document| {
        if before.deleted_at.is_some() {
            return Err(StoreError::NotFound { id: id.to_string() }.into());
        }
        let after = change(before.clone())?;
        Ok(match after == before {
            true => Decision::Unchanged(before),
            false => Decision::changed(after, Vec::new()),
        })
    };
    cx.store.amend(racun_documents::table_of(id.kind()), &cx.tenant(), id.to_string(), decide).await
}

/// What the customer says of an estimate behind a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedReply {
    /// It is accepted.
    Accept,
    /// It is rejected.
    Reject,
}

/// Records the response to an estimate by the holder of its link. Repeating it changes nothing.
///
/// # Errors
/// [`StoreError::NotFound`] for an id that is unknown, was taken away, is no estimate's, or is of
/// an entity that is closed; what [`Document::accept`] or [`Document::reject`] refuses; a voided
/// one.
pub async fn reply_to_shared(
    store: &dyn Store,
    shareable_id: &str,
    reply: SharedReply,
    stamp: &Stamp,
) -> Result<Document, DocumentError> {
    let estimate = find_shared(store, DocumentKind::Estimate, shareable_id).await?;
    let unknown = || StoreError::NotFound { id: shareable_id.to_owned() };
    let place = enter_as_recipient(store, estimate.entity_id).await?;
    let (scope, entity) = place.ok_or_else(unknown)?;
    match reply {
        SharedReply::Accept => {
            documents::accept(Context::new(store, &scope, stamp), &entity, estimate.id).await
        }
        SharedReply::Reject => {
            documents::reject(Context::new(store, &scope, stamp), estimate.id).await
        }
    }
}

/// The document of `kind` with this shareable id, whosever it is: the id is the right to see it.
///
/// # Errors
/// [`StoreError::NotFound`] for an id that is unknown, was taken away, or is another kind's.
pub async fn find_shared(
    store: &dyn Store,
    kind: DocumentKind,
    shareable_id: &str,
) -> Result<Document, DocumentError> {
    let unknown = || StoreError::NotFound { id: shareable_id.to_owned() }.into();
    let rest = shareable_id.strip_prefix(kind.share_prefix()).ok_or_else(unknown)?;
    if rest.len() > 64 || !rest.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(unknown());
    }
    let found: Vec<Document> =
        store.look_up(racun_documents::table_of(kind), "shareable_id", shareable_id).await?;
    found.into_iter().find(|document| document.deleted_at.is_none()).ok_or_else(unknown)
}
