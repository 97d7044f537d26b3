//! What a request says of a payment.

use std::collections::BTreeMap;

use racun_kernel::id::{self, EntityId, ExpenseId, parse_ulid};
use racun_kernel::{
    Decimal, DocumentId, DocumentKind, InvalidId, Issue, Issues, Kind, Metadata, Patch,
    PaymentType, Stamp, text,
};
use time::Date;

use crate::error::{SettlementError, SettlementRefusal};
use crate::payment::{MAX_NOTE_CHARS, MAX_REFERENCE_CHARS, MAX_TAG_CHARS, Payment};
use crate::settleable::SettleableId;
use crate::tender::Tender;

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
    /// Tip, cash handed over, change: none of it settles anything.
    pub tender: Tender,
}

/// The documents that a new payment names: the ones to load for the decision on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// The invoice.
    pub invoice_id: Option<DocumentId>,
    /// The credit note.
    pub credit_note_id: Option<DocumentId>,
    /// The advance invoice.
    pub advance_invoice_id: Option<DocumentId>,
    /// The expense.
    pub expense_id: Option<ExpenseId>,
}

impl References {
    /// Their ids.
    pub fn ids(&self) -> impl Iterator<Item = SettleableId> {
        let documents = self.document_ids().map(SettleableId::Document);
        documents.chain(self.expense_id.map(SettleableId::Expense))
    }

    /// The ids of those that are documents.
    pub fn document_ids(&self) -> impl Iterator<Item = DocumentId> {
        [self.invoice_id, self.credit_note_id, self.advance_invoice_id].into_iter().flatten()
    }

