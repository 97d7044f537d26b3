//! How money moves, as the interface names it.

use serde::{Deserialize, Serialize};

/// How money moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentType {
    /// Notes and coins.
    Cash,
    /// A bank transfer.
    BankTransfer,
    /// A card of either sort; Portuguese SAF-T has it as a credit card.
    Card,
    /// A credit card.
    CreditCard,
    /// A debit card.
    DebitCard,
    /// A check.
    Check,
    /// An online wallet.
    OnlineWallet,
    /// A coupon.
    Coupon,
    /// Anything else.
    Other,
    /// Settlement of an invoice by a credit note; no money moved.
    CreditNote,
    /// Money paid ahead.
    Advance,
}

impl PaymentType {
    /// All types.
    pub const ALL: [Self; 11] = [
        Self::Cash,
        Self::BankTransfer,
        Self::Card,
        Self::CreditCard,
        Self::DebitCard,
        Self::Check,
        Self::OnlineWallet,
        Self::Coupon,
        Self::Other,
        Self::CreditNote,
        Self::Advance,
    ];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cash => "cash",
            Self::BankTransfer => "bank_transfer",
            Self::Card => "card",
            Self::CreditCard => "credit_card",
            Self::DebitCard => "debit_card",
            Self::Check => "check",
            Self::OnlineWallet => "online_wallet",
            Self::Coupon => "coupon",
            Self::Other => "other",
            Self::CreditNote => "credit_note",
            Self::Advance => "advance",
        }
    }

    /// The type called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it settles by another document, not by money that moves now.
    #[must_use]
    pub const fn is_settlement(self) -> bool {
        matches!(self, Self::CreditNote | Self::Advance)
    }
}
