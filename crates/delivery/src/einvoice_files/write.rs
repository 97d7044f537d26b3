//! Documents as XML.

use racun_access::Entity;
use racun_documents::{DocumentId, EInvoiceForm};
use racun_einvoicing::{Facts, Finding, Specification, Syntax, Verdict, eslog};
use racun_fiscalization::Fiscal;
use racun_kernel::Issues;
use racun_sales::Error;
use racun_sales::einvoicing::{EInvoiceRefused, ready};
use racun_store::Context;

use super::signing::signed;

/// An electronic invoice as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EInvoiceFile {
    /// Its name, without an ending: the number of the document.
    pub name: String,
    /// XML.
    pub xml: String,
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
        EInvoiceForm::Ujp => eslog::write_ujp(facts),
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
