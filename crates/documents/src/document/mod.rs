//! The document, its stages and every transition.

mod fiscal;
mod sharing;
mod source;
mod stored;
mod tabs;

pub use fiscal::{Reissue, check_issue_day};
pub use source::CreationSource;
pub use tabs::InvoicedTab;

use racun_kernel::id::{EntityId, FinancialCategoryId, VersionId};
use racun_kernel::{Decimal, ExchangeRate, Issues, Person, Stamp};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use crate::amounts::{self, Amounts};
use crate::calculation::CalculationMode;
use crate::content::{Content, NewDocument};
use crate::line::NewLine;
use crate::version::Editor;
use crate::{
    AdvanceShare, AppliedAdvance, DocumentError, DocumentId, DocumentKind, Fiscalization,
    Numbering, PaymentChange, PtRecord, Refused, Validations, Version,
};

/// Where a document stands. Each stage carries what is only true in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Not issued: no number, and it can be deleted.
    Draft,
    /// Issued under a number.
    Issued(Issued),
    /// Issued, and later declared void. The number stays taken.
    Voided(Issued, Voided),
}

/// How a document was issued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issued {
    /// The number as written.
    pub number: String,
    /// The sequence it is of.
    pub series: String,
    /// Its place in that sequence.
    pub sequence: i64,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// How a document was voided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voided {
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Why.
    pub reason: Option<String>,
    /// Whether the paper original was recovered.
    pub has_original_document: Option<bool>,
}

/// What the payments, allocations and credit notes of a document come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledTotals {
    /// Sum of its active payments.
    pub paid: Decimal,
    /// Of an advance invoice: what is allocated to invoices.
    pub applied: Decimal,
    /// What issued credit notes give back of it.
    pub credited: Decimal,
}

/// What the customer said to an estimate, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// They accepted it.
    Accepted(#[serde(with = "time::serde::rfc3339")] OffsetDateTime),
    /// They rejected it.
    Rejected(#[serde(with = "time::serde::rfc3339")] OffsetDateTime),
}

/// A sales document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its id, which tells its kind.
    pub id: DocumentId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// Where it stands.
    pub stage: Stage,
    /// Where it comes from.
    pub source: CreationSource,
    /// How it is calculated.
    pub mode: CalculationMode,
    /// What requests said.
    pub content: Content,
    /// What it comes to.
    pub amounts: Amounts,
    /// Who issued it, as they were called then and with what tax authorities knew them by; `None`
    /// for drafts, and for what a key or a job issued.
    #[serde(default)]
    pub operator: Option<Person>,
    /// What the customer said to an estimate.
    #[serde(default)]
    pub reply: Option<Reply>,
    /// What a tax authority knows of it; `None` where it is not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fiscal: Option<Box<Fiscalization>>,
    /// What a document in Portugal has by being certified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pt: Option<Box<PtRecord>>,
    /// The change of a payment's type that the tax authority has not confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_change_unconfirmed: Option<PaymentChange>,
    /// Of an invoice: what it has of advance invoices, in the order in which it came to have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advances_applied: Vec<AppliedAdvance>,
    /// Of an advance invoice: what invoices have of it, all together; `None` for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_applied: Option<AdvanceShare>,
    /// Its checks for electronic invoices.
    #[serde(default, skip_serializing_if = "Validations::is_empty")]
    pub validations: Validations,
    /// The tabs of the point of sale that it closed, or closed a part of, in that order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pos_tabs: Vec<InvoicedTab>,
    /// Opaque id of its public page.
    pub shareable_id: Option<String>,
    /// Updates so far.
    pub updates: i64,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// When it was deleted; drafts only.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
}

/// An update, with all that it names looked up.
#[derive(Debug, Clone)]
pub struct Revision {
    /// The whole content as it is to be; its lines are those of `lines`, or the present ones.
    pub content: Content,
    /// New lines; `None` keeps the present ones.
    pub lines: Option<Vec<NewLine>>,
    /// Whether issued documents may be edited in the entity's country.
    pub may_edit_issued: bool,
    /// Today, in the entity's zone.
    pub today: Date,
    /// Who edits; `None` for a key.
    pub editor: Option<Editor>,
    /// Why.
    pub change_reason: Option<String>,
}

