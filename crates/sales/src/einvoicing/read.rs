//! What stands around a stored document.

use racun_access::Entity;
use racun_documents::{Document, DocumentId, DocumentKind, RELATIONS, Relation};
use racun_einvoicing::Facts;
use racun_kernel::PaymentType;
use racun_records::{all_of, by_field, get_documents, links_of, live_payments, payment_field};
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{Context, StoreError};

use super::facts::{Around, Seller, facts_of};

/// The facts of the stored `document` of `entity`, as it is now; `None` for delivery notes.
///
/// # Errors
/// When the store fails.
pub async fn facts(
    cx: Context<'_>,
    entity: &Entity,
    document: &Document,
) -> Result<Option<Facts>, StoreError> {
    let linked = linked(cx, document.id).await?;
    let paid = paid(cx, document.id).await?;
    let around = Around { seller: Seller::of(entity), linked: &linked, paid: &paid };
    Ok(facts_of(document, &around))
}

/// The documents that `id` is linked to, in the order of its links, and the delivery notes that
/// deliver it.
pub(crate) async fn linked(cx: Context<'_>, id: DocumentId) -> Result<Vec<Document>, StoreError> {
    let mut ids: Vec<DocumentId> =
        links_of(cx, id).await?.iter().map(|relation| relation.target_id).collect();
    ids.extend(delivering(cx, id).await?);
    let mut found = get_documents(cx.store, cx.scope, ids.iter().copied()).await?;
    found.sort_by_key(|document| ids.iter().position(|id| *id == document.id));
    Ok(found)
}

/// The delivery notes that deliver `id`, as documents.
pub(crate) async fn delivered_by(
    cx: Context<'_>,
    id: DocumentId,
) -> Result<Vec<Document>, StoreError> {
    let ids = delivering(cx, id).await?;
    match ids.is_empty() {
        true => Ok(Vec::new()),
        false => get_documents(cx.store, cx.scope, ids.into_iter()).await,
    }
}

async fn delivering(cx: Context<'_>, id: DocumentId) -> Result<Vec<DocumentId>, StoreError> {
    let clause = by_field(&RELATIONS, "target_id", &id.to_string());
    let all: Vec<Relation> = all_of(cx.store, &cx.tenant(), &RELATIONS, clause).await?;
    let sources = all.iter().map(|relation| relation.source_id);
    Ok(sources.filter(|source| source.kind() == DocumentKind::DeliveryNote).collect())
}

/// How the payments on `id` were made, oldest first.
pub(crate) async fn paid(cx: Context<'_>, id: DocumentId) -> Result<Vec<PaymentType>, StoreError> {
    let clause = by_field(&PAYMENTS, payment_field(id), &id.to_string());
    let paid: Vec<Payment> = all_of(cx.store, &cx.tenant(), &PAYMENTS, clause).await?;
    Ok(live_payments(paid).iter().map(|payment| payment.kind).collect())
}
