//! Electronic invoices that go along with mails about their documents.

use racun_access::{Entity, enter_as_recipient, setting};
use racun_documents::{Document, DocumentError, DocumentId, EInvoiceForm};
use racun_fiscalization::Fiscal;
use racun_kernel::Stamp;
use racun_kernel::id::EntityId;
use racun_mail::AttachedInvoice;
use racun_mail::{Attachment, MailError};
use racun_paper::Paper;
use racun_sales::Error;
use racun_sales::einvoicing;
use racun_store::{Context, Store};

use super::MailingError;
use crate::einvoice_files::written;

/// The electronic invoices that go along with a mail about `document`: e-SLOG where it is asked
/// for, and what the entity's settings name, of documents that are valid as that.
///
/// # Errors
/// Where e-SLOG is asked for, why the document has none.
pub(super) async fn attached(
    cx: Context<'_>,
    entity: &Entity,
    document: Option<&Document>,
    wants_eslog: bool,
) -> Result<Vec<AttachedInvoice>, MailingError> {
    let Some(document) = document else { return Ok(Vec::new()) };
    let mut attached = Vec::new();
    if wants_eslog {
        einvoicing::ready(cx, entity, document.id, EInvoiceForm::Eslog).await?;
        attached.push(AttachedInvoice::Eslog);
    }
    for (key, invoice) in [
        (setting::XRECHNUNG_ENABLED, AttachedInvoice::XRechnung),
        (setting::ZUGFERD_ENABLED, AttachedInvoice::Zugferd),
    ] {
        let is_set = entity.settings.get(key).unwrap_or(false);
        let is_there = !document.is_draft() && document.is_valid_as(form(invoice));
        if is_set && is_there {
            attached.push(invoice);
        }
    }
    Ok(attached)
}

const fn form(invoice: AttachedInvoice) -> EInvoiceForm {
    match invoice {
        AttachedInvoice::Eslog => EInvoiceForm::Eslog,
        AttachedInvoice::XRechnung => EInvoiceForm::XRechnung,
        AttachedInvoice::Zugferd => EInvoiceForm::Zugferd,
    }
}

/// What writing electronic invoices in a job takes.
#[derive(Clone, Copy)]
pub(super) struct Scribe<'a> {
    /// Where documents are.
    pub store: &'a dyn Store,
    /// Who signs e-SLOG.
    pub fiscal: Option<&'a Fiscal>,
}

impl Scribe<'_> {
    /// The XML of the document `id` of `entity` as it is now.
    ///
    /// # Errors
    /// [`MailError::Refused`] when it is no longer valid, for no later attempt finds it otherwise;
    /// [`MailError::Temporary`] when the store fails.
    pub async fn xml(
        self,
        entity: EntityId,
        id: DocumentId,
        invoice: AttachedInvoice,
        stamp: &Stamp,
    ) -> Result<String, MailError> {
        let place = enter_as_recipient(self.store, entity).await;
        let place = place.map_err(|error| MailError::Temporary(error.to_string()))?;
        let closed = || MailError::Refused("the entity is closed".to_owned());
        let (scope, entity) = place.ok_or_else(closed)?;
        let cx = Context::new(self.store, &scope, stamp);
        self.written(cx, &entity, id, invoice).await.map_err(|error| match error {
            Error::Document(DocumentError::Store(error)) => MailError::Temporary(error.to_string()),
            refused => MailError::Refused(refused.to_string()),
        })
    }

    async fn written(
        self,
        cx: Context<'_>,
        entity: &Entity,
        id: DocumentId,
        invoice: AttachedInvoice,
    ) -> Result<String, Error> {
        let (_, facts) = einvoicing::ready(cx, entity, id, form(invoice)).await?;
        written(cx, self.fiscal, &facts, form(invoice)).await
    }
}

/// `xml` as a file beside the page `paper`.
pub(super) fn file(paper: &Paper, xml: String) -> Attachment {
    Attachment {
        filename: format!("{}.xml", paper.file_name()),
        media_type: "application/xml".to_owned(),
        content: xml.into_bytes(),
        content_id: None,
    }
}
