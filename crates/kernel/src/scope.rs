//! Who acts, where, and how far.

use serde::{Deserialize, Serialize};

use crate::Tenant;
use crate::id::{AccountId, ApiKeyId, EntityId, TokenId, UserId};

/// Which of the two separate data sets a request sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// Real documents.
    Live,
    /// Trial documents.
    Sandbox,
}

impl Environment {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Sandbox => "sandbox",
        }
    }
}

/// What a member of an entity may do; each role may do what the ones before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads.
    Viewer,
    /// Reads and writes documents and master data.
    Editor,
    /// Everything, settings and people included.
    Admin,
}

impl Role {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Admin => "admin",
        }
    }
}

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Principal {
    /// A person with a session token.
    User(UserId),
    /// A person at a till, who proved by their PIN who they are.
    Operator(UserId),
    /// A program with an account key (`sk_live_`, `sk_sandbox_`).
    AccountKey(ApiKeyId),
    /// A program with an entity key (`ek_`).
    EntityKey(ApiKeyId),
    /// Racun's own jobs. No request is ever made by it.
    System,
}

impl Principal {
    /// The id of the person or key; `system` for jobs.
    #[must_use]
    pub fn id(&self) -> String {
        match self {
            Self::User(user) | Self::Operator(user) => user.to_string(),
            Self::AccountKey(key) | Self::EntityKey(key) => key.to_string(),
            Self::System => "system".to_owned(),
        }
    }

    /// The person, when it is one.
    #[must_use]
    pub const fn user(&self) -> Option<UserId> {
        match self {
            Self::User(user) | Self::Operator(user) => Some(*user),
            Self::AccountKey(_) | Self::EntityKey(_) | Self::System => None,
        }
    }
}

/// A person as they called themselves when they acted: what records keep of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Who it is.
    pub user_id: UserId,
    /// Their name, when they gave one.
    pub name: Option<String>,
    /// Their e-mail address.
    pub email: String,
    /// What the Slovenian tax authority knows them by in this entity, when they said so.
    #[serde(default)]
    pub furs: Option<OperatorIdentity>,
    /// What the Croatian one does.
    #[serde(default)]
    pub fina: Option<OperatorIdentity>,
}

/// What a tax authority knows a person by. What is `None` is not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorIdentity {
    /// Their tax number or OIB.
    pub number: Option<String>,
    /// The mark that stands for them on documents.
    pub label: Option<String>,
}

/// A request's or job's right to act in one entity. Only crate `access` makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    account: AccountId,
    entity: EntityId,
    environment: Environment,
    principal: Principal,
    role: Role,
    person: Option<Person>,
    session: Option<TokenId>,
}

impl Scope {
    /// Grants `principal` the rights of `role` in `entity`.
    ///
    /// Refused by clippy outside `access` and tests, so that no other code can reach a tenant.
    #[must_use]
    pub const fn grant(
        account: AccountId,
        entity: EntityId,
        environment: Environment,
        principal: Principal,
        role: Role,
    ) -> Self {
        Self { account, entity, environment, principal, role, person: None, session: None }
    }

    /// The same scope, used by `person`.
    ///
    /// Refused by clippy outside `access` and tests, so that no other code acts in a person's name.
    #[must_use]
    pub fn used_by(self, person: Person) -> Self {
        Self { person: Some(person), ..self }
    }

    /// The same scope, used in `session`: what is decided by it may hold that row.
    #[must_use]
    pub const fn in_session(mut self, session: TokenId) -> Self {
        self.session = Some(session);
        self
    }

    /// The session of who acts; `None` for keys, operators and jobs.
    #[must_use]
    pub const fn session(&self) -> Option<TokenId> {
        self.session
    }

    /// The account that owns the entity.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.account
    }

    /// The entity acted in.
    #[must_use]
    pub const fn entity(&self) -> EntityId {
        self.entity
    }

    /// The entity's environment.
    #[must_use]
    pub const fn environment(&self) -> Environment {
        self.environment
    }

    /// Who acts.
    #[must_use]
    pub const fn principal(&self) -> Principal {
        self.principal
    }

    /// How far.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// The person who acts; `None` for keys and jobs.
    #[must_use]
    pub const fn person(&self) -> Option<&Person> {
        self.person.as_ref()
    }

    /// The tenant whose rows this scope reaches.
    #[must_use]
    pub fn tenant(&self) -> Tenant {
        Tenant::entity(self.entity)
    }
}
