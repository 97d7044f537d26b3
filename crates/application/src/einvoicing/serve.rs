//! Checks by order, and files.

use racun_access::Entity;
use racun_documents::{Document, DocumentId, EInvoiceForm, Refused};
use racun_einvoicing::{Facts, Finding, Specification, Syntax, Verdict, Written, eslog};
use racun_kernel::{Issue, Issues};
use racun_store::{Actor, Context, Decision};

use super::error::EInvoiceRefused;
use super::facts::{Around, facts_of};
use super::judge::Judging;
use super::read;
use super::signing::signed;
use crate::documents;
use crate::error::Error;
use crate::fiscalization::Fiscal;

/// An electronic invoice as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EInvoiceFile {
    /// Its name, without an ending: the number of the document.
    pub name: String,
    /// XML.
    pub xml: String,
}

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
        let before = documents::live_document(before)?;
        let around = Around { seller: judging.seller(), linked: &linked, paid: &paid };
        let Some(facts) = facts_of(&before, &around) else {
            return Ok(Decision::Unchanged(before));
        };
        let after = judging.checked(before, form, &facts, actor.now());
        Ok::<_, Error>(Decision::changed(after, Vec::new()))
    };
    cx.amend(racun_documents::table_of(id.kind()), id, decide).await
}

/// The document `id` as a file of `form`: XRechnung as UBL, ZUGFeRD's XML as CII, e-SLOG.
///
/// # Errors
/// [`racun_store::StoreError::NotFound`], a draft, another country, a kind that has no such form,
/// a document that the last check did not find valid or that is valid no more, or the store's
/// failure.
pub async fn file(
    cx: Context<'_>,
    fiscal: Option<&Fiscal>,
    entity: &Entity,
    id: DocumentId,
    form: EInvoiceForm,
) -> Result<EInvoiceFile, Error> {
    let (document, facts) = ready(cx, entity, id, form).await?;
    let xml = written(cx, fiscal, &facts, form).await?;
    Ok(EInvoiceFile { name: document.number(), xml })
}

/// The document `id`, which the last check found valid for `form`, and its facts.
///
/// # Errors
/// As [`file`].
pub async fn ready(
    cx: Context<'_>,
    entity: &Entity,
    id: DocumentId,
    form: EInvoiceForm,
) -> Result<(Document, Facts), Error> {
    judging(entity, id, form)?;
    let document = documents::get(cx, id).await?;
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

/// As [`xml_of`], signed where it is e-SLOG and the entity's certificate for FURS is valid.
///
/// # Errors
/// As [`xml_of`]; a certificate whose key cannot be used; the store's failure.
pub async fn written(
    cx: Context<'_>,
    fiscal: Option<&Fiscal>,
    facts: &Facts,
    form: EInvoiceForm,
) -> Result<String, Error> {
    let xml = xml_of(facts, form)?;
    match form {
        EInvoiceForm::Eslog | EInvoiceForm::Ujp => signed(cx, fiscal, xml).await,
        EInvoiceForm::XRechnung | EInvoiceForm::Zugferd => Ok(xml),
    }
}

/// The XML of `form`: of UJP the e-SLOG file that its package holds.
///
/// # Errors
/// [`EInvoiceRefused::Invalid`], when the rules of `form` refuse the document.
pub fn xml_of(facts: &Facts, form: EInvoiceForm) -> Result<String, EInvoiceRefused> {
    let written = match form {
        EInvoiceForm::Eslog => eslog::write(facts),
        EInvoiceForm::Ujp => of_ujp(facts),
        EInvoiceForm::XRechnung => {
            racun_einvoicing::write(facts, Specification::XRechnung, Syntax::Ubl)
        }
        EInvoiceForm::Zugferd => {
            racun_einvoicing::write(facts, Specification::En16931, Syntax::Cii)
        }
    };
    written.map(|written| written.xml).map_err(|verdict| refused(form, &verdict))
}

/// What `verdict` refuses a file of `form` for.
pub(super) fn refused(form: EInvoiceForm, verdict: &Verdict) -> EInvoiceRefused {
    let mut issues = Issues::default();
    verdict.errors().map(Finding::issue).for_each(|issue| issues.push(issue));
    EInvoiceRefused::Invalid { form, issues }
}

fn of_ujp(facts: &Facts) -> Result<Written, Verdict> {
    let verdict = eslog::judge_ujp(facts);
    if verdict.is_valid() { eslog::write(facts) } else { Err(verdict) }
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
