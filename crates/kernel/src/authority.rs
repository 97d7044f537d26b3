//! The tax authorities that fiscalize: crates `fiscal`, `documents` and `access` name them.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Issue, calendar, tax_number, vat_number};

/// A tax authority that fiscalizes documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// Slovenia: Finančna uprava Republike Slovenije.
    Furs,
    /// Croatia: Porezna uprava, whose service CIS knows taxpayers by certificates of FINA.
    Fina,
}

/// An error that a tax authority answered, in its own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthorityError {
    /// Its code.
    pub code: String,
    /// Its text.
    pub message: String,
}

impl Authority {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Furs => "furs",
            Self::Fina => "fina",
        }
    }

    /// The zone of its legal times, whatever zone the machine or the entity is in.
    #[must_use]
    pub const fn zone(self) -> &'static str {
        match self {
            Self::Furs => "Europe/Ljubljana",
            Self::Fina => "Europe/Zagreb",
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Furs => "FURS",
            Self::Fina => "FINA",
        }
    }

    /// ISO 3166-1 alpha-2 code of its country.
    #[must_use]
    pub const fn country(self) -> &'static str {
        match self {
            Self::Furs => "SI",
            Self::Fina => "HR",
        }
    }

    /// What the number that it knows people by is called in settings and bodies.
    #[must_use]
    pub const fn number_field(self) -> &'static str {
        match self {
            Self::Furs => "operator_tax_number",
            Self::Fina => "operator_oib",
        }
    }

    /// Accepts a taxpayer's or operator's number: in Slovenia eight digits, the first of them not
    /// zero, whose check digit is not checked, as numbers with a wrong one are in use; in Croatia
    /// an OIB.
    ///
    /// # Errors
    /// `invalid_value`.
    pub fn check_number(self, text: &str) -> Result<(), Issue> {
        let (is_one, expected) = match self {
            Self::Furs => {
                let expected = "expected a tax number: eight digits, the first of them no zero";
                (tax_number::is_slovenian(text), expected)
            }
            Self::Fina => {
                let expected =
                    "expected an OIB: eleven digits, of which the last one checks the others";
                (tax_number::is_oib(text), expected)
            }
        };
        if is_one { Ok(()) } else { Err(Issue::new("invalid_value", expected)) }
    }

    /// What is odd about an operator's number that [`Authority::check_number`] accepts: Slovenia's
    /// may have check digits that do not fit.
    #[must_use]
    pub fn warning(self, number: Option<&str>) -> Option<Issue> {
        vat_number::warning(Some(self.country()), number)
    }

    /// `instant` as the authority's clocks show it: with the offset of its zone, to the second.
    #[must_use]
    pub fn local(self, instant: OffsetDateTime) -> OffsetDateTime {
        let local = calendar::in_zone(instant, self.zone()).unwrap_or(instant);
        local.replace_nanosecond(0).unwrap_or(local)
    }
}
