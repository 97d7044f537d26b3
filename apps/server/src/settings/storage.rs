//! `RACUN__STORAGE__…`: how much accounts may store.

use racun_background::budget::StorageLimits;
use serde::Deserialize;

use super::value::{Size, required};

/// `RACUN__STORAGE__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Storage {
    #[serde(deserialize_with = "required")]
    per_account: Size,
    #[serde(deserialize_with = "required")]
    per_unverified_account: Size,
}

impl Storage {
    /// The limits.
    pub const fn limits(&self) -> StorageLimits {
        let (verified, unverified) = (self.per_account.0, self.per_unverified_account.0);
        StorageLimits { verified, unverified }
    }
}

impl Default for Storage {
    fn default() -> Self {
        let StorageLimits { verified, unverified } = StorageLimits::default();
        Self { per_account: Size(verified), per_unverified_account: Size(unverified) }
    }
}
