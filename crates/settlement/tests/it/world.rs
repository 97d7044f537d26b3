//! Documents and payments in memory: loads what a command may touch, applies what it answers.

use std::collections::BTreeMap;

use racun_kernel::id::{EntityId, ExpenseId, PaymentId};
use racun_kernel::{Currency, Decimal, DocumentId, DocumentKind, Issue, Issues, Stamp};
use racun_settlement::{
    NewPayment, Payment, PaymentPatch, PaymentType, PaymentWrite, Settleable, SettleableId,
    SettleableKind, SettleableStage, Settlement, SettlementError, SettlementOutcome,
};
use racun_store::testing::stamp;
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};
use ulid::Ulid;

pub const TODAY: Date = date!(2026 - 11 - 20);
pub const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

/// A decision whose writes the world has stored.
#[derive(Debug, PartialEq, Eq)]
pub struct Applied(pub SettlementOutcome);

pub type Decided = Result<Applied, SettlementError>;

pub fn entity() -> EntityId {
    EntityId::new(Ulid::from_parts(1, 1))
}

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// The id of the document that `id` is of; not of an expense.
pub fn document(id: SettleableId) -> DocumentId {
    let SettleableId::Document(id) = id else { panic!("{id} is of no document") };
    id
}

/// A payment on the document `id`.
pub fn paying(id: SettleableId, amount: &str, kind: PaymentType) -> NewPayment {
    let document_id = Some(id.to_string());
    NewPayment { document_id, amount: Some(decimal(amount)), ..NewPayment::new(kind) }
}

/// A settlement of `invoice` by `credit_note`.
pub fn crediting(invoice: SettleableId, credit_note: SettleableId, amount: &str) -> NewPayment {
    NewPayment {
        document_id: None,
        invoice_id: Some(invoice.to_string()),
        credit_note_id: Some(credit_note.to_string()),
        ..paying(invoice, amount, PaymentType::CreditNote)
    }
}

/// A patch of the amount alone.
pub fn amount(amount: &str) -> PaymentPatch {
    PaymentPatch { amount: Some(decimal(amount)).into(), ..PaymentPatch::default() }
}

/// All that is stored.
#[derive(Clone)]
pub struct World {
    pub documents: BTreeMap<SettleableId, Settleable>,
    pub payments: BTreeMap<PaymentId, Payment>,
    pub links: BTreeMap<SettleableId, Vec<SettleableId>>,
    /// What each credit note in effect gives back of which document.
    pub credits: BTreeMap<SettleableId, (SettleableId, Decimal)>,
    pub stamp: Stamp,
}

impl World {
    pub fn new() -> Self {
        Self {
            documents: BTreeMap::new(),
            payments: BTreeMap::new(),
            links: BTreeMap::new(),
            credits: BTreeMap::new(),
            stamp: stamp(NOW),
        }
    }

    /// Adds a document on which nothing is paid.
    pub fn add(
        &mut self,
        kind: SettleableKind,
        stage: SettleableStage,
        total: &str,
    ) -> SettleableId {
        let ulid = self.stamp.ulid();
        let document = |kind| SettleableId::from(DocumentId::new(kind, ulid));
        let id = match kind {
            SettleableKind::Invoice => document(DocumentKind::Invoice),
            SettleableKind::CreditNote => document(DocumentKind::CreditNote),
            SettleableKind::AdvanceInvoice => document(DocumentKind::AdvanceInvoice),
            SettleableKind::Expense => SettleableId::Expense(ExpenseId::new(ulid)),
        };
        let document = Settleable::issued(id, kind, Currency::EUR, decimal(total));
        self.documents.insert(id, Settleable { stage, ..document });
        id
    }

    pub fn invoice(&mut self, total: &str) -> SettleableId {
        self.add(SettleableKind::Invoice, SettleableStage::Issued, total)
    }

    pub fn credit_note(&mut self, total: &str) -> SettleableId {
        self.add(SettleableKind::CreditNote, SettleableStage::Issued, total)
    }

    pub fn expense(&mut self, total: &str) -> SettleableId {
        self.add(SettleableKind::Expense, SettleableStage::Issued, total)
    }

    pub fn draft_advance(&mut self, total: &str) -> SettleableId {
        self.add(SettleableKind::AdvanceInvoice, SettleableStage::Draft, total)
    }

