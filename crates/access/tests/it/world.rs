//! A store with people in it, and a clock that tests set.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use racun_access::*;
use racun_kernel::{Entropy, Environment, Role, Scope, Stamp};
use racun_store::{Context, Store};
use racun_store_sqlite::SqliteStore;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

/// When tests begin.
pub const START: OffsetDateTime = datetime!(2026-11-20 08:30:00 UTC);
/// Everybody's password; hashing is slow on purpose, so it is hashed once.
pub const PASSWORD: &str = "correct horse";

static HASH: LazyLock<PasswordHash> = LazyLock::new(|| {
    let stamp = Stamp::new(START, Arc::new(Counter::default()));
    hash_password(PASSWORD, &[], &stamp).unwrap()
});

/// Counts, and mixes the count over all bytes, so that keys look different at both ends.
#[derive(Default)]
struct Counter(AtomicU64);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = self.0.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for byte in bytes {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = state.to_be_bytes()[0];
        }
    }
}

/// A store, and stamps whose randomness never repeats.
pub struct World {
    store: Arc<SqliteStore>,
    entropy: Arc<Counter>,
    stamp: Stamp,
}

impl World {
    pub fn new() -> Self {
        let store = Arc::new(SqliteStore::in_memory(&TABLES).unwrap());
        let entropy = Arc::<Counter>::default();
        let stamp = Stamp::new(START, entropy.clone());
        Self { store, entropy, stamp }
    }

    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// What `scope` reads, whenever.
    pub fn cx<'a>(&'a self, scope: &'a Scope) -> Context<'a> {
        Context::new(self.store(), scope, &self.stamp)
    }

    pub fn shared(&self) -> Arc<SqliteStore> {
        Arc::clone(&self.store)
    }

    /// A stamp of the start.
    pub fn stamp(&self) -> Stamp {
        self.after(Duration::ZERO)
    }

    /// A stamp of `later` than the start.
    pub fn after(&self, later: Duration) -> Stamp {
        Stamp::new(START + later, self.entropy.clone())
    }

    /// Signs someone up.
    pub async fn user(&self, email: &str) -> User {
        let input = SignUp {
            email: email.to_owned(),
            password: HASH.clone(),
            name: None,
            company_name: None,
            locale: None,
            white_label: None,
            settings: None,
            metadata: None,
        };
        sign_up(self.store(), input, &self.stamp()).await.unwrap()
    }

    /// Notes that the address is its user's, who opened the link in the mail.
    pub async fn verify(&self, email: &str) -> User {
        let (store, stamp) = (self.store(), self.stamp());
        let purpose = MailTokenPurpose::Verification;
        if let Some(token) = mint_mail_token(store, email, purpose, &stamp).await.unwrap() {
            let open = find_mail_token(store, &token, purpose, &stamp).await.unwrap();
            verify_email(store, open, &stamp).await.unwrap();
        }
        let found: Vec<User> = store.look_up(&USERS, "email", email).await.unwrap();
        found.into_iter().next().unwrap()
    }

    /// Signs someone up, who verifies their address, and logs them in.
    pub async fn caller(&self, email: &str) -> Caller {
        self.user(email).await;
        let user = self.verify(email).await;
        let session = open_session(self.store(), &user, &self.stamp()).await.unwrap();
        self.caller_of(&session.secret).await
    }

    /// The user with this address, when `password` is theirs.
    pub async fn log_in(&self, email: &str, password: &str) -> Result<User, AccessError> {
        let origin = Origin::default();
        let attempt = begin_login(self.store(), email, &origin, &self.stamp()).await?;
        Ok(attempt.verify(password)?.user)
    }

    pub async fn caller_of(&self, token: &str) -> Caller {
        authenticate(self.store(), token, &self.stamp()).await.unwrap()
    }

    /// Makes an entity in the caller's account.
    pub async fn entity(&self, caller: &Caller, name: &str, environment: Environment) -> Entity {
        let account = enter_account(self.store(), caller, None).await.unwrap();
        let input = NewEntity {
            name: name.to_owned(),
            country: "Slovenia".to_owned(),
            environment: Some(environment),
            ..NewEntity::default()
        };
        create_entity(self.store(), caller, &account, input, &self.stamp()).await.unwrap()
    }

    pub async fn scope(&self, caller: &Caller, entity: &Entity) -> Scope {
        enter(self.store(), caller, Some(&entity.id.to_string())).await.unwrap().0
    }

    /// A key of the caller's account, as a caller.
    pub async fn account_key(&self, caller: &Caller, environment: Environment) -> Caller {
        let account = enter_account(self.store(), caller, None).await.unwrap();
        let input = NewKey { name: "till".to_owned(), ..NewKey::default() };
        let stamp = self.stamp();
        let key = create_account_key(self.store(), &account, environment, input, &stamp).await;
        self.caller_of(&key.unwrap().secret).await
    }

    /// A key of the entity, as a caller.
    pub async fn entity_key(&self, scope: &Scope) -> Caller {
        let input = NewKey { name: "till".to_owned(), ..NewKey::default() };
        let key = create_entity_key(Context::new(self.store(), scope, &self.stamp()), input)
            .await
            .unwrap();
        self.caller_of(&key.secret).await
    }

    /// Lets a known user into the entity, who consents.
    pub async fn admit(&self, scope: &Scope, email: &str, role: Role) {
        let invited = self.invite(scope, email, role).await;
        let (store, stamp, user) = (self.store(), self.stamp(), self.verify(email).await);
        let id = invited.record.id.to_string();
        let answer = find_own_invitation(store, &user, &id, &stamp).await.unwrap();
        consent_to_invitation(store, answer, &stamp).await.unwrap();
    }

    /// Invites someone; answers the token that an admin hands over.
    pub async fn invite(&self, scope: &Scope, email: &str, role: Role) -> WithSecret<Invitation> {
        let input = AddEntityUser { email: email.to_owned(), role };
        match add_entity_user(Context::new(self.store(), scope, &self.stamp()), input)
            .await
            .unwrap()
        {
            Added::Invited(shown) => shown,
            Added::Member(member) => panic!("{} is of the account", member.email),
        }
    }

    /// The token that the mail of an invitation brings.
    pub async fn mailed(&self, invitation: &Invitation) -> String {
        let (entity, id) = (invitation.entity_id, invitation.id.to_string());
        let minted = mint_invitation_token(self.store(), entity, &id, &self.stamp()).await;
        minted.unwrap().unwrap()
    }
}

/// The id of a caller who is a user.
pub fn user_id(caller: &Caller) -> String {
    match caller {
        Caller::User { user, .. } => user.id.to_string(),
        Caller::Operator { .. } | Caller::AccountKey(_) | Caller::EntityKey(_) => {
            panic!("not a user")
        }
    }
}
