//! The one decision on what settles what, and its commands.

use racun_kernel::id::{EntityId, PaymentId};
use racun_kernel::{Currency, Decimal, DocumentId, Issue, Issues, PaymentType, Stamp};
use racun_store::Put;
use time::Date;

use crate::error::{SettlementError, SettlementRefusal};
use crate::input::{NewPayment, PaymentPatch};
use crate::ledger::Ledger;
use crate::payment::Payment;
use crate::settleable::{Settleable, SettleableId, SettleableKind, SettleableStage};

/// Payments that a document may be made with.
pub const MAX_DOCUMENT_PAYMENTS: usize = 100;

/// All that a command decides on, loaded and held by one unit of the store.
///
/// Whatever command follows, `documents` holds every document and expense that the payment names;
/// and when an invoice is among them, also the advance invoices of all `links` and of all
/// `allocations`, for the invoice's allocations may change with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// Whose payments.
    pub entity_id: EntityId,
    /// The entity's local day: the date of payments that name none.
    pub today: Date,
    /// The documents concerned, in any order; at most one of them is an invoice.
    pub documents: Vec<Settleable>,
    /// The active allocations of that invoice: the rows whose `allocation_of` is its id.
    pub allocations: Vec<Payment>,
    /// The ids of the advance invoices linked to that invoice, in the order of the links, as they
    /// are to be after the command.
    pub links: Vec<DocumentId>,
}

/// What a command decided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a decision does nothing until its writes are stored"]
pub struct SettlementOutcome {
    /// The payment that the command was about, as it is now.
    pub payment: Option<Payment>,
    /// What becomes of payments, allocations included.
    pub writes: Vec<PaymentWrite>,
    /// The documents whose totals or stage changed, as they are now.
    pub documents: Vec<Settleable>,
    /// Events for the log.
    pub events: Vec<SettlementEvent>,
}

/// What becomes of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaymentWrite {
    /// It is new.
    Insert(Payment),
    /// It changed.
    Update {
        /// As it was.
        before: Box<Payment>,
        /// As it is.
        after: Box<Payment>,
    },
    /// It is gone for good.
    Delete(Payment),
}

impl PaymentWrite {
    /// The payment as it becomes.
    fn after(&mut self) -> &mut Payment {
        match self {
            Self::Insert(payment) | Self::Delete(payment) => payment,
            Self::Update { after, .. } => after,
        }
    }

    pub(crate) fn update(before: Payment, after: Payment) -> Self {
        Self::Update { before: Box::new(before), after: Box::new(after) }
    }

    /// The row to write.
    #[must_use]
    pub fn put(&self) -> Put {
        match self {
            Self::Insert(payment) => Put::insert(payment),
            Self::Update { before, after } => Put::update(&**before, &**after),
            Self::Delete(payment) => Put::delete(payment),
        }
    }
}

/// The events for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettlementEvent {
    /// A payment was recorded.
    PaymentReceived(PaymentId),
    /// A payment was changed.
    PaymentUpdated(PaymentId),
    /// A payment went to the trash.
    PaymentDeleted(PaymentId),
    /// A payment came back from the trash.
    PaymentRestored(PaymentId),
    /// A payment in the trash is gone for good.
    PaymentErased(PaymentId),
    /// An invoice has just become fully paid.
    InvoicePaid(DocumentId),
    /// An advance invoice is issued, hence fully paid.
    AdvancePaid(DocumentId),
    /// Money of an advance invoice went to an invoice that had none of it.
    AdvanceApplied(DocumentId),
}

impl SettlementOutcome {
    /// The same where `change` is made on the payment that the command was about.
    pub fn noting(mut self, change: impl Fn(&mut Payment)) -> Self {
        let Some(payment) = &mut self.payment else { return self };
        change(payment);
        let id = payment.id;
        let its = self.writes.iter_mut().map(PaymentWrite::after).filter(|own| own.id == id);
        its.for_each(change);
        self
    }
}

impl SettlementEvent {
    /// The id that it happened to.
    #[must_use]
    pub fn subject(&self) -> String {
        match self {
            Self::PaymentReceived(id)
            | Self::PaymentUpdated(id)
            | Self::PaymentDeleted(id)
            | Self::PaymentRestored(id)
            | Self::PaymentErased(id) => id.to_string(),
            Self::InvoicePaid(id) | Self::AdvancePaid(id) | Self::AdvanceApplied(id) => {
                id.to_string()
            }
        }
    }
}