    /// An issued advance invoice, paid in full.
    pub fn advance(&mut self, total: &str) -> SettleableId {
        let id = self.draft_advance(total);
        self.pay(id, total).unwrap();
        self.issue_advance(id).unwrap();
        id
    }

    pub fn stage(&mut self, id: SettleableId, stage: SettleableStage) {
        self.documents.get_mut(&id).unwrap().stage = stage;
    }

    /// What application loads for a command on these documents.
    pub fn load(&self, ids: impl IntoIterator<Item = SettleableId>) -> Settlement {
        let mut loaded = Settlement {
            entity_id: entity(),
            today: TODAY,
            documents: Vec::new(),
            allocations: Vec::new(),
            links: Vec::new(),
        };
        let mut wanted: Vec<SettleableId> = ids.into_iter().collect();
        wanted.sort();
        wanted.dedup();
        for id in &wanted {
            let links = self.links.get(id).into_iter().flatten();
            loaded.links.extend(links.map(|link| document(*link)));
            let of_invoice = |payment: &&Payment| {
                payment.is_allocation()
                    && payment.invoice_id.map(SettleableId::Document) == Some(*id)
            };
            loaded.allocations.extend(self.payments.values().filter(of_invoice).cloned());
        }
        let allocated = loaded.allocations.iter().filter_map(|a| a.advance_invoice_id);
        let advances = loaded.links.iter().copied().chain(allocated);
        wanted.extend(advances.map(SettleableId::Document));
        wanted.sort();
        wanted.dedup();
        loaded.documents = wanted.iter().filter_map(|id| self.documents.get(id)).cloned().collect();
        loaded
    }

    /// Writes what was decided, as a store would: only what is there can be replaced or removed.
    fn apply(&mut self, decided: Result<SettlementOutcome, SettlementError>) -> Decided {
        let outcome = decided?;
        for write in &outcome.writes {
            match write {
                PaymentWrite::Insert(payment) => {
                    assert_eq!(self.payments.insert(payment.id, payment.clone()), None);
                }
                PaymentWrite::Update { before, after } => {
                    let stored = self.payments.insert(after.id, (**after).clone());
                    assert_eq!(stored.as_ref(), Some(&**before));
                    assert_ne!(before, after, "an update changes something");
                }
                PaymentWrite::Delete(payment) => {
                    assert_eq!(self.payments.remove(&payment.id).as_ref(), Some(payment));
                }
            }
        }
        for document in &outcome.documents {
            let stored = self.documents.insert(document.id, document.clone());
            assert_ne!(stored.as_ref(), Some(document), "only changed documents are answered");
        }
        Ok(Applied(outcome))
    }

    pub fn record(&mut self, new: NewPayment) -> Decided {
        let loaded = self.load(new.references()?.ids());
        let stamp = self.stamp.clone();
        self.apply(loaded.record(new, &stamp))
    }

    /// A payment by card.
    pub fn pay(&mut self, id: SettleableId, amount: &str) -> Decided {
        self.record(paying(id, amount, PaymentType::Card))
    }

    pub fn change(&mut self, id: PaymentId, patch: PaymentPatch) -> Decided {
        let payment = self.payments[&id].clone();
        let decided = self.load(payment.documents()).change(payment, patch, &self.stamp);
        self.apply(decided)
    }

    pub fn trash(&mut self, id: PaymentId) -> Decided {
        let payment = self.payments[&id].clone();
        let decided = self.load(payment.documents()).trash(payment, &self.stamp);
        self.apply(decided)
    }

    pub fn restore(&mut self, id: PaymentId) -> Decided {
        let payment = self.payments[&id].clone();
        let decided = self.load(payment.documents()).restore(payment, &self.stamp);
        self.apply(decided)
    }

    pub fn erase(&mut self, id: PaymentId) -> Decided {
        let decided = Settlement::erase(self.payments[&id].clone());
        self.apply(decided)
    }

    pub fn settle(&mut self, invoice: SettleableId) -> Decided {
        let decided = self.load([invoice]).settle(&self.stamp);
        self.apply(decided)
    }

    pub fn link(&mut self, invoice: SettleableId, advance: SettleableId) -> Decided {
        let links = self.links.entry(invoice).or_default();
        if !links.contains(&advance) {
            links.push(advance);
        }
        self.settle(invoice)
    }

    pub fn unlink(&mut self, invoice: SettleableId, advance: SettleableId) -> Decided {
        self.links.entry(invoice).or_default().retain(|link| *link != advance);
        self.settle(invoice)
    }

