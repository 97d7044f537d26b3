//! Which entity and account a request acts in.

use racun_access::*;
use racun_kernel::{Environment, Role};
use racun_store::{Context, ListQuery};

use crate::world::World;

const NOT_ACCESSIBLE: AccessError = AccessError::Forbidden(Forbidden::EntityNotAccessible);

/// What `enter` answers: the entity's name and the role, or why not.
async fn entered(world: &World, caller: &Caller, entity: Option<&str>) -> String {
    match enter(world.store(), caller, entity).await {
        Ok((scope, entity)) => {
            assert_eq!((scope.entity(), scope.account()), (entity.id, entity.account_id));
            assert_eq!(scope.environment(), entity.environment);
            assert_eq!(scope.principal(), caller.principal());
            format!("{} {}", entity.name, scope.role().name())
        }
        Err(AccessError::EntityRequired { message }) if message.contains("several") => {
            "several".to_owned()
        }
        Err(AccessError::EntityRequired { .. }) => "none".to_owned(),
        Err(AccessError::Forbidden(reason)) => reason.code().to_owned(),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn the_entity_is_the_one_named_or_the_only_one() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    assert_eq!(entered(&world, &ana, None).await, "none");

    let first = world.entity(&ana, "first", Environment::Sandbox).await;
    let id = first.id.to_string();
    let scope = world.scope(&ana, &first).await;
    let sandbox = world.account_key(&ana, Environment::Sandbox).await;
    let live = world.account_key(&ana, Environment::Live).await;
    let machine = world.entity_key(&scope).await;
    for (caller, header, expected) in [
        (&ana, None, "first admin"),
        (&ana, Some(id.as_str()), "first admin"),
        (&sandbox, None, "first admin"),
        (&sandbox, Some(&id), "first admin"),
        (&machine, None, "first editor"),
        (&machine, Some(&id), "first editor"),
        (&live, None, "none"),
        (&live, Some(&id), "entity_not_accessible"),
        (&eva, None, "none"),
        (&eva, Some(&id), "entity_not_accessible"),
    ] {
        assert_eq!(entered(&world, caller, header).await, expected, "{header:?} {caller:?}");
    }

    let second = world.entity(&sandbox, "second", Environment::Sandbox).await.id.to_string();
    let third = world.entity(&ana, "third", Environment::Live).await.id.to_string();
    for (caller, header, expected) in [
        (&ana, None, "several"),
        (&ana, Some(second.as_str()), "second admin"),
        (&ana, Some(&third), "third admin"),
        (&sandbox, None, "several"),
        (&sandbox, Some(&second), "second admin"),
        (&sandbox, Some(&third), "entity_not_accessible"),
        (&live, None, "third admin"),
        (&machine, None, "first editor"),
        (&machine, Some(&second), "entity_not_accessible"),
    ] {
        assert_eq!(entered(&world, caller, header).await, expected, "{header:?} {caller:?}");
    }
}

#[tokio::test]
async fn unknown_foreign_and_malformed_ids_are_refused_alike() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    world.entity(&ana, "first", Environment::Live).await;
    let foreign = world.entity(&eva, "foreign", Environment::Live).await.id.to_string();
    let unknown = world.stamp().id::<racun_kernel::id::Entity>().to_string();
    let user = world.stamp().id::<racun_kernel::id::User>().to_string();
    for id in ["", "ent_", "%", &foreign, &unknown, &user, &foreign.to_uppercase()] {
        assert_eq!(enter(world.store(), &ana, Some(id)).await.unwrap_err(), NOT_ACCESSIBLE, "{id}");
        let by_path = get_entity(world.store(), &ana, id).await;
        assert_eq!(by_path, Err(AccessError::NotFound { id: id.to_owned() }));
    }
}

#[tokio::test]
async fn the_role_is_the_memberships() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    let entity = world.entity(&ana, "first", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    world.admit(&scope, "eva@example.com", Role::Viewer).await;
    let named = entity.id.to_string();
    assert_eq!(entered(&world, &eva, Some(&named)).await, "first viewer");
    assert_eq!(entered(&world, &eva, None).await, "none", "what others give counts by name alone");
    let id = crate::world::user_id(&eva);
    change_role(Context::new(world.store(), &scope, &world.stamp()), &id, Role::Editor)
        .await
        .unwrap();
    assert_eq!(entered(&world, &eva, Some(&named)).await, "first editor");
    remove_entity_user(Context::new(world.store(), &scope, &world.stamp()), &id, false)
        .await
        .unwrap();
    assert_eq!(entered(&world, &eva, Some(&named)).await, "entity_not_accessible");
    assert_eq!(entered(&world, &eva, None).await, "none");
}

