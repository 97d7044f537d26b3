//! A document's side of its fiscalization.

use racun_kernel::id::VersionId;
use racun_kernel::{ExchangeRate, Issue, Issues, Stamp};
use time::Date;

use super::{Document, Issued, Stage};
use crate::version::Editor;
use crate::{
    DocumentError, FiscalRecord, FiscalStatus, Fiscalization, Numbering, Refused, Version,
};

/// Accepts `date` as the date of a document that is issued and reported to a tax authority on
/// `day`, in the authority's zone.
///
/// Source: the time of issue that is reported is the one that is stated on the document (XSD of
/// FURS, `IssueDateTime`; technical specification of CIS, `DatVrijeme`), and numbers are unique in
/// the year of issue (ZDavPR, article 5; NN 89/2025, article 9).
///
/// # Errors
/// `date_not_day_of_issue` at `date`.
pub fn check_issue_day(date: Date, day: Date) -> Result<(), Issues> {
    if date == day {
        return Ok(());
    }
    let message = format!(
        "a fiscalized document is dated on the day of its issue, {day} at the tax authority; leave \
         date out or send that day, and say when it was supplied in date_service"
    );
    Err(Issue::new("date_not_day_of_issue", message).at("date").into())
}

/// How an issued document that was not fiscalized is issued again.
#[derive(Debug)]
pub struct Reissue<'a> {
    /// The sequence that it is numbered in.
    pub numbering: &'a Numbering,
    /// Its number there.
    pub sequence: i64,
    /// The day of issue, in the authority's zone.
    pub day: Date,
    /// The rate of exchange of that day, where it takes another one than it has.
    pub rate: Option<ExchangeRate>,
    /// Who does it.
    pub editor: Option<Editor>,
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

    /// Whether it is reported to a tax authority: then its content is final. A skipped document is
    /// not.
    #[must_use]
    pub fn is_fiscalized(&self) -> bool {
        self.fiscal_record().is_some()
    }

    /// The issued document that was not fiscalized, as `reissue` says; and the version that keeps
    /// number, date and rate of exchange until now.
    ///
    /// The day of supply stays: if none was given, it is the date until now.
    ///
    /// # Errors
    /// When it is a draft, voided, or of those that are fiscalized already; when the converted
    /// total is too large to be stored.
    pub fn fiscalize_later(
        self,
        reissue: Reissue<'_>,
        stamp: &Stamp,
    ) -> Result<(Self, Version), DocumentError> {
        let Reissue { numbering, sequence, day, rate, editor } = reissue;
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
        let mut after = Self { stage, updates: self.updates + 1, updated_at: stamp.now(), ..self };
        let mut changed_fields = vec!["number".to_owned()];
        if day != after.content.date {
            let supplied = after.content.date_service.unwrap_or(after.content.date);
            after.content.date_service = Some(supplied);
            after = after.dated(day);
            changed_fields.push("date".to_owned());
        }
        if let Some(rate) = rate {
            after = after.exchanged_at(rate)?;
            changed_fields.push("exchange_rate".to_owned());
        }
        let version = Version {
            id: VersionId::new(stamp.ulid()),
            entity_id: after.entity_id,
            document_id: after.id,
            version: after.updates,
            changed_fields,
            user: editor,
            change_reason: None,
            before,
            created_at: stamp.now(),
        };
        Ok((after, version))
    }

    /// The draft with another `date`, as it is issued on a day that the law sets. What is to be
    /// paid before that day is to be paid on it.
    #[must_use]
    fn dated(mut self, date: Date) -> Self {
        self.content.date = date;
        self.content.date_due = self.content.date_due.map(|due| due.max(date));
        self
    }

    /// The draft as it may be issued on `day`, where the law wants the day of issue as its date.
    ///
    /// A draft that is dated on the day on which it was made takes the day, for that is the date of
    /// a draft when none is given.
    ///
    /// # Errors
    /// An issue at `date` when the draft was given another one.
    pub fn issued_on(self, day: Date, made_on: Date) -> Result<Self, Issues> {
        if self.content.date != made_on {
            check_issue_day(self.content.date, day)?;
        }
        Ok(self.dated(day))
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
