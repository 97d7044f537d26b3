//! As much XML as the authorities' messages need: reading within limits, canonical XML, and
//! enveloped signatures; and signatures of electronic invoices.

mod c14n;
mod reading;
mod signature;
mod signing;
mod xades;

pub use c14n::{Method, canonicalize};
pub use reading::{child, children, element_text, envelope, optional_child, parse};
pub use signature::{Accepted, Signature};
pub use signing::{KeyInfo, Profile, sign};
pub use xades::{XADES, seal};

/// Namespace of SOAP 1.1 envelopes.
pub const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// Namespace of XML signatures.
pub const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
/// Transform that leaves the signature out.
pub const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
/// RSASSA-PKCS1-v1_5 with SHA-256.
pub const RSA_SHA256: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
/// RSASSA-PKCS1-v1_5 with SHA-1.
pub const RSA_SHA1: &str = "http://www.w3.org/2000/09/xmldsig#rsa-sha1";
/// SHA-256.
pub const SHA256: &str = "http://www.w3.org/2001/04/xmlenc#sha256";
/// SHA-1.
pub const SHA1: &str = "http://www.w3.org/2000/09/xmldsig#sha1";