impl Settlement {
    /// The same with `document` in the place of the one that has its id.
    #[must_use]
    pub fn with(mut self, document: Settleable) -> Self {
        self.documents.retain(|other| other.id != document.id);
        self.documents.push(document);
        self
    }

    /// Records a payment.
    ///
    /// # Errors
    /// What [`NewPayment::references`] refuses; an amount that is missing or has more decimals than
    /// the currency; documents that take no payments now; too much for what is named.
    pub fn record(
        self,
        new: NewPayment,
        stamp: &Stamp,
    ) -> Result<SettlementOutcome, SettlementError> {
        let mut ledger = Ledger::open(self, stamp);
        let payment = ledger.record(new)?;
        ledger.settle()?;
        Ok(ledger.close(Some(payment)))
    }

    /// Changes a payment. One that stays as it was writes nothing.
    ///
    /// # Errors
    /// For payments that the system keeps, in the trash, or on documents that are drafts or voided;
    /// for input that breaks a rule, document references that differ among it; for too much, and
    /// for any other amount on an issued advance invoice; for another amount, type or date where a
    /// receipt was issued.
    pub fn change(
        self,
        payment: Payment,
        patch: PaymentPatch,
        stamp: &Stamp,
    ) -> Result<SettlementOutcome, SettlementError> {
        must_be_by_hand(&payment)?;
        if payment.deleted_at.is_some() {
            return Err(SettlementRefusal::InTrash.into());
        }
        let mut ledger = Ledger::open(self, stamp);
        ledger.must_be_open(&payment)?;
        let mut after = patch.apply(&payment)?;
        let receipted = |own: &Payment| (own.amount.clone(), own.kind, own.date);
        if receipted(&after) != receipted(&payment) {
            must_be_without_receipt(&payment)?;
        }
        if after == payment {
            return Ok(ledger.close(Some(payment)));
        }
        if after.amount != payment.amount {
            ledger.take_out(&payment)?;
            ledger.put_in(&after)?;
            ledger.settle()?;
        }
        ledger.check_scales(&after)?;
        after.updated_at = stamp.now();
        ledger.add_event(SettlementEvent::PaymentUpdated(after.id));
        ledger.write(PaymentWrite::update(payment, after.clone()));
        Ok(ledger.close(Some(after)))
    }

    /// Moves a payment to the trash.
    ///
    /// # Errors
    /// [`SettlementError::NotFound`] when it is there already; for payments that the system keeps,
    /// that cover an issued advance invoice, or on voided documents.
    pub fn trash(
        self,
        payment: Payment,
        stamp: &Stamp,
    ) -> Result<SettlementOutcome, SettlementError> {
        must_be_by_hand(&payment)?;
        if payment.deleted_at.is_some() {
            return Err(SettlementError::NotFound { id: payment.id.to_string() });
        }
        let mut ledger = Ledger::open(self, stamp);
        ledger.take_out(&payment)?;
        ledger.settle()?;
        let event = SettlementEvent::PaymentDeleted(payment.id);
        Ok(ledger.close_moved(payment, Some(stamp.now()), event))
    }

    /// Brings a payment back from the trash. On an invoice it displaces advance money, like any
    /// ordinary payment.
    ///
    /// # Errors
    /// [`SettlementRefusal::NotInTrash`]; for payments that the system keeps, or whose receipt was
    /// voided; for too much, and for documents that take no payments now.
    pub fn restore(
        self,
        payment: Payment,
        stamp: &Stamp,
    ) -> Result<SettlementOutcome, SettlementError> {
        must_be_by_hand(&payment)?;
        must_be_in_trash(&payment)?;
        must_be_without_receipt(&payment)?;
        let mut ledger = Ledger::open(self, stamp);
        ledger.put_in(&payment)?;
        ledger.settle()?;
        let event = SettlementEvent::PaymentRestored(payment.id);
        Ok(ledger.close_moved(payment, None, event))
    }

