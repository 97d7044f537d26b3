//! Documents as settlement sees them, and what its decisions change on them.

use racun_documents::events::{advance_invoice, invoice};
use racun_documents::expense::{Expense, ExpenseStage};
use racun_documents::{Document, DocumentId, DocumentKind, Stage};
use racun_kernel::{Decimal, Stamp};
use racun_settlement::events::payment;
use racun_settlement::{
    PAYMENTS, Payment, PaymentWrite, Settleable, SettleableId, SettleableKind, SettleableStage,
    Settlement, SettlementEvent, SettlementOutcome,
};
use racun_store::{Actor, Event, EventKind, Many, Put, UnitBuilder, Writes};
use time::Date;

/// Holds the active allocations of advance money to the invoice `id`.
pub(crate) fn hold_allocations(unit: &mut UnitBuilder<'_>, id: DocumentId) -> Many<Payment> {
    unit.hold_where(&PAYMENTS, "allocation_of", id)
}

/// The document as settlement sees it; `None` for kinds that no money moves on.
pub(crate) fn settleable(document: &Document) -> Option<Settleable> {
    let kind = match document.id.kind() {
        DocumentKind::Invoice => SettleableKind::Invoice,
        DocumentKind::CreditNote => SettleableKind::CreditNote,
        DocumentKind::AdvanceInvoice => SettleableKind::AdvanceInvoice,
        DocumentKind::Estimate | DocumentKind::DeliveryNote => return None,
    };
    Some(Settleable {
        id: document.id.into(),
        kind,
        stage: match document.stage {
            Stage::Draft => SettleableStage::Draft,
            Stage::Issued(_) => SettleableStage::Issued,
            Stage::Voided(..) => SettleableStage::Voided,
        },
        currency: document.content.currency,
        total_with_tax: document.amounts.total_with_tax.clone(),
        total_paid: document.amounts.total_paid.clone(),
        total_applied: document.amounts.total_applied.clone(),
        total_credited: document.amounts.total_credited.clone(),
    })
}

/// The expense as settlement sees it: what it comes to is nothing while its total is missing.
pub(crate) fn settleable_expense(expense: &Expense) -> Settleable {
    let total = expense.content.amounts.total_with_tax.clone();
    Settleable {
        id: expense.id.into(),
        kind: SettleableKind::Expense,
        stage: match expense.stage {
            ExpenseStage::Draft => SettleableStage::Draft,
            ExpenseStage::Issued(_) => SettleableStage::Issued,
            ExpenseStage::Voided(..) => SettleableStage::Voided,
        },
        currency: expense.content.currency,
        total_with_tax: total.unwrap_or_else(Decimal::zero),
        total_paid: expense.total_paid.clone(),
        total_applied: Decimal::zero(),
        total_credited: Decimal::zero(),
    }
}

/// What `document` has left to give back or, when it is an advance invoice, to be applied.
pub(crate) fn left(document: &Document) -> Decimal {
    settleable(document).map_or_else(Decimal::zero, |document| document.remaining())
}

/// The documents and expenses of one decision: as they were held, and as they become.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkingSet {
    documents: Vec<(Option<Document>, Document)>,
    expenses: Vec<(Expense, Expense)>,
}

impl WorkingSet {
    /// A sheet of held documents.
    pub fn of(documents: Vec<Document>) -> Self {
        let documents = documents.into_iter().map(|document| (Some(document.clone()), document));
        Self { documents: documents.collect(), expenses: Vec::new() }
    }

    /// The same sheet with a document that is to be inserted, or that replaces `before`.
    pub fn with(mut self, before: Option<Document>, after: Document) -> Self {
        self.documents.retain(|(_, document)| document.id != after.id);
        self.documents.insert(0, (before, after));
        self
    }

    /// The same sheet with one more document that is to be inserted.
    pub fn with_new(mut self, document: Document) -> Self {
        self.documents.push((None, document));
        self
    }

    /// Puts `after` in the place of the document that it was.
    pub fn replace(&mut self, after: Document) {
        let found = self.documents.iter_mut().find(|(_, document)| document.id == after.id);
        if let Some((_, document)) = found {
            *document = after;
        }
    }

    /// The same sheet with a held expense.
    pub fn with_expense(mut self, expense: Expense) -> Self {
        self.expenses.push((expense.clone(), expense));
        self
    }

