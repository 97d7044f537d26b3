//! Documents of an export as e-SLOG files.

use racun_access::Entity;
use racun_documents::{Document, DocumentKind, EInvoiceForm, Stage};
use racun_kernel::calendar::format_date;
use racun_sales::Error;
use racun_sales::einvoicing::{self, EInvoiceRefused};
use racun_store::Context;

use super::archivist::{Archivist, Stopped};
use crate::einvoice_files::written;

/// Reasons of one document that are named.
const MOST_REASONS: usize = 5;

/// A file and its name without an ending; or why there is none, for people.
pub(super) type Made = Result<(String, Vec<u8>), String>;

/// Whether documents of `kind` have an e-SLOG file.
pub(super) const fn is_of(kind: DocumentKind) -> bool {
    EInvoiceForm::Eslog.is_of(kind)
}

impl Archivist {
    /// `document` as e-SLOG, by the rules of today, whether it was checked before or not. Drafts
    /// and voided documents have none, for they would be taken for issued ones.
    pub(super) async fn write_eslog(
        &self,
        cx: Context<'_>,
        entity: &Entity,
        document: &Document,
    ) -> Result<Made, Stopped> {
        if !is_of(document.id.kind()) {
            return Ok(Err("there is no e-SLOG of a document of this kind".to_owned()));
        }
        match document.stage {
            Stage::Draft => return Ok(Err("it is a draft".to_owned())),
            Stage::Issued(_) => {}
            Stage::Voided(..) => return Ok(Err("it is voided".to_owned())),
        }
        let Some(facts) = einvoicing::facts(cx, entity, document).await? else {
            return Ok(Err("there is no e-SLOG of a document of this kind".to_owned()));
        };
        let fiscal = self.fiscal.as_ref();
        let xml = match written(cx, fiscal, &facts, EInvoiceForm::Eslog).await {
            Ok(xml) => xml,
            Err(Error::EInvoice(refused)) => return Ok(Err(reason(&refused))),
            Err(error) => return Err(stopped(error)),
        };
        let name = format!("{}_{}", format_date(document.content.date), document.number());
        Ok(Ok((name, xml.into_bytes())))
    }
}

/// Why a document is left out: the first rules that it breaks.
fn reason(refused: &EInvoiceRefused) -> String {
    let EInvoiceRefused::Invalid { issues, .. } = refused else { return refused.to_string() };
    let said: Vec<String> = issues.iter().take(MOST_REASONS).map(ToString::to_string).collect();
    let more = issues.iter().count().saturating_sub(said.len());
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("it is not valid as e-SLOG: {}{more}", said.join("; "))
}

/// A certificate that cannot be used is so at each attempt.
fn stopped(error: Error) -> Stopped {
    match error {
        Error::Fiscalization(refused) => Stopped::Hopeless(refused.to_string()),
        other => Stopped::Passing(other.to_string()),
    }
}