impl Document {
    /// A new draft of any length, checked and calculated: for amounts that are shown, while nothing
    /// is stored.
    ///
    /// # Errors
    /// All that is wrong with the input, or an expected total too far from the calculated one.
    pub fn priced(new: NewDocument, stamp: &Stamp) -> Result<Self, DocumentError> {
        let id = DocumentId::new(new.kind, stamp.ulid());
        let mut issues = Issues::default();
        if let Err(wrong) = new.content.check(new.kind, new.today) {
            issues = wrong;
        }
        let lines = amounts::lines(new.lines, id, stamp, &mut issues);
        let mut content = issues.into_result(Content { lines, ..new.content })?;
        let mut amounts = match new.given {
            Some(given) => amounts::given(given, &content.lines)?,
            None => {
                let expected = new.expected_total_with_tax.as_ref();
                amounts::calculated(&mut content, new.mode, expected)?
            }
        };
        amounts::convert(&mut content, &mut amounts)?;
        Ok(Self {
            id,
            entity_id: new.entity_id,
            stage: Stage::Draft,
            source: new.source,
            mode: new.mode,
            content,
            amounts,
            operator: None,
            reply: None,
            fiscal: None,
            pt: None,
            payment_change_unconfirmed: None,
            advances_applied: Vec::new(),
            share_applied: None,
            validations: Validations::new(),
            pos_tabs: Vec::new(),
            shareable_id: None,
            updates: 0,
            created_at: stamp.now(),
            updated_at: stamp.now(),
            deleted_at: None,
        })
    }

    /// The draft as issued by `operator`: the `sequence`-th of the series of `numbering`.
    ///
    /// # Errors
    /// When it is not a draft, or its date lies after `today`.
    pub fn issue(
        mut self,
        numbering: &Numbering,
        sequence: i64,
        operator: Option<Person>,
        today: Date,
        stamp: &Stamp,
    ) -> Result<Self, DocumentError> {
        if self.stage != Stage::Draft || self.deleted_at.is_some() {
            return Err(Refused::NotDraft.into());
        }
        self.content.check(self.id.kind(), today)?;
        self.stage = Stage::Issued(Issued {
            number: numbering.number(sequence),
            series: numbering.series.key.clone(),
            sequence,
            at: stamp.now(),
        });
        self.operator = operator;
        self.updated_at = stamp.now();
        Ok(self)
    }

    /// The document with `rate`, and converted at it.
    ///
    /// # Errors
    /// When the converted total is too large to be stored.
    pub fn exchanged_at(mut self, rate: ExchangeRate) -> Result<Self, DocumentError> {
        if rate.quote_currency != self.content.currency {
            self.content.exchange_rate = Some(rate);
            amounts::convert(&mut self.content, &mut self.amounts)?;
        }
        Ok(self)
    }

