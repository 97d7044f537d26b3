//! Routes of fiscalization's settings.
//!
//! | Module        | Owns                                              |
//! | ------------- | ------------------------------------------------- |
//! | `furs`        | Slovenia: routes, and what only FURS has          |
//! | `fina`        | Croatia: routes, and what only FINA has           |
//! | `authority_api` | what both have: one handler for each operation  |
//! | `shared_routes` | the routes of that                              |
//! | `certificate` | bodies of certificates                            |
//! | `premise`     | bodies of premises and devices                    |
//! | `portugal`    | Portugal: series, the sub-user, SAF-T             |
//! | `internal_act` | the internal act of a Slovenian taxpayer         |

mod authority_api;
mod certificate;
pub(crate) mod fina;
pub(crate) mod furs;
pub(crate) mod internal_act;
pub(crate) mod portugal;
mod premise;
mod shared_routes;

use racun_fiscal::{Authority, FiscalSettings};
use racun_kernel::Environment;
use serde_json::Value as Json;
use time::OffsetDateTime;

pub(crate) use certificate::FiscalEnvironmentBody;

use crate::error::ApiError;

/// `settings` as they are read through their entity: under which key, and what.
///
/// # Errors
/// When they cannot be written as JSON: a mistake in the program.
pub(crate) fn as_setting(
    settings: FiscalSettings,
    to: Environment,
    now: OffsetDateTime,
) -> Result<(&'static str, Json), ApiError> {
    match settings.authority {
        Authority::Furs => furs::as_setting(settings, to, now),
        Authority::Fina => fina::as_setting(settings, to, now),
    }
}