    /// Whether all that is named is paid by customers.
    fn are_received(&self) -> bool {
        self.credit_note_id.is_none() && self.expense_id.is_none()
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
            tender: Tender { tip: None, tendered: None, change: None },
        }
    }

    /// What it names, after all checks that need no document.
    ///
    /// # Errors
    /// [`SettlementError::Invalid`] with every rule that it breaks;
    /// [`SettlementRefusal::PaymentSystemManaged`] when it would allocate an advance to an invoice,
    /// which linking the two does.
    pub fn references(&self) -> Result<References, SettlementError> {
        self.check().map(|(references, _)| references)
    }

    fn check(&self) -> Result<(References, Metadata), SettlementError> {
        let mut issues = Issues::default();
        let references = self.named(&mut issues);
        if issues.is_empty() {
            if self.kind == PaymentType::Advance
                && references.invoice_id.is_some()
                && references.advance_invoice_id.is_some()
            {
                return Err(SettlementRefusal::PaymentSystemManaged.into());
            }
            self.check_sides(&references, &mut issues);
        }
        check_amount(&mut issues, self.amount.as_ref());
        // Money for a credit note is given back, also where the id that was sent is none.
        let is_received = references.are_received() && self.credit_note_id.is_none();
        self.tender.check(self.kind, is_received, &mut issues);
        check_texts(&mut issues, [&self.reference, &self.tag, &self.note]);
        let metadata = issues.collect("metadata", Metadata::checked(self.metadata.clone()));
        Ok(issues.into_result((references, metadata.unwrap_or_default()))?)
    }

    /// The fields that name something, with `document_id` sorted in.
    fn named(&self, issues: &mut Issues) -> References {
        let mut fields = [
            ("invoice_id", DocumentKind::Invoice.prefix(), self.invoice_id.as_deref()),
            ("credit_note_id", DocumentKind::CreditNote.prefix(), self.credit_note_id.as_deref()),
            (
                "advance_invoice_id",
                DocumentKind::AdvanceInvoice.prefix(),
                self.advance_invoice_id.as_deref(),
            ),
            ("expense_id", <id::Expense as Kind>::PREFIX, self.expense_id.as_deref()),
        ];
        let mut misnamed = None;
        if let Some(id) = self.document_id.as_deref() {
            match fields.iter_mut().find(|(_, prefix, _)| parse_ulid(id, prefix).is_ok()) {
                None => {
                    let message = "expected the id of an invoice, a credit note, an advance \
                                   invoice or an expense, such as inv_…";
                    misnamed = Some(Issue::new("invalid_id", message));
                }
                Some((field, _, Some(other))) if *other != id => {
                    let message = format!("names another document than {field}; send one of them");
                    misnamed = Some(Issue::new("conflicting", message));
                }
                Some((_, _, place)) => *place = Some(id),
            }
        }
        let [invoice, credit_note, advance, expense] = fields.map(|(field, prefix, id)| {
            let invalid =
                |error: InvalidId| Issues::from(Issue::new("invalid_id", error.to_string()));
            let ulid = id.map(|id| parse_ulid(id, prefix).map_err(invalid)).transpose();
            issues.collect(field, ulid).flatten()
        });
        if let Some(issue) = misnamed {
            issues.push(issue.at("document_id"));
        }
        if self.applied_to_expense_id.is_some() {
            let message = "settlement of suppliers' credit notes comes in a later release; leave \
                           it out";
            issues.push(Issue::new("reserved", message).at("applied_to_expense_id"));
        }
        let of = |kind| move |ulid| DocumentId::new(kind, ulid);
        References {
            invoice_id: invoice.map(of(DocumentKind::Invoice)),
            credit_note_id: credit_note.map(of(DocumentKind::CreditNote)),
            advance_invoice_id: advance.map(of(DocumentKind::AdvanceInvoice)),
            expense_id: expense.map(ExpenseId::new),
        }
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

    /// The record of it. Its amount is still to be held against the documents.
    ///
    /// # Errors
    /// As [`NewPayment::references`], and when there is no amount.
    pub(crate) fn into_payment(
        self,
        entity_id: EntityId,
        today: Date,
        stamp: &Stamp,
    ) -> Result<Payment, SettlementError> {
        let (references, metadata) = self.check()?;
        let missing = || Issues::from(required("how much is paid").at("amount"));
        let mut issues = Issues::default();
        let payment = Payment {
            id: stamp.id(),
            entity_id,
            invoice_id: references.invoice_id,
            credit_note_id: references.credit_note_id,
            advance_invoice_id: references.advance_invoice_id,
            expense_id: references.expense_id,
            applied_to_expense_id: None,
            amount: self.amount.ok_or_else(missing)?,
            kind: self.kind,
            date: self.date.unwrap_or(today),
            dated: None,
            reference: self.reference,
            tag: self.tag,
            note: self.note,
            metadata,
            tip: self.tender.tip,
            tendered: self.tender.tendered,
            receipt: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
            deleted_at: None,
        };
        payment.check_tendered(self.tender.change.as_ref(), &mut issues);
        Ok(issues.into_result(payment)?)
    }
}

/// What a request changes of a payment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PaymentPatch {
    /// See [`Payment::amount`]; so all below. Never null.
    pub amount: Patch<Decimal>,
    /// How. Never null, never to or from `credit_note` and `advance`.
    pub kind: Patch<PaymentType>,
    /// The day on which it was received. Never null.
    pub date: Patch<Date>,
    /// The payer's or bank's reference, at most [`MAX_REFERENCE_CHARS`].
    pub reference: Patch<String>,
    /// The caller's tag, at most [`MAX_TAG_CHARS`].
    pub tag: Patch<String>,
    /// The caller's note, at most [`MAX_NOTE_CHARS`].
    pub note: Patch<String>,
    /// The caller's properties; replaces all that there were, null empties them.
    pub metadata: Patch<BTreeMap<String, String>>,
    /// What was given beyond the amount.
    pub tip: Patch<Decimal>,
    /// The cash that was handed over. What is no longer paid in cash has none.
    pub tendered: Patch<Decimal>,
    /// What was given back, checked against the others.
    pub change: Patch<Decimal>,
    /// What a payment names cannot change: accepted when it says what is so already.
    pub document_id: Patch<String>,
    /// As `document_id`; so all below.
    pub invoice_id: Patch<String>,
    /// The credit note.
    pub credit_note_id: Patch<String>,
    /// The advance invoice.
    pub advance_invoice_id: Patch<String>,
    /// The expense.
    pub expense_id: Patch<String>,
    /// The expense that a supplier's credit note settles.
    pub applied_to_expense_id: Patch<String>,
}

