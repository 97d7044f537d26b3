//! Keys and certificates: the authorities' own, and those of made-up taxpayers.

mod authorities;
pub mod certificate;
mod der;
mod name;
mod taxpayer;
mod trust;

pub use authorities::{Authorities, Signers};
pub use certificate::Identity;
pub use taxpayer::{Taxpayer, TaxpayerError, Wanted as WantedTaxpayer};
pub use trust::{Trust, from_pem};
