//! Why a command of settlement is refused.

use racun_kernel::{Decimal, Issues};
use racun_store::StoreError;

/// Why a command of settlement is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettlementError {
    /// The input breaks rules; every rule that it breaks is named.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// This entity has no such payment, document or expense.
    #[error("there is no {id} here")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// The state of what is concerned does not allow it.
    #[error(transparent)]
    Refused(#[from] SettlementRefusal),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// Why an amount does not fit, in the document's currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// What the document comes to.
    pub total_with_tax: Decimal,
    /// What is paid on it beside this payment, auto-applied advance money included.
    pub total_paid: Decimal,
    /// What was asked for.
    pub amount: Decimal,
    /// The most that this payment may come to; 0 when it cannot be made at all. Ordinary payments
    /// displace auto-applied advance money, so this may be more than the total less what is paid.
    pub maximum: Decimal,
}

impl Figures {
    /// Why the maximum may be more than what is due; empty where it is not.
    fn displaced(&self) -> String {
        let due = &self.total_with_tax - &self.total_paid;
        if self.maximum <= due || due.is_negative() {
            return String::new();
        }
        format!(
            ", more than the {due} that are due: money that is paid takes the place of money of \
             linked advance invoices, which is then free again for other invoices"
        )
    }
}

/// What a state does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettlementRefusal {
    /// Payments would come to more than the document.
    #[error(
        "payments cannot exceed the document's total of {}; this payment may come to {} at most{}",
        .0.total_with_tax, .0.maximum, .0.displaced()
    )]
    PaymentExceedsTotal(Box<Figures>),
    /// Refunds and settlements would come to more than the credit note.
    #[error(
        "refunds and settlements cannot exceed the credit note's total of {}; {} of it remains",
        .0.total_with_tax, .0.maximum
    )]
    CreditExceedsRemaining(Box<Figures>),
    /// An advance invoice is issued when it is paid exactly. `amount` and `maximum` are what is
    /// missing.
    #[error(
        "an advance invoice is issued when it is paid in full; {} of {} is paid",
        .0.total_paid, .0.total_with_tax
    )]
    AdvanceNotFullyPaid(Box<Figures>),
    /// The payments of an issued advance invoice are what it is a receipt for.
    #[error(
        "the advance invoice is issued, so its payments and its total stay as they are; void it \
         and make a new one"
    )]
    AdvancePaymentLocked,
    /// Settlement keeps this payment by itself.
    #[error(
        "the payment is kept by the system; it changes with the documents that it settles and \
         cannot be made, changed or deleted by hand"
    )]
    PaymentSystemManaged,
    /// Nothing is owed on a draft.
    #[error("{id} is a draft; finalize it first, or delete it")]
    DocumentIsDraft {
        /// The document.
        id: String,
    },
    /// What is voided stays as it is.
    #[error("{id} is voided; its payments stay as they are")]
    DocumentVoided {
        /// The document or expense.
        id: String,
    },
    /// Only a draft can be finalized or deleted.
    #[error("{id} is issued already; only a draft can be finalized or deleted")]
    DocumentNotDraft {
        /// The document.
        id: String,
    },
    /// The credit that was given on an invoice was used for something else, or paid back, before
    /// the invoice was paid: so that much of the invoice is owed, and voiding it would forgive
    /// that.
    #[error(
        "{owed} of {id} is owed, for the credit that was given on it is used up; credit what is \
         left of it by a credit note of its own, and do not void it"
    )]
    CreditSpent {
        /// The invoice.
        id: String,
        /// What is owed.
        owed: Decimal,
    },
    /// A receipt says what the payment is.
    #[error(
        "the receipt {number} was issued for the payment, so its amount, type and date stay, and \
         it neither comes back nor is erased; delete the payment, which voids the receipt, and \
         record another one"
    )]
    ReceiptIssued {
        /// The receipt's number.
        number: String,
    },
    /// A payment in the trash cannot be changed.
    #[error("the payment is in the trash; restore it first")]
    InTrash,
    /// Only a payment in the trash can be restored or erased.
    #[error("the payment is not in the trash; delete it first")]
    NotInTrash,
}

impl SettlementRefusal {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::PaymentExceedsTotal(_) => "payment_exceeds_total",
            Self::CreditExceedsRemaining(_) => "credit_exceeds_remaining",
            Self::AdvanceNotFullyPaid(_) => "advance_not_fully_paid",
            Self::AdvancePaymentLocked => "advance_payment_locked",
            Self::PaymentSystemManaged => "payment_system_managed",
            Self::DocumentIsDraft { .. } => "document_is_draft",
            Self::DocumentVoided { .. } => "document_voided",
            Self::DocumentNotDraft { .. } => "document_not_draft",
            Self::CreditSpent { .. } => "document_credited",
            Self::ReceiptIssued { .. } => "receipt_issued",
            Self::InTrash => "in_trash",
            Self::NotInTrash => "not_in_trash",
        }
    }

    /// The figures that explain it, where figures do.
    #[must_use]
    pub fn figures(&self) -> Option<&Figures> {
        match self {
            Self::PaymentExceedsTotal(figures)
            | Self::CreditExceedsRemaining(figures)
            | Self::AdvanceNotFullyPaid(figures) => Some(figures),
            Self::AdvancePaymentLocked
            | Self::PaymentSystemManaged
            | Self::DocumentIsDraft { .. }
            | Self::DocumentVoided { .. }
            | Self::DocumentNotDraft { .. }
            | Self::CreditSpent { .. }
            | Self::ReceiptIssued { .. }
            | Self::InTrash
            | Self::NotInTrash => None,
        }
    }
}

impl From<StoreError> for SettlementError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { id } => Self::NotFound { id },
            other => Self::Store(other),
        }
    }
}
