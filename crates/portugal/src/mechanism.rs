//! How money moves, as the authority names it.

use racun_kernel::PaymentType;

/// How a document was paid: `PaymentMechanism` of SAF-T.
///
/// Source: Portaria 302/2016, field 4.1.4.20.6.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mechanism {
    /// A credit card.
    Cc,
    /// A debit card.
    Cd,
    /// A bank cheque.
    Ch,
    /// A gift cheque or card.
    Co,
    /// Compensation of balances: a credit note or an advance.
    Cs,
    /// Cash.
    Nu,
    /// Others.
    Ou,
    /// A bank transfer or an authorised direct debit.
    Tb,
}

impl Mechanism {
    /// Its two letters.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Cc => "CC",
            Self::Cd => "CD",
            Self::Ch => "CH",
            Self::Co => "CO",
            Self::Cs => "CS",
            Self::Nu => "NU",
            Self::Ou => "OU",
            Self::Tb => "TB",
        }
    }
}

impl From<PaymentType> for Mechanism {
    /// A card of either sort is a credit card, as the interface says. Online wallets have no code
    /// of their own.
    fn from(kind: PaymentType) -> Self {
        match kind {
            PaymentType::Cash => Self::Nu,
            PaymentType::BankTransfer => Self::Tb,
            PaymentType::Card | PaymentType::CreditCard => Self::Cc,
            PaymentType::DebitCard => Self::Cd,
            PaymentType::Check => Self::Ch,
            PaymentType::Coupon => Self::Co,
            PaymentType::OnlineWallet | PaymentType::Other => Self::Ou,
            PaymentType::CreditNote | PaymentType::Advance => Self::Cs,
        }
    }
}
