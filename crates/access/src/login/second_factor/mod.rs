//! The second factor of a user: the code of an authenticator app, or a recovery code.
//!
//! The secret is sealed under the server's master key; of recovery codes digests are kept, and each
//! works once. A code is checked in the unit that writes what it allows, so that of two requests
//! with one code one gets it, and a failure is counted in any case.

mod enrolment;
mod recovery;
mod totp;

use std::fmt;
use std::sync::Arc;

use racun_kernel::id::UserId;
use racun_kernel::{CannotOpen, Issue, Reseal, Stamp, Tenant, Vault};
use racun_store::{Field, One, Put, UnitBuilder, Writes};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::account::event;
use crate::events;
use crate::pin::lock_after;
use crate::switch::seconds_until;
use crate::{AccessError, Digest, User};

pub use enrolment::{
    Enrolment, NewCodes, begin_second_factor, confirm_second_factor, get_second_factor,
    remove_second_factor, renew_recovery_codes,
};
pub(crate) use totp::escaped;

/// The code of the issue that says that a code is not the user's.
pub const WRONG_CODE: &str = "wrong_code";

/// A user's second factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondFactor {
    /// Whose it is.
    pub user_id: UserId,
    /// The app's secret, sealed; `None` where the key that sealed it is lost. Recovery codes work
    /// then.
    sealed: Option<String>,
    /// When the user said a code for the first time; `None` before, when it is not asked for.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub confirmed_at: Option<OffsetDateTime>,
    /// The step whose code was used last.
    last_step: i64,
    /// What is kept of the recovery codes that are left.
    recovery: Vec<Digest>,
    /// Wrong codes of the app since the last right one.
    failures: u32,
    /// Until when no code of the app is tried.
    #[serde(default, with = "time::serde::rfc3339::option")]
    locked_until: Option<OffsetDateTime>,
    /// When the user asked for it.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where second factors are kept: in the directory, by their users' ids.
    pub static SECOND_FACTORS: SecondFactor = "second_factors";
    |factor|
    id: factor.user_id,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => factor.created_at,
    }
}

/// What a log-in brings beside the password, and what opens the secret that it is compared with.
#[derive(Clone, Default)]
pub struct SecondProof {
    vault: Option<Arc<dyn Vault>>,
    code: Option<String>,
}

impl fmt::Debug for SecondProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecondProof(..)")
    }
}

/// What a code came to.
pub(crate) enum Verdict {
    /// It is right: the second factor after it, and what is written.
    Right(SecondFactor, Writes),
    /// It is not, or none is tried now: why, and what is written of it.
    Refused(AccessError, Writes),
}

/// A code as it was sent.
enum Code {
    /// Of the app.
    Totp(u32),
    /// One that is used once.
    Recovery(Digest),
    /// Of neither form.
    Malformed,
}

impl Code {
    /// Reads a code; spaces and hyphens in it do not count, nor do capitals.
    fn read(text: &str) -> Self {
        let text: String =
            text.chars().filter(|c| !c.is_whitespace() && *c != '-').take(64).collect();
        let is_number = text.len() == totp::DIGITS && text.bytes().all(|b| b.is_ascii_digit());
        match (is_number.then(|| text.parse()), recovery::read(&text)) {
            (Some(Ok(number)), _) => Self::Totp(number),
            (_, Some(digest)) => Self::Recovery(digest),
            _ => Self::Malformed,
        }
    }
}

impl SecondProof {
    /// The code that the user says, of the app or for recovery; `vault` opens the secret.
    #[must_use]
    pub const fn new(vault: Option<Arc<dyn Vault>>, code: Option<String>) -> Self {
        Self { vault, code }
    }

    /// What opens secrets.
    pub(crate) const fn vault(&self) -> Option<&Arc<dyn Vault>> {
        self.vault.as_ref()
    }

    /// Compares the code with `factor`, which is the user's if they have one.
    ///
    /// # Errors
    /// [`AccessError::SecretSealed`] when the secret cannot be opened.
    pub(crate) fn check(
        &self,
        factor: Option<SecondFactor>,
        user: &User,
        stamp: &Stamp,
        now: OffsetDateTime,
    ) -> Result<Option<Verdict>, AccessError> {
        let Some(factor) = factor.filter(SecondFactor::is_on) else { return Ok(None) };
        let Some(code) = &self.code else {
            let refused = AccessError::SecondFactorRequired { continuation: None };
            return Ok(Some(Verdict::Refused(refused, Writes::default())));
        };
        factor.check(code, self.vault.as_deref(), user, stamp, now).map(Some)
    }
}

