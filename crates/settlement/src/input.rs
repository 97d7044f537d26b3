//! What a request says of a payment.

use std::collections::BTreeMap;

use racun_kernel::id::{ExpenseId, parse_ulid};
use racun_kernel::{Decimal, Issue, Issues, Metadata, Patch};
use time::{Date, OffsetDateTime};

use crate::check;
use crate::error::{Refusal, SettlementError};
use crate::payment::{
    MAX_NOTE_CHARS, MAX_REFERENCE_CHARS, MAX_TAG_CHARS, Payment, PaymentType,
};

/// The prefix of invoices' ids.
pub const INVOICE_PREFIX: &str = "inv_";
/// The prefix of credit notes' ids.
pub const CREDIT_NOTE_PREFIX: &str = "cre_";
/// The prefix of advance invoices' ids.
pub const ADVANCE_INVOICE_PREFIX: &str = "adv_";
/// The prefix of expenses' ids.
pub const EXPENSE_PREFIX: &str = "exp_";

/// A payment to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPayment {
    /// A document or expense of any kind; its prefix says which of the fields below is meant.
    pub document_id: Option<String>,
    /// The invoice that it pays.
    pub invoice_id: Option<String>,
    /// The credit note that it refunds or, with `invoice_id` and type `credit_note`, uses.
    pub credit_note_id: Option<String>,
    /// The advance invoice that it pays.
    pub advance_invoice_id: Option<String>,
    /// The expense that it pays.
    pub expense_id: Option<String>,
    /// Reserved: settlement of suppliers' credit notes comes in a later release.
    pub applied_to_expense_id: Option<String>,
    /// How much. Needed, but for one of the payments that a document is made with: that one takes
    /// what is left.
    pub amount: Option<Decimal>,
    /// How.
    pub kind: PaymentType,
    /// The day on which it was received; today when missing.
    pub date: Option<Date>,
    /// The payer's or bank's reference, at most [`MAX_REFERENCE_CHARS`].
    pub reference: Option<String>,
    /// The caller's tag, at most [`MAX_TAG_CHARS`].
    pub tag: Option<String>,
    /// The caller's note, at most [`MAX_NOTE_CHARS`].
    pub note: Option<String>,
    /// The caller's properties.
    pub metadata: BTreeMap<String, String>,
}

/// The documents that a new payment names: the ones to load for the decision on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// The invoice.
    pub invoice_id: Option<String>,
    /// The credit note.
    pub credit_note_id: Option<String>,
    /// The advance invoice.
    pub advance_invoice_id: Option<String>,
    /// The expense.
    pub expense_id: Option<ExpenseId>,
}

impl References {
    /// Their ids.
    pub fn ids(&self) -> impl Iterator<Item = String> {
        let expense = self.expense_id.map(|id| id.to_string());
        [&self.invoice_id, &self.credit_note_id, &self.advance_invoice_id]
            .into_iter()
            .filter_map(Clone::clone)
            .chain(expense)
    }
}

impl NewPayment {
    /// A payment of type `kind` of which nothing else is said.
    #[must_use]
    pub const fn new(kind: PaymentType) -> Self {
        Self {
            document_id: None,
            invoice_id: None,
            credit_note_id: None,
            advance_invoice_id: None,
            expense_id: None,
            applied_to_expense_id: None,
            amount: None,
            kind,
            date: None,
            reference: None,
            tag: None,
            note: None,
            metadata: BTreeMap::new(),
        }
    }

    /// What it names, after all checks that need no document.
    ///
    /// # Errors
    /// [`SettlementError::Invalid`] with every rule that it breaks;
    /// [`Refusal::PaymentSystemManaged`] when it would allocate an advance to an invoice, which
    /// linking the two does.
    pub fn references(&self) -> Result<References, SettlementError> {
        let mut issues = Issues::default();
        let references = self.named(&mut issues);
        if issues.is_empty() {
            if self.kind == PaymentType::Advance
                && references.invoice_id.is_some()
                && references.advance_invoice_id.is_some()
            {
                return Err(Refusal::PaymentSystemManaged.into());
            }
            self.check_sides(&references, &mut issues);
        }
        check_amount(&mut issues, self.amount.as_ref());
        check::text(&mut issues, "reference", self.reference.as_deref(), MAX_REFERENCE_CHARS);
        check::text(&mut issues, "tag", self.tag.as_deref(), MAX_TAG_CHARS);
        check::text(&mut issues, "note", self.note.as_deref(), MAX_NOTE_CHARS);
        issues.collect("metadata", check::metadata(self.metadata.clone()));
        Ok(issues.into_result(references)?)
    }