    /// Removes a payment in the trash for good. No document is concerned.
    ///
    /// # Errors
    /// [`SettlementRefusal::NotInTrash`], and for payments that the system keeps, or that have a
    /// receipt.
    pub fn erase(payment: Payment) -> Result<SettlementOutcome, SettlementError> {
        must_be_by_hand(&payment)?;
        must_be_in_trash(&payment)?;
        must_be_without_receipt(&payment)?;
        let events = vec![SettlementEvent::PaymentErased(payment.id)];
        let writes = vec![PaymentWrite::Delete(payment)];
        Ok(SettlementOutcome { payment: None, writes, documents: Vec::new(), events })
    }

    /// Derives the invoice's allocations again, after its links changed: it was issued with advance
    /// invoices, or got or lost a link.
    ///
    /// # Errors
    /// [`SettlementError::NotFound`] when an advance invoice is not among the documents.
    pub fn settle(self, stamp: &Stamp) -> Result<SettlementOutcome, SettlementError> {
        self.end(Vec::new(), stamp)
    }

    /// Sets free what a voided document holds; hand it in as voided. Of an invoice that is all
    /// advance money, and the credit that `settlements`, the settlements by credit notes on it,
    /// took; of a credit note its `settlements` of the invoice that is among the documents.
    ///
    /// # Errors
    /// [`SettlementError::NotFound`] when a document that is named is not among those loaded.
    pub fn end(
        self,
        settlements: Vec<Payment>,
        stamp: &Stamp,
    ) -> Result<SettlementOutcome, SettlementError> {
        let mut ledger = Ledger::open(self, stamp);
        ledger.release(settlements)?;
        ledger.settle()?;
        Ok(ledger.close(None))
    }

    /// Records the payments that the document `id` is made with. An invoice takes what its linked
    /// advances have first; then one payment without an amount may take what is left.
    ///
    /// # Errors
    /// As [`Settlement::record`], issues inside the payment's index; `required` for a second
    /// payment without an amount, and `nothing_due` for the first when nothing is left.
    pub fn cover(
        self,
        id: SettleableId,
        payments: Vec<NewPayment>,
        stamp: &Stamp,
    ) -> Result<SettlementOutcome, SettlementError> {
        let mut ledger = Ledger::open(self, stamp);
        cover(&mut ledger, id, payments)?;
        Ok(ledger.close(None))
    }

    /// Settles `invoice`, which is to be voided, by the `credit_notes` that together give back all
    /// of it, in their order. What advances had given to it goes back, and so does the credit of
    /// `released`, settlements of it by other credit notes.
    ///
    /// # Errors
    /// As [`Settlement::record`]; [`SettlementRefusal::CreditSpent`] when the credit notes have
    /// less than what is open, for then it is owed.
    pub fn settle_by_credit(
        self,
        invoice: DocumentId,
        credit_notes: &[DocumentId],
        released: Vec<Payment>,
        note: &str,
        stamp: &Stamp,
    ) -> Result<SettlementOutcome, SettlementError> {
        let mut ledger = Ledger::open(self, stamp);
        ledger.release(released)?;
        for credit_note in credit_notes.iter().copied() {
            let amount = ledger.room(invoice.into())?.min(ledger.room(credit_note.into())?);
            if !amount.is_positive() {
                continue;
            }
            ledger.record(NewPayment {
                invoice_id: Some(invoice.to_string()),
                credit_note_id: Some(credit_note.to_string()),
                amount: Some(amount),
                note: Some(note.to_owned()),
                ..NewPayment::new(PaymentType::CreditNote)
            })?;
        }
        let owed = ledger.room(invoice.into())?;
        if owed.is_positive() {
            return Err(SettlementRefusal::CreditSpent { id: invoice.to_string(), owed }.into());
        }
        ledger.settle()?;
        Ok(ledger.close(None))
    }

