//! Settings of fiscalization: what an entity told an authority's rules, with what it signs, where
//! and on what it issues.
//!
//! | Module        | Owns                                                              |
//! | ------------- | ----------------------------------------------------------------- |
//! | `settings`    | the settings themselves, and the certificate                      |
//! | `state`       | what is stored of them, as it is shown                            |
//! | `premises`    | premises that are not registered                                  |
//! | `registering` | premises registered with FURS                                     |
//! | `devices`     | electronic devices                                                |
//! | `internal_act` | the act that Slovenian law asks a taxpayer for                   |
//! | `numbers`     | which numbers of this year's sequences were issued                |
//!
//! A premise is reported to its authority outside any unit. One unit before reserves the premise's
//! name or notes its closing; one unit after stores the authority's answer.

pub mod devices;
pub mod internal_act;
mod numbers;
pub mod premises;
pub mod registering;
pub mod settings;
mod state;

use racun_access::Entity;
use racun_fiscal::{Authority, FiscalRefusal};

pub use state::{DeviceState, PremiseState};

/// More rows than an entity has: these lists have no pages.
const ALL_ROWS: usize = 1 << 31;

/// Refuses what concerns another country's authority than the entity's.
///
/// # Errors
/// [`FiscalRefusal::OtherCountry`].
pub fn check_country(entity: &Entity, authority: Authority) -> Result<(), FiscalRefusal> {
    match entity.country_code.as_deref() {
        Some(code) if code == authority.country() => Ok(()),
        _ => Err(FiscalRefusal::OtherCountry(authority)),
    }
}
