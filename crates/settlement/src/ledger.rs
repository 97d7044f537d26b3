//! The working ledger of one decision: totals after the command, and allocations derived again.

use racun_kernel::{Currency, Decimal, DocumentId, Issue, Issues, PaymentType, Stamp};
use time::OffsetDateTime;

use crate::error::{SettlementError, SettlementRefusal};
use crate::input::NewPayment;
use crate::payment::Payment;
use crate::settleable::{Settleable, SettleableId, SettleableKind, SettleableStage};
use crate::settlement::{PaymentWrite, Settlement, SettlementEvent, SettlementOutcome};

/// A settlement while a command works on it.
pub(crate) struct Ledger<'a> {
    loaded: Settlement,
    documents: Vec<Settleable>,
    allocations: Vec<Payment>,
    writes: Vec<PaymentWrite>,
    events: Vec<SettlementEvent>,
    stamp: &'a Stamp,
}

impl<'a> Ledger<'a> {
    /// A ledger of `loaded`, without changes yet.
    pub fn open(loaded: Settlement, stamp: &'a Stamp) -> Self {
        Self {
            documents: loaded.documents.clone(),
            allocations: loaded.allocations.clone(),
            loaded,
            writes: Vec::new(),
            events: Vec::new(),
            stamp,
        }
    }

    /// The document `id`, which the caller must have loaded.
    pub fn document(&mut self, id: SettleableId) -> Result<&mut Settleable, SettlementError> {
        let found = self.documents.iter_mut().find(|document| document.id == id);
        found.ok_or_else(|| SettlementError::NotFound { id: id.to_string() })
    }

    /// Adds an event for the log.
    pub fn add_event(&mut self, event: SettlementEvent) {
        self.events.push(event);
    }

    /// Adds what becomes of a payment.
    pub fn write(&mut self, write: PaymentWrite) {
        self.writes.push(write);
    }

    /// Whether every document of `payment` lets its payments be changed.
    pub fn must_be_open(&mut self, payment: &Payment) -> Result<(), SettlementError> {
        for id in payment.documents() {
            self.document(id)?.must_be_open()?;
        }
        Ok(())
    }

    /// The most that a further payment by hand on the document `id` may come to; below 0 when its
    /// total is. Allocations give way, so they do not count.
    pub fn room(&mut self, id: SettleableId) -> Result<Decimal, SettlementError> {
        let allocated: Decimal = self
            .allocations
            .iter()
            .filter(|allocation| allocation.invoice_id.map(SettleableId::Document) == Some(id))
            .map(|allocation| &allocation.amount)
            .sum();
        let left = self.left(id)?;
        Ok(&left + &allocated)
    }

    /// What is left to pay on the document `id`.
    pub fn left(&mut self, id: SettleableId) -> Result<Decimal, SettlementError> {
        let document = self.document(id)?;
        Ok(&document.total_with_tax - &document.total_paid)
    }

    /// Adds a new payment.
    pub fn record(&mut self, new: NewPayment) -> Result<Payment, SettlementError> {
        let payment = new.into_payment(self.loaded.entity_id, self.loaded.today, self.stamp)?;
        self.put_in(&payment)?;
        self.write(PaymentWrite::Insert(payment.clone()));
        self.add_event(SettlementEvent::PaymentReceived(payment.id));
        Ok(payment)
    }

    /// Counts `payment` on its documents.
    pub fn put_in(&mut self, payment: &Payment) -> Result<(), SettlementError> {
        for id in payment.documents() {
            self.document(id)?.must_accept()?;
        }
        self.check_scales(payment)?;
        self.must_share_currency(payment)?;
        for id in payment.documents() {
            let maximum = self.room(id)?;
            let document = self.document(id)?;
            document.must_hold(&payment.amount, maximum)?;
            document.total_paid += &payment.amount;
        }
        Ok(())
    }

