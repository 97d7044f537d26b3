//! The port that keeps secrets unreadable at rest.

use crate::Stamp;

/// A sealed secret could not be opened: it was altered, is another owner's, or was sealed under a
/// key that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a sealed secret cannot be opened with the master key; was RACUN__SECRETS__MASTER_KEY changed?"
)]
pub struct CannotOpen;

/// How a sealed secret of an owner is sealed under another key: it takes the owner and the sealed
/// text, and answers the new text, or the same one where it is under that key already.
pub type Reseal<'a> = dyn Fn(&str, &str) -> Result<String, CannotOpen> + Send + Sync + 'a;

/// Seals secrets under a key that is outside the database: private keys, webhooks' secrets.
pub trait Vault: Send + Sync {
    /// `secret` as `owner`'s, authenticated and unreadable: text that names the key it is under.
    /// `owner` is any text that tells tables and rows apart; only with it the secret opens again.
    fn seal(&self, owner: &str, secret: &[u8], stamp: &Stamp) -> String;

    /// The secret of `owner` that was sealed.
    ///
    /// # Errors
    /// [`CannotOpen`].
    fn open(&self, owner: &str, sealed: &str) -> Result<Vec<u8>, CannotOpen>;
}
