//! A document's side of its fiscalization.

use racun_kernel::Stamp;
use racun_kernel::id::VersionId;
use time::Date;

use super::{Document, Issued, Stage};
use crate::version::Editor;
use crate::{
    DocumentError, DocumentKind, FiscalRecord, FiscalStatus, Fiscalization, Numbering, Refused,
    Version,
};

impl DocumentKind {
    /// Whether documents of this kind are fiscalized where any are.
    #[must_use]
    pub const fn is_fiscal(self) -> bool {
        match self {
            Self::Invoice | Self::CreditNote | Self::AdvanceInvoice => true,
            Self::Estimate | Self::DeliveryNote => false,
        }
    }
}

impl Document {
    /// The document as a tax authority knows it now.
    #[must_use]
    pub fn with_fiscalization(self, fiscal: Fiscalization, stamp: &Stamp) -> Self {
        Self { fiscal: Some(Box::new(fiscal)), updated_at: stamp.now(), ..self }
    }

    /// What it was reported with, or is to be.
    #[must_use]
    pub fn fiscal_record(&self) -> Option<&FiscalRecord> {
        self.fiscal.as_ref()?.record.as_ref()
    }

    /// Whether a tax authority is told of it: then what it says stays. A skipped document is not.
    #[must_use]
    pub fn is_fiscalized(&self) -> bool {
        self.fiscal_record().is_some()
    }

    /// The issued document that no tax authority was told of, under the `sequence`-th number of
    /// `numbering` and with `fiscal`; and the version that keeps its number until now.
    ///
    /// # Errors
    /// When it is a draft, voided, or of those that are fiscalized already.
    pub fn fiscalize_later(
        self,
        numbering: &Numbering,
        sequence: i64,
        editor: Option<Editor>,
        stamp: &Stamp,
    ) -> Result<(Self, Version), DocumentError> {
        self.check_may_fiscalize()?;
        let Stage::Issued(issued) = &self.stage else { return Err(Refused::Draft.into()) };
        if self.is_fiscalized() {
            return Err(Refused::NotToFiscalize.into());
        }
        let stage = Stage::Issued(Issued {
            number: numbering.number(sequence),
            series: numbering.series.key.clone(),
            sequence,
            at: issued.at,
        });
        let before = Box::new(self.clone());
        let after = Self { stage, updates: self.updates + 1, updated_at: stamp.now(), ..self };
        let version = Version {
            id: VersionId::new(stamp.ulid()),
            entity_id: after.entity_id,
            document_id: after.id,
            version: after.updates,
            changed_fields: vec!["number".to_owned()],
            user: editor,
            change_reason: None,
            before,
            created_at: stamp.now(),
        };
        Ok((after, version))
    }

    /// The draft with another `date`, as it is issued on a day that the law sets. What is to be paid
    /// before that day is to be paid on it.
    #[must_use]
    pub fn dated(mut self, date: Date) -> Self {
        self.content.date = date;
        self.content.date_due = self.content.date_due.map(|due| due.max(date));
        self
    }

    /// Accepts an order to report the document now.
    ///
    /// # Errors
    /// When it is a draft, voided, of a kind that is never fiscalized, or confirmed already.
    pub fn check_may_fiscalize(&self) -> Result<(), Refused> {
        match self.stage {
            Stage::Draft => return Err(Refused::Draft),
            Stage::Voided(..) => return Err(Refused::Voided),
            Stage::Issued(_) => {}
        }
        let is_done =
            self.fiscal.as_ref().is_some_and(|fiscal| fiscal.status == FiscalStatus::Success);
        if is_done || !self.id.kind().is_fiscal() { Err(Refused::NotToFiscalize) } else { Ok(()) }
    }

    /// Its place in its sequence; `None` for drafts.
    #[must_use]
    pub const fn sequence(&self) -> Option<i64> {
        match &self.stage {
            Stage::Issued(issued) | Stage::Voided(issued, _) => Some(issued.sequence),
            Stage::Draft => None,
        }
    }

    /// What no two documents of a kind have in common.
    pub(super) fn number_key(&self) -> String {
        match &self.stage {
            Stage::Issued(issued) | Stage::Voided(issued, _) if self.is_fiscalized() => {
                format!("{}/{}", issued.series, issued.sequence)
            }
            _ => self.number(),
        }
    }
}
