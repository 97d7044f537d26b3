//! What does not allow a payment by card.

/// What does not allow a connection, a page or an invoice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CardRefusal {
    /// The entity has no account.
    #[error("the entity has no account at the card processor; connect one first")]
    NoAccount,
    /// The entity has another account.
    #[error("the entity has another account at the card processor; send force to replace it")]
    OtherAccount,
    /// The account serves another entity.
    #[error("the account serves another entity; send force to take it from there")]
    AccountTaken,
    /// The consent is for the other environment than the entity's.
    #[error(
        "the consent was asked for in the other environment than the entity's; ask for it there"
    )]
    OtherEnvironment,
    /// The document cannot be paid by card.
    #[error("the document cannot be paid by card: {0}")]
    NotPayable(
        /// Why not.
        &'static str,
    ),
    /// The document had as many pages as it may.
    #[error("the document was to be paid by card {most} times in the last days; pay it otherwise")]
    TooManySessions {
        /// How many it may have.
        most: usize,
    },
    /// No money was taken for the object.
    #[error("the card processor has not taken money for {id}, so there is nothing to invoice")]
    NotPaid {
        /// The object.
        id: String,
    },
    /// Somebody was faster.
    #[error("this payment of the card processor is recorded already")]
    Recorded,
    /// Money was taken that cannot be recorded.
    #[error("{0}")]
    NotRecorded(
        /// Why not.
        String,
    ),
}

impl CardRefusal {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoAccount => "payment_app_not_connected",
            Self::OtherAccount => "payment_app_other_account",
            Self::AccountTaken => "payment_app_account_taken",
            Self::OtherEnvironment => "payment_app_other_environment",
            Self::NotPayable(_) => "not_payable_by_card",
            Self::TooManySessions { .. } => "too_many_card_sessions",
            Self::NotPaid { .. } => "card_payment_not_taken",
            Self::Recorded => "card_payment_recorded",
            Self::NotRecorded(_) => "card_payment_not_recorded",
        }
    }
}
