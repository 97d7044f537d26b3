//! What the operator allows callers: how much mail they send, and who may sign up.

use racun_access::{AccessError, Forbidden, has_accounts};
use racun_mail::MailLimits;
use racun_store::Store;

/// What the operator allows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Guards {
    /// How much mail is sent.
    pub mail: MailLimits,
    /// Who may sign up.
    pub sign_up: SignUpMode,
}

/// Who may sign up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SignUpMode {
    /// Everybody.
    #[default]
    Open,
    /// The first person, and from then on those who have an invitation.
    Invited,
    /// No one; those who have a user accept invitations.
    Closed,
}

impl SignUpMode {
    /// Whether a new user may sign up; answers whether as the first one only, which the unit that
    /// makes them decides then.
    ///
    /// # Errors
    /// [`AccessError::Forbidden`], or the store's failure.
    pub(crate) async fn check(self, store: &dyn Store) -> Result<bool, AccessError> {
        match self {
            Self::Open => Ok(false),
            Self::Invited if !has_accounts(store).await? => Ok(true),
            Self::Invited => Err(Forbidden::SignUpByInvitation.into()),
            Self::Closed => Err(Forbidden::SignUpClosed.into()),
        }
    }

    /// Whether an invitation may be accepted, for which a user is made or known.
    ///
    /// # Errors
    /// [`AccessError::Forbidden`].
    pub(crate) fn check_invited(self, makes_user: bool) -> Result<(), AccessError> {
        match self {
            Self::Closed if makes_user => Err(Forbidden::SignUpClosed.into()),
            Self::Open | Self::Invited | Self::Closed => Ok(()),
        }
    }
}