    /// Issues the advance invoice `id` with `payments`; what is paid on it then covers it exactly.
    ///
    /// It is the only document that takes payments while it is a draft, and none once it is issued.
    /// Hand it in as the draft that it was.
    ///
    /// # Errors
    /// As [`Settlement::cover`]; [`SettlementRefusal::AdvanceNotFullyPaid`] with what is missing;
    /// [`SettlementRefusal::DocumentNotDraft`]; [`SettlementError::NotFound`] when no such advance
    /// invoice is among the documents.
    pub fn issue_advance(
        self,
        id: DocumentId,
        payments: Vec<NewPayment>,
        stamp: &Stamp,
    ) -> Result<SettlementOutcome, SettlementError> {
        let mut ledger = Ledger::open(self, stamp);
        let advance = ledger.document(id.into())?;
        if advance.kind != SettleableKind::AdvanceInvoice {
            return Err(SettlementError::NotFound { id: id.to_string() });
        }
        if advance.stage != SettleableStage::Draft {
            return Err(SettlementRefusal::DocumentNotDraft { id: id.to_string() }.into());
        }
        cover(&mut ledger, id.into(), payments)?;
        let advance = ledger.document(id.into())?;
        advance.must_be_covered()?;
        advance.stage = SettleableStage::Issued;
        ledger.add_event(SettlementEvent::AdvancePaid(id));
        Ok(ledger.close(None))
    }

    /// Gives the document `id` another total, after its lines changed.
    ///
    /// # Errors
    /// When its payments would come to more than that, allocations aside, which give way; issue
    /// `credit_exceeds_remaining` at `items` when credit notes give back more than that; when it is
    /// voided; when it is an issued advance invoice and the total is another; issue
    /// `not_updatable` at `currency_code` when the currency is another and something is paid.
    pub fn revise(
        self,
        id: SettleableId,
        total_with_tax: Decimal,
        currency: Currency,
        stamp: &Stamp,
    ) -> Result<SettlementOutcome, SettlementError> {
        let mut ledger = Ledger::open(self, stamp);
        ledger.revise(id, total_with_tax, currency)?;
        ledger.settle()?;
        Ok(ledger.close(None))
    }
}

/// Records the `payments` that the document `id` is made or issued with, see [`Settlement::cover`].
fn cover(
    ledger: &mut Ledger<'_>,
    id: SettleableId,
    payments: Vec<NewPayment>,
) -> Result<(), SettlementError> {
    if payments.len() > MAX_DOCUMENT_PAYMENTS {
        let message = format!("at most {MAX_DOCUMENT_PAYMENTS} payments");
        return Err(Issues::from(Issue::new("too_many", message)).into());
    }
    let of_document = |new| NewPayment { document_id: Some(id.to_string()), ..new };
    let payments: Vec<NewPayment> = payments.into_iter().map(of_document).collect();
    // Issues of single payments come before those of their sum.
    let mut issues = Issues::default();
    for (n, new) in payments.iter().enumerate() {
        if let Err(SettlementError::Invalid(wrong)) = new.references() {
            issues.extend_at(n, wrong);
        }
    }
    issues.into_result(())?;
    let mut open = None;
    for (n, new) in payments.into_iter().enumerate() {
        if new.amount.is_none() && open.is_none() {
            open = Some((n, new));
        } else {
            ledger.record(new).map_err(|error| inside(n, error))?;
        }
    }
    ledger.settle()?;
    if let Some((n, new)) = open {
        let left = ledger.left(id)?;
        if !left.is_positive() {
            let message = "nothing is left to pay; leave this payment out";
            let issue = Issue::new("nothing_due", message).at("amount").at(n);
            return Err(Issues::from(issue).into());
        }
        ledger
            .record(NewPayment { amount: Some(left), ..new })
            .map_err(|error| inside(n, error))?;
    }
    Ok(())
}

fn must_be_by_hand(payment: &Payment) -> Result<(), SettlementRefusal> {
    if payment.is_system_managed() { Err(SettlementRefusal::PaymentSystemManaged) } else { Ok(()) }
}

fn must_be_in_trash(payment: &Payment) -> Result<(), SettlementRefusal> {
    if payment.deleted_at.is_some() { Ok(()) } else { Err(SettlementRefusal::NotInTrash) }
}

/// A receipt is a document: it stays as it was issued, and stays.
fn must_be_without_receipt(payment: &Payment) -> Result<(), SettlementRefusal> {
    match &payment.receipt {
        None => Ok(()),
        Some(receipt) => Err(SettlementRefusal::ReceiptIssued { number: receipt.number.clone() }),
    }
}

/// The error as found in the `n`-th payment.
fn inside(n: usize, error: SettlementError) -> SettlementError {
    match error {
        SettlementError::Invalid(issues) => {
            let mut outer = Issues::default();
            outer.extend_at(n, issues);
            SettlementError::Invalid(outer)
        }
        other => other,
    }
}
