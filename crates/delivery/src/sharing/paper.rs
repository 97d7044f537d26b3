//! Documents behind links, as pages and files.

use racun_access::enter_as_recipient;
use racun_billing::Color;
use racun_catalog::FileStorage;
use racun_documents::{Document, DocumentKind, Stage};
use racun_kernel::Stamp;
use racun_kernel::id::EntityId;
use racun_paper::page::Service;
use racun_paper::{Paper, Picture};
use racun_sales::billing::{LabelSource, label_of};
use racun_sales::documents;
use racun_store::{Context, Store, StoreError};

use super::find_shared;
use crate::printing::{PrintingError, Wanted, paper_of};

/// A document behind a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPaper {
    /// The document.
    pub document: Document,
    /// What is on it.
    pub paper: Paper,
    /// Whether its customer can still accept or reject it.
    pub awaits_reply: bool,
}

/// The model of the document of `kind` behind the link with `shareable_id`.
///
/// # Errors
/// [`StoreError::NotFound`] for an id that is unknown, was taken away, is another kind's, or is of
/// an entity that is closed; failures of store and storage.
pub async fn shared(
    store: &dyn Store,
    files: &dyn FileStorage,
    kind: DocumentKind,
    shareable_id: &str,
    wanted: &Wanted,
    stamp: &Stamp,
) -> Result<SharedPaper, PrintingError> {
    let document = find_shared(store, kind, shareable_id).await?;
    let unknown = || StoreError::NotFound { id: shareable_id.to_owned() };
    let place = enter_as_recipient(store, document.entity_id).await?;
    let (scope, entity) = place.ok_or_else(unknown)?;
    let cx = Context::new(store, &scope, stamp);
    let paper = paper_of(cx, files, &entity, &document, wanted).await?;
    let today = documents::today(&entity, stamp);
    let stands = matches!(document.stage, Stage::Issued(_)) && document.reply.is_none();
    let ran_out = document.content.date_valid_till.is_some_and(|until| until < today);
    let awaits_reply = kind == DocumentKind::Estimate && stands && !ran_out;
    Ok(SharedPaper { document, paper, awaits_reply })
}

/// The white label of the account of `entity`, as pages and mails about its documents show it. They
/// take nothing from elsewhere, so a logo that would have to be fetched is not shown.
///
/// # Errors
/// When the store fails.
pub async fn service_of(
    store: &dyn Store,
    labels: &LabelSource,
    entity: EntityId,
) -> Result<Option<Service>, StoreError> {
    let labels = labels.read(store).await?;
    if labels.is_empty() {
        return Ok(None);
    }
    let Some((_, entity)) = enter_as_recipient(store, entity).await? else { return Ok(None) };
    let label = label_of(store, &labels, entity.account_id).await?;
    Ok(label.map(|label| Service {
        name: label.product().to_owned(),
        color: label.color().map(Color::text),
        logo: label.embedded_logo().map(|(media_type, bytes)| Picture {
            bytes,
            media_type: media_type.to_owned(),
            scale_percent: 100,
            alt: label.product().to_owned(),
        }),
    }))
}
