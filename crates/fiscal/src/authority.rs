//! The tax authorities that fiscalize.

use racun_kernel::calendar;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A tax authority that fiscalizes documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// Slovenia: Finančna uprava Republike Slovenije.
    Furs,
    /// Croatia: Porezna uprava, whose service CIS knows taxpayers by certificates of FINA.
    Fina,
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

    /// `instant` as the authority's clocks show it: with the offset of its zone, to the second.
    #[must_use]
    pub fn local(self, instant: OffsetDateTime) -> OffsetDateTime {
        let local = calendar::in_zone(instant, self.zone()).unwrap_or(instant);
        local.replace_nanosecond(0).unwrap_or(local)
    }
}