    /// The document with what `revision` says, and the version that tells what changed; `None` when
    /// nothing does.
    ///
    /// The year and the business unit of an issued document stay, for its number is of their
    /// sequence.
    ///
    /// # Errors
    /// When the document is voided, fiscalized or not editable, or the input is wrong.
    pub fn update(
        self,
        revision: Revision,
        stamp: &Stamp,
    ) -> Result<(Self, Option<Version>), DocumentError> {
        match &self.stage {
            Stage::Voided(..) => return Err(Refused::Voided.into()),
            Stage::Issued(_) if self.is_fiscalized() => return Err(Refused::Fiscalized.into()),
            Stage::Issued(_) if !revision.may_edit_issued => {
                return Err(Refused::NotEditable.into());
            }
            Stage::Draft | Stage::Issued(_) => {}
        }
        let mut issues = Issues::default();
        if let Err(wrong) = revision.content.check(self.id.kind(), revision.today) {
            issues = wrong;
        }
        issues.extend_elsewhere(&amounts::check_number_stays(&self, &revision.content));
        let recalculate = revision.lines.is_some()
            || (revision.content.currency != self.content.currency
                && self.source != CreationSource::Custom);
        let lines = match revision.lines {
            Some(lines) => amounts::lines(lines, self.id, stamp, &mut issues),
            None => self.content.lines.clone(),
        };
        let mut content = issues.into_result(Content { lines, ..revision.content })?;
        let mut amounts = if recalculate {
            let Amounts { total_paid, total_applied, total_credited, .. } = self.amounts.clone();
            let recalculated = amounts::calculated(&mut content, self.mode, None)?;
            Amounts { total_paid, total_applied, total_credited, ..recalculated }
        } else {
            self.amounts.clone()
        };
        amounts::convert(&mut content, &mut amounts)?;
        let changed_fields = stored::changed_fields(&self, &content, &amounts);
        if changed_fields.is_empty() {
            return Ok((self, None));
        }
        let before = Box::new(self.clone());
        let after =
            Self { content, amounts, updates: self.updates + 1, updated_at: stamp.now(), ..self }
                .of_bounded_length()?;
        let version = Version {
            id: VersionId::new(stamp.ulid()),
            entity_id: after.entity_id,
            document_id: after.id,
            version: after.updates,
            changed_fields,
            user: revision.editor,
            change_reason: revision.change_reason,
            before,
            created_at: stamp.now(),
        };
        Ok((after, Some(version)))
    }

    /// The document as voided. Its number stays taken.
    ///
    /// # Errors
    /// For drafts, for voided documents, and for kinds that are never voided; while a change of a
    /// payment's type is unconfirmed, for it could not be made on a voided document.
    pub fn void(mut self, void: Voided) -> Result<Self, DocumentError> {
        if self.id.kind() == DocumentKind::Estimate {
            return Err(Refused::NotVoidable.into());
        }
        if self.payment_change_unconfirmed.is_some() {
            return Err(Refused::PaymentChangeUnconfirmed.into());
        }
        match self.stage {
            Stage::Draft => Err(Refused::Draft.into()),
            Stage::Voided(..) => Err(Refused::Voided.into()),
            Stage::Issued(issued) => {
                self.updated_at = void.at;
                self.stage = Stage::Voided(issued, void);
                Ok(self)
            }
        }
    }

    /// The document with the totals that its payments, allocations and credit notes come to.
    #[must_use]
    pub fn settled(mut self, totals: SettledTotals, stamp: &Stamp) -> Self {
        let before = self.amounts.clone();
        self.amounts.total_paid = totals.paid;
        self.amounts.total_applied = totals.applied;
        self.amounts.total_credited = totals.credited;
        if self.amounts != before {
            self.updated_at = stamp.now();
        }
        self
    }

    /// What its payments, allocations and credit notes come to.
    #[must_use]
    pub fn settled_totals(&self) -> SettledTotals {
        SettledTotals {
            paid: self.amounts.total_paid.clone(),
            applied: self.amounts.total_applied.clone(),
            credited: self.amounts.total_credited.clone(),
        }
    }

    /// The document with `change` of a payment's type unconfirmed, or none. No change of the
    /// document itself, so `updated_at` stays.
    #[must_use]
    pub fn with_payment_change(self, change: Option<PaymentChange>) -> Self {
        Self { payment_change_unconfirmed: change, ..self }
    }

    /// The estimate as accepted. Accepting it again changes nothing.
    ///
    /// # Errors
    /// When it is a draft, was rejected, or ran out before `today`.
    pub fn accept(mut self, today: Date, stamp: &Stamp) -> Result<Self, DocumentError> {
        match (&self.stage, self.reply) {
            (Stage::Draft, _) => return Err(Refused::Draft.into()),
            (Stage::Voided(..), _) => return Err(Refused::Voided.into()),
            (Stage::Issued(_), Some(Reply::Accepted(_))) => return Ok(self),
            (Stage::Issued(_), Some(Reply::Rejected(_))) => return Err(Refused::Rejected.into()),
            (Stage::Issued(_), None) => {}
        }
        if self.content.date_valid_till.is_some_and(|until| until < today) {
            return Err(Refused::RanOut.into());
        }
        self.reply = Some(Reply::Accepted(stamp.now()));
        self.updated_at = stamp.now();
        Ok(self)
    }

