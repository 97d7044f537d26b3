//! The test clock, and the jobs that go by it.

use racun_access::*;
use racun_kernel::id::EntityId;
use racun_kernel::{Environment, Principal, Role};
use racun_store::Context;
use time::Duration;

use crate::world::{START, World};

#[tokio::test]
async fn a_job_enters_an_enabled_entity_as_an_editor() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let entity = world.entity(&ana, "first", Environment::Live).await;
    let enter =
        async |entity: EntityId| enter_as_system(world.store(), ana.account(), entity).await;
    let (scope, entered) = enter(entity.id).await.unwrap();
    assert_eq!(entered, entity);
    assert_eq!((scope.account(), scope.entity()), (ana.account(), entity.id));
    assert_eq!((scope.principal(), scope.role()), (Principal::System, Role::Editor));
    assert_eq!(scope.principal().id(), "system");
    assert!(authorize(&scope, &entity, Permission::WriteRecords).is_ok());
    assert!(authorize(&scope, &entity, Permission::EraseRecords).is_err());

    let nowhere = EntityId::new(world.stamp().ulid());
    assert!(matches!(enter(nowhere).await, Err(AccessError::NotFound { .. })));
    let eva = world.caller("eva@example.com").await;
    let elsewhere = enter_as_system(world.store(), eva.account(), entity.id).await;
    assert!(matches!(elsewhere, Err(AccessError::NotFound { .. })));
    let scope = world.scope(&ana, &entity).await;
    disable_entity(Context::new(world.store(), &scope, &world.stamp())).await.unwrap();
    assert_eq!(enter(entity.id).await, Err(Forbidden::EntityDisabled.into()));
}

#[tokio::test]
async fn a_clock_shows_real_time_but_while_it_is_ahead() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let scope = enter_account(world.store(), &ana, None).await.unwrap();
    let day = Duration::DAY;
    let shown = async |later: Duration| {
        get_test_clock(world.store(), &scope, &world.after(later)).await.unwrap() - START
    };
    assert_eq!(shown(day).await, day);
    let to = async |ahead: Duration| {
        let stamp = world.stamp();
        move_test_clock(world.store(), &scope, START + ahead, &stamp).await.unwrap() - START
    };
    assert_eq!(to(9 * day).await, 9 * day);
    assert_eq!(to(5 * day).await, 9 * day, "a slower call does not turn it back");
    assert_eq!((shown(day).await, shown(10 * day).await), (9 * day, 10 * day));
    let eva = world.caller("eva@example.com").await;
    let other = enter_account(world.store(), &eva, None).await.unwrap();
    assert_eq!(get_test_clock(world.store(), &other, &world.stamp()).await, Ok(START));
}

#[tokio::test]
async fn only_who_reaches_the_sandbox_has_a_clock() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    for (environment, there) in [(Environment::Sandbox, true), (Environment::Live, false)] {
        let key = world.account_key(&ana, environment).await;
        let scope = enter_account(world.store(), &key, None).await.unwrap();
        let clock = get_test_clock(world.store(), &scope, &world.stamp()).await;
        assert_eq!(clock.is_ok(), there, "{environment:?}: {clock:?}");
    }
}

#[test]
fn a_clock_goes_forward_by_two_years_at_most() {
    let check = |ahead: Duration| check_advance(START, START + ahead);
    for accepted in [Duration::ZERO, Duration::MILLISECOND, TestClock::MAX_ADVANCE] {
        assert_eq!(check(accepted), Ok(()), "{accepted}");
    }
    for (refused, code) in [
        (-Duration::MILLISECOND, "not_forward"),
        (TestClock::MAX_ADVANCE + Duration::MILLISECOND, "too_far"),
    ] {
        let Err(AccessError::Invalid(issues)) = check(refused) else { panic!("{refused}") };
        assert_eq!(issues.iter().next().unwrap().code, code);
        assert!(issues.to_string().starts_with("advance_to: "), "{issues}");
    }
}

#[tokio::test]
async fn the_first_two_moves_of_a_clock_may_come_at_once() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let scope = enter_account(world.store(), &ana, None).await.unwrap();
    let (stamp, to) = (world.stamp(), START + Duration::DAY);
    let (one, other) = tokio::join!(
        move_test_clock(world.store(), &scope, to, &stamp),
        move_test_clock(world.store(), &scope, to + Duration::DAY, &stamp),
    );
    assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
    let shown = get_test_clock(world.store(), &scope, &stamp).await.unwrap();
    assert_eq!(shown, to + Duration::DAY);
}
