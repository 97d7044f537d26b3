//! What settlement knows of a document or an expense.

use std::fmt;

use racun_kernel::id::ExpenseId;
use racun_kernel::{Currency, Decimal, DocumentId, Issue, Issues};

use crate::error::{Figures, SettlementRefusal};

/// What is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettleableKind {
    /// An invoice: paid by ordinary payments and by linked advances.
    Invoice,
    /// A credit note: refunded, or used to settle an invoice.
    CreditNote,
    /// An advance invoice: a receipt for exactly what was paid ahead.
    AdvanceInvoice,
    /// A received supplier invoice.
    Expense,
}

/// The id of what is settled; its text is that of the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SettleableId {
    /// Of an invoice, a credit note or an advance invoice.
    Document(DocumentId),
    /// Of an expense.
    Expense(ExpenseId),
}

impl fmt::Display for SettleableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document(id) => fmt::Display::fmt(id, f),
            Self::Expense(id) => fmt::Display::fmt(id, f),
        }
    }
}

impl From<DocumentId> for SettleableId {
    fn from(id: DocumentId) -> Self {
        Self::Document(id)
    }
}

impl From<ExpenseId> for SettleableId {
    fn from(id: ExpenseId) -> Self {
        Self::Expense(id)
    }
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettleableStage {
    /// Not issued yet.
    Draft,
    /// In effect.
    Issued,
    /// Out of effect.
    Voided,
}

/// A document or an expense, as far as settlement is concerned. What is paid is a stored total, so
/// that a document's other payments need not be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settleable {
    /// Its id.
    pub id: SettleableId,
    /// What it is.
    pub kind: SettleableKind,
    /// How far it is.
    pub stage: SettleableStage,
    /// The currency of its amounts.
    pub currency: Currency,
    /// What it comes to.
    pub total_with_tax: Decimal,
    /// The sum of its active payments: on an invoice allocations included, on an advance invoice
    /// excluded (those are `total_applied`), on a credit note refunds and settlements.
    pub total_paid: Decimal,
    /// On an advance invoice the sum of its active allocations to invoices; 0 on all else.
    pub total_applied: Decimal,
    /// On an invoice or advance invoice what credit notes in effect give back of it; 0 on all else.
    pub total_credited: Decimal,
}

impl Settleable {
    /// An issued `kind` called `id` of `total_with_tax`, of which nothing is paid yet.
    #[must_use]
    pub fn issued(
        id: SettleableId,
        kind: SettleableKind,
        currency: Currency,
        total_with_tax: Decimal,
    ) -> Self {
        Self {
            id,
            kind,
            stage: SettleableStage::Issued,
            currency,
            total_with_tax,
            total_paid: Decimal::zero(),
            total_applied: Decimal::zero(),
            total_credited: Decimal::zero(),
        }
    }

    /// Whether nothing is left to pay, refund or use.
    #[must_use]
    pub fn is_paid(&self) -> bool {
        self.total_paid == self.total_with_tax
    }

    /// What it has left to be given back by credit notes and, when it is an advance invoice, to be
    /// applied to invoices: `total_with_tax - total_credited - total_applied`, never below 0, and
    /// nothing unless it is issued.
    ///
    /// This is the one definition of what is left. Crediting, linking and settling call it, so
    /// that money leaves once.
    #[must_use]
    pub fn remaining(&self) -> Decimal {
        if self.stage != SettleableStage::Issued {
            return Decimal::zero();
        }
        let given_out = &self.total_credited + &self.total_applied;
        (&self.total_with_tax - &given_out).max(Decimal::zero())
    }

    /// What an advance invoice has left for invoices in `currency`.
    pub(crate) fn advance_left(&self, currency: Currency) -> Decimal {
        let serves = self.kind == SettleableKind::AdvanceInvoice && self.currency == currency;
        if serves { self.remaining() } else { Decimal::zero() }
    }

    /// Whether it may come to `total_with_tax`, for credit notes never give back more than that.
    pub(crate) fn must_cover_credit(&self, total_with_tax: &Decimal) -> Result<(), Issues> {
        if !self.total_credited.is_positive() || *total_with_tax >= self.total_credited {
            return Ok(());
        }
        let message = format!(
            "credit notes give back {} of the document, so it cannot come to {total_with_tax}; \
             void them or lower them first",
            self.total_credited
        );
        Err(Issue::new("credit_exceeds_remaining", message).at("items").into())
    }

    /// Whether payments on it can be made or changed at all.
    pub(crate) fn must_be_open(&self) -> Result<(), SettlementRefusal> {
        match (self.stage, self.kind) {
            (SettleableStage::Voided, _) => {
                Err(SettlementRefusal::DocumentVoided { id: self.id.to_string() })
            }
            (SettleableStage::Draft, SettleableKind::AdvanceInvoice)
            | (SettleableStage::Issued, _) => Ok(()),
            (SettleableStage::Draft, _) => {
                Err(SettlementRefusal::DocumentIsDraft { id: self.id.to_string() })
            }
        }
    }

    /// Whether the sum of its payments can change.
    pub(crate) fn must_accept(&self) -> Result<(), SettlementRefusal> {
        self.must_be_open()?;
        match (self.kind, self.stage) {
            (SettleableKind::AdvanceInvoice, SettleableStage::Issued) => {
                Err(SettlementRefusal::AdvancePaymentLocked)
            }
            _ => Ok(()),
        }
    }

    /// Whether `amount` is at most `maximum`, which may be below 0.
    pub(crate) fn must_hold(
        &self,
        amount: &Decimal,
        maximum: Decimal,
    ) -> Result<(), SettlementRefusal> {
        if *amount <= maximum {
            return Ok(());
        }
        let maximum = if maximum.is_negative() { Decimal::zero() } else { maximum };
        let figures = Box::new(self.figures(amount.clone(), maximum));
        Err(match self.kind {
            SettleableKind::CreditNote => SettlementRefusal::CreditExceedsRemaining(figures),
            _ => SettlementRefusal::PaymentExceedsTotal(figures),
        })
    }

    /// Checks that what is paid still fits, after it came to another total.
    ///
    /// # Errors
    /// [`SettlementRefusal::PaymentExceedsTotal`], or [`SettlementRefusal::CreditExceedsRemaining`]
    /// of a credit note.
    pub fn must_hold_what_is_paid(&self) -> Result<(), SettlementRefusal> {
        if !self.total_paid.is_positive() {
            return Ok(());
        }
        self.must_hold(&self.total_paid, self.total_with_tax.clone())
    }

    /// Whether an advance invoice is paid exactly, so that it can be issued.
    pub(crate) fn must_be_covered(&self) -> Result<(), SettlementRefusal> {
        if self.is_paid() {
            return Ok(());
        }
        let missing = &self.total_with_tax - &self.total_paid;
        let figures = self.figures(missing.clone(), missing);
        Err(SettlementRefusal::AdvanceNotFullyPaid(Box::new(figures)))
    }

    fn figures(&self, amount: Decimal, maximum: Decimal) -> Figures {
        Figures {
            total_with_tax: self.total_with_tax.clone(),
            total_paid: self.total_paid.clone(),
            amount,
            maximum,
        }
    }

    /// Whether `amount`, sent as `field`, is an amount of the document's currency.
    pub(crate) fn check_scale(&self, field: &str, amount: &Decimal) -> Result<(), Issues> {
        Ok(self.currency.check(amount).map_err(|issue| issue.at(field))?)
    }
}
