//! The payment.

use racun_kernel::id::{EntityId, ExpenseId, PaymentId};
use racun_kernel::{Decimal, DocumentId, Issue, Issues, Metadata, PaymentType, Tenant};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use crate::receipt::PaymentReceipt;
use crate::settleable::SettleableId;

/// Characters that a payment's reference may hold.
pub const MAX_REFERENCE_CHARS: usize = 500;
/// Characters that a payment's tag may hold.
pub const MAX_TAG_CHARS: usize = 100;
/// Characters that a payment's note may hold.
pub const MAX_NOTE_CHARS: usize = 10_000;

/// The days between which a date was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dated {
    /// The earliest.
    #[serde(with = "racun_kernel::calendar::date")]
    pub first: Date,
    /// The latest.
    #[serde(with = "racun_kernel::calendar::date")]
    pub last: Date,
}

/// A payment: money received or given back, or a settlement of one document by another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    /// Its id.
    pub id: PaymentId,
    /// Whose it is.
    pub entity_id: EntityId,
    /// The invoice that it pays.
    pub invoice_id: Option<DocumentId>,
    /// The credit note that it refunds or uses.
    pub credit_note_id: Option<DocumentId>,
    /// The advance invoice that it pays, or out of which it is allocated.
    pub advance_invoice_id: Option<DocumentId>,
    /// The expense that it pays.
    pub expense_id: Option<ExpenseId>,
    /// The expense that a supplier's credit note settles; always missing for now.
    pub applied_to_expense_id: Option<ExpenseId>,
    /// How much, above zero, at the scale of the document's currency.
    pub amount: Decimal,
    /// How.
    #[serde(rename = "type")]
    pub kind: PaymentType,
    /// The day on which it was received.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date: Date,
    /// The first and the last day that it was dated, when its date was changed: closings of both
    /// and of days between may have counted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated: Option<Dated>,
    /// The payer's or bank's reference.
    pub reference: Option<String>,
    /// The caller's tag.
    pub tag: Option<String>,
    /// The caller's note.
    pub note: Option<String>,
    /// The caller's properties.
    pub metadata: Metadata,
    /// What was given beyond the amount, zero or more. It settles nothing.
    #[serde(default)]
    pub tip: Option<Decimal>,
    /// The cash that was handed over: amount, tip and what was given back.
    #[serde(default)]
    pub tendered: Option<Decimal>,
    /// The receipt that was issued for it, in Portugal. Amount, type and date of the payment then
    /// stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Box<PaymentReceipt>>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// Since when it is in the trash.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
}

impl Payment {
    /// Whether it is advance money that settlement allocates to an invoice by itself.
    #[must_use]
    pub fn is_allocation(&self) -> bool {
        self.kind == PaymentType::Advance
            && self.invoice_id.is_some()
            && self.advance_invoice_id.is_some()
    }

    /// Whether it settles an invoice by a credit note.
    #[must_use]
    pub fn is_credit_settlement(&self) -> bool {
        self.kind == PaymentType::CreditNote
            && self.invoice_id.is_some()
            && self.credit_note_id.is_some()
    }

    /// Whether users cannot change or delete it.
    #[must_use]
    pub fn is_system_managed(&self) -> bool {
        self.is_allocation() || self.is_credit_settlement()
    }

    /// Whether customers pay all that it names.
    pub(crate) fn is_received(&self) -> bool {
        self.credit_note_id.is_none() && self.expense_id.is_none()
    }

    /// The same payment, dated otherwise. It keeps the range of days that it was dated.
    #[must_use]
    pub fn change_date(self, date: Date) -> Self {
        let was = self.dated.unwrap_or(Dated { first: self.date, last: self.date });
        let dated = Dated { first: was.first.min(date), last: was.last.max(date) };
        Self { date, dated: (dated.first < dated.last).then_some(dated), ..self }
    }

    /// The ids of all documents and expenses that it names.
    pub fn documents(&self) -> impl Iterator<Item = SettleableId> {
        let expenses = [self.expense_id, self.applied_to_expense_id].into_iter().flatten();
        let documents = self.document_ids().map(SettleableId::Document);
        documents.chain(expenses.map(SettleableId::Expense))
    }

    /// The ids of the documents that it names; expenses are none.
    pub fn document_ids(&self) -> impl Iterator<Item = DocumentId> {
        [self.invoice_id, self.credit_note_id, self.advance_invoice_id].into_iter().flatten()
    }

    /// The same payment made in another way.
    ///
    /// A step of its own, for on a fiscalized invoice the authority has a say in it. What is no
    /// longer paid in cash was not handed over either.
    ///
    /// # Errors
    /// Issue `not_updatable` at `type` when either type settles by another document: such a payment
    /// is another thing, not the same one made in another way.
    pub fn change_type(self, to: PaymentType) -> Result<Self, Issues> {
        if self.kind != to && (self.kind.is_settlement() || to.is_settlement()) {
            let message = "a payment cannot become or cease to be one of type credit_note or \
                           advance; delete it and record another";
            return Err(Issue::new("not_updatable", message).at("type").into());
        }
        let tendered = self.tendered.filter(|_| to == PaymentType::Cash);
        Ok(Self { kind: to, tendered, ..self })
    }

    /// The invoice, while this is an active allocation to it.
    fn allocation_of(&self) -> Option<DocumentId> {
        self.invoice_id.filter(|_| self.is_allocation() && self.deleted_at.is_none())
    }
}

racun_store::record! {
    /// Where payments are kept.
    ///
    /// The hidden field `allocation_of` is the invoice's id on active allocations and null on all
    /// else: by it a unit loads an invoice's allocations without its other payments.
    pub static PAYMENTS: Payment = "payments";
    |payment|
    id: payment.id,
    tenant: Tenant::entity(payment.entity_id),
    trashed: payment.deleted_at.is_some(),
    fields: {
        Field::id() => payment.id,
        Field::text("invoice_id").indexed() => payment.invoice_id,
        Field::text("credit_note_id").indexed() => payment.credit_note_id,
        Field::text("advance_invoice_id").indexed() => payment.advance_invoice_id,
        Field::text("expense_id").indexed() => payment.expense_id,
        Field::text("applied_to_expense_id").indexed() => payment.applied_to_expense_id,
        Field::number("amount") => payment.amount,
        Field::text("type") => payment.kind.name(),
        Field::date("date").indexed() => payment.date,
        Field::text("reference").searched() => payment.reference,
        Field::text("tag").searched() => payment.tag,
        Field::text("note").searched() => payment.note,
        Field::map("metadata") => payment.metadata,
        Field::instant("created_at") => payment.created_at,
        Field::instant("updated_at") => payment.updated_at,
        Field::instant("deleted_at") => payment.deleted_at,
        Field::text("allocation_of").indexed().hidden() => payment.allocation_of(),
    }
}
