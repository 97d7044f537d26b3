//! The world outside, but for the tax authorities: receivers of events, mail servers, file storage.
//!
//! | Module    | Owns                                                       |
//! | --------- | ---------------------------------------------------------- |
//! | `courier` | posting to receivers of events                             |
//! | `egress`  | which addresses may be called for somebody else            |
//! | `tls`     | who is trusted, and by what cryptography                   |
//!
//! **Invariants.** A call that a tenant asks for reaches public addresses only, and no other address
//! than the one that was checked. Every call ends within a time limit. Nothing follows a redirect or
//! asks a proxy.

mod courier;
mod egress;
mod tls;

pub use courier::{HttpCourier, Options};
pub use egress::{Names, SystemNames, is_public};
pub use tls::use_ring;
