//! Files that are more than XML: hybrid PDFs, and packages for UJP.

use racun_access::Entity;
use racun_catalog::FileStorage;
use racun_documents::{Document, DocumentId, EInvoiceForm};
use racun_einvoicing::eslog::{self, Attached};
use racun_exports::{ArchiveNames, archive};
use racun_fiscalization::Fiscal;
use racun_kernel::calendar;
use racun_paper::Paper;
use racun_sales::Error;
use racun_sales::einvoicing::ready;
use racun_store::{Context, StoreError};

use super::write::{refused, written, xml_of};
use crate::printing::{PrintPdf, PrintingError, Wanted, paper_of};

/// What such files take beside the store.
#[derive(Clone, Copy)]
pub struct Workshop<'a> {
    /// Where logos are.
    pub files: &'a dyn FileStorage,
    /// Who sets documents.
    pub press: &'a dyn PrintPdf,
    /// Who signs.
    pub fiscal: Option<&'a Fiscal>,
}

/// A file, and its name without an ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// The name, after the document.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Why there is no such file.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The document does not have it, or the store failed.
    #[error(transparent)]
    Refused(#[from] Error),
    /// Its page cannot be set.
    #[error(transparent)]
    Printing(#[from] PrintingError),
}

/// The document `id` as ZUGFeRD: a PDF with its XML inside.
///
/// # Errors
/// As [`super::file`], and when the page cannot be set.
pub async fn hybrid(
    cx: Context<'_>,
    workshop: Workshop<'_>,
    entity: &Entity,
    id: DocumentId,
) -> Result<NamedFile, PackageError> {
    let (document, facts) = ready(cx, entity, id, EInvoiceForm::Zugferd).await?;
    let xml = xml_of(&facts, EInvoiceForm::Zugferd).map_err(Error::from)?;
    let paper = paper(cx, workshop, entity, &document).await?;
    let name = paper.file_name();
    let bytes = workshop.press.print_hybrid(paper, xml).await.map_err(PrintingError::from)?;
    Ok(NamedFile { name, bytes })
}

/// The document `id` as UJP takes it: a ZIP of the envelope, the e-SLOG file, which is signed where
/// the entity has a certificate, and the PDF.
///
/// # Errors
/// As [`super::file`], and when the page cannot be set.
pub async fn ujp_package(
    cx: Context<'_>,
    workshop: Workshop<'_>,
    entity: &Entity,
    id: DocumentId,
) -> Result<NamedFile, PackageError> {
    let (document, facts) = ready(cx, entity, id, EInvoiceForm::Ujp).await?;
    let xml = written(cx, workshop.fiscal, &facts, EInvoiceForm::Ujp).await?;
    let paper = paper(cx, workshop, entity, &document).await?;
    let name = paper.file_name();
    let pdf = workshop.press.print(paper).await.map_err(PrintingError::from)?;

    let mut names = ArchiveNames::default();
    let envelope_name = names.take("envelope", "xml");
    let [xml_name, pdf_name] = ["xml", "pdf"].map(|ending| names.take(&document.number(), ending));
    let attached = [
        Attached { name: &xml_name, kind: "xml", bytes: xml.len() },
        Attached { name: &pdf_name, kind: "pdf", bytes: pdf.len() },
    ];
    let now = calendar::in_zone(cx.now(), &entity.timezone).unwrap_or_else(|| cx.now());
    let envelope = eslog::envelope(&facts, &attached, now)
        .map_err(|verdict| Error::from(refused(EInvoiceForm::Ujp, &verdict)))?;
    let files = [
        (envelope_name.as_str(), envelope.as_bytes()),
        (&xml_name, xml.as_bytes()),
        (&pdf_name, &pdf),
    ];
    let too_large = |_| StoreError::Unavailable("the package is too large for a ZIP".to_owned());
    let bytes = archive(now.date(), &files).map_err(too_large).map_err(Error::from)?;
    Ok(NamedFile { name, bytes })
}

/// The page of `document`, as the settings say.
async fn paper(
    cx: Context<'_>,
    workshop: Workshop<'_>,
    entity: &Entity,
    document: &Document,
) -> Result<Paper, PrintingError> {
    paper_of(cx, workshop.files, entity, document, &Wanted::default()).await
}
