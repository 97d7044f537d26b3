//! Routes of fiscalization's settings.
//!
//! | Module        | Owns                                              |
//! | ------------- | ------------------------------------------------- |
//! | `furs`        | Slovenia: routes, and what only FURS has          |
//! | `fina`        | Croatia: routes, and what only FINA has           |
//! | `office`      | what both have: one handler for each operation    |
//! | `certificate` | bodies of certificates                            |
//! | `premise`     | bodies of premises and devices                    |
//! | `internal_act` | the internal act of a Slovenian taxpayer         |

mod certificate;
pub(crate) mod fina;
pub(crate) mod furs;
pub(crate) mod internal_act;
mod office;
mod premise;

pub(crate) use certificate::FiscalEnvironmentBody;
