//! Electronic invoices of documents that are changed: judged like issuing.

use racun_access::Entity;
use racun_documents::{Document, DocumentId, Relation};
use racun_kernel::{PaymentType, Stamp};
use racun_store::{Context, StoreError};

use crate::einvoicing::{Judging, delivered_by, paid};
use crate::error::Error;
use crate::settling::WorkingSet;

/// What decides on the electronic invoices of a document that is changed.
pub(super) struct Rejudging {
    judging: Judging,
    delivered_by: Vec<Document>,
    paid: Vec<PaymentType>,
}

impl Rejudging {
    /// What counts of `entity` and around the document `id`.
    pub async fn of(cx: Context<'_>, entity: &Entity, id: DocumentId) -> Result<Self, StoreError> {
        let (delivered_by, paid) = (delivered_by(cx, id).await?, paid(cx, id).await?);
        Ok(Self { judging: Judging::of(entity), delivered_by, paid })
    }

    /// The document `id` of `sheet`, as it becomes with `links`, with its checks made.
    pub fn judge(
        &self,
        sheet: &mut WorkingSet,
        id: DocumentId,
        links: &[Relation],
        stamp: &Stamp,
    ) -> Result<(), Error> {
        let Some(document) = sheet.document(id).cloned() else { return Ok(()) };
        let linked = links.iter().filter_map(|link| sheet.document(link.target_id).cloned());
        let linked: Vec<Document> = linked.chain(self.delivered_by.iter().cloned()).collect();
        sheet.replace(self.judging.judged(document, &linked, &self.paid, stamp.now())?);
        Ok(())
    }
}
