//! Who makes what others get (keys, invitations, roles, PINs), as the unit that writes it holds
//! them. What a request was let in with may have ended since: a session, a key, a place or a role.

use racun_kernel::id::{AccountId, EntityId, TokenId, UserId};
use racun_kernel::{Principal, Role, Scope, Tenant};
use racun_store::{Held, Many, One, UnitBuilder};
use time::OffsetDateTime;

use crate::ending::check_is_current;
use crate::{
    API_KEYS, AccessError, AccountScope, ApiKey, Forbidden, MEMBERSHIPS, Membership, Permission,
    SESSIONS, Session, USERS, User, permits,
};

/// By what right a request acts: in an entity, or on an account.
#[derive(Debug, Clone)]
pub struct Right {
    principal: Principal,
    session: Option<TokenId>,
    account: AccountId,
    entity: Option<EntityId>,
}

impl Right {
    /// Who acts, as events name them.
    #[must_use]
    pub fn actor(&self) -> String {
        self.principal.id()
    }
}

impl From<&Scope> for Right {
    fn from(scope: &Scope) -> Self {
        Self {
            principal: scope.principal(),
            session: scope.session(),
            account: scope.account(),
            entity: Some(scope.entity()),
        }
    }
}

impl From<&AccountScope> for Right {
    fn from(scope: &AccountScope) -> Self {
        let AccountScope { principal, session, account, .. } = *scope;
        Self { principal, session, account, entity: None }
    }
}

/// Who makes something, as they are when it is written.
pub enum Maker {
    /// A person.
    User(Box<User>),
    /// A key of the account.
    Key(Box<ApiKey>),
}

impl Maker {
    /// The person; of a key, who made it.
    #[must_use]
    pub const fn user(&self) -> Option<UserId> {
        match self {
            Self::User(user) => Some(user.id),
            Self::Key(key) => key.created_by_user_id,
        }
    }
}

/// Who makes something, as a unit holds them.
pub struct HeldMaker {
    right: Right,
    /// When their request began.
    began: OffsetDateTime,
    user: Option<One<User>>,
    session: Option<One<Session>>,
    places: Option<Many<Membership>>,
    key: Option<One<ApiKey>>,
}

impl HeldMaker {
    /// Holds whose `right` it is, whose request began at `began`: a user with their session, and
    /// with their place in the entity; or a key of the account.
    pub fn hold<By>(
        unit: &mut UnitBuilder<'_, By>,
        right: impl Into<Right>,
        began: OffsetDateTime,
    ) -> Self {
        let right: Right = right.into();
        let mut maker = Self { right, began, user: None, session: None, places: None, key: None };
        let Right { principal, session, account, entity } = maker.right;
        match principal {
            Principal::User(id) => {
                maker.user = Some(unit.hold_of(Tenant::directory(), &USERS, id));
                maker.session = session.map(|id| unit.hold_of(Tenant::directory(), &SESSIONS, id));
                maker.places = entity.map(|entity| {
                    unit.hold_where_of(Tenant::entity(entity), &MEMBERSHIPS, "user_id", id)
                });
            }
            Principal::AccountKey(id) => {
                maker.key = Some(unit.hold_of(Tenant::account(account), &API_KEYS, id));
            }
            Principal::Operator(_) | Principal::EntityKey(_) | Principal::System => {}
        }
        maker
    }

    /// The maker, who may still do what `permission` says.
    ///
    /// # Errors
    /// [`AccessError::Unauthorized`] when the user, their session or the key has ended, or when the
    /// password was set since the request began; [`Forbidden::InsufficientRole`] when they lost
    /// their place or their role, and to all who are neither user nor key of the account.
    pub fn read<By>(self, held: &Held<By>, permission: Permission) -> Result<Maker, AccessError> {
        let Self { right, began, user, session, places, key } = self;
        if let Some(key) = key {
            let key: ApiKey = held.find(key)?.ok_or(AccessError::Unauthorized)?;
            if key.expires_at.is_some_and(|end| end <= began) {
                return Err(AccessError::Unauthorized);
            }
            may(right.principal, Role::Admin, permission)?;
            return Ok(Maker::Key(Box::new(key)));
        }
        let Some(user) = user else { return Err(Forbidden::InsufficientRole.into()) };
        let user: User = held.find(user)?.ok_or(AccessError::Unauthorized)?;
        check_is_current(&user, began)?;
        if let Some(session) = session {
            let session: Option<Session> = held.find(session)?;
            session.filter(|one| !one.is_over(began)).ok_or(AccessError::Unauthorized)?;
        }
        let places: Vec<Membership> = held.all(places)?;
        let of_owner = || (user.account_id == right.account).then_some(Role::Admin);
        let role = places.first().map(|place| place.role).or_else(of_owner);
        may(right.principal, role.ok_or(Forbidden::InsufficientRole)?, permission)?;
        Ok(Maker::User(Box::new(user)))
    }
}

fn may(principal: Principal, role: Role, permission: Permission) -> Result<(), Forbidden> {
    if permits(principal, role, permission) { Ok(()) } else { Err(Forbidden::InsufficientRole) }
}
