//! Endpoints: where events are posted to.

use std::collections::BTreeMap;

use racun_kernel::id::UserId;
use racun_kernel::{CannotOpen, Metadata, Patch, Reseal, Stamp, Vault};
use racun_store::{Field, Record};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use time::{Duration, OffsetDateTime};

use crate::signature::new_secret;
use crate::{EndpointId, Generation, Owner};

/// Endpoints of one entity or account, of either generation.
pub const MAX_ENDPOINTS: usize = 100;
/// How long the secret before the last rotation signs beside the new one.
pub const ROTATION: Duration = Duration::hours(24);

/// Where events are posted to, which, and whether.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Its id.
    pub id: EndpointId,
    /// Whose it is.
    pub owner: Owner,
    /// The generation that it was made with.
    pub generation: Generation,
    /// Where to.
    pub url: String,
    /// The kinds of events that it gets; for the earlier generation none stands for all.
    pub events: Vec<String>,
    /// What a caller of the earlier generation sent as `events`.
    pub sent_events: Vec<Json>,
    /// What people say about it.
    pub description: Option<String>,
    /// Whether events are sent; otherwise they are kept.
    pub active: bool,
    /// What the caller attached.
    pub metadata: Metadata,
    /// What signs; none with the earlier generation.
    pub secret: Option<SealedSecret>,
    /// What signed before, and until when it goes on.
    pub previous_secret: Option<(SealedSecret, Ends)>,
    /// When it was last called.
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_delivery_at: Option<OffsetDateTime>,
    /// What came in the way the last time; `None` when nothing did.
    pub last_error: Option<String>,
    /// Why it is not active, when that was not its owner's wish.
    pub disabled_reason: Option<String>,
    /// Who made it; of one that a key made, who made that one. `None` for endpoints of earlier
    /// versions.
    #[serde(default)]
    pub created_by_user_id: Option<UserId>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When its owner, or a failure, last changed it.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// A secret as the vault sealed it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SealedSecret(String);

impl std::fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealedSecret(..)")
    }
}

/// Why an endpoint is disabled whose secret is lost.
const LOST_SECRET: &str =
    "its secret was lost with the server's master key: rotate the secret, then set active";

/// When something ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ends(#[serde(with = "time::serde::rfc3339")] pub OffsetDateTime);

/// What a caller says of an endpoint. A new one needs `url` and `events`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndpointInput {
    /// Where to.
    pub url: Patch<String>,
    /// The kinds of events that it gets, at least one.
    pub events: Patch<Vec<String>>,
    /// At most 500 characters of a new endpoint, 4,000 in an update.
    pub description: Patch<String>,
    /// True when missing.
    pub active: Patch<bool>,
    /// What the caller attaches; replaces all that was attached, null empties it.
    pub metadata: Patch<BTreeMap<String, String>>,
}

racun_store::record! {
    /// Where endpoints are kept: with the entity or account that they are of.
    pub static ENDPOINTS: Endpoint = "webhook_endpoints";
    |endpoint|
    id: endpoint.id,
    tenant: endpoint.owner.tenant(),
    where {
        let environment = match endpoint.owner {
            Owner::Account { environment, .. } => environment,
            Owner::Entity { .. } => None,
        };
    }
    fields: {
        Field::id() => endpoint.id(),
        Field::text("url").searched() => endpoint.url,
        Field::list("events") => endpoint.events,
        Field::text("description").searched() => endpoint.description,
        Field::bool("active") => endpoint.active,
        Field::map("metadata") => endpoint.metadata,
        Field::instant("last_delivery_at") => endpoint.last_delivery_at,
        Field::text("last_error") => endpoint.last_error,
        Field::text("disabled_reason") => endpoint.disabled_reason,
        Field::instant("created_at") => endpoint.created_at,
        Field::instant("updated_at") => endpoint.updated_at,
        Field::text("owner").indexed().hidden() => endpoint.tenant().as_str(),
        Field::text("generation").hidden() => endpoint.generation.name(),
        Field::text("environment").hidden() => environment.map(racun_kernel::Environment::name),
        Field::text("public_id").indexed().hidden() => endpoint.id(),
    }
}