    /// Whether amount, tip and cash of `payment` are amounts of its documents' currencies.
    pub fn check_scales(&mut self, payment: &Payment) -> Result<(), SettlementError> {
        let figures = [
            ("amount", Some(&payment.amount)),
            ("tip", payment.tip.as_ref()),
            ("tendered", payment.tendered.as_ref()),
        ];
        for id in payment.documents() {
            let document = self.document(id)?;
            for (field, figure) in figures {
                figure.map_or(Ok(()), |figure| document.check_scale(field, figure))?;
            }
        }
        Ok(())
    }

    /// Counts `payment` on its documents no longer.
    pub fn take_out(&mut self, payment: &Payment) -> Result<(), SettlementError> {
        for id in payment.documents() {
            let document = self.document(id)?;
            document.must_accept()?;
            document.total_paid -= &payment.amount;
        }
        Ok(())
    }

    /// Ends settlements by credit notes: they are gone, and what they settled is open again on the
    /// invoice and left on the credit note. It is asked in every stage, for a document that ends
    /// sets free what it holds.
    pub fn release(&mut self, settlements: Vec<Payment>) -> Result<(), SettlementError> {
        for settlement in settlements {
            for id in settlement.documents() {
                self.document(id)?.total_paid -= &settlement.amount;
            }
            self.add_event(SettlementEvent::PaymentErased(settlement.id));
            self.write(PaymentWrite::Delete(settlement));
        }
        Ok(())
    }

    fn must_share_currency(&self, payment: &Payment) -> Result<(), Issues> {
        let named: Vec<SettleableId> = payment.documents().collect();
        let mut currencies =
            self.documents.iter().filter(|d| named.contains(&d.id)).map(|d| d.currency);
        let first = currencies.next();
        if currencies.all(|currency| Some(currency) == first) {
            return Ok(());
        }
        let message = "the invoice and the credit note have different currencies";
        Err(Issue::new("currency_mismatch", message).at("credit_note_id").into())
    }

    /// Gives the document `id` another total.
    pub fn revise(
        &mut self,
        id: SettleableId,
        total_with_tax: Decimal,
        currency: Currency,
    ) -> Result<(), SettlementError> {
        let room = self.room(id)?;
        let document = self.document(id)?;
        if document.stage == SettleableStage::Voided {
            return Err(SettlementRefusal::DocumentVoided { id: id.to_string() }.into());
        }
        let moved = [&document.total_paid, &document.total_applied, &document.total_credited];
        let is_used = moved.into_iter().any(|total| !total.is_zero());
        if document.currency != currency && is_used {
            let message = "something is paid or credited in the document's currency; it stays";
            let issue = Issue::new("not_updatable", message).at("currency_code");
            return Err(Issues::from(issue).into());
        }
        document.currency = currency;
        if document.total_with_tax == total_with_tax {
            return Ok(());
        }
        if document.kind == SettleableKind::AdvanceInvoice
            && document.stage == SettleableStage::Issued
        {
            return Err(SettlementRefusal::AdvancePaymentLocked.into());
        }
        document.must_cover_credit(&total_with_tax)?;
        let by_hand = &document.total_with_tax - &room;
        document.total_with_tax = total_with_tax;
        if by_hand.is_positive() {
            document.must_hold(&by_hand, document.total_with_tax.clone())?;
        }
        Ok(())
    }

    /// Derives the invoice's allocations again: in the order of the links each advance gives what
    /// it has left, as far as the invoice has room that no payment by hand takes.
    ///
    /// This function alone decides on allocations, so they never depend on how things came to be.
    pub fn settle(&mut self) -> Result<(), SettlementError> {
        let invoice = |(place, document): (usize, &Settleable)| match (document.kind, document.id) {
            (SettleableKind::Invoice, SettleableId::Document(id)) => Some((place, id)),
            _ => None,
        };
        let found = self.documents.iter().enumerate().find_map(invoice);
        let Some((place, id)) = found else { return Ok(()) };
        let former = std::mem::take(&mut self.allocations);
        for allocation in &former {
            self.documents[place].total_paid -= &allocation.amount;
            if let Some(advance) = allocation.advance_invoice_id {
                self.document(advance.into())?.total_applied -= &allocation.amount;
            }
        }
        for link in self.loaded.links.clone() {
            let invoice = &self.documents[place];
            if invoice.stage != SettleableStage::Issued {
                break;
            }
            let room = &invoice.total_with_tax - &invoice.total_paid;
            let currency = invoice.currency;
            let advance = self.document(link.into())?;
            let amount = advance.advance_left(currency).min(room);
            if amount.is_positive() {
                advance.total_applied += &amount;
                self.documents[place].total_paid += &amount;
                let allocation = self.allocation(id, link, amount);
                self.allocations.push(allocation);
            }
        }
        Ok(())
    }