    /// The fields that name something, with `document_id` sorted in.
    fn named(&self, issues: &mut Issues) -> References {
        let mut fields = [
            ("invoice_id", INVOICE_PREFIX, self.invoice_id.clone()),
            ("credit_note_id", CREDIT_NOTE_PREFIX, self.credit_note_id.clone()),
            ("advance_invoice_id", ADVANCE_INVOICE_PREFIX, self.advance_invoice_id.clone()),
            ("expense_id", EXPENSE_PREFIX, self.expense_id.clone()),
        ];
        for (field, prefix, id) in &fields {
            if id.as_deref().is_some_and(|id| parse_ulid(id, prefix).is_err()) {
                let message = format!("expected an id that starts with {prefix}");
                issues.push(Issue::new("invalid_id", message).at(*field));
            }
        }
        if let Some(id) = &self.document_id {
            match fields.iter_mut().find(|(_, prefix, _)| parse_ulid(id, prefix).is_ok()) {
                None => {
                    let message = "expected the id of an invoice, a credit note, an advance \
                                   invoice or an expense, such as inv_…";
                    issues.push(Issue::new("invalid_id", message).at("document_id"));
                }
                Some((field, _, Some(other))) if other != id => {
                    let message = format!("names another document than {field}; send one of them");
                    issues.push(Issue::new("conflicting", message).at("document_id"));
                }
                Some((_, _, place)) => *place = Some(id.clone()),
            }
        }
        if self.applied_to_expense_id.is_some() {
            let message = "settlement of suppliers' credit notes comes in a later release; leave \
                           it out";
            issues.push(Issue::new("reserved", message).at("applied_to_expense_id"));
        }
        let [(.., invoice_id), (.., credit_note_id), (.., advance_invoice_id), (.., expense)] =
            fields;
        let expense_id = expense.and_then(|id| id.parse().ok());
        References { invoice_id, credit_note_id, advance_invoice_id, expense_id }
    }

    /// One document, but for the settlement of an invoice by a credit note.
    fn check_sides(&self, references: &References, issues: &mut Issues) {
        let is_settlement = self.kind == PaymentType::CreditNote;
        let outgoing = references.invoice_id.is_some() || references.credit_note_id.is_some();
        match references.ids().count() {
            0 => {
                let message = "name what is paid: an invoice, a credit note, an advance invoice \
                               or an expense";
                issues.push(Issue::new("required", message).at("document_id"));
            }
            1 if is_settlement && outgoing => {
                let missing =
                    if references.invoice_id.is_none() { "invoice_id" } else { "credit_note_id" };
                let message = "a payment of type credit_note names the invoice that it settles \
                               and the credit note that it uses";
                issues.push(Issue::new("required", message).at(missing));
            }
            1 if is_settlement => {
                let message = "settlement by a credit note is for invoices only; choose the type \
                               by which the money moves";
                issues.push(Issue::new("reserved", message).at("type"));
            }
            1 => {}
            2 if is_settlement
                && references.invoice_id.is_some()
                && references.credit_note_id.is_some() => {}
            _ => {
                let message = "a payment pays one document; only type credit_note names an \
                               invoice and a credit note together";
                issues.push(Issue::new("conflicting", message).at("document_id"));
            }
        }
    }

    /// The record of it, once it is decided.
    pub(crate) fn into_payment(
        self,
        references: References,
        amount: Decimal,
        today: Date,
        made: Made,
    ) -> Result<Payment, Issues> {
        let mut issues = Issues::default();
        let metadata = issues.collect("metadata", check::metadata(self.metadata));
        Ok(Payment {
            id: made.id,
            entity_id: made.entity_id,
            invoice_id: references.invoice_id,
            credit_note_id: references.credit_note_id,
            advance_invoice_id: references.advance_invoice_id,
            expense_id: references.expense_id,
            applied_to_expense_id: None,
            amount,
            kind: self.kind,
            date: self.date.unwrap_or(today),
            reference: self.reference,
            tag: self.tag,
            note: self.note,
            metadata: issues.into_result(metadata.unwrap_or_default())?,
            created_at: made.at,
            updated_at: made.at,
            deleted_at: None,
        })
    }
}
