//! What goes wrong on command.

use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

/// Something that goes wrong, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The token answers another sign-in.
    WrongNonce,
    /// The token is for another client.
    OtherAudience,
    /// The token is of another issuer.
    OtherIssuer,
    /// The token is over.
    Expired,
    /// The token is signed by a key that is not published.
    ForeignKey,
    /// The token is altered after it was signed.
    Altered,
    /// The token has the algorithm `none`, and no signature.
    Unsigned,
    /// The token is "signed" by the public key as a shared secret (HS256).
    PublicKeyAsSecret,
    /// The token endpoint answers 500.
    ServerError,
    /// The token endpoint closes the connection.
    Reset,
    /// The token endpoint answers a page.
    Html,
    /// The description is of another issuer.
    OtherDescription,
}

/// The faults that are planned.
#[derive(Default)]
pub struct Faults(Mutex<Vec<Fault>>);

impl Faults {
    pub fn add(&self, fault: Fault) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
    }

    /// Takes the first planned fault of those `among`.
    pub fn take(&self, among: &[Fault]) -> Option<Fault> {
        let mut planned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = planned.iter().position(|fault| among.contains(fault))?;
        Some(planned.remove(place))
    }
}
