//! Checks by order, and what they found.

use racun_access::Entity;
use racun_documents::{Document, DocumentId, EInvoiceForm, Refused};
use racun_einvoicing::Facts;
use racun_kernel::{Issue, Issues};
use racun_records::{get_document, live_document};
use racun_store::{Actor, Context, Decision};

use super::facts::{Around, facts_of};
use super::judge::Judging;
use super::read;
use crate::error::{EInvoiceRefused, Error};

/// Checks the document `id` for `form` by the rules of today, and stores what they say. A draft is
/// checked as it would be issued now.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], another country, a kind that has no such form, or the
/// store's failure.
pub async fn validate(
    cx: Context<'_>,
    entity: &Entity,
    id: DocumentId,
    form: EInvoiceForm,
) -> Result<Document, Error> {
    let judging = judging(entity, id, form)?;
    let (linked, paid) = (read::linked(cx, id).await?, read::paid(cx, id).await?);
    let decide = move |before: Document, actor: &Actor| {
        let before = live_document(before)?;
        let around = Around { seller: judging.seller(), linked: &linked, paid: &paid };
        let Some(facts) = facts_of(&before, &around) else {
            return Ok(Decision::Unchanged(before));
        };
        let after = judging.checked(before, form, &facts, actor.now());
        Ok::<_, Error>(Decision::changed(after, Vec::new()))
    };
    cx.amend(racun_documents::table_of(id.kind()), id, decide).await
}

/// The document `id`, which the last check found valid for `form`, and its facts.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], a draft, another country, a kind that has no such form,
/// a document that the last check did not find valid, or the store's failure.
pub async fn ready(
    cx: Context<'_>,
    entity: &Entity,
    id: DocumentId,
    form: EInvoiceForm,
) -> Result<(Document, Facts), Error> {
    judging(entity, id, form)?;
    let document = get_document(cx, id).await?;
    if document.is_draft() {
        return Err(Refused::DraftNotShared.into());
    }
    if !document.is_valid_as(form) {
        return Err(EInvoiceRefused::NotValid(form).into());
    }
    let facts = read::facts(cx, entity, &document).await?;
    let facts = facts.ok_or_else(|| Error::from(EInvoiceRefused::NotValid(form)))?;
    Ok((document, facts))
}

/// What decides on `form` of the document `id`, when it can have one.
fn judging(entity: &Entity, id: DocumentId, form: EInvoiceForm) -> Result<Judging, Error> {
    let judging = Judging::of(entity);
    if !judging.has(form) {
        return Err(EInvoiceRefused::OtherCountry(form).into());
    }
    if !form.is_of(id.kind()) {
        let message = format!("there is no {} of a document of this kind", form.name());
        return Err(Issues::from(Issue::new("not_allowed", message)).into());
    }
    Ok(judging)
}