    /// The allocation of `amount` from `advance` to `invoice`: the one that there is, with
    /// that amount, or a new one.
    fn allocation(&self, invoice: DocumentId, advance: DocumentId, amount: Decimal) -> Payment {
        let of_advance = |payment: &&Payment| payment.advance_invoice_id == Some(advance);
        let same = self.loaded.allocations.iter().find(of_advance);
        match same {
            Some(payment) if payment.amount == amount => payment.clone(),
            Some(payment) => Payment { amount, updated_at: self.stamp.now(), ..payment.clone() },
            None => Payment {
                id: self.stamp.id(),
                entity_id: self.loaded.entity_id,
                invoice_id: Some(invoice),
                credit_note_id: None,
                advance_invoice_id: Some(advance),
                expense_id: None,
                applied_to_expense_id: None,
                amount,
                kind: PaymentType::Advance,
                date: self.loaded.today,
                dated: None,
                reference: None,
                tag: None,
                note: None,
                metadata: racun_kernel::Metadata::default(),
                tip: None,
                tendered: None,
                receipt: None,
                created_at: self.stamp.now(),
                updated_at: self.stamp.now(),
                deleted_at: None,
            },
        }
    }

    /// What is decided, with `payment` moved to the trash at `at`, or out of it.
    pub fn close_moved(
        mut self,
        payment: Payment,
        at: Option<OffsetDateTime>,
        event: SettlementEvent,
    ) -> SettlementOutcome {
        let after = Payment { deleted_at: at, updated_at: self.stamp.now(), ..payment.clone() };
        self.write(PaymentWrite::update(payment, after.clone()));
        self.add_event(event);
        self.close(Some(after))
    }

    /// What is decided.
    pub fn close(mut self, payment: Option<Payment>) -> SettlementOutcome {
        self.write_allocations();
        let was = |document: &Settleable| {
            self.loaded.documents.iter().find(|loaded| loaded.id == document.id)
        };
        for document in &self.documents {
            let was_paid = was(document).is_some_and(Settleable::is_paid);
            let can_be = document.kind == SettleableKind::Invoice
                && document.stage == SettleableStage::Issued;
            if let SettleableId::Document(id) = document.id
                && can_be
                && document.is_paid()
                && !was_paid
            {
                self.events.push(SettlementEvent::InvoicePaid(id));
            }
        }
        let changed = |document: &Settleable| was(document) != Some(document);
        let documents = self.documents.iter().filter(|d| changed(d)).cloned().collect();
        SettlementOutcome { payment, writes: self.writes, documents, events: self.events }
    }

    fn write_allocations(&mut self) {
        let before = &self.loaded.allocations;
        let gone = before.iter().filter(|b| self.allocations.iter().all(|a| a.id != b.id));
        self.writes.extend(gone.cloned().map(PaymentWrite::Delete));
        for after in &self.allocations {
            match before.iter().find(|before| before.id == after.id) {
                Some(before) if before == after => {}
                Some(before) => {
                    let write = PaymentWrite::update(before.clone(), after.clone());
                    self.writes.push(write);
                }
                None => {
                    self.writes.push(PaymentWrite::Insert(after.clone()));
                    let advance = after.advance_invoice_id;
                    self.events.extend(advance.map(SettlementEvent::AdvanceApplied));
                }
            }
        }
    }
}
