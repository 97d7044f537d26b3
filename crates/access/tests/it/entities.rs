//! Making, changing and disabling entities.

use racun_access::*;
use racun_kernel::{Environment, Patch, Role};
use racun_store::Context;
use serde_json::{Value as Json, json};
use time::Duration;

use crate::world::World;

fn settings(value: Json) -> EntityPatch {
    let sent = serde_json::from_value(value).unwrap();
    EntityPatch { settings: Patch::Value(sent), ..EntityPatch::default() }
}

#[tokio::test]
async fn the_creator_is_the_admin_and_a_key_makes_no_member() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let key = world.account_key(&ana, Environment::Sandbox).await;
    let mine = world.entity(&ana, "mine", Environment::Sandbox).await;
    let keys = world.entity(&key, "key's", Environment::Sandbox).await;
    let scope = world.scope(&ana, &mine).await;
    let of_mine = list_entity_users(world.cx(&scope)).await.unwrap();
    assert_eq!(of_mine.len(), 1);
    assert_eq!((of_mine[0].role, of_mine[0].email.as_str()), (Role::Admin, "ana@example.com"));
    let scope = world.scope(&key, &keys).await;
    assert_eq!(list_entity_users(world.cx(&scope)).await.unwrap(), []);
}

#[tokio::test]
async fn an_update_leaves_what_it_does_not_name() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let before = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &before).await;
    let sent = json!({"document_footer": "x", "furs": {"enabled": true}, "mine": 1.50});
    let later = world.after(Duration::hours(1));
    let first =
        update_entity(Context::new(world.store(), &scope, &later), settings(sent)).await.unwrap();
    let expected = json!({"document_footer": "x", "mine": 1.50});
    assert_eq!(serde_json::to_value(first.settings.as_map()).unwrap(), expected);
    assert_eq!(first.updated_at, later.now());

    let sent = json!({"receipt_note": "y", "mine": null});
    let second =
        update_entity(Context::new(world.store(), &scope, &later), settings(sent)).await.unwrap();
    let expected = json!({"document_footer": "x", "receipt_note": "y"});
    assert_eq!(serde_json::to_value(second.settings.as_map()).unwrap(), expected);
    assert_eq!(second.name, before.name);

    let much_later = world.after(Duration::hours(2));
    let nothing =
        update_entity(Context::new(world.store(), &scope, &much_later), EntityPatch::default())
            .await;
    assert_eq!(nothing.unwrap(), second, "an update of nothing changes nothing");
    let refused = update_entity(
        Context::new(world.store(), &scope, &later),
        settings(json!({"pdf_template": 1})),
    );
    assert!(matches!(refused.await, Err(AccessError::Invalid(_))));
    let stored = get_entity(world.store(), &ana, &before.id.to_string()).await.unwrap();
    assert_eq!(stored, second, "a refused update changes nothing");
}

#[tokio::test]
async fn a_disabled_entity_is_read_and_enabled_again_and_nothing_else() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    let store = world.store();
    let disabled = disable_entity(Context::new(store, &scope, &world.stamp())).await.unwrap();
    assert!(!disabled.is_enabled);
    assert_eq!(
        disable_entity(Context::new(store, &scope, &world.stamp())).await.unwrap(),
        disabled
    );

    let (scope, entered) = enter(store, &ana, None).await.unwrap();
    for (permission, is_refused) in [
        (Permission::ReadTill, false),
        (Permission::Sell, true),
        (Permission::SetPin, true),
        (Permission::ReadRecords, false),
        (Permission::ReadEntity, false),
        (Permission::ReadPeople, false),
        (Permission::ManageEntity, false),
        (Permission::WriteRecords, true),
        (Permission::EraseRecords, true),
        (Permission::DeleteUnits, true),
        (Permission::ManagePeople, true),
        (Permission::ManageKeys, true),
    ] {
        let answer = authorize(&scope, &entered, permission);
        let refusal = AccessError::Forbidden(Forbidden::EntityDisabled);
        assert_eq!(answer, if is_refused { Err(refusal) } else { Ok(()) }, "{permission:?}");
    }
    let renamed = EntityPatch { name: Patch::Value("Novi".to_owned()), ..EntityPatch::default() };
    let refused = update_entity(Context::new(store, &scope, &world.stamp()), renamed.clone()).await;
    assert_eq!(refused, Err(AccessError::Forbidden(Forbidden::EntityDisabled)));
    let enabling = EntityPatch { is_enabled: Patch::Value(true), ..renamed };
    let enabled =
        update_entity(Context::new(store, &scope, &world.stamp()), enabling).await.unwrap();
    assert_eq!((enabled.is_enabled, enabled.name.as_str()), (true, "Novi"));
}

#[tokio::test]
async fn only_admins_change_an_entity() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    world.admit(&scope, "eva@example.com", Role::Editor).await;
    let forbidden = AccessError::Forbidden(Forbidden::InsufficientRole);
    for caller in [&eva, &world.entity_key(&scope).await] {
        let scope = world.scope(caller, &entity).await;
        let patch = settings(json!({"document_footer": "x"}));
        let refused =
            update_entity(Context::new(world.store(), &scope, &world.stamp()), patch).await;
        assert_eq!(refused.unwrap_err(), forbidden);
        let refused = disable_entity(Context::new(world.store(), &scope, &world.stamp())).await;
        assert_eq!(refused.unwrap_err(), forbidden);
    }
}