    /// The settlements by credit notes that name the document.
    pub fn settlements(&self, id: SettleableId) -> Vec<Payment> {
        let names = |payment: &&Payment| payment.documents().any(|named| named == id);
        let settlements = self.active().filter(|payment| payment.is_credit_settlement());
        settlements.filter(names).cloned().collect()
    }

    /// Voids an invoice or a credit note, as `application` does when nothing forbids it.
    pub fn void(&mut self, id: SettleableId) -> Decided {
        self.stage(id, SettleableStage::Voided);
        let settlements = self.settlements(id);
        let named = settlements.iter().flat_map(Payment::documents).chain([id]);
        let decided = self.load(named).end(settlements, &self.stamp);
        if let Some((target, amount)) = self.credits.remove(&id) {
            self.documents.get_mut(&target).unwrap().total_credited -= &amount;
        }
        self.apply(decided)
    }

    /// Gives `total` back of the document by a credit note; `None` when it has less left.
    pub fn credit(&mut self, id: SettleableId, total: &str) -> Option<SettleableId> {
        let (target, amount) = (self.documents.get_mut(&id).unwrap(), decimal(total));
        if target.stage != SettleableStage::Issued || amount > target.remaining() {
            return None;
        }
        target.total_credited += &amount;
        let note = self.credit_note(total);
        self.credits.insert(note, (id, amount));
        Some(note)
    }

    pub fn cover(&mut self, id: SettleableId, payments: Vec<NewPayment>) -> Decided {
        let decided = self.load([id]).cover(id, payments, &self.stamp);
        self.apply(decided)
    }

    /// Settles the invoice by credit notes; settlements of it by others end.
    pub fn settle_by_credit(&mut self, invoice: SettleableId, notes: &[SettleableId]) -> Decided {
        let mut others = self.settlements(invoice);
        others.retain(|payment| !payment.documents().any(|id| notes.contains(&id)));
        let named = others.iter().flat_map(Payment::documents).chain(notes.iter().copied());
        let loaded = self.load(named.chain([invoice]));
        let notes: Vec<DocumentId> = notes.iter().map(|id| document(*id)).collect();
        let (invoice, note) = (document(invoice), "Auto-applied credit note");
        let decided = loaded.settle_by_credit(invoice, &notes, others, note, &self.stamp);
        self.apply(decided)
    }

    pub fn issue_advance(&mut self, id: SettleableId) -> Decided {
        let loaded = self.load([id]);
        let decided = loaded.issue_advance(document(id), Vec::new(), &self.stamp);
        self.apply(decided)
    }

    /// Gives a document another total; what a credit note gives back follows, when there is as
    /// much.
    pub fn revise(&mut self, id: SettleableId, total: &str) -> Decided {
        let loaded = self.load([id]);
        let outcome = loaded.revise(id, decimal(total), Currency::EUR, &self.stamp)?;
        if let Some((target, amount)) = self.credits.get_mut(&id) {
            let target = self.documents.get_mut(target).unwrap();
            let after = decimal(total).max(Decimal::zero());
            if after > &target.remaining() + amount {
                let issue = Issue::new("credit_exceeds_remaining", "");
                return Err(Issues::from(issue).into());
            }
            target.total_credited += &(&after - amount);
            *amount = after;
        }
        self.apply(Ok(outcome))
    }

    /// What is paid on the document.
    pub fn paid(&self, id: SettleableId) -> String {
        self.documents[&id].total_paid.to_string()
    }

    /// What of an advance invoice is allocated.
    pub fn applied(&self, id: SettleableId) -> String {
        self.documents[&id].total_applied.to_string()
    }

    pub fn active(&self) -> impl Iterator<Item = &Payment> {
        self.payments.values().filter(|payment| payment.deleted_at.is_none())
    }

    /// The active allocations: invoice, advance invoice, amount.
    pub fn allocations(&self) -> Vec<(DocumentId, DocumentId, Decimal)> {
        let allocations = self.active().filter(|payment| payment.is_allocation());
        let mut figures: Vec<_> = allocations
            .map(|allocation| {
                let advance = allocation.advance_invoice_id.unwrap();
                (allocation.invoice_id.unwrap(), advance, allocation.amount.clone())
            })
            .collect();
        figures.sort();
        figures
    }
}
