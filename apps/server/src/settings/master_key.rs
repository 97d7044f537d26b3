//! Master keys, as settings and the file of the data folder hold them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::value::Setting;

/// The 256 bits that seal secrets at rest.
#[derive(Clone, PartialEq, Eq)]
pub struct MasterKey([u8; 32]);

impl MasterKey {
    /// The key of these bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes, of which other keys are derived.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Its text, as [`Setting::read`] takes it.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0)
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(…)")
    }
}

impl Setting for MasterKey {
    const EXPECTED: &'static str = "32 bytes in base64, as `openssl rand -base64 32` prints them";

    fn read(text: &str) -> Option<Self> {
        STANDARD.decode(text).ok()?.try_into().ok().map(Self)
    }
}

/// The master keys of a server: the first is the newest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MasterKeys(Vec<MasterKey>);

impl MasterKeys {
    /// Keys that a ring holds at most.
    const MOST: usize = 8;

    /// These keys.
    pub const fn new(keys: Vec<MasterKey>) -> Self {
        Self(keys)
    }

    /// The keys, the newest first; at least one.
    pub fn all(&self) -> &[MasterKey] {
        &self.0
    }

    /// Their bytes.
    pub fn bytes(&self) -> Vec<[u8; 32]> {
        self.0.iter().map(|key| *key.bytes()).collect()
    }
}

impl Setting for MasterKeys {
    const EXPECTED: &'static str = "32 bytes in base64, as `openssl rand -base64 32` prints them; \
                                    while a key is changed the new one and the old one, separated \
                                    by a comma";

    fn read(text: &str) -> Option<Self> {
        let texts = text.split([',', '\n']).map(str::trim).filter(|text| !text.is_empty());
        let keys: Vec<_> = texts.map(MasterKey::read).collect::<Option<_>>()?;
        (1..=Self::MOST).contains(&keys.len()).then_some(Self(keys))
    }
}
