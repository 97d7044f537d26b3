//! Which rules a receiver wants a document judged by, and in which XML.

use en16931::validation::Check;
use en16931::{Profile, Severity, profiles};

/// What a document claims to keep to: BT-24.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Specification {
    /// EN 16931-1:2017 alone, by the artefacts of CEN 1.3.16; it is also the profile EN 16931 of
    /// ZUGFeRD 2.5.2 and Factur-X 1.09.2.
    En16931,
    /// XRechnung 3.0.2, of KoSIT: invoices to authorities in Germany.
    XRechnung,
    /// Peppol BIS Billing 3.0.21, of OpenPeppol.
    Peppol,
}

/// The XML of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// OASIS UBL 2.1, Invoice or CreditNote.
    Ubl,
    /// UN/CEFACT Cross Industry Invoice D16B.
    Cii,
}

/// The process of invoices without a response, which XRechnung and Peppol name alike: BT-23.
const BILLING: &str = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0";

impl Specification {
    /// Every specification.
    pub const ALL: [Self; 3] = [Self::En16931, Self::XRechnung, Self::Peppol];

    /// Its identifier: BT-24.
    #[must_use]
    pub fn identifier(self) -> &'static str {
        self.profile().specification_id
    }

    /// The process that its documents name: BT-23.
    #[must_use]
    pub const fn process(self) -> Option<&'static str> {
        match self {
            Self::En16931 => None,
            Self::XRechnung | Self::Peppol => Some(BILLING),
        }
    }

    /// Whether it is written in `syntax`: Peppol BIS knows UBL alone.
    #[must_use]
    pub const fn takes(self, syntax: Syntax) -> bool {
        !matches!((self, syntax), (Self::Peppol, Syntax::Cii))
    }

    fn profile(self) -> &'static Profile {
        match self {
            Self::En16931 => &profiles::EN16931,
            Self::XRechnung => &profiles::XRECHNUNG,
            Self::Peppol => &profiles::PEPPOL_BIS_3,
        }
    }

    /// Its rules, at the weight that its Schematron gives them.
    ///
    /// KoSIT's validator forgives unknown codes of ISO 6523 and of units, which its Schematron does
    /// not. A due date or terms where something is due (BR-CO-25) are in the text of the standard;
    /// CEN's artefacts leave the rule out since 1.3.16, so it warns.
    pub(crate) fn check(self) -> Check {
        let check = Check::new(self.profile()).relevel("BR-CO-25", Severity::Warning);
        match self {
            Self::XRechnung => check
                .relevel("BR-CL-21", Severity::Fatal)
                .relevel("BR-CL-23", Severity::Fatal)
                .relevel("BR-TMP-2", Severity::Warning),
            Self::En16931 | Self::Peppol => check,
        }
    }
}
