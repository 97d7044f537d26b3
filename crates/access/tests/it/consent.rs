//! Joining an entity takes consent, and a proved address.

use racun_access::*;
use racun_kernel::id::{ApiKeyId, EntityId};
use racun_kernel::{Environment, Role, Scope};
use racun_store::{Context, LOOKUP_LIMIT, Put};
use serde_json::json;

use crate::world::{PASSWORD, World, user_id};

const NOT_VERIFIED: AccessError = AccessError::Forbidden(Forbidden::EmailUnverified);

/// A world where Ana is the admin of an entity.
async fn world_of_ana() -> (World, Scope) {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let entity = world.entity(&ana, "Žar", Environment::Sandbox).await;
    let scope = world.scope(&ana, &entity).await;
    (world, scope)
}

/// A user who signed up with an address and never verified it.
async fn squatter(world: &World, email: &str) -> (User, String) {
    let user = world.user(email).await;
    let session = open_session(world.store(), &user, &world.stamp()).await.unwrap();
    (user, session.secret)
}

#[tokio::test]
async fn signing_up_first_with_an_address_grants_no_access() {
    let (world, scope) = world_of_ana().await;
    let (user, session) = squatter(&world, "cfo@example.com").await;
    let invited = world.invite(&scope, "cfo@example.com", Role::Admin).await;
    let (store, stamp) = (world.store(), world.stamp());
    let squatter = world.caller_of(&session).await;
    let entity = scope.entity().to_string();
    let entered = enter(store, &squatter, Some(&entity)).await.map(|_| ());
    assert_eq!(entered, Err(Forbidden::EntityNotAccessible.into()));

    // Neither in their own session, nor by the token that an admin was shown.
    assert_eq!(list_own_invitations(store, &user, &stamp).await, Err(NOT_VERIFIED));
    let id = invited.record.id.to_string();
    let consent = find_own_invitation(store, &user, &id, &stamp).await.map(|_| ());
    assert_eq!(consent, Err(NOT_VERIFIED));
    let open = find_invitation(store, &invited.secret, &stamp).await.unwrap();
    let not_mailed = AccessError::Forbidden(Forbidden::InvitationNotMailed);
    assert_eq!(open.clone().answer_as(&user).map(|_| ()), Err(not_mailed.clone()));
    assert_eq!(open.answer(PASSWORD, None, &stamp).map(|_| ()), Err(not_mailed));
    assert_eq!(list_entity_users(Context::new(store, &scope, &stamp)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_reader_of_the_mail_takes_over_what_another_made_with_the_address() {
    let (world, scope) = world_of_ana().await;
    let (user, session) = squatter(&world, "cfo@example.com").await;
    let squatter = world.caller_of(&session).await;
    let mut keys = vec![world.account_key(&squatter, Environment::Sandbox).await];
    let own = world.entity(&squatter, "Own", Environment::Sandbox).await;
    let own = world.scope(&squatter, &own).await;
    keys.push(world.entity_key(&own).await);
    let invited = world.invite(&scope, "cfo@example.com", Role::Admin).await;
    let (store, stamp) = (world.store(), world.stamp());
    let token = world.mailed(&invited.record).await;
    let open = find_invitation(store, &token, &stamp).await.unwrap();
    let answer = open.answer("of the real one", None, &stamp).unwrap();
    let accepted = accept_invitation(store, answer, &stamp).await.unwrap();
    assert_eq!((accepted.user.id, accepted.user.email_verified), (user.id, true));
    assert_eq!(accepted.membership.role, Role::Admin);

    let gone = authenticate(store, &session, &stamp).await;
    assert_eq!(gone, Err(AccessError::Unauthorized), "their session");
    let login = world.log_in("cfo@example.com", PASSWORD).await;
    assert_eq!(login, Err(AccessError::BadCredentials));
    assert!(world.log_in("cfo@example.com", "of the real one").await.is_ok());
    let account = enter_account(store, &squatter, None).await.unwrap();
    assert_eq!(list_account_keys(store, &account).await.unwrap(), [], "their account's keys");
    assert_eq!(list_entity_keys(world.cx(&own)).await.unwrap(), [], "their entities' keys");
    // A request of theirs that was on its way makes no more.
    let late = NewKey { name: "late".to_owned(), ..NewKey::default() };
    let before = world.after(time::Duration::seconds(-1));
    let late = create_account_key(store, &account, Environment::Sandbox, late, &before).await;
    assert_eq!(late.map(|_| ()), Err(AccessError::Unauthorized));
}

#[tokio::test]
async fn the_mailed_token_proves_the_address_of_who_is_logged_in() {
    let (world, scope) = world_of_ana().await;
    let (user, session) = squatter(&world, "eva@example.com").await;
    let (other, _) = squatter(&world, "other@example.com").await;
    let invited = world.invite(&scope, "EVA@example.com", Role::Editor).await;
    let (store, stamp) = (world.store(), world.stamp());
    let token = world.mailed(&invited.record).await;
    let open = find_invitation(store, &token, &stamp).await.unwrap();
    let refused = open.clone().answer_as(&other).map(|_| ());
    assert_eq!(refused, Err(AccessError::Forbidden(Forbidden::InvitationNotYours)));
    let accepted = accept_invitation(store, open.answer_as(&user).unwrap(), &stamp).await.unwrap();
    assert!(accepted.user.email_verified);
    assert!(authenticate(store, &session, &stamp).await.is_ok(), "who proved both stays");
    assert!(list_own_invitations(store, &accepted.user, &stamp).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_verified_user_sees_accepts_and_declines_in_a_session_of_their_own() {
    let (world, scope) = world_of_ana().await;
    world.user("eva@example.com").await;
    let eva = world.verify("eva@example.com").await;
    let (store, stamp) = (world.store(), world.stamp());
    let id = world.invite(&scope, "Eva@example.com", Role::Viewer).await.record.id.to_string();
    let foreign = world.invite(&scope, "bor@example.com", Role::Viewer).await.record.id.to_string();
    let seen = list_own_invitations(store, &eva, &stamp).await.unwrap();
    let seen: Vec<_> = seen.iter().map(|(one, name)| (one.id.to_string(), &**name)).collect();
    assert_eq!(seen, [(id.clone(), "Žar")]);
    let missing = find_own_invitation(store, &eva, &foreign, &stamp).await.map(|_| ());
    assert_eq!(missing, Err(AccessError::NotFound { id: foreign }));

    let answer = find_own_invitation(store, &eva, &id, &stamp).await.unwrap();
    decline_invitation(store, answer.clone(), eva.id, &stamp).await.unwrap();
    let late = consent_to_invitation(store, answer, &stamp).await.map(|_| ());
    assert_eq!(late, Err(AccessError::Unauthorized), "it is gone");
    world.admit(&scope, "eva@example.com", Role::Viewer).await;
    assert_eq!(list_entity_users(Context::new(store, &scope, &stamp)).await.unwrap().len(), 2);
}

#[tokio::test]
async fn keys_of_a_removed_member_end_on_request_and_when_unowned() {
    let (world, scope) = world_of_ana().await;
    let (store, stamp) = (world.store(), world.stamp());
    for (who, ends_keys, left) in [("eva", false, 1), ("bor", true, 1), ("cfo", false, 1)] {
        let email = format!("{who}@example.com");
        let removed = if who == "cfo" {
            // Made by a token that was handed over, so the address is unproved.
            let invited = world.invite(&scope, &email, Role::Admin).await;
            let open = find_invitation(store, &invited.secret, &stamp).await.unwrap();
            let answer = open.answer(PASSWORD, None, &stamp).unwrap();
            let accepted = accept_invitation(store, answer, &stamp).await.unwrap();
            world.caller_of(&accepted.session.secret).await
        } else {
            let caller = world.caller(&email).await;
            world.admit(&scope, &email, Role::Admin).await;
            caller
        };
        let of_removed = enter(store, &removed, Some(&scope.entity().to_string())).await.unwrap().0;
        let key = world.entity_key(&of_removed).await;
        let Caller::EntityKey(key) = key else { panic!("a key") };
        assert_eq!(key.created_by_user_id.map(|id| id.to_string()), Some(user_id(&removed)));
        let id = user_id(&removed);
        remove_entity_user(Context::new(store, &scope, &stamp), &id, ends_keys).await.unwrap();
        let keys = list_entity_keys(Context::new(store, &scope, &stamp)).await.unwrap();
        assert_eq!(keys.len(), left, "{who}");
        let late = NewKey { name: "late".to_owned(), ..NewKey::default() };
        let late =
            create_entity_key(Context::new(store, &of_removed, &stamp), late).await.map(|_| ());
        assert_eq!(late, Err(Forbidden::InsufficientRole.into()), "{who}");
    }
}

#[tokio::test]
async fn no_live_key_before_the_address_is_verified() {
    let world = World::new();
    let (_, session) = squatter(&world, "eva@example.com").await;
    let eva = world.caller_of(&session).await;
    let (store, stamp) = (world.store(), world.stamp());
    let account = enter_account(store, &eva, None).await.unwrap();
    let live = world.entity(&eva, "Live", Environment::Live).await;
    let live = world.scope(&eva, &live).await;
    let key = || NewKey { name: "key".to_owned(), ..NewKey::default() };
    world.account_key(&eva, Environment::Sandbox).await;
    let refused = create_account_key(store, &account, Environment::Live, key(), &stamp).await;
    assert_eq!(refused.map(|_| ()), Err(NOT_VERIFIED));
    let refused = create_entity_key(Context::new(store, &live, &stamp), key()).await;
    assert_eq!(refused.map(|_| ()), Err(NOT_VERIFIED));
    world.verify("eva@example.com").await;
    world.account_key(&eva, Environment::Live).await;
    world.entity_key(&live).await;
}

#[tokio::test]
async fn a_key_that_a_key_made_has_its_maker() {
    let world = World::new();
    let ana = world.caller("ana@example.com").await;
    let key = world.account_key(&ana, Environment::Live).await;
    let Caller::AccountKey(child) = world.account_key(&key, Environment::Live).await else {
        panic!("a key")
    };
    assert_eq!(child.created_by_user_id.map(|id| id.to_string()), Some(user_id(&ana)));
}

#[tokio::test]
async fn more_keys_than_a_look_up_answers_end_all() {
    const KEYS: usize = 2 * LOOKUP_LIMIT + 200;
    let (world, _) = world_of_ana().await;
    let eva = world.caller("eva@example.com").await;
    let own = world.entity(&eva, "Own", Environment::Live).await;
    let Caller::EntityKey(first) = world.entity_key(&world.scope(&eva, &own).await).await else {
        panic!("a key")
    };
    let (store, stamp) = (world.store(), world.stamp());
    // The rest are of entities of another account, where she was an admin.
    let (ids, mut rows) = (world.stamp(), Vec::new());
    for n in 1..KEYS {
        let (id, entity): (ApiKeyId, EntityId) = (ids.id(), ids.id());
        let mut key = serde_json::to_value(&first).unwrap();
        key["id"] = json!(id);
        key["entity_id"] = json!(entity);
        key["digest"] = json!(Digest::of(&n.to_string()));
        let key: ApiKey = serde_json::from_value(key).unwrap();
        rows.push(Put::insert(&key));
    }
    store.insert(rows, Vec::new()).await.unwrap();
    let purpose = MailTokenPurpose::PasswordReset;
    let token = mint_mail_token(store, "eva@example.com", purpose, &stamp).await.unwrap().unwrap();
    let token = find_mail_token(store, &token, purpose, &stamp).await.unwrap();
    let hash = hash_password("of the real one", &[], &stamp).unwrap();
    reset_password(store, token, hash, true, &Origin::default(), &stamp).await.unwrap();
    let left: Vec<ApiKey> = store.look_up(&API_KEYS, "created_by", &user_id(&eva)).await.unwrap();
    assert_eq!(left.len(), 0);
}
