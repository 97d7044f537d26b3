//! Who has a PIN, and who gives it.

use racun_access::*;
use racun_kernel::{Authority, Environment, OperatorIdentity, Patch, Role};
use racun_store::Context;
use time::Duration;

use crate::till::Till;
use crate::world::user_id;

const DENIED: AccessError = AccessError::Forbidden(Forbidden::InsufficientRole);
const NO_VIEWER: AccessError = AccessError::Refused(Refused::ViewerHasNoPin);

/// `name role`, and `*` for users with a PIN.
async fn listed(till: &Till, caller: &Caller) -> String {
    let scope = till.scope(caller).await;
    let operators = list_operators(till.world.cx(&scope)).await.unwrap();
    let line = |one: &Operator| {
        let pin = if one.has_pin { "*" } else { "" };
        format!("{} {}{pin}", one.name, one.role.name())
    };
    operators.iter().map(line).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn a_pin_is_set_by_oneself_or_by_an_admin() {
    let till = Till::new().await;
    let Till { ana, eva, vid, .. } = &till;
    let scope = till.scope(ana).await;
    let account_key = till.world.account_key(ana, Environment::Live).await;
    let entity_key = till.world.entity_key(&scope).await;
    for (who, whom, expected) in [
        (eva, eva, Ok(())),
        (ana, eva, Ok(())),
        (ana, ana, Ok(())),
        (&account_key, eva, Ok(())),
        (eva, ana, Err(DENIED)),
        (&entity_key, eva, Err(DENIED)),
        (vid, vid, Err(DENIED)),
        (vid, eva, Err(DENIED)),
        (ana, vid, Err(NO_VIEWER)),
    ] {
        assert_eq!(till.set(who, whom, "123").await, expected, "{who:?} of {whom:?}");
        let expected = if expected == Err(NO_VIEWER) { Ok(()) } else { expected };
        assert_eq!(till.remove(who, whom).await, expected, "{who:?} of {whom:?}");
        assert_eq!(till.remove(who, whom).await, expected, "twice is not an error");
    }
}

#[tokio::test]
async fn an_operator_acts_with_what_authorities_know_them_by_in_the_entity() {
    let till = Till::new().await;
    let Till { ana, eva, .. } = &till;
    let (store, stamp) = (till.world.store(), till.world.stamp());
    let identity = OperatorIdentity { number: Some("12345678".to_owned()), label: None };
    let (id, authority) = (user_id(eva).parse().unwrap(), Authority::Furs);
    let scope = till.scope(eva).await;
    set_operator_identity(Context::new(store, &scope, &stamp), id, authority, identity.clone())
        .await
        .unwrap();
    till.set(eva, eva, "123").await.unwrap();
    let token = till.switch(ana, eva, "123", Duration::ZERO).await.unwrap().secret;
    let operator = authenticate(store, &token, &stamp).await.unwrap();
    let scope = till.scope(&operator).await;
    let person = scope.person().unwrap();
    assert_eq!((person.user_id, &person.furs, &person.fina), (id, &Some(identity), &None));
    let elsewhere = till.world.entity(ana, "Drugje", Environment::Live).await;
    assert_eq!(operator.person(elsewhere.id).unwrap().furs, None, "in that entity only");
}

#[tokio::test]
async fn users_of_other_entities_get_no_pin() {
    let till = Till::new().await;
    let stranger = till.world.caller("stranger@example.com").await;
    let scope = till.scope(&till.ana).await;
    let unknown = till.world.stamp().id::<racun_kernel::id::User>().to_string();
    for id in [user_id(&stranger).as_str(), &unknown, "usr_", "", "a\0b"] {
        let found = find_pin_owner(till.world.cx(&scope), id).await;
        assert_eq!(found.unwrap_err(), AccessError::NotFound { id: id.to_owned() });
        let attempt = begin_switch(
            Context::new(till.world.store(), &scope, &till.world.stamp()),
            &till.ana,
            id,
        )
        .await;
        assert_eq!(attempt.unwrap_err(), AccessError::NotFound { id: id.to_owned() });
    }
}

#[tokio::test]
async fn operators_are_listed_by_name_without_viewers() {
    let till = Till::new().await;
    let Till { ana, eva, .. } = &till;
    assert_eq!(listed(&till, eva).await, "ana@example.com admin, eva@example.com editor");
    till.set(eva, eva, "123").await.unwrap();
    let Caller::User { user, .. } = ana else { panic!("a user") };
    let name = Patch::Value("žana".to_owned());
    let stamp = till.world.stamp();
    update_me(till.world.store(), user.id, name, Patch::Absent, &stamp).await.unwrap();
    let scope = till.scope(ana).await;
    let machine = till.world.entity_key(&scope).await;
    for caller in [ana, eva, &till.vid, &machine] {
        assert_eq!(listed(&till, caller).await, "eva@example.com editor*, žana admin");
    }
}

#[tokio::test]
async fn the_owner_of_the_account_is_an_operator_without_a_membership() {
    let till = Till::new().await;
    let key = till.world.account_key(&till.ana, Environment::Live).await;
    let entity = till.world.entity(&key, "of a key", Environment::Live).await;
    let till = Till { entity, ..till };
    let of_key = till.scope(&key).await;
    assert_eq!(list_operators(till.world.cx(&of_key)).await.unwrap(), []);
    assert_eq!(listed(&till, &till.ana).await, "ana@example.com admin");
    till.set(&till.ana, &till.ana, "123").await.unwrap();
    assert_eq!(listed(&till, &key).await, "ana@example.com admin*");
    let token = till.switch(&key, &till.ana, "123", Duration::ZERO).await.unwrap();
    assert!(till.holds(&token.secret, Duration::ZERO).await);
}

#[tokio::test]
async fn viewers_and_former_members_lose_their_pin() {
    let till = Till::new().await;
    let Till { ana, eva, world, .. } = &till;
    let (store, scope, id) = (world.store(), till.scope(ana).await, user_id(eva));
    till.set(eva, eva, "123").await.unwrap();
    change_role(Context::new(store, &scope, &world.stamp()), &id, Role::Admin).await.unwrap();
    assert_eq!(listed(&till, ana).await, "ana@example.com admin, eva@example.com admin*");
    change_role(Context::new(store, &scope, &world.stamp()), &id, Role::Viewer).await.unwrap();
    change_role(Context::new(store, &scope, &world.stamp()), &id, Role::Editor).await.unwrap();
    assert_eq!(listed(&till, ana).await, "ana@example.com admin, eva@example.com editor");
    till.set(eva, eva, "123").await.unwrap();
    remove_entity_user(Context::new(store, &scope, &world.stamp()), &id, false).await.unwrap();
    assert_eq!(listed(&till, ana).await, "ana@example.com admin");
    world.admit(&scope, "eva@example.com", Role::Editor).await;
    assert_eq!(listed(&till, ana).await, "ana@example.com admin, eva@example.com editor");
}

#[tokio::test]
async fn a_pin_is_not_set_when_the_role_is_lost_at_the_same_time() {
    let till = Till::new().await;
    let Till { ana, eva, world, .. } = &till;
    let (store, scope, id, stamp) =
        (world.store(), till.scope(ana).await, user_id(eva), world.stamp());
    let pin = || Pin::parse("123".to_owned()).unwrap();
    let owner = find_pin_owner(Context::new(store, &scope, &stamp), &id).await.unwrap();
    let new = owner.hash(&till.key, &pin(), &stamp).unwrap();
    change_role(Context::new(store, &scope, &stamp), &id, Role::Viewer).await.unwrap();
    assert_eq!(set_pin(Context::new(store, &scope, &stamp), new.clone()).await, Err(NO_VIEWER));
    remove_entity_user(Context::new(store, &scope, &stamp), &id, false).await.unwrap();
    let gone = set_pin(Context::new(store, &scope, &stamp), new).await;
    assert_eq!(gone, Err(AccessError::NotFound { id }));
}

#[tokio::test]
async fn nothing_of_a_pin_is_stored_readably() {
    let till = Till::new().await;
    till.set(&till.eva, &till.eva, "739").await.unwrap();
    let shown = till.switch(&till.ana, &till.eva, "739", Duration::ZERO).await.unwrap();
    let tenant = till.scope(&till.ana).await.tenant();
    let id = user_id(&till.eva);
    let rows = till.world.store().find(&OPERATOR_PINS, &tenant, &[id]).await.unwrap();
    assert!(rows[0].body.contains("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", rows[0].body);
    assert!(!rows[0].body.contains("\"739\""), "{}", rows[0].body);
    let id = shown.record.id.to_string();
    let rows = till.world.store().find(&OPERATOR_TOKENS, &tenant, &[id]).await.unwrap();
    assert!(!rows[0].body.contains(&shown.secret), "{}", rows[0].body);
    assert!(!format!("{shown:?}").contains(&shown.secret));
}