    /// The documents as they become, the one of [`WorkingSet::with`] first.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.documents.iter().map(|(_, after)| after)
    }

    /// The document `id` as it becomes.
    pub fn document(&self, id: DocumentId) -> Option<&Document> {
        self.documents().find(|document| document.id == id)
    }

    /// What settlement decides on: all that money moves on.
    pub fn settlement(
        &self,
        actor: &Actor,
        today: Date,
        allocations: Vec<Payment>,
        links: Vec<DocumentId>,
    ) -> Settlement {
        let documents = self.documents().filter_map(settleable);
        let expenses = self.expenses.iter().map(|(_, after)| settleable_expense(after));
        Settlement {
            entity_id: actor.entity_id(),
            today,
            documents: documents.chain(expenses).collect(),
            allocations,
            links,
        }
    }

    /// Takes over the totals that a decision came to, and what invoices have of advances.
    pub fn take_over(&mut self, outcome: &SettlementOutcome, stamp: &Stamp) {
        for write in &outcome.writes {
            self.note_advance(write);
        }
        for settled in &outcome.documents {
            match settled.id {
                SettleableId::Document(id) => {
                    let found = self.documents.iter_mut().find(|(_, document)| document.id == id);
                    if let Some((_, document)) = found {
                        let mut totals = document.settled_totals();
                        totals.paid = settled.total_paid.clone();
                        totals.applied = settled.total_applied.clone();
                        *document = document.clone().settled(totals, stamp);
                    }
                }
                SettleableId::Expense(id) => {
                    let found = self.expenses.iter_mut().find(|(_, expense)| expense.id == id);
                    if let Some((_, expense)) = found {
                        *expense = expense.clone().paid(settled.total_paid.clone(), stamp);
                    }
                }
            }
        }
    }

    /// Notes on an invoice and its advance what the one has of the other, where `write` says it.
    fn note_advance(&mut self, write: &PaymentWrite) {
        let (payment, amount) = match write {
            PaymentWrite::Insert(payment) => (payment, payment.amount.clone()),
            PaymentWrite::Update { after, .. } => (&**after, after.amount.clone()),
            PaymentWrite::Delete(payment) => (payment, Decimal::zero()),
        };
        let named = |id: Option<DocumentId>| self.document(id?).cloned();
        let pair = named(payment.invoice_id).zip(named(payment.advance_invoice_id));
        if let Some((invoice, advance)) = pair.filter(|_| payment.is_allocation()) {
            let (invoice, advance) = invoice.with_advance(advance, &amount);
            self.replace(invoice);
            self.replace(advance);
        }
    }

    /// The rows to write: documents that are new or changed.
    pub fn puts(&self) -> Vec<Put> {
        let documents = self.documents.iter().filter_map(|(before, after)| match before {
            None => Some(Put::insert(after)),
            Some(before) if before != after => Some(Put::update(before, after)),
            Some(_) => None,
        });
        let expenses = self.expenses.iter().filter(|(before, after)| before != after);
        documents.chain(expenses.map(|(before, after)| Put::update(before, after))).collect()
    }

    /// All that a decision on this sheet writes.
    pub fn writes(&self, outcome: &SettlementOutcome, actor: &Actor) -> Writes {
        let payments = outcome.writes.iter().map(PaymentWrite::put);
        Writes::default().puts(self.puts()).puts(payments).events(events(outcome, actor))
    }

    /// The same sheet with more held documents.
    pub fn with_held(mut self, documents: Vec<Document>) -> Self {
        self.documents.extend(Self::of(documents).documents);
        self
    }
}

/// What happened, for the log.
pub(crate) fn events(outcome: &SettlementOutcome, actor: &Actor) -> Vec<Event> {
    outcome.events.iter().map(|event| actor.event(kind_of(event), event.subject())).collect()
}

/// The kind under which `event` is logged.
const fn kind_of(event: &SettlementEvent) -> EventKind {
    match event {
        SettlementEvent::PaymentReceived(_) => payment::RECEIVED,
        SettlementEvent::PaymentUpdated(_) => payment::UPDATED,
        SettlementEvent::PaymentDeleted(_) => payment::DELETED,
        SettlementEvent::PaymentRestored(_) => payment::RESTORED,
        SettlementEvent::PaymentErased(_) => payment::PERMANENTLY_DELETED,
        SettlementEvent::InvoicePaid(_) => invoice::PAID,
        SettlementEvent::AdvancePaid(_) => advance_invoice::PAID,
        SettlementEvent::AdvanceApplied(_) => advance_invoice::APPLIED,
    }
}
