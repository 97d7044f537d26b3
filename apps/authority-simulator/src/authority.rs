//! Which of the authorities.

use racun_fiscal::Authority;
use serde::{Deserialize, Serialize};

/// An authority that the simulator replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SimulatedAuthority {
    /// FURS of Slovenia.
    Furs,
    /// CIS of Croatia.
    Fina,
    /// AT of Portugal.
    At,
}

impl SimulatedAuthority {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Furs, Self::Fina, Self::At];

    /// Its name in commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Furs => "furs",
            Self::Fina => "fina",
            Self::At => "at",
        }
    }
}

impl From<Authority> for SimulatedAuthority {
    fn from(authority: Authority) -> Self {
        match authority {
            Authority::Furs => Self::Furs,
            Authority::Fina => Self::Fina,
        }
    }
}