impl Endpoint {
    /// An endpoint without a URL, and without events.
    pub(crate) fn blank(owner: Owner, generation: Generation, stamp: &Stamp) -> Self {
        let id = match owner {
            Owner::Entity { .. } => EndpointId::Entity(stamp.id()),
            Owner::Account { .. } => EndpointId::Account(stamp.id()),
        };
        Self {
            id,
            owner,
            generation,
            url: String::new(),
            events: Vec::new(),
            sent_events: Vec::new(),
            description: None,
            active: true,
            metadata: Metadata::default(),
            secret: None,
            previous_secret: None,
            last_delivery_at: None,
            last_error: None,
            disabled_reason: None,
            created_by_user_id: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        }
    }

    /// Whether it gets events called `kind`.
    #[must_use]
    pub fn subscribes(&self, kind: &str) -> bool {
        let all = self.generation == Generation::Earlier && self.events.is_empty();
        all || self.events.iter().any(|event| event == kind)
    }

    /// Gives it a secret, which is answered. The one it had signs beside it for [`ROTATION`].
    pub fn rotate_secret(&mut self, vault: &dyn Vault, stamp: &Stamp) -> String {
        let secret = new_secret(stamp);
        let sealed = SealedSecret(vault.seal(&self.seal_owner(), secret.as_bytes(), stamp));
        let ends = Ends(stamp.now() + ROTATION);
        self.previous_secret = self.secret.replace(sealed).map(|previous| (previous, ends));
        self.updated_at = stamp.now();
        secret
    }

    /// The secrets that sign at `now`, the newest first; none with the earlier generation.
    ///
    /// # Errors
    /// [`CannotOpen`] for the newest one. An older one that cannot be opened is left out.
    pub fn secrets(
        &self,
        vault: &dyn Vault,
        now: OffsetDateTime,
    ) -> Result<Vec<String>, CannotOpen> {
        let open = |sealed: &SealedSecret| {
            let bytes = vault.open(&self.seal_owner(), &sealed.0)?;
            String::from_utf8(bytes).map_err(|_| CannotOpen)
        };
        let newest = self.secret.as_ref().map(open).transpose()?;
        let previous = self.previous_secret.iter().filter(|(_, ends)| now < ends.0);
        Ok(newest.into_iter().chain(previous.filter_map(|(sealed, _)| open(sealed).ok())).collect())
    }

    /// The same with its secrets under another key of the vault.
    ///
    /// # Errors
    /// When one of them cannot be opened.
    pub fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        let owner = self.seal_owner();
        let again = |sealed: SealedSecret| Ok(SealedSecret(reseal(&owner, &sealed.0)?));
        let previous = |(sealed, ends)| Ok((again(sealed)?, ends));
        Ok(Self {
            secret: self.secret.map(again).transpose()?,
            previous_secret: self.previous_secret.map(previous).transpose()?,
            ..self
        })
    }

    /// The same without the secrets that it had, which cannot be opened: it is disabled until its
    /// owner rotates the secret.
    #[must_use]
    pub fn without_sealed(mut self, vault: &dyn Vault, stamp: &Stamp) -> Self {
        self.rotate_secret(vault, stamp);
        self.previous_secret = None;
        self.disable(LOST_SECRET.to_owned(), stamp.now());
        self
    }

    /// What ties a sealed secret to this endpoint.
    fn seal_owner(&self) -> String {
        format!("webhook_endpoints/{}/{}", self.tenant().as_str(), self.id)
    }

    /// Stops it for `reason`; false when it was not active anyway.
    pub fn disable(&mut self, reason: String, now: OffsetDateTime) -> bool {
        if !self.active {
            return false;
        }
        self.active = false;
        self.disabled_reason = Some(reason);
        self.updated_at = now;
        true
    }
}
