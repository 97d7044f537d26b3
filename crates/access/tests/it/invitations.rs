//! Inviting people who have no user.

use racun_access::*;
use racun_kernel::{Environment, Role, Scope};
use racun_store::Context;
use time::Duration;

use crate::world::{PASSWORD, START, World, user_id};

/// A world where Ana is the admin of an entity.
async fn world_of_ana() -> (World, Scope, Caller) {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Live).await;
    let scope = world.scope(&ana, &entity).await;
    (world, scope, ana)
}

async fn accept(
    world: &World,
    token: &str,
    password: &str,
    later: Duration,
) -> Result<Accepted, AccessError> {
    let stamp = world.after(later);
    let open = find_invitation(world.store(), token, &stamp).await?;
    let answer = open.answer(password, Some("Eva".to_owned()), &stamp)?;
    accept_invitation(world.store(), answer, &stamp).await
}

#[tokio::test]
async fn accepting_an_invitation_makes_a_user_an_account_access_and_a_session() {
    let (world, scope, ana) = world_of_ana().await;
    let shown = world.invite(&scope, "eva@example.com", Role::Editor).await;
    let accepted = accept(&world, &shown.secret, PASSWORD, Duration::days(6)).await.unwrap();
    assert_eq!(accepted.user.name.as_deref(), Some("Eva"));
    assert_ne!(accepted.user.account_id, scope.account(), "an invited user owns no one's account");
    let inviter = accepted.membership.invited_by_user_id.map(|id| id.to_string());
    assert_eq!((accepted.membership.role, inviter), (Role::Editor, Some(user_id(&ana))));

    let eva = world.caller_of(&accepted.session.secret).await;
    let none = enter(world.store(), &eva, None).await.unwrap_err();
    assert!(matches!(none, AccessError::EntityRequired { .. }), "not another account's entity");
    let entered = enter(world.store(), &eva, Some(&scope.entity().to_string())).await;
    let (entered, _) = entered.unwrap();
    assert_eq!((entered.entity(), entered.role()), (scope.entity(), Role::Editor));
    assert_eq!(world.log_in("eva@example.com", PASSWORD).await.unwrap(), accepted.user);

    let id = shown.record.id.to_string();
    let stored = get_invitation(world.cx(&scope), &id).await.unwrap();
    assert_eq!(stored.status, InvitationStatus::Accepted);
    assert_eq!(stored.status_at(START + Duration::days(99)), InvitationStatus::Accepted);
    assert_eq!(stored.accepted_at, Some(START + Duration::days(6)));
    let again = accept(&world, &shown.secret, PASSWORD, Duration::days(6)).await;
    assert_eq!(again.unwrap_err(), AccessError::Refused(Refused::InvitationNotPending));
    for refused in [
        cancel_invitation(Context::new(world.store(), &scope, &world.stamp()), &id).await.err(),
        resend_invitation(Context::new(world.store(), &scope, &world.stamp()), &id).await.err(),
    ] {
        assert_eq!(refused, Some(AccessError::Refused(Refused::InvitationNotPending)));
    }
}

#[tokio::test]
async fn a_token_alone_does_not_open_an_existing_users_account() {
    let (world, scope, _) = world_of_ana().await;
    let shown = world.invite(&scope, "eva@example.com", Role::Editor).await;
    let eva = world.user("Eva@Example.com").await;
    for is_verified in [false, true] {
        for password in [PASSWORD, "of the inviter"] {
            let refused = accept(&world, &shown.secret, password, Duration::ZERO).await;
            let told = AccessError::Forbidden(Forbidden::InvitationNotMailed);
            assert_eq!(refused.unwrap_err(), told, "{is_verified} {password}");
        }
        world.verify("eva@example.com").await;
    }
    let token = world.mailed(&shown.record).await;
    let wrong = accept(&world, &token, "of the inviter", Duration::ZERO).await;
    assert_eq!(wrong.unwrap_err(), AccessError::BadCredentials);
    let accepted = accept(&world, &token, PASSWORD, Duration::ZERO).await.unwrap();
    assert_eq!((accepted.user.id, accepted.membership.user_id), (eva.id, eva.id));
}

#[tokio::test]
async fn a_user_who_signs_up_before_the_acceptance_is_not_overwritten() {
    let (world, scope, _) = world_of_ana().await;
    let shown = world.invite(&scope, "eva@example.com", Role::Editor).await;
    let stamp = world.stamp();
    let open = find_invitation(world.store(), &shown.secret, &stamp).await.unwrap();
    let answer = open.answer("of the inviter", None, &stamp).unwrap();
    world.user("eva@example.com").await;
    let refused = accept_invitation(world.store(), answer, &stamp).await;
    assert_eq!(refused.unwrap_err(), AccessError::Conflict(Conflict::EmailTaken));
    assert_eq!(
        list_entity_users(Context::new(world.store(), &scope, &stamp)).await.unwrap().len(),
        1
    );
}