impl PaymentPatch {
    /// `payment` with what this says of it. Its amount is still to be held against the documents.
    pub(crate) fn apply(self, payment: &Payment) -> Result<Payment, Issues> {
        let mut issues = Issues::default();
        self.check_references(payment, &mut issues);
        let mut after = payment.clone();
        check_amount(&mut issues, self.amount.value());
        set(&mut issues, "amount", self.amount, &mut after.amount);
        let mut date = after.date;
        set(&mut issues, "date", self.date, &mut date);
        after = after.change_date(date);
        let mut kind = after.kind;
        set(&mut issues, "type", self.kind, &mut kind);
        self.reference.apply(&mut after.reference);
        self.tag.apply(&mut after.tag);
        self.note.apply(&mut after.note);
        check_texts(&mut issues, [&after.reference, &after.tag, &after.note]);
        if let Some(sent) = issues.collect("metadata", self.metadata.try_map(Metadata::checked)) {
            sent.apply_or(&mut after.metadata, Metadata::default());
        }
        let tender = Tender {
            tip: self.tip.value().cloned(),
            tendered: self.tendered.value().cloned(),
            change: None,
        };
        tender.check(kind, after.is_received(), &mut issues);
        self.tip.apply(&mut after.tip);
        self.tendered.apply(&mut after.tendered);
        let change = self.change;
        match after.change_type(kind) {
            Ok(after) => {
                after.check_tendered(change.value(), &mut issues);
                if change.value().is_some() && after.tendered.is_none() {
                    issues.push(required("say how much was handed over").at("tendered"));
                }
                issues.into_result(after)
            }
            Err(refused) => {
                refused.iter().for_each(|issue| issues.push(issue.clone()));
                Err(issues)
            }
        }
    }

    fn check_references(&self, payment: &Payment, issues: &mut Issues) {
        let expense = |id: Option<ExpenseId>| id.map(SettleableId::Expense);
        let document = |id: Option<DocumentId>| id.map(SettleableId::Document);
        let fields = [
            ("invoice_id", &self.invoice_id, document(payment.invoice_id)),
            ("credit_note_id", &self.credit_note_id, document(payment.credit_note_id)),
            ("advance_invoice_id", &self.advance_invoice_id, document(payment.advance_invoice_id)),
            ("expense_id", &self.expense_id, expense(payment.expense_id)),
            (
                "applied_to_expense_id",
                &self.applied_to_expense_id,
                expense(payment.applied_to_expense_id),
            ),
        ];
        let message = "a payment stays with its document; delete it and record another";
        for (field, sent, kept) in fields {
            if !sent.is_absent() && sent.value() != kept.map(|id| id.to_string()).as_ref() {
                issues.push(Issue::new("not_updatable", message).at(field));
            }
        }
        let names = |id: &String| payment.documents().any(|named| named.to_string() == *id);
        if !self.document_id.is_absent() && !self.document_id.value().is_some_and(names) {
            issues.push(Issue::new("not_updatable", message).at("document_id"));
        }
    }
}

fn required(message: &str) -> Issue {
    Issue::new("required", message)
}

/// Takes over a field that always holds a value.
fn set<T>(issues: &mut Issues, field: &str, sent: Patch<T>, kept: &mut T) {
    match sent {
        Patch::Absent => {}
        Patch::Null => issues.push(required("cannot be null; leave it out to keep it").at(field)),
        Patch::Value(value) => *kept = value,
    }
}

fn check_amount(issues: &mut Issues, amount: Option<&Decimal>) {
    if amount.is_some_and(|amount| !amount.is_positive()) {
        issues.push(Issue::new("out_of_range", "a payment is more than 0").at("amount"));
    }
}

/// Checks reference, tag and note.
fn check_texts(issues: &mut Issues, [reference, tag, note]: [&Option<String>; 3]) {
    text::check_field(issues, "reference", reference.as_deref(), MAX_REFERENCE_CHARS);
    text::check_field(issues, "tag", tag.as_deref(), MAX_TAG_CHARS);
    text::check_field(issues, "note", note.as_deref(), MAX_NOTE_CHARS);
}
