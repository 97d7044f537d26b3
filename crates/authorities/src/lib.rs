//! Clients of the tax authorities.
mod certificate;
mod doubt;
pub mod jws;
mod name;
mod recent;
mod signer;
mod trust;
pub mod xml;

pub use certificate::Certificate;
pub use doubt::Doubt;
pub use name::Name;
pub use signer::RsaSigner;
pub use trust::{SignerName, Trust};