#[tokio::test]
async fn an_invitation_expires_after_seven_days_and_can_be_sent_again() {
    let (world, scope, _) = world_of_ana().await;
    let shown = world.invite(&scope, "eva@example.com", Role::Viewer).await;
    let week = Duration::days(7);
    assert_eq!(shown.record.expires_at, START + week);
    let late = accept(&world, &shown.secret, PASSWORD, week).await;
    assert_eq!(late.unwrap_err(), AccessError::Refused(Refused::InvitationExpired));
    let status = |at| shown.record.status_at(START + at);
    assert_eq!(status(week), InvitationStatus::Expired);
    assert_eq!(status(week - Duration::seconds(1)), InvitationStatus::Pending);

    let id = shown.record.id.to_string();
    let again = resend_invitation(Context::new(world.store(), &scope, &world.after(week)), &id)
        .await
        .unwrap();
    assert_ne!(again.secret, shown.secret);
    let old = accept(&world, &shown.secret, PASSWORD, week).await;
    assert_eq!(old.unwrap_err(), AccessError::Unauthorized, "the token before is worthless");
    assert!(accept(&world, &again.secret, PASSWORD, week).await.is_ok());
}

#[tokio::test]
async fn a_cancelled_invitation_is_gone() {
    let (world, scope, _) = world_of_ana().await;
    let shown = world.invite(&scope, "eva@example.com", Role::Viewer).await;
    let stamp = world.stamp();
    let open = find_invitation(world.store(), &shown.secret, &stamp).await.unwrap();
    let answer = open.answer(PASSWORD, None, &stamp).unwrap();
    let id = shown.record.id.to_string();
    cancel_invitation(Context::new(world.store(), &scope, &stamp), &id).await.unwrap();
    let refused = accept_invitation(world.store(), answer, &stamp).await;
    assert_eq!(refused.unwrap_err(), AccessError::Unauthorized);
    let missing = get_invitation(Context::new(world.store(), &scope, &stamp), &id).await;
    assert_eq!(missing.unwrap_err(), AccessError::NotFound { id });
    assert_eq!(list_invitations(Context::new(world.store(), &scope, &stamp)).await.unwrap(), []);
}

#[tokio::test]
async fn an_address_has_one_open_invitation() {
    let (world, scope, _) = world_of_ana().await;
    let first = world.invite(&scope, "eva@example.com", Role::Viewer).await;
    let input = AddEntityUser { email: "EVA@example.com".to_owned(), role: Role::Admin };
    let again =
        add_entity_user(Context::new(world.store(), &scope, &world.stamp()), input.clone()).await;
    assert_eq!(again.unwrap_err(), AccessError::Conflict(Conflict::AlreadyInvited));
    let later = world.after(Duration::days(7));
    let replaced = add_entity_user(Context::new(world.store(), &scope, &later), input).await;
    let Added::Invited(second) = replaced.unwrap() else { panic!("eva has no user") };
    let listed = list_invitations(world.cx(&scope)).await.unwrap();
    assert_eq!(listed, [second.record]);
    let old = accept(&world, &first.secret, PASSWORD, Duration::ZERO).await;
    assert_eq!(old.unwrap_err(), AccessError::Unauthorized);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_that_is_accepted_twice_at_once_makes_one_user() {
    let (world, scope, _) = world_of_ana().await;
    let shown = world.invite(&scope, "eva@example.com", Role::Viewer).await;
    let stamp = world.stamp();
    let open = find_invitation(world.store(), &shown.secret, &stamp).await.unwrap();
    let answer = open.answer(PASSWORD, None, &stamp).unwrap();
    let accept = || {
        let (store, answer, stamp) = (world.shared(), answer.clone(), world.stamp());
        tokio::spawn(async move { accept_invitation(&*store, answer, &stamp).await })
    };
    let (first, second) = tokio::join!(accept(), accept());
    let results = [first.unwrap(), second.unwrap()];
    assert_eq!(results.iter().filter(|one| one.is_ok()).count(), 1, "{results:?}");
    assert_eq!(
        list_entity_users(Context::new(world.store(), &scope, &stamp)).await.unwrap().len(),
        2
    );
}

#[tokio::test]
async fn wrong_tokens_passwords_and_addresses_are_refused() {
    let (world, scope, _) = world_of_ana().await;
    let shown = world.invite(&scope, "eva@example.com", Role::Viewer).await;
    for token in ["", "invite_", &shown.secret[..49], &shown.secret.replace("invite_", "tok_")] {
        let refused = accept(&world, token, PASSWORD, Duration::ZERO).await;
        assert_eq!(refused.unwrap_err(), AccessError::Unauthorized, "{token}");
    }
    let weak = accept(&world, &shown.secret, "short", Duration::ZERO).await;
    assert!(matches!(weak, Err(AccessError::Invalid(_))));
    let input = AddEntityUser { email: "eva".to_owned(), role: Role::Viewer };
    let refused = add_entity_user(Context::new(world.store(), &scope, &world.stamp()), input).await;
    assert!(matches!(refused, Err(AccessError::Invalid(_))));
}
