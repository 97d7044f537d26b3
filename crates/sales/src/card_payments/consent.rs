//! A seller consents that this server sees what their account takes.
//!
//! The state that goes to the processor and comes back is sealed: it says who asked, where and
//! until when. What comes back waits under it, and an entity takes it once.

use racun_card_payments::{CONSENTS, CardProcessor, Consent, MAX_CONSENT_TIME};
use racun_kernel::{Environment, Stamp, Tenant, Vault};
use racun_store::{Store, StoreError, Writes};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::error::CardError;

/// Whose what comes back is, to the vault.
const OWNER: &str = "payment_app_consents";
/// The path that the processor leads back to.
pub const BACK: &str = "/payment-app/authorize";

/// What goes to the processor and comes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// The id under which what comes back waits.
    pub id: String,
    pub environment: Environment,
    /// Who asked, and may connect what comes back.
    pub asked_by: String,
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
}

/// Where a seller consents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorized {
    /// The page of the processor.
    pub redirect_url: String,
    /// What connects the account once the seller came back.
    pub state: String,
}

/// What the processor leads back with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returned<'a> {
    /// The state that went to it.
    pub state: &'a str,
    /// What opens the account.
    pub code: &'a str,
}

/// The page on which a seller consents. `base` is the server's public address.
///
/// # Errors
/// [`CardError::NoVault`]; [`CardError::Processor`] where the server has no account of its own.
pub async fn authorize(
    vault: Option<&dyn Vault>,
    cards: &dyn CardProcessor,
    base: &str,
    (environment, asked_by): (Environment, String),
    stamp: &Stamp,
) -> Result<Authorized, CardError> {
    let vault = vault.ok_or(CardError::NoVault)?;
    let (id, until) = (stamp.ulid().to_string(), stamp.now() + MAX_CONSENT_TIME);
    let state = State { id, environment, asked_by, until };
    let text = serde_json::to_vec(&state).map_err(|_| CardError::NoVault)?;
    let sealed = vault.seal(OWNER, &text, stamp);
    let back = format!("{}{BACK}", base.trim_end_matches('/'));
    let redirect_url = cards.consent_page(environment, &sealed, &back).await?;
    Ok(Authorized { redirect_url, state: sealed })
}

/// Reads a state that is still good.
pub(super) fn open(
    vault: Option<&dyn Vault>,
    sealed: &str,
    now: OffsetDateTime,
) -> Result<State, CardError> {
    let vault = vault.ok_or(CardError::NoVault)?;
    let text = vault.open(OWNER, sealed).map_err(|_| CardError::BadConsent)?;
    let state: State = serde_json::from_slice(&text).map_err(|_| CardError::BadConsent)?;
    if state.until < now { Err(CardError::BadConsent) } else { Ok(state) }
}

/// Takes what the processor led back with: the account waits until its entity takes it. Coming back
/// again finds the one that waits.
///
/// # Errors
/// [`CardError::BadConsent`] for what is altered, late or used; what the processor says to the
/// code; the store's failure.
pub async fn consented(
    store: &dyn Store,
    vault: Option<&dyn Vault>,
    cards: &dyn CardProcessor,
    returned: Returned<'_>,
    stamp: &Stamp,
) -> Result<Consent, CardError> {
    let state = open(vault, returned.state, stamp.now())?;
    if let Some(found) = waiting(store, &state.id).await? {
        return unused(found);
    }
    let account = cards.connect(state.environment, returned.code).await?;
    let consent = Consent {
        id: state.id,
        environment: state.environment,
        asked_by: state.asked_by,
        account,
        is_used: false,
        until: state.until,
        created_at: stamp.now(),
    };
    let (unit, new) = (store.unit(Tenant::directory()), consent.clone());
    let inserted = unit.decide(move |_| Ok(((), Writes::default().insert(&new))));
    match inserted.await {
        Ok(()) => Ok(consent),
        // It came back twice at one moment.
        Err(StoreError::Duplicate { .. }) => {
            let found = waiting(store, &consent.id).await?;
            unused(found.ok_or(CardError::BadConsent)?)
        }
        Err(error) => Err(error.into()),
    }
}

async fn waiting(store: &dyn Store, id: &str) -> Result<Option<Consent>, StoreError> {
    store.get(&CONSENTS, &Tenant::directory(), id).await
}

fn unused(consent: Consent) -> Result<Consent, CardError> {
    if consent.is_used { Err(CardError::BadConsent) } else { Ok(consent) }
}
