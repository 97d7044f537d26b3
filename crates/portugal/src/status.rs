//! In which state a document is, and where it came from.

/// The state of a document: `InvoiceStatus`, `MovementStatus`, `WorkStatus` and `PaymentStatus` of
/// SAF-T, and field E of the QR code.
///
/// Source: Portaria 302/2016, field 4.1.4.3.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It holds.
    Normal,
    /// It was issued by its buyer.
    SelfBilled,
    /// It was voided, and keeps its number and its hash.
    Voided,
    /// It sums up documents of another program.
    Summary,
    /// An invoice has taken its place.
    Invoiced,
    /// It was issued for the account of another.
    ThirdParty,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Normal,
        Self::SelfBilled,
        Self::Voided,
        Self::Summary,
        Self::Invoiced,
        Self::ThirdParty,
    ];

    /// Its letter.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Normal => "N",
            Self::SelfBilled => "S",
            Self::Voided => "A",
            Self::Summary => "R",
            Self::Invoiced => "F",
            Self::ThirdParty => "T",
        }
    }

    /// The state with this letter.
    #[must_use]
    pub fn from_letter(letter: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.letter() == letter)
    }
}

/// Where a document came from: `SourceBilling` of SAF-T.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It was made in this program.
    Program,
    /// It was made in another program.
    Integrated,
    /// It was written by hand, and recovered.
    Manual,
}

impl Origin {
    /// Its letter.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Program => "P",
            Self::Integrated => "I",
            Self::Manual => "M",
        }
    }
}
