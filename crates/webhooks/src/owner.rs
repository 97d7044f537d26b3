//! Whose endpoints are, and what they are called.

use std::fmt;
use std::str::FromStr;

use racun_kernel::id::{AccountId, AccountWebhookId, EntityId, WebhookId};
use racun_kernel::{Environment, InvalidId, Tenant};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Whose an endpoint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// An entity's.
    Entity {
        /// Whose entity.
        account_id: AccountId,
        /// Which.
        entity_id: EntityId,
    },
    /// An account's.
    Account {
        /// Which.
        account_id: AccountId,
        /// The only environment whose events it gets; `None` for both.
        environment: Option<Environment>,
    },
}

impl Owner {
    /// Where its rows are.
    #[must_use]
    pub fn tenant(&self) -> Tenant {
        match self {
            Self::Entity { entity_id, .. } => Tenant::entity(*entity_id),
            Self::Account { account_id, .. } => Tenant::account(*account_id),
        }
    }

    /// The account, or the one of the entity.
    #[must_use]
    pub const fn account_id(&self) -> AccountId {
        match self {
            Self::Entity { account_id, .. } | Self::Account { account_id, .. } => *account_id,
        }
    }

    /// The entity, when it is one's.
    #[must_use]
    pub const fn entity_id(&self) -> Option<EntityId> {
        match self {
            Self::Entity { entity_id, .. } => Some(*entity_id),
            Self::Account { .. } => None,
        }
    }
}

/// Which generation of the interface an endpoint was made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Generation {
    /// The current one.
    Current,
    /// The one under `/v1`.
    Earlier,
}

impl Generation {
    /// Its name in stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Earlier => "earlier",
        }
    }
}

/// Id of an endpoint: `wh_…` of an entity's, `accwh_…` of an account's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndpointId {
    /// Of an entity's.
    Entity(WebhookId),
    /// Of an account's.
    Account(AccountWebhookId),
}

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entity(id) => id.fmt(f),
            Self::Account(id) => id.fmt(f),
        }
    }
}

impl FromStr for EndpointId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        text.parse().map(Self::Account).or_else(|_| text.parse().map(Self::Entity))
    }
}

impl Serialize for EndpointId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EndpointId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