#[tokio::test]
async fn a_disabled_entity_does_not_count_while_there_is_another() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let key = world.account_key(&ana, Environment::Live).await;
    let first = world.entity(&ana, "first", Environment::Live).await;
    let second = world.entity(&ana, "second", Environment::Live).await;
    let scope = world.scope(&ana, &first).await;
    disable_entity(Context::new(world.store(), &scope, &world.stamp())).await.unwrap();
    for caller in [&ana, &key] {
        assert_eq!(entered(&world, caller, None).await, "second admin");
    }
    let scope = world.scope(&ana, &second).await;
    disable_entity(Context::new(world.store(), &scope, &world.stamp())).await.unwrap();
    for caller in [&ana, &key] {
        assert_eq!(entered(&world, caller, None).await, "several");
    }
}

#[tokio::test]
async fn an_account_is_entered_by_its_user_and_its_keys_only() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    let own = ana.account().to_string();
    let entity = world.entity(&ana, "first", Environment::Sandbox).await;
    let scope = world.scope(&ana, &entity).await;
    world.admit(&scope, "eva@example.com", Role::Admin).await;
    let key = world.account_key(&ana, Environment::Sandbox).await;
    let machine = world.entity_key(&scope).await;
    for (caller, environment) in [(&ana, None), (&key, Some(Environment::Sandbox))] {
        for account in [None, Some(own.as_str())] {
            let scope = enter_account(world.store(), caller, account).await.unwrap();
            assert_eq!((scope.account, scope.environment), (ana.account(), environment));
        }
    }
    let foreign = eva.account().to_string();
    for (caller, account) in [
        (&eva, Some(own.as_str())),
        (&ana, Some(foreign.as_str())),
        (&key, Some(foreign.as_str())),
        (&ana, Some("acc_")),
        (&machine, None),
        (&machine, Some(own.as_str())),
    ] {
        let refused = enter_account(world.store(), caller, account).await;
        let expected = AccessError::Forbidden(Forbidden::AccountNotAccessible);
        assert_eq!(refused, Err(expected), "{account:?}");
    }
}

#[tokio::test]
async fn everyone_lists_what_they_can_enter() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    let first = world.entity(&ana, "first", Environment::Sandbox).await;
    world.entity(&ana, "second", Environment::Live).await;
    world.entity(&eva, "third", Environment::Live).await;
    let scope = world.scope(&ana, &first).await;
    world.admit(&scope, "eva@example.com", Role::Viewer).await;
    let key = world.account_key(&ana, Environment::Live).await;
    let machine = world.entity_key(&scope).await;
    let (live, sandbox) = (Some(Environment::Live), Some(Environment::Sandbox));
    let of_ana = ana.account().to_string();
    let of_eva = eva.account().to_string();
    for (caller, account, environment, expected) in [
        (&ana, None, None, "first second"),
        (&ana, None, live, "second"),
        (&ana, Some(of_ana.as_str()), sandbox, "first"),
        (&eva, None, None, "first third"),
        (&eva, Some(of_eva.as_str()), None, "third"),
        (&eva, Some(of_ana.as_str()), None, "first"),
        (&key, None, None, "second"),
        (&key, None, sandbox, ""),
        (&machine, None, None, "first"),
        (&machine, None, live, ""),
    ] {
        let query = ListQuery::first_page(&ENTITIES);
        let page = list_entities(world.store(), caller, account, environment, &query).await;
        let page = page.unwrap();
        let mut names: Vec<_> = page.rows.iter().map(|entity| entity.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names.join(" "), expected);
        assert_eq!(usize::try_from(page.pagination.total), Ok(names.len()));
    }
    let query = ListQuery::first_page(&ENTITIES);
    for caller in [&ana, &key] {
        let refused = list_entities(world.store(), caller, Some(&of_eva), None, &query).await;
        let expected = AccessError::Forbidden(Forbidden::AccountNotAccessible);
        assert_eq!(refused.unwrap_err(), expected);
    }
}
