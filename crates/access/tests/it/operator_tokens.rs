//! What ends an operator's token.

use racun_access::*;
use racun_kernel::{Environment, Role};
use racun_store::Context;
use time::Duration;

use crate::till::Till;
use crate::world::user_id;

/// A till at which Eva is the operator, by a session of Ana's.
async fn eva_at_the_till() -> (Till, WithSecret<Session>, WithSecret<OperatorToken>) {
    let till = Till::new().await;
    till.set(&till.eva, &till.eva, "042").await.unwrap();
    let session = till.log_in(&till.ana).await;
    let device = till.world.caller_of(&session.secret).await;
    let token = till.switch(&device, &till.eva, "042", Duration::ZERO).await.unwrap();
    assert!(till.holds(&token.secret, Duration::ZERO).await);
    (till, session, token)
}

#[tokio::test]
async fn a_token_lasts_a_shift() {
    let (till, _, token) = eva_at_the_till().await;
    for (after, holds) in [(0, true), (OPERATOR_SECONDS - 1, true), (OPERATOR_SECONDS, false)] {
        assert_eq!(till.holds(&token.secret, Duration::seconds(after)).await, holds, "{after}");
    }
}

#[tokio::test]
async fn a_token_ends_with_the_session_that_it_came_of() {
    let (till, session, token) = eva_at_the_till().await;
    let world = &till.world;
    // An operator who hands the till over gives on a token of the same session.
    let operator = world.caller_of(&token.secret).await;
    let second = till.switch(&operator, &till.eva, "042", Duration::ZERO).await.unwrap();
    let device = world.caller_of(&session.secret).await;
    log_out(world.store(), &device, &world.stamp()).await.unwrap();
    for secret in [&token.secret, &second.secret] {
        assert!(!till.holds(secret, Duration::ZERO).await);
    }
}

#[tokio::test]
async fn a_token_ends_with_the_key_that_it_came_of() {
    let till = Till::new().await;
    let Till { ana, eva, world, .. } = &till;
    till.set(eva, eva, "042").await.unwrap();
    let (store, scope) = (world.store(), till.scope(ana).await);
    let account = enter_account(store, ana, None).await.unwrap();
    let entity_key = world.entity_key(&scope).await;
    let account_key = world.account_key(ana, Environment::Live).await;
    for key in [&entity_key, &account_key] {
        let token = till.switch(key, eva, "042", Duration::ZERO).await.unwrap();
        assert!(till.holds(&token.secret, Duration::ZERO).await);
        let id = key.principal().id();
        match key {
            Caller::EntityKey(_) => {
                delete_entity_key(Context::new(store, &scope, &world.stamp()), &id).await.unwrap();
            }
            _ => delete_account_key(store, &account, &id, &world.stamp()).await.unwrap(),
        }
        assert!(!till.holds(&token.secret, Duration::ZERO).await, "{key:?}");
    }
    let short = NewKey { name: "short".to_owned(), ttl: Some(60), ..NewKey::default() };
    let key = create_entity_key(Context::new(store, &scope, &world.stamp()), short).await.unwrap();
    let key = world.caller_of(&key.secret).await;
    let token = till.switch(&key, eva, "042", Duration::ZERO).await.unwrap();
    assert!(till.holds(&token.secret, Duration::seconds(59)).await);
    assert!(!till.holds(&token.secret, Duration::seconds(60)).await, "the key is over");
}

#[tokio::test]
async fn a_token_ends_when_the_pin_is_set_or_removed() {
    for removes in [false, true] {
        let (till, _, token) = eva_at_the_till().await;
        if removes {
            till.remove(&till.ana, &till.eva).await.unwrap();
        } else {
            till.set(&till.eva, &till.eva, "042").await.unwrap();
        }
        assert!(!till.holds(&token.secret, Duration::ZERO).await, "{removes}");
        till.set(&till.eva, &till.eva, "042").await.unwrap();
        assert!(!till.holds(&token.secret, Duration::ZERO).await, "it does not come back");
    }
}

#[tokio::test]
async fn a_token_ends_when_the_role_changes() {
    let (till, _, token) = eva_at_the_till().await;
    let (store, scope) = (till.world.store(), till.scope(&till.ana).await);
    let id = user_id(&till.eva);
    for role in [Role::Admin, Role::Editor] {
        // A later stamp: a change leaves its time, and coming back is a change.
        let stamp = till.world.after(Duration::minutes(1));
        change_role(Context::new(store, &scope, &stamp), &id, role).await.unwrap();
        assert!(!till.holds(&token.secret, Duration::ZERO).await, "{role:?}");
    }
}

#[tokio::test]
async fn a_token_ends_with_the_membership() {
    let (till, _, token) = eva_at_the_till().await;
    let scope = till.scope(&till.ana).await;
    let id = user_id(&till.eva);
    remove_entity_user(Context::new(till.world.store(), &scope, &till.world.stamp()), &id, false)
        .await
        .unwrap();
    assert!(!till.holds(&token.secret, Duration::ZERO).await);
    till.world.admit(&scope, "eva@example.com", Role::Editor).await;
    till.set(&till.eva, &till.eva, "042").await.unwrap();
    assert!(!till.holds(&token.secret, Duration::ZERO).await, "it does not come back");
}

#[tokio::test]
async fn an_operator_ends_their_own_token_only() {
    let (till, session, token) = eva_at_the_till().await;
    let world = &till.world;
    let operator = world.caller_of(&token.secret).await;
    let other = till.switch(&operator, &till.eva, "042", Duration::ZERO).await.unwrap();
    for _ in 0..2 {
        log_out(world.store(), &operator, &world.stamp()).await.unwrap();
    }
    assert!(!till.holds(&token.secret, Duration::ZERO).await);
    for secret in [&other.secret, &session.secret] {
        assert!(till.holds(secret, Duration::ZERO).await);
    }
}

#[tokio::test]
async fn tokens_that_are_over_are_cleared_away() {
    let (till, session, token) = eva_at_the_till().await;
    let device = till.world.caller_of(&session.secret).await;
    let (store, tenant) = (till.world.store(), till.scope(&till.ana).await.tenant());
    let kept = async |id: &OperatorToken| {
        let ids = [id.id.to_string()];
        !store.find(&OPERATOR_TOKENS, &tenant, &ids).await.unwrap().is_empty()
    };
    let later = Duration::seconds(OPERATOR_SECONDS - 1);
    till.switch(&device, &till.eva, "042", later).await.unwrap();
    assert!(kept(&token.record).await);
    let later = Duration::seconds(OPERATOR_SECONDS);
    till.switch(&device, &till.eva, "042", later).await.unwrap();
    assert!(!kept(&token.record).await);
}

#[tokio::test]
async fn tokens_are_distinguished_from_everything_else() {
    let (till, _, token) = eva_at_the_till().await;
    let secret = &token.secret;
    for other in [
        secret.replace("tok_op_", "tok_"),
        format!("{secret}A"),
        secret[..secret.len() - 1].to_owned(),
        secret.to_uppercase(),
        format!("tok_op_{}", "A".repeat(43)),
        token.record.id.to_string(),
    ] {
        assert!(!till.holds(&other, Duration::ZERO).await, "{other}");
    }
}
