//! Who calls the authority for an entity, and for what.

use racun_kernel::id::EntityId;
use racun_kernel::{CannotOpen, Issue, Issues, Patch, Reseal, Tenant, Vault};
use racun_store::{Actor, Decision, Field};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::soap::is_sub_user;
use crate::{SubUser, events};

/// The longest password of a sub-user, in characters.
const MAX_PASSWORD_CHARS: usize = 255;

/// What an entity in Portugal told of its authority. A row's id is the entity's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtSettings {
    /// Whose.
    pub entity_id: EntityId,
    /// The sub-user: `508025338/1`.
    pub username: Option<String>,
    /// Their password, sealed; never answered.
    pub password: Option<String>,
    /// Whether invoices are reported as soon as they are issued.
    pub communicate_invoices: bool,
    /// When they were first stored.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When they last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What a caller says of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsInput {
    /// The sub-user; none when null, and no password either.
    pub username: Patch<String>,
    /// Their password; none when null.
    pub password: Patch<String>,
    /// False when null.
    pub communicate_invoices: Patch<bool>,
}

impl PtSettings {
    /// The settings of an entity that told nothing.
    #[must_use]
    pub const fn new(entity_id: EntityId, now: OffsetDateTime) -> Self {
        Self {
            entity_id,
            username: None,
            password: None,
            communicate_invoices: false,
            created_at: now,
            updated_at: now,
        }
    }

    /// Takes over what `input` says, for the taxpayer `nif`. Another sub-user takes a password of
    /// their own. `is_ours` says that the authority is our own stand-in, which asks for none.
    ///
    /// # Errors
    /// All that is wrong with the input, by field.
    pub fn update(
        self,
        input: SettingsInput,
        nif: &str,
        is_ours: bool,
        vault: &dyn Vault,
        actor: &Actor,
    ) -> Result<Decision<Self>, Issues> {
        let mut issues = Issues::default();
        let mut after = self.clone();
        let SettingsInput { username, password, communicate_invoices } = input;
        username.apply(&mut after.username);
        if after.username != self.username {
            after.password = None;
        }
        if after.username.as_deref().is_some_and(|user| !is_sub_user(user, nif)) {
            let message = format!("expected a sub-user of this taxpayer, such as {nif}/1");
            issues.push(Issue::new("invalid_value", message).at("username"));
        }
        match password {
            Patch::Absent => {}
            Patch::Null => after.password = None,
            Patch::Value(text) if text.is_empty() || text.chars().count() > MAX_PASSWORD_CHARS => {
                let message = format!("expected 1 to {MAX_PASSWORD_CHARS} characters");
                issues.push(Issue::new("invalid_value", message).at("password"));
            }
            Patch::Value(text) => {
                let sealed = vault.seal(&owner(self.entity_id), text.as_bytes(), actor.stamp());
                after.password = Some(sealed);
            }
        }
        communicate_invoices.apply_or(&mut after.communicate_invoices, false);
        let missing = |at: &str| {
            let message = "the authority asks who reports: send username and password of a \
                           sub-user with the right WFA, or communicate_invoices false";
            Issue::new("required", message).at(at)
        };
        if after.communicate_invoices && !is_ours {
            if after.username.is_none() {
                issues.push(missing("username"));
            }
            if after.password.is_none() {
                issues.push(missing("password"));
            }
        }
        issues.into_result(())?;
        if after == self {
            return Ok(Decision::Unchanged(self));
        }
        after.updated_at = actor.now();
        let event = actor.event(events::pt_settings::UPDATED, after.entity_id);
        Ok(Decision::changed(after, vec![event]))
    }

    /// Who calls; `None` where username or password is missing.
    ///
    /// # Errors
    /// [`CannotOpen`].
    pub fn sub_user(&self, vault: &dyn Vault) -> Result<Option<SubUser>, CannotOpen> {
        let (Some(username), Some(sealed)) = (&self.username, &self.password) else {
            return Ok(None);
        };
        let password = vault.open(&owner(self.entity_id), sealed)?;
        let password = String::from_utf8(password).map_err(|_| CannotOpen)?;
        Ok(Some(SubUser { username: username.clone(), password }))
    }

    /// The same, its password sealed under another key.
    ///
    /// # Errors
    /// [`CannotOpen`].
    pub fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        let owner = owner(self.entity_id);
        let password = self.password.map(|sealed| reseal(&owner, &sealed)).transpose()?;
        Ok(Self { password, ..self })
    }

    /// The same without the password, which does not open any more.
    #[must_use]
    pub fn without_sealed(self) -> Self {
        Self { password: None, ..self }
    }
}

/// What the vault knows the password's owner by.
fn owner(entity: EntityId) -> String {
    format!("pt_settings/{entity}")
}

racun_store::record! {
    /// Where settings of entities in Portugal are kept. A row's id is the entity's.
    pub static PT_SETTINGS: PtSettings = "pt_settings";
    |settings|
    id: settings.entity_id,
    tenant: Tenant::entity(settings.entity_id),
    fields: {
        Field::id() => settings.entity_id.to_string(),
        Field::bool("communicate_invoices") => settings.communicate_invoices,
        Field::instant("created_at") => settings.created_at,
        Field::instant("updated_at") => settings.updated_at,
    }
}
