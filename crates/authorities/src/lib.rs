//! Clients of the tax authorities: FURS in Slovenia, CIS in Croatia, AT in Portugal.
//!
//! [`Clients`] implements the port [`racun_fiscal::Authorities`]. A message is signed by the
//! taxpayer's key, sent over TLS that trusts the authority's roots alone, and answered by a reply
//! that counts only when its signature, its signer, its message id and its form are right. All else
//! is [`racun_fiscal::Unknown`]: it is not known whether the message was taken.
//!
//! | Module        | Owns                                                                   |
//! | ------------- | ---------------------------------------------------------------------- |
//! | `settings`    | where the authorities are, and what is trusted there                   |
//! | `clients`     | the port: one line for each certificate and system                     |
//! | `system`      | an endpoint whose settings were checked; `signed_message`: one for it  |
//! | `line`        | how many calls go to a system at once, and within which time           |
//! | `transport`   | one exchange over HTTP, within limits of time and size                 |
//! | `circuit`     | no calls to an authority that does not answer                          |
//! | `furs`        | requests to FURS and its answers, as SOAP and as JSON                  |
//! | `fina`        | requests to CIS and its answers                                        |
//! | `xml`         | canonical XML, enveloped signatures, signatures of electronic invoices |
//! | `jws`         | JSON Web Signatures                                                    |
//! | `verifier`    | whether an answer is the authority's                                   |
//! | `trust`       | whose certificates are believed, and who signs                         |
//! | `certificate` | what is read of a certificate; `name`: distinguished names as text     |
//! | `p12`         | PKCS#12 files                                                          |
//! | `signer`      | signing with a taxpayer's key                                          |
//! | `portugal`    | the certified program in Portugal: its key and its authority           |
//! | `publisher`   | metadata of the network of electronic invoices, and who signed them    |
//!
//! What stands behind the port may be used by itself: a simulator of an authority verifies requests
//! and signs answers with the same modules.

mod certificate;
mod circuit;
mod clients;
pub mod fina;
pub mod furs;
pub mod jws;
mod line;
mod name;
mod p12;
pub mod portugal;
mod publisher;
mod reply;
mod settings;
mod shared_lru;
mod signed_message;
mod signer;
mod system;
mod transport;
mod trust;
mod verification_error;
mod verifier;
pub mod xml;

pub use certificate::Certificate;
pub use clients::Clients;
pub use name::Name;
pub use p12::open as open_p12;
pub use publisher::PublisherSeals;
pub use settings::{Endpoint, Endpoints, INTERACTIVE, Systems, Transport};
pub use signer::RsaSigner;
pub use system::BadEndpoint;
pub use transport::Clock;
pub use trust::{SignerName, Trust};
pub use verification_error::VerificationError;
pub use verifier::Verifier;
