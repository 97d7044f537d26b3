//! `RACUN__OUTBOUND__…`: how far the server calls.

use anyhow::ensure;
use racun_gateways::Reach;
use serde::Deserialize;

use super::value::required;

/// `RACUN__OUTBOUND__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Outbound {
    /// Whether the server calls this machine alone, and looks up no names.
    #[serde(deserialize_with = "required")]
    pub loopback_only: bool,
}

impl Outbound {
    /// How far receivers of events may be away.
    pub const fn reach(&self) -> Reach {
        if self.loopback_only { Reach::ThisMachine } else { Reach::Everywhere }
    }

    /// Accepts what `setting` names, when it is near enough.
    ///
    /// # Errors
    /// When it is on another machine, and none is called.
    pub fn check(&self, setting: &str, is_here: bool) -> anyhow::Result<()> {
        ensure!(
            is_here || !self.loopback_only,
            "setting {setting}: it leads to another machine, and RACUN__OUTBOUND__LOOPBACK_ONLY \
             lets none be called"
        );
        Ok(())
    }
}
