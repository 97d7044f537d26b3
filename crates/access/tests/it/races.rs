//! What a request was let in with ends before the unit that writes: nothing is written.

use racun_access::*;
use racun_kernel::{Environment, Role, Scope, Stamp};
use time::Duration;

use crate::world::{PASSWORD, World, user_id};

const ANA: &str = "ana@example.com";
const EVA: &str = "eva@example.com";
const NO_ROLE: AccessError = AccessError::Forbidden(Forbidden::InsufficientRole);

fn named(ttl: Option<i64>, addresses: &[&str]) -> NewKey {
    let allowed_addresses = addresses.iter().map(|text| (*text).to_owned()).collect();
    NewKey { name: "till".to_owned(), ttl, allowed_addresses }
}

/// Sets a new password for `email`, as the reader of their mail.
async fn reset(world: &World, email: &str) {
    let (store, stamp) = (world.store(), world.stamp());
    let purpose = MailTokenPurpose::PasswordReset;
    let token = mint_mail_token(store, email, purpose, &stamp).await.unwrap().unwrap();
    let token = find_mail_token(store, &token, purpose, &stamp).await.unwrap();
    let hash = hash_password("another horse", &[], &stamp).unwrap();
    reset_password(store, token, hash, false, &Origin::default(), &stamp).await.unwrap();
}

#[tokio::test]
async fn a_password_that_was_set_while_the_old_one_was_checked_opens_no_session() {
    let world = World::new();
    let user = world.user(ANA).await;
    let (store, stamp, origin) = (world.store(), world.stamp(), Origin::default());
    let attempt = begin_login(store, ANA, &origin, &stamp).await.unwrap();
    let right = attempt.verify(PASSWORD).unwrap();
    reset(&world, ANA).await;
    let refused = finish_login(store, &right, SecondProof::default(), &origin, &stamp).await;
    assert_eq!(refused, Err(AccessError::BadCredentials));
    assert_eq!(list_sessions(store, user.id, &stamp).await.unwrap(), []);
}

#[tokio::test]
async fn no_invitation_is_accepted_with_a_password_of_before() {
    let world = World::new();
    let ana = world.caller(ANA).await;
    let entity = world.entity(&ana, "Žar", Environment::Sandbox).await;
    let scope = world.scope(&ana, &entity).await;
    world.caller(EVA).await;
    let invited = world.invite(&scope, EVA, Role::Editor).await;
    let (store, stamp) = (world.store(), world.stamp());
    let token = world.mailed(&invited.record).await;
    let open = find_invitation(store, &token, &stamp).await.unwrap();
    let by_password = open.answer(PASSWORD, None, &stamp).unwrap();
    let eva = world.verify(EVA).await;
    let id = invited.record.id.to_string();
    let in_session = find_own_invitation(store, &eva, &id, &stamp).await.unwrap();
    reset(&world, EVA).await;
    let refused = accept_invitation(store, by_password, &stamp).await;
    assert_eq!(refused, Err(AccessError::Unauthorized));
    let refused = consent_to_invitation(store, in_session, &stamp).await;
    assert_eq!(refused, Err(AccessError::Unauthorized));
    assert_eq!(list_sessions(store, eva.id, &stamp).await.unwrap(), []);
}

#[tokio::test]
async fn no_password_is_changed_in_a_session_that_ended() {
    let world = World::new();
    let user = world.user(ANA).await;
    let (store, stamp, origin) = (world.store(), world.stamp(), Origin::default());
    let session = open_session(store, &user, &stamp).await.unwrap().record;
    let attempt = begin_login(store, ANA, &origin, &stamp).await.unwrap();
    let right = attempt.verify(PASSWORD).unwrap();
    let ended = Ending::One(session.id.to_string());
    end_sessions_of(store, &user, ended, &stamp).await.unwrap();
    let hash = hash_password("another horse", &[], &stamp).unwrap();
    let refused = change_password(store, right, session.id, hash, false, &stamp).await;
    assert_eq!(refused, Err(AccessError::Unauthorized));
    world.log_in(ANA, PASSWORD).await.unwrap();
}

/// What an admin makes for others, each as it is answered.
async fn made(world: &World, scope: &Scope, eva: &str, open: &str) -> Vec<Option<AccessError>> {
    let cx = world.cx(scope);
    let add = |email: &str| AddEntityUser { email: email.to_owned(), role: Role::Admin };
    vec![
        add_entity_user(cx, add("new@example.com")).await.err(),
        resend_invitation(cx, open).await.err(),
        cancel_invitation(cx, open).await.err(),
        change_role(cx, eva, Role::Admin).await.err(),
        remove_entity_user(cx, eva, false).await.err(),
        unlock_pin(cx, eva).await.err(),
        create_entity_key(cx, named(None, &[])).await.err(),
    ]
}

