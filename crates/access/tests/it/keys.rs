//! The life of API keys.

use racun_access::*;
use racun_kernel::{Environment, Role};
use racun_store::Context;
use time::Duration;

use crate::world::World;

fn named(name: &str, ttl: Option<i64>) -> NewKey {
    NewKey { name: name.to_owned(), ttl, ..NewKey::default() }
}

#[tokio::test]
async fn an_entity_key_is_shown_once_works_and_ends() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Sandbox).await;
    let scope = world.scope(&ana, &entity).await;
    let store = world.store();
    let key =
        create_entity_key(Context::new(store, &scope, &world.stamp()), named("till", Some(60)))
            .await;
    let WithSecret { record, secret } = key.unwrap();
    let digits = secret.strip_prefix("ek_sandbox_").unwrap();
    assert!(digits.len() == 32 && digits.bytes().all(|b| b"0123456789abcdef".contains(&b)));
    let hint = format!("ek_sandbox_{}...{}", &digits[..3], &digits[29..]);
    assert_eq!(record.prefix_hint, hint);
    assert_eq!(list_entity_keys(world.cx(&scope)).await.unwrap(), std::slice::from_ref(&record));

    assert!(authenticate(store, &secret, &world.after(Duration::seconds(59))).await.is_ok());
    let over = authenticate(store, &secret, &world.after(Duration::seconds(60))).await;
    assert_eq!(over, Err(AccessError::Unauthorized));

    delete_entity_key(Context::new(store, &scope, &world.stamp()), &record.id.to_string())
        .await
        .unwrap();
    let revoked = authenticate(store, &secret, &world.stamp()).await;
    assert_eq!(revoked, Err(AccessError::Unauthorized));
    assert_eq!(list_entity_keys(world.cx(&scope)).await.unwrap(), []);
}

#[tokio::test]
async fn a_key_is_deleted_by_its_id_or_its_hint_and_never_by_its_text() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let account = enter_account(world.store(), &ana, None).await.unwrap();
    let (store, live) = (world.store(), Environment::Live);
    for by in ["id", "hint"] {
        let input = named(by, None);
        let key = create_account_key(store, &account, live, input, &world.stamp()).await.unwrap();
        assert!(key.secret.starts_with("sk_live_"));
        let name = match by {
            "id" => key.record.id.to_string(),
            _ => key.record.prefix_hint.clone(),
        };
        for text in [&key.secret[..], &key.secret[..20]] {
            let refused = delete_account_key(store, &account, text, &world.stamp()).await;
            let AccessError::Invalid(issues) = refused.unwrap_err() else { panic!("{text}") };
            assert!(issues.iter().all(|one| one.code == "secret_in_address"), "{issues:?}");
            assert!(!issues.to_string().contains(text), "the key is not repeated");
        }
        delete_account_key(store, &account, &name, &world.stamp()).await.unwrap();
        let gone = delete_account_key(store, &account, &name, &world.stamp()).await.unwrap_err();
        assert!(matches!(gone, AccessError::NotFound { .. }), "{by}");
        assert!(!gone.to_string().contains(&key.secret), "the key is not repeated");
        let revoked = authenticate(store, &key.secret, &world.stamp()).await;
        assert_eq!(revoked, Err(AccessError::Unauthorized), "{by}");
    }
}

#[tokio::test]
async fn a_key_needs_a_name_and_a_sane_ttl() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    let long = "x".repeat(256);
    for (name, ttl) in
        [("", None), (long.as_str(), None), ("till", Some(59)), ("till", Some(i64::MAX))]
    {
        let key = create_entity_key(
            Context::new(world.store(), &scope, &world.stamp()),
            named(name, ttl),
        )
        .await;
        assert!(matches!(key, Err(AccessError::Invalid(_))), "{name} {ttl:?}");
    }
}

#[tokio::test]
async fn only_admins_reach_keys_and_not_those_of_others() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    let store = world.store();
    let key = create_entity_key(Context::new(store, &scope, &world.stamp()), named("till", None))
        .await
        .unwrap();
    let id = key.record.id.to_string();

    world.admit(&scope, "eva@example.com", Role::Editor).await;
    let editor = world.scope(&eva, &entity).await;
    let machine = world.scope(&world.caller_of(&key.secret).await, &entity).await;
    let forbidden = AccessError::Forbidden(Forbidden::InsufficientRole);
    for scope in [editor, machine] {
        let made =
            create_entity_key(Context::new(store, &scope, &world.stamp()), named("x", None)).await;
        assert_eq!(made.unwrap_err(), forbidden);
        assert_eq!(list_entity_keys(world.cx(&scope)).await.unwrap_err(), forbidden);
        let deleted = delete_entity_key(Context::new(store, &scope, &world.stamp()), &id).await;
        assert_eq!(deleted.unwrap_err(), forbidden);
    }

    let other = world.entity(&eva, "Eva", Environment::Live).await;
    let foreign = world.scope(&eva, &other).await;
    let missing = delete_entity_key(world.cx(&foreign), &id).await;
    assert_eq!(missing, Err(AccessError::NotFound { id }));
    assert!(authenticate(store, &key.secret, &world.stamp()).await.is_ok());
}

#[tokio::test]
async fn a_key_makes_and_sees_keys_of_its_own_environment_only() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let sandbox = world.account_key(&ana, Environment::Sandbox).await;
    world.account_key(&ana, Environment::Live).await;
    let store = world.store();
    let scope = enter_account(store, &sandbox, None).await.unwrap();
    let made =
        create_account_key(store, &scope, Environment::Live, named("x", None), &world.stamp())
            .await;
    assert!(matches!(made, Err(AccessError::Invalid(_))));
    let seen = list_account_keys(store, &scope).await.unwrap();
    assert_eq!(seen.iter().map(|key| key.environment).collect::<Vec<_>>(), [Environment::Sandbox]);
    let all = enter_account(store, &ana, None).await.unwrap();
    let live = list_account_keys(store, &all).await.unwrap();
    let live = live.iter().find(|key| key.environment == Environment::Live).unwrap();
    let id = live.id.to_string();
    let deleted = delete_account_key(store, &scope, &id, &world.stamp()).await;
    assert_eq!(deleted, Err(AccessError::NotFound { id }));
}

#[tokio::test]
async fn there_is_a_limit_to_keys() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    for _ in 0..200 {
        let input = named("till", None);
        create_entity_key(Context::new(world.store(), &scope, &world.stamp()), input)
            .await
            .unwrap();
    }
    let surplus =
        create_entity_key(Context::new(world.store(), &scope, &world.stamp()), named("x", None))
            .await;
    assert_eq!(surplus, Err(AccessError::Refused(Refused::TooManyKeys)));
    assert_eq!(list_entity_keys(world.cx(&scope)).await.unwrap().len(), 200);
}
