//! The document, its stages and every transition.

use racun_kernel::id::{EntityId, VersionId};
use racun_kernel::{Decimal, Event, Issues, Record, Stamp, Table, Tenant, Value};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use crate::amounts::{self, Amounts};
use crate::calculation::CalculationMode;
use crate::content::{Content, NewDocument};
use crate::line::NewLine;
use crate::version::Editor;
use crate::{DocumentError, DocumentId, DocumentKind, Numbering, Refused, Version};

/// Where a document comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreationSource {
    /// A request that was calculated.
    Api,
    /// A request with totals of its own.
    Custom,
}

impl CreationSource {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Custom => "custom",
        }
    }
}

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
    /// A new draft: checked and calculated.
    ///
    /// # Errors
    /// All that is wrong with the input, or an expected total too far from the calculated one.
    pub fn draft(new: NewDocument, stamp: &Stamp) -> Result<Self, DocumentError> {
        let id = DocumentId::new(new.kind, stamp.ulid());
        let mut issues = Issues::default();
        if let Err(wrong) = new.content.check(new.kind, new.today) {
            issues = wrong;
        }
        let lines = amounts::lines(new.lines, new.kind, stamp, &mut issues);
        let mut content = issues.into_result(Content { lines, ..new.content })?;
        let mut amounts = match new.given {
            Some(given) => amounts::given(given, content.lines.len())?,
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
            shareable_id: None,
            updates: 0,
            created_at: stamp.now(),
            updated_at: stamp.now(),
            deleted_at: None,
        })
    }

    /// The draft as issued: the `sequence`-th of the series of `numbering`.
    ///
    /// # Errors
    /// When it is not a draft, or its date lies after `today`.
    pub fn issue(
        mut self,
        numbering: &Numbering,
        sequence: i64,
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
        self.updated_at = stamp.now();
        Ok(self)
    }

    /// The document with what `revision` says, and the version that tells what changed; `None` when
    /// nothing does.
    ///
    /// The year and the business unit of an issued document stay, for its number is of their
    /// sequence.
    ///
    /// # Errors
    /// When the document is voided or not editable, or the input is wrong.
    pub fn update(
        self,
        revision: Revision,
        stamp: &Stamp,
    ) -> Result<(Self, Option<Version>), DocumentError> {
        match &self.stage {
            Stage::Voided(..) => return Err(Refused::Voided.into()),
            Stage::Issued(_) if !revision.may_edit_issued => {
                return Err(Refused::NotEditable.into());
            }
            Stage::Draft | Stage::Issued(_) => {}
        }
        let mut issues = Issues::default();
        if let Err(wrong) = revision.content.check(self.id.kind(), revision.today) {
            issues = wrong;
        }
        amounts::check_number_stays(&self, &revision.content, &mut issues);
        let recalculate = revision.lines.is_some()
            || (revision.content.currency != self.content.currency
                && self.source == CreationSource::Api);
        let lines = match revision.lines {
            Some(lines) => amounts::lines(lines, self.id.kind(), stamp, &mut issues),
            None => self.content.lines.clone(),
        };
        let mut content = issues.into_result(Content { lines, ..revision.content })?;
        let mut amounts = if recalculate {
            let total_paid = self.amounts.total_paid.clone();
            Amounts { total_paid, ..amounts::calculated(&mut content, self.mode, None)? }
        } else {
            self.amounts.clone()
        };
        amounts::convert(&mut content, &mut amounts)?;
        let changed_fields = changed_fields(&self, &content, &amounts);
        if changed_fields.is_empty() {
            return Ok((self, None));
        }
        let before = Box::new(self.clone());
        let after =
            Self { content, amounts, updates: self.updates + 1, updated_at: stamp.now(), ..self };
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
    /// For drafts, for voided documents, and for kinds that are never voided.
    pub fn void(mut self, void: Voided) -> Result<Self, DocumentError> {
        if self.id.kind() == DocumentKind::Estimate {
            return Err(Refused::NotVoidable.into());
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

    /// The event that `what` happened to this document, done by `actor`; `None` when there is no
    /// such event for its kind.
    #[must_use]
    pub fn event(&self, what: &str, actor: &str, at: OffsetDateTime) -> Option<Event> {
        let kind = EVENTS
            .into_iter()
            .find(|name| name.split_once('.') == Some((self.id.kind().name(), what)))?;
        let tenant = Tenant::entity(self.entity_id);
        Some(Event { tenant, kind, subject: self.id.to_string(), actor: actor.to_owned(), at })
    }
}

/// Events that this crate's transitions cause, of those that contract 29.1 lists.
const EVENTS: [&str; 17] = [
    "invoice.created",
    "invoice.updated",
    "invoice.finalized",
    "invoice.voided",
    "invoice.cancelled",
    "invoice.deleted",
    "estimate.created",
    "estimate.deleted",
    "credit_note.created",
    "credit_note.issued",
    "credit_note.voided",
    "credit_note.deleted",
    "advance_invoice.created",
    "advance_invoice.voided",
    "advance_invoice.deleted",
    "delivery_note.created",
    "delivery_note.voided",
];

/// Names of the fields, as on the wire, in which `before` differs.
fn changed_fields(before: &Document, content: &Content, amounts: &Amounts) -> Vec<String> {
    let old = &before.content;
    let fields = [
        ("date", old.date != content.date),
        ("date_due", old.date_due != content.date_due),
        ("date_service", old.date_service != content.date_service),
        ("date_service_to", old.date_service_to != content.date_service_to),
        ("issuer", old.issuer != content.issuer),
        ("customer_id", old.customer_id != content.customer_id),
        ("customer", old.customer != content.customer),
        ("business_unit_id", old.business_unit_id != content.business_unit_id),
        ("business_unit", old.business_unit != content.business_unit),
        ("note", old.texts.note != content.texts.note),
        ("payment_terms", old.texts.payment_terms != content.texts.payment_terms),
        ("tax_clause", old.texts.tax_clause != content.texts.tax_clause),
        ("footer", old.texts.footer != content.texts.footer),
        ("signature", old.texts.signature != content.texts.signature),
        ("translations", old.translations != content.translations),
        ("currency_code", old.currency != content.currency),
        ("exchange_rate", old.exchange_rate != content.exchange_rate),
        ("transaction_type", old.transaction_type != content.transaction_type),
        ("reference", old.reference != content.reference),
        ("metadata", old.metadata != content.metadata),
        ("items", old.lines != content.lines),
        ("total", before.amounts.total != amounts.total),
        ("total_with_tax", before.amounts.total_with_tax != amounts.total_with_tax),
    ];
    fields.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name.to_owned()).collect()
}

impl Record for Document {
    fn table(&self) -> &'static Table {
        self.id.kind().table()
    }

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn tenant(&self) -> Tenant {
        Tenant::entity(self.entity_id)
    }

    fn is_trashed(&self) -> bool {
        self.deleted_at.is_some()
    }

    fn values(&self) -> Vec<Value> {
        let (content, amounts) = (&self.content, &self.amounts);
        let customer = |field: fn(&crate::Party) -> &Option<String>| {
            Value::from(content.customer.as_ref().and_then(|party| field(party).as_ref()))
        };
        vec![
            self.id.to_string().into(),
            self.number().into(),
            self.is_draft().into(),
            content.date.into(),
            content.date_due.into(),
            i64::from(content.date.year()).into(),
            content.customer_id.into(),
            content.business_unit_id.into(),
            content.currency.code().into(),
            (&amounts.total).into(),
            (&amounts.total_with_tax).into(),
            (&amounts.total_discount).into(),
            amounts.total_converted.as_ref().into(),
            amounts.total_with_tax_converted.as_ref().into(),
            (&amounts.total_paid).into(),
            (&self.total_due()).into(),
            self.paid_in_full().into(),
            content.transaction_type.name().into(),
            self.source.name().into(),
            self.mode.name().into(),
            content.reference.as_ref().into(),
            self.shareable_id.as_ref().into(),
            (&content.metadata).into(),
            self.voided_at().into(),
            self.deleted_at.into(),
            self.created_at.into(),
            self.updated_at.into(),
            content.texts.note.as_ref().into(),
            customer(|party| &party.name),
            customer(|party| &party.email),
            customer(|party| &party.tax_number),
            customer(|party| &party.company_number),
            customer(|party| &party.city),
            customer(|party| &party.country_code),
            content.business_unit.as_ref().map(|unit| &unit.name).into(),
            content.issuer.name.as_ref().into(),
        ]
    }
}
