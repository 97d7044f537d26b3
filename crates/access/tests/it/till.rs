//! An entity with people at a till.

use racun_access::*;
use racun_kernel::{Environment, Role, Scope};
use racun_store::Context;
use time::Duration;

use crate::world::{World, user_id};

/// An entity of Ana's with Eva, an editor, and Vid, a viewer.
pub struct Till {
    pub world: World,
    pub key: PinKey,
    pub entity: Entity,
    pub ana: Caller,
    pub eva: Caller,
    pub vid: Caller,
}

impl Till {
    pub async fn new() -> Self {
        let world = World::new();
        let ana = world.caller("ana@example.com").await;
        let eva = world.caller("eva@example.com").await;
        let vid = world.caller("vid@example.com").await;
        let entity = world.entity(&ana, "Pri Ani", Environment::Live).await;
        let scope = world.scope(&ana, &entity).await;
        world.admit(&scope, "eva@example.com", Role::Editor).await;
        world.admit(&scope, "vid@example.com", Role::Viewer).await;
        Self { world, key: PinKey::derive(&[7; 32]), entity, ana, eva, vid }
    }

    pub async fn scope(&self, caller: &Caller) -> Scope {
        self.world.scope(caller, &self.entity).await
    }

    /// `who` gives `whom` a PIN.
    pub async fn set(&self, who: &Caller, whom: &Caller, pin: &str) -> Result<(), AccessError> {
        let (store, scope, stamp) = (self.world.store(), self.scope(who).await, self.world.stamp());
        let owner = find_pin_owner(Context::new(store, &scope, &stamp), &user_id(whom)).await?;
        let pin = Pin::parse(pin.to_owned()).unwrap();
        set_pin(Context::new(store, &scope, &stamp), owner.hash(&self.key, &pin, &stamp)?).await
    }

    /// `who` takes the PIN of `whom` away.
    pub async fn remove(&self, who: &Caller, whom: &Caller) -> Result<(), AccessError> {
        let (store, scope) = (self.world.store(), self.scope(who).await);
        let owner = find_pin_owner(self.world.cx(&scope), &user_id(whom)).await?;
        remove_pin(Context::new(store, &scope, &self.world.stamp()), owner).await
    }

    /// Hands the till of `device` over to `whom`, some time after the start.
    pub async fn switch(
        &self,
        device: &Caller,
        whom: &Caller,
        pin: &str,
        after: Duration,
    ) -> Result<WithSecret<OperatorToken>, AccessError> {
        let (store, scope) = (self.world.store(), self.scope(device).await);
        let stamp = self.world.after(after);
        let attempt =
            begin_switch(Context::new(store, &scope, &stamp), device, &user_id(whom)).await?;
        let right = attempt.verify(&self.key, &Pin::parse(pin.to_owned()).unwrap())?;
        finish_switch(store, right, &stamp).await
    }

    /// Whether a token is valid, some time after the start.
    pub async fn holds(&self, token: &str, after: Duration) -> bool {
        let stamp = self.world.after(after);
        match authenticate(self.world.store(), token, &stamp).await {
            Ok(_) => true,
            Err(AccessError::Unauthorized) => false,
            Err(other) => panic!("{other}"),
        }
    }

    /// Another session of a user.
    pub async fn log_in(&self, caller: &Caller) -> WithSecret<Session> {
        let Caller::User { user, .. } = caller else { panic!("not a user") };
        open_session(self.world.store(), user, &self.world.stamp()).await.unwrap()
    }
}
