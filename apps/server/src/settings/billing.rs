//! `RACUN__BILLING__…`: the white labels that there are.

use std::path::PathBuf;

use serde::Deserialize;

use super::value::optional;

/// Where the operator says what is sold.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Billing {
    /// The file of white labels and their plans; absent: there are none, and nothing is limited.
    #[serde(deserialize_with = "optional")]
    pub file: Option<PathBuf>,
}