#[tokio::test]
async fn former_admins_cannot_act_for_others() {
    for demoted in [None, Some(Role::Viewer)] {
        let world = World::new();
        let ana = world.caller(ANA).await;
        let entity = world.entity(&ana, "Žar", Environment::Sandbox).await;
        let scope = world.scope(&ana, &entity).await;
        let eva = world.caller(EVA).await;
        world.admit(&scope, EVA, Role::Viewer).await;
        let ivo = world.caller("ivo@example.com").await;
        world.admit(&scope, "ivo@example.com", Role::Admin).await;
        let open = world.invite(&scope, "open@example.com", Role::Viewer).await.record.id;
        // Ivo's request is let in, and then he is taken out.
        let late = world.scope(&ivo, &entity).await;
        let (ivo, cx) = (user_id(&ivo), world.cx(&scope));
        match demoted {
            Some(role) => drop(change_role(cx, &ivo, role).await.unwrap()),
            None => remove_entity_user(cx, &ivo, false).await.unwrap(),
        }
        let before = list_invitations(cx).await.unwrap();
        let made = made(&world, &late, &user_id(&eva), &open.to_string()).await;
        assert_eq!(made, vec![Some(NO_ROLE); 7], "{demoted:?}");
        assert_eq!(list_invitations(cx).await.unwrap(), before);
        assert_eq!(list_entity_keys(cx).await.unwrap(), []);
    }
}

#[tokio::test]
async fn no_key_is_made_in_a_session_that_ended() {
    let world = World::new();
    let user = world.user(ANA).await;
    let store = world.store();
    let session = open_session(store, &user, &world.stamp()).await.unwrap();
    let ana = world.caller_of(&session.secret).await;
    let entity = world.entity(&ana, "Žar", Environment::Sandbox).await;
    let (scope, account) =
        (world.scope(&ana, &entity).await, enter_account(store, &ana, None).await.unwrap());
    reset(&world, ANA).await;
    // The request began after the reset did, and before that was committed.
    let later: Stamp = world.after(Duration::seconds(1));
    let sandbox = Environment::Sandbox;
    let key = create_account_key(store, &account, sandbox, named(None, &[]), &later).await;
    assert_eq!(key.map(|_| ()), Err(AccessError::Unauthorized));
    let cx = racun_store::Context::new(store, &scope, &later);
    let key = create_entity_key(cx, named(None, &[])).await;
    assert_eq!(key.map(|_| ()), Err(AccessError::Unauthorized));
}

#[tokio::test]
async fn a_key_that_a_key_makes_has_no_more_than_its_maker() {
    let world = World::new();
    let ana = world.caller(ANA).await;
    let entity = world.entity(&ana, "Žar", Environment::Sandbox).await;
    let (store, stamp, sandbox) = (world.store(), world.stamp(), Environment::Sandbox);
    let account = enter_account(store, &ana, None).await.unwrap();
    let bounds = named(Some(3600), &["203.0.113.0/24", "2001:db8::/32"]);
    let maker = create_account_key(store, &account, sandbox, bounds, &stamp).await.unwrap();
    let (end, own) = (maker.record.expires_at, maker.record.allowed_addresses.clone());
    let maker = world.caller_of(&maker.secret).await;
    let account = enter_account(store, &maker, None).await.unwrap();
    let scope = world.scope(&maker, &entity).await;
    let make = async |of_entity: bool, input: NewKey| match of_entity {
        true => create_entity_key(world.cx(&scope), input).await,
        false => create_account_key(store, &account, sandbox, input, &stamp).await,
    };
    for of_entity in [false, true] {
        let key = make(of_entity, named(None, &[])).await.unwrap().record;
        assert_eq!((key.expires_at, &key.allowed_addresses), (end, &own));
        let narrow = named(Some(60), &["203.0.113.128/25", "2001:db8:1::7"]);
        let key = make(of_entity, narrow.clone()).await.unwrap().record;
        assert_eq!(key.expires_at, Some(stamp.now() + Duration::seconds(60)));
        assert_eq!(key.allowed_addresses, narrow.allowed_addresses);
        for (input, field) in [
            (named(Some(3601), &[]), "ttl"),
            (named(None, &["203.0.0.0/16"]), "allowed_addresses"),
            (named(None, &["203.0.113.7", "198.51.100.1"]), "allowed_addresses"),
            (named(None, &["::/0"]), "allowed_addresses"),
        ] {
            let Err(AccessError::Invalid(issues)) = make(of_entity, input).await else {
                panic!("{field}")
            };
            let issue = issues.iter().next().unwrap();
            assert_eq!((issue.path[0].clone(), issue.code), (field.into(), "out_of_range"));
        }
    }
}