impl SecondFactor {
    /// Whether it is asked for.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.confirmed_at.is_some()
    }

    /// How many recovery codes are left.
    #[must_use]
    pub const fn recovery_codes_left(&self) -> usize {
        self.recovery.len()
    }

    /// Holds that of `user`.
    pub(crate) fn hold<By>(unit: &mut UnitBuilder<'_, By>, user: UserId) -> One<Self> {
        unit.hold_of(Tenant::directory(), &SECOND_FACTORS, user)
    }

    /// Whose the secret is for the vault.
    fn owner(user: UserId) -> String {
        format!("second_factors/{user}")
    }

    /// The same with its secret sealed again.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        let owner = Self::owner(self.user_id);
        let sealed = self.sealed.map(|sealed| reseal(&owner, &sealed)).transpose()?;
        Ok(Self { sealed, ..self })
    }

    /// The same without a secret that cannot be opened: recovery codes are taken, and no codes of
    /// the app.
    #[must_use]
    pub fn without_sealed(self) -> Self {
        Self { sealed: None, ..self }
    }

    /// What `code` comes to at `now`. A wrong code of the app is counted, and locks as wrong PINs
    /// do; recovery codes are too long to be guessed, so they are taken while the others are
    /// locked.
    ///
    /// # Errors
    /// [`AccessError::SecretSealed`] when the secret cannot be opened.
    pub(crate) fn check(
        self,
        code: &str,
        vault: Option<&dyn Vault>,
        user: &User,
        stamp: &Stamp,
        now: OffsetDateTime,
    ) -> Result<Verdict, AccessError> {
        let code = match Code::read(code) {
            Code::Recovery(digest) => return Ok(self.recovered(&digest, user, stamp)),
            Code::Totp(code) => Some(code),
            Code::Malformed => None,
        };
        if let Some(retry_after) = seconds_until(self.locked_until, now) {
            let locked = AccessError::CodeLocked { retry_after };
            return Ok(Verdict::Refused(locked, Writes::default()));
        }
        let secret = self.secret(vault)?;
        let step = code.and_then(|code| totp::step_of(&secret, code, self.last_step, now));
        Ok(match step {
            Some(last_step) => {
                let after = Self { last_step, failures: 0, locked_until: None, ..self.clone() };
                let writes = Writes::default().update(&self, &after);
                Verdict::Right(after, writes)
            }
            None => self.failed(now),
        })
    }

    fn secret(&self, vault: Option<&dyn Vault>) -> Result<Vec<u8>, AccessError> {
        let (Some(vault), Some(sealed)) = (vault, &self.sealed) else {
            return Err(AccessError::SecretSealed);
        };
        let owner = Self::owner(self.user_id);
        vault.open(&owner, sealed).map_err(|CannotOpen| AccessError::SecretSealed)
    }

    fn failed(self, now: OffsetDateTime) -> Verdict {
        let failures = self.failures.saturating_add(1);
        let locked_until = lock_after(failures).map(|lock| now + lock);
        let after = Self { failures, locked_until, ..self.clone() };
        Verdict::Refused(AccessError::WrongCode, Writes::default().update(&self, &after))
    }

    /// The verdict on a recovery code, which works once.
    fn recovered(self, digest: &Digest, user: &User, stamp: &Stamp) -> Verdict {
        let mut after = self.clone();
        after.recovery.retain(|known| known != digest);
        if after.recovery.len() == self.recovery.len() {
            return Verdict::Refused(AccessError::WrongCode, Writes::default());
        }
        (after.failures, after.locked_until) = (0, None);
        let tenant = Tenant::account(user.account_id);
        let kind = events::second_factor::RECOVERY_CODE_USED;
        let used = event(tenant, kind, &user.id, &user.id, stamp);
        let writes = Writes::default().put(Put::update(&self, &after)).events([used]);
        Verdict::Right(after, writes)
    }
}

/// What refusals of a code are to a user who is logged in: their session is good, and what they say
/// is not.
#[must_use]
pub fn wrong_own_code(error: AccessError) -> AccessError {
    match error {
        AccessError::WrongCode => {
            let message = "this is none of your codes that were not used yet; say the one that \
                           your app shows now, or a recovery code";
            Issue::new(WRONG_CODE, message).at("code").into()
        }
        error => error,
    }
}
