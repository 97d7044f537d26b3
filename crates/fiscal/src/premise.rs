//! Business premises and the electronic devices in them.

use std::fmt;
use std::str::FromStr;

use racun_kernel::id::{
    EntityId, FinaDevice, FinaPremise, FursDevice, FursPremise, InvalidId, format_ulid, parse_ulid,
};
use racun_kernel::{Environment, Kind, Stamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use ulid::Ulid;

use crate::{Authority, furs};

/// Ids whose prefix tells the authority.
macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident: $furs:ident, $fina:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $id(Authority, Ulid);

        impl $id {
            /// A fresh id.
            #[must_use]
            pub fn new(authority: Authority, stamp: &Stamp) -> Self {
                Self(authority, stamp.ulid())
            }

            /// Whose rules it is under.
            #[must_use]
            pub const fn authority(self) -> Authority {
                self.0
            }
        }

        impl FromStr for $id {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let of = |authority, prefix| parse_ulid(text, prefix).map(|ulid| Self(authority, ulid));
                of(Authority::Furs, $furs::PREFIX).or_else(|_| of(Authority::Fina, $fina::PREFIX))
            }
        }

        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let prefix = match self.0 {
                    Authority::Furs => $furs::PREFIX,
                    Authority::Fina => $fina::PREFIX,
                };
                f.write_str(&format_ulid(prefix, self.1))
            }
        }

        impl fmt::Debug for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Serialize for $id {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $id {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// Id of a business premise: `premise_…` or `fina_premise_…`.
    PremiseId: FursPremise, FinaPremise;
    /// Id of an electronic device: `device_…` or `fina_device_…`.
    DeviceId: FursDevice, FinaDevice;
}

/// A business premise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusinessPremise {
    /// Its id, which tells the authority.
    pub id: PremiseId,
    /// Whose.
    pub entity_id: EntityId,
    /// Its name: 1 to 20 letters and digits. An entity uses it once for each authority.
    pub name: String,
    /// What FURS knows of it; `None` in Croatia, where only the name is kept.
    pub kind: Option<furs::PremiseKind>,
    /// Whether documents can be issued in it.
    pub is_active: bool,
    /// Where it is registered.
    pub environment: Environment,
    /// First number of its sequence; `None` is 1.
    pub starting_number: Option<i64>,
    /// The year whose sequence `starting_number` starts, in the authority's zone.
    pub starting_year: Option<i32>,
    /// When it was registered.
    #[serde(with = "time::serde::rfc3339::option")]
    pub registered_at: Option<OffsetDateTime>,
    /// When it was closed, for good.
    #[serde(with = "time::serde::rfc3339::option")]
    pub closed_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// An electronic device in a premise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its id, which tells the authority.
    pub id: DeviceId,
    /// Whose.
    pub entity_id: EntityId,
    /// Where it stands.
    pub premise_id: PremiseId,
    /// Its name: 1 to 20 letters and digits, in Croatia digits.
    pub name: String,
    /// Whether documents can be issued on it.
    pub is_active: bool,
    /// First number of its sequence; `None` is 1.
    pub starting_number: Option<i64>,
    /// The year whose sequence `starting_number` starts.
    pub starting_year: Option<i32>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}