    /// The estimate as rejected, also after it ran out. Rejecting it again changes nothing.
    ///
    /// # Errors
    /// When it is a draft, or was accepted.
    pub fn reject(mut self, stamp: &Stamp) -> Result<Self, DocumentError> {
        match (&self.stage, self.reply) {
            (Stage::Draft, _) => return Err(Refused::Draft.into()),
            (Stage::Voided(..), _) => return Err(Refused::Voided.into()),
            (Stage::Issued(_), Some(Reply::Rejected(_))) => return Ok(self),
            (Stage::Issued(_), Some(Reply::Accepted(_))) => return Err(Refused::Accepted.into()),
            (Stage::Issued(_), None) => {}
        }
        self.reply = Some(Reply::Rejected(stamp.now()));
        self.updated_at = stamp.now();
        Ok(self)
    }

    /// The document with the line `line_id` in another financial category; `None` when it has no
    /// such line. Allowed in every stage, for reports change and the document does not.
    #[must_use]
    pub fn categorize(
        mut self,
        line_id: &str,
        category: Option<FinancialCategoryId>,
        stamp: &Stamp,
    ) -> Option<Self> {
        let line = self.content.lines.iter_mut().find(|line| line.id == line_id)?;
        line.financial_category_id = category;
        self.updated_at = stamp.now();
        Some(self)
    }

    /// The draft as deleted.
    ///
    /// # Errors
    /// When it is issued.
    pub fn delete(mut self, stamp: &Stamp) -> Result<Self, DocumentError> {
        if self.stage != Stage::Draft {
            return Err(Refused::NotDraft.into());
        }
        self.deleted_at = Some(stamp.now());
        self.updated_at = stamp.now();
        Ok(self)
    }

    /// The deleted draft as a draft again.
    ///
    /// # Errors
    /// When it is not deleted.
    pub fn restore(self, stamp: &Stamp) -> Result<Self, DocumentError> {
        if self.deleted_at.is_none() {
            return Err(Refused::NotInTrash.into());
        }
        Ok(Self { deleted_at: None, updated_at: stamp.now(), ..self })
    }

    /// The number as written; a placeholder for drafts.
    #[must_use]
    pub fn number(&self) -> String {
        match &self.stage {
            Stage::Draft => self.id.draft_number(),
            Stage::Issued(issued) | Stage::Voided(issued, _) => issued.number.clone(),
        }
    }

    /// Whether it has no number yet.
    #[must_use]
    pub fn is_draft(&self) -> bool {
        self.stage == Stage::Draft
    }

    /// When it was voided.
    #[must_use]
    pub const fn voided_at(&self) -> Option<OffsetDateTime> {
        match &self.stage {
            Stage::Voided(_, voided) => Some(voided.at),
            Stage::Draft | Stage::Issued(_) => None,
        }
    }

    /// When the customer accepted it.
    #[must_use]
    pub const fn accepted_at(&self) -> Option<OffsetDateTime> {
        match self.reply {
            Some(Reply::Accepted(at)) => Some(at),
            Some(Reply::Rejected(_)) | None => None,
        }
    }

    /// When the customer rejected it.
    #[must_use]
    pub const fn rejected_at(&self) -> Option<OffsetDateTime> {
        match self.reply {
            Some(Reply::Rejected(at)) => Some(at),
            Some(Reply::Accepted(_)) | None => None,
        }
    }

    /// What is left to pay: never below zero.
    #[must_use]
    pub fn total_due(&self) -> Decimal {
        let due = &self.amounts.total_with_tax - &self.amounts.total_paid;
        if due.is_negative() { Decimal::zero() } else { due }
    }

    /// Whether it is issued and nothing is left to pay.
    #[must_use]
    pub fn paid_in_full(&self) -> bool {
        !self.is_draft() && self.total_due().is_zero()
    }
}
