//! Who belongs to an entity.

use racun_access::*;
use racun_kernel::{Environment, Patch, Role};
use racun_store::Context;

use crate::world::{World, user_id};

const LAST_ADMIN: AccessError = AccessError::Refused(Refused::LastAdmin);

#[tokio::test]
async fn a_verified_user_of_the_account_has_access_at_once_and_only_once() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    // A key makes entities without members.
    let key = world.account_key(&ana, Environment::Live).await;
    let entity = world.entity(&key, "Žar", Environment::Live).await;
    let scope = world.scope(&key, &entity).await;
    let input = AddEntityUser { email: "aNA@example.com".to_owned(), role: Role::Editor };
    let added =
        add_entity_user(Context::new(world.store(), &scope, &world.stamp()), input.clone()).await;
    let Added::Member(member) = added.unwrap() else { panic!("ana is of the account") };
    assert_eq!((member.user_id.to_string(), member.role), (user_id(&ana), Role::Editor));
    let again = add_entity_user(Context::new(world.store(), &scope, &world.stamp()), input).await;
    assert_eq!(again, Err(AccessError::Conflict(Conflict::AlreadyMember)));
}

#[tokio::test]
async fn others_are_invited_whether_they_have_a_user_or_not() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    world.caller("verified@example.com").await;
    world.user("unverified@example.com").await;
    for who in ["verified", "unverified", "unknown"] {
        let shown = world.invite(&scope, &format!("{who}@example.com"), Role::Admin).await;
        assert_eq!((shown.record.name, shown.record.role), (None, Role::Admin), "{who}");
    }
    assert_eq!(list_entity_users(world.cx(&scope)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_user_who_consents_twice_at_once_is_in_once() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    world.user("eva@example.com").await;
    let eva = world.verify("eva@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    let id = world.invite(&scope, "eva@example.com", Role::Editor).await.record.id.to_string();
    let answer = find_own_invitation(world.store(), &eva, &id, &world.stamp()).await.unwrap();
    let consent = || {
        let (store, answer, stamp) = (world.shared(), answer.clone(), world.stamp());
        tokio::spawn(async move { consent_to_invitation(&*store, answer, &stamp).await })
    };
    let (first, second) = tokio::join!(consent(), consent());
    let consented = [first.unwrap(), second.unwrap()];
    assert_eq!(consented.iter().filter(|one| one.is_ok()).count(), 1, "{consented:?}");
    assert_eq!(list_entity_users(world.cx(&scope)).await.unwrap().len(), 2);
    let input = AddEntityUser { email: "EVA@example.com".to_owned(), role: Role::Viewer };
    let again = add_entity_user(Context::new(world.store(), &scope, &world.stamp()), input).await;
    assert_eq!(again, Err(AccessError::Conflict(Conflict::AlreadyMember)));
}

#[tokio::test]
async fn members_are_listed_with_the_names_they_have_now() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let Caller::User { user, .. } = &ana else { panic!("a user") };
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    let name = Patch::Value("Ana".to_owned());
    update_me(world.store(), user.id, name, Patch::Absent, &world.stamp()).await.unwrap();
    let members = list_entity_users(world.cx(&scope)).await.unwrap();
    assert_eq!(members[0].name.as_deref(), Some("Ana"));
}

#[tokio::test]
async fn the_last_admin_stays() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    world.admit(&scope, "eva@example.com", Role::Editor).await;
    let (store, stamp) = (world.store(), world.stamp());
    let (ana, eva, eva_caller) = (user_id(&ana), user_id(&eva), eva);

    let demoted = change_role(Context::new(store, &scope, &stamp), &ana, Role::Viewer).await;
    assert_eq!(demoted.unwrap_err(), LAST_ADMIN);
    assert_eq!(
        remove_entity_user(Context::new(store, &scope, &stamp), &ana, false).await.unwrap_err(),
        LAST_ADMIN
    );
    assert!(
        change_role(Context::new(store, &scope, &stamp), &ana, Role::Admin).await.is_ok(),
        "no change"
    );

    change_role(Context::new(store, &scope, &stamp), &eva, Role::Admin).await.unwrap();
    let demoted =
        change_role(Context::new(store, &scope, &stamp), &ana, Role::Viewer).await.unwrap();
    assert_eq!(demoted.role, Role::Viewer);
    // Ana is no longer an admin, so a scope that she was granted before ends.
    let scope = world.scope(&eva_caller, &entity).await;
    remove_entity_user(Context::new(store, &scope, &stamp), &ana, false).await.unwrap();
    assert_eq!(
        remove_entity_user(Context::new(store, &scope, &stamp), &eva, false).await.unwrap_err(),
        LAST_ADMIN
    );
    for id in [ana.as_str(), "usr_", "%"] {
        let missing = change_role(Context::new(store, &scope, &stamp), id, Role::Admin).await;
        assert_eq!(missing, Err(AccessError::NotFound { id: id.to_owned() }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_admins_who_remove_each_other_at_once_do_not_both_succeed() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    for round in 0..20 {
        let entity = world.entity(&ana, &format!("round {round}"), Environment::Live).await;
        let of_ana = world.scope(&ana, &entity).await;
        world.admit(&of_ana, "eva@example.com", Role::Admin).await;
        let of_eva = world.scope(&eva, &entity).await;
        let remove = |scope: &racun_kernel::Scope, whom: &Caller| {
            let (store, scope, whom) = (world.shared(), scope.clone(), user_id(whom));
            let stamp = world.stamp();
            tokio::spawn(async move {
                remove_entity_user(Context::new(&*store, &scope, &stamp), &whom, false).await
            })
        };
        let (first, second) = tokio::join!(remove(&of_ana, &eva), remove(&of_eva, &ana));
        let results = [first.unwrap(), second.unwrap()];
        assert_eq!(results.iter().filter(|one| one.is_ok()).count(), 1, "{results:?}");
        // Ana owns the account: without a place she is an admin still. Eva is none any more.
        let forbidden = AccessError::Forbidden(Forbidden::InsufficientRole);
        let expected = if results[0].is_ok() { forbidden } else { LAST_ADMIN };
        assert!(results.contains(&Err(expected)), "{results:?}");
        assert_eq!(list_entity_users(world.cx(&of_ana)).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn only_admins_manage_people_and_keys_do_not_see_them() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let eva = world.caller("eva@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let admin = world.scope(&ana, &entity).await;
    world.admit(&admin, "eva@example.com", Role::Editor).await;
    let (store, stamp) = (world.store(), world.stamp());
    let forbidden = AccessError::Forbidden(Forbidden::InsufficientRole);
    let editor = world.scope(&eva, &entity).await;
    let machine = world.scope(&world.entity_key(&admin).await, &entity).await;
    for scope in [&editor, &machine] {
        let input = AddEntityUser { email: "x@example.com".to_owned(), role: Role::Viewer };
        let added = add_entity_user(Context::new(store, scope, &stamp), input).await;
        assert_eq!(added.unwrap_err(), forbidden);
        let promoted =
            change_role(Context::new(store, scope, &stamp), &user_id(&eva), Role::Admin).await;
        assert_eq!(promoted.unwrap_err(), forbidden);
        let removed =
            remove_entity_user(Context::new(store, scope, &stamp), &user_id(&ana), false).await;
        assert_eq!(removed.unwrap_err(), forbidden);
    }
    assert_eq!(list_entity_users(world.cx(&editor)).await.unwrap().len(), 2);
    assert_eq!(list_entity_users(world.cx(&machine)).await.unwrap_err(), forbidden);
}
