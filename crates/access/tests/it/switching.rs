//! Handing a till over: what a PIN opens, and what failures lock.

use std::sync::Arc;

use racun_access::*;
use racun_kernel::Environment;
use racun_store::Context;
use time::Duration;

use crate::clocked::Clocked;
use crate::till::Till;
use crate::world::{START, user_id};

const ENDED: AccessError = AccessError::Forbidden(Forbidden::SwitchEnded);

const fn wrong(attempts_remaining: u32) -> AccessError {
    AccessError::WrongPin { attempts_remaining }
}

const fn locked(retry_after: u32) -> AccessError {
    AccessError::PinLocked { retry_after }
}

/// Why a switch failed; `None` when it did not.
async fn failure(
    till: &Till,
    device: &Caller,
    whom: &Caller,
    pin: &str,
    after: i64,
) -> Option<AccessError> {
    till.switch(device, whom, pin, Duration::seconds(after)).await.err()
}

#[tokio::test]
async fn a_till_changes_hands_with_any_token_that_sells() {
    let till = Till::new().await;
    let Till { ana, eva, world, .. } = &till;
    till.set(eva, eva, "042").await.unwrap();
    let scope = till.scope(ana).await;
    let account_key = world.account_key(ana, Environment::Live).await;
    let entity_key = world.entity_key(&scope).await;
    let operator = till.switch(ana, eva, "042", Duration::ZERO).await.unwrap();
    let operator = world.caller_of(&operator.secret).await;
    for device in [ana, eva, &account_key, &entity_key, &operator] {
        let shown = till.switch(device, eva, "042", Duration::ZERO).await.unwrap();
        let token = &shown.record;
        assert_eq!((token.user_id.to_string(), token.entity_id), (user_id(eva), till.entity.id));
        assert_eq!((token.expires_at - token.created_at).whole_seconds(), OPERATOR_SECONDS);
        assert!(shown.secret.starts_with("tok_"));
        let caller = world.caller_of(&shown.secret).await;
        assert!(matches!(&caller, Caller::Operator { .. }), "{caller:?}");
        assert_eq!(caller.principal().user().map(|id| id.to_string()), Some(user_id(eva)));
    }
    let refused = till.switch(&till.vid, eva, "042", Duration::ZERO).await.unwrap_err();
    assert_eq!(refused, AccessError::Forbidden(Forbidden::InsufficientRole));
}

#[tokio::test]
async fn an_operator_enters_their_entity_and_nothing_else() {
    let till = Till::new().await;
    let Till { ana, world, entity, .. } = &till;
    till.set(ana, ana, "042").await.unwrap();
    let other = world.entity(ana, "other", Environment::Live).await;
    let shown = till.switch(ana, ana, "042", Duration::ZERO).await.unwrap();
    let operator = world.caller_of(&shown.secret).await;
    let store = world.store();
    for named in [None, Some(entity.id.to_string())] {
        let (scope, entered) = enter(store, &operator, named.as_deref()).await.unwrap();
        assert_eq!((scope.entity(), entered.id), (entity.id, entity.id));
        let person = scope.person().unwrap();
        assert_eq!(
            (person.user_id.to_string(), person.email.as_str()),
            (user_id(ana), "ana@example.com"),
        );
    }
    let refused = enter(store, &operator, Some(&other.id.to_string())).await.unwrap_err();
    assert_eq!(refused, AccessError::Forbidden(Forbidden::EntityNotAccessible));
    let beyond = AccessError::Forbidden(Forbidden::PosOperatorScope);
    assert_eq!(enter_account(store, &operator, None).await.unwrap_err(), beyond);
    let query = racun_store::ListQuery::first_page(&ENTITIES);
    assert_eq!(list_entities(store, &operator, None, None, &query).await.unwrap_err(), beyond);
    let (scope, entity) = enter(store, &operator, None).await.unwrap();
    assert_eq!(authorize(&scope, &entity, Permission::WriteRecords), Err(beyond.clone()));
    assert_eq!(authorize(&scope, &entity, Permission::Sell), Ok(()));
    // An admin who is an operator sets their own PIN and no other.
    let id = user_id(&till.eva);
    assert_eq!(find_pin_owner(world.cx(&scope), &id).await.unwrap_err(), beyond);
    assert!(find_pin_owner(world.cx(&scope), &user_id(ana)).await.is_ok());
}

#[tokio::test]
async fn failures_lock_a_pin_longer_and_longer_until_it_is_right() {
    let till = Till::new().await;
    let Till { ana, eva, .. } = &till;
    till.set(eva, eva, "042").await.unwrap();
    let mut now = 0;
    for left in (0..5).rev() {
        assert_eq!(failure(&till, ana, eva, "999", now).await, Some(wrong(left)));
    }
    // Another device for each, for one device has ten failures a day.
    let mut device = ana.clone();
    for lock in [30, 60, 300, 900, 3_600, 86_400, 86_400] {
        assert_eq!(failure(&till, &device, eva, "042", now).await, Some(locked(lock)), "{lock}");
        let lock = i64::from(lock);
        let last = failure(&till, &device, eva, "042", now + lock - 1).await;
        assert_eq!(last, Some(locked(1)));
        now += lock;
        device = till.world.caller_of(&till.log_in(ana).await.secret).await;
        assert_eq!(failure(&till, &device, eva, "999", now).await, Some(wrong(0)), "{lock}");
    }
    assert_eq!(failure(&till, &device, eva, "042", now + 86_399).await, Some(locked(1)));
    assert_eq!(failure(&till, &device, eva, "042", now + 86_400).await, None);
    assert_eq!(failure(&till, &device, eva, "999", now + 86_400).await, Some(wrong(4)));
}

#[tokio::test]
async fn a_lock_is_of_one_user_in_one_entity() {
    let till = Till::new().await;
    let Till { ana, eva, .. } = &till;
    till.set(ana, ana, "111").await.unwrap();
    till.set(eva, eva, "042").await.unwrap();
    for _ in 0..5 {
        failure(&till, ana, eva, "999", 0).await.unwrap();
    }
    assert_eq!(failure(&till, ana, eva, "042", 0).await, Some(locked(30)));
    assert_eq!(failure(&till, ana, ana, "111", 0).await, None, "of another user");
    assert_eq!(failure(&till, ana, eva, "042", 0).await, Some(locked(30)), "by another's success");
}

#[tokio::test]
async fn only_an_admin_unlocks_a_pin_by_setting_it() {
    let till = Till::new().await;
    let Till { ana, eva, .. } = &till;
    till.set(eva, eva, "042").await.unwrap();
    for _ in 0..5 {
        failure(&till, ana, eva, "999", 0).await.unwrap();
    }
    till.set(eva, eva, "043").await.unwrap();
    assert_eq!(failure(&till, ana, eva, "043", 0).await, Some(locked(30)));
    till.remove(eva, eva).await.unwrap();
    till.set(eva, eva, "043").await.unwrap();
    assert_eq!(failure(&till, ana, eva, "043", 0).await, Some(locked(30)));
    till.set(ana, eva, "044").await.unwrap();
    assert_eq!(failure(&till, ana, eva, "044", 0).await, None);
}

#[tokio::test]
async fn a_missing_pin_is_answered_like_a_wrong_one() {
    let till = Till::new().await;
    let Till { ana, eva, vid, .. } = &till;
    for whom in [eva, vid] {
        let device = till.world.caller_of(&till.log_in(ana).await.secret).await;
        for left in (0..5).rev() {
            assert_eq!(failure(&till, &device, whom, "000", 0).await, Some(wrong(left)));
        }
        assert_eq!(failure(&till, &device, whom, "000", 0).await, Some(locked(30)));
    }
    till.set(ana, eva, "042").await.unwrap();
    assert_eq!(failure(&till, ana, eva, "042", 0).await, None);
}

#[tokio::test]
async fn ten_failures_a_day_end_a_devices_right_to_switch() {
    let till = Till::new().await;
    let Till { ana, eva, world, .. } = &till;
    let scope = till.scope(ana).await;
    let keys = [
        world.entity_key(&scope).await,
        world.account_key(ana, Environment::Live).await,
        world.caller_of(&till.log_in(ana).await.secret).await,
    ];
    for (number, device) in (0_i64..).zip(&keys) {
        let start = number * 10_000;
        for (caller, pin) in [(ana, "111"), (eva, "042")] {
            till.set(ana, caller, pin).await.unwrap();
        }
        // The operator that the device switches to counts against the same device.
        let shown = till.switch(device, ana, "111", Duration::seconds(start)).await.unwrap();
        let operator = world.caller_of(&shown.secret).await;
        for n in 0..5 {
            assert_eq!(failure(&till, device, eva, "999", start).await, Some(wrong(4 - n)));
            assert_eq!(failure(&till, &operator, ana, "999", start).await, Some(wrong(4 - n)));
        }
        till.set(ana, eva, "042").await.unwrap();
        for caller in [device, &operator] {
            assert_eq!(failure(&till, caller, eva, "042", start).await, Some(ENDED));
            assert_eq!(failure(&till, caller, eva, "042", start + 200_000).await, Some(ENDED));
        }
        assert_eq!(failure(&till, ana, eva, "042", start).await, None, "another device");
    }
}

#[tokio::test]
async fn an_attempt_that_was_right_costs_its_device_nothing() {
    let till = Till::new().await;
    let Till { ana, eva, .. } = &till;
    till.set(eva, eva, "042").await.unwrap();
    for _ in 0..9 {
        assert_eq!(failure(&till, ana, eva, "999", 0).await, Some(wrong(4)));
        assert_eq!(failure(&till, ana, eva, "042", 0).await, None);
    }
    assert_eq!(failure(&till, ana, eva, "042", 0).await, None, "nine failed");
    assert_eq!(failure(&till, ana, eva, "999", 0).await, Some(wrong(4)), "the tenth");
    assert_eq!(failure(&till, ana, eva, "042", 0).await, Some(ENDED));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_guesses_at_once_spend_the_budget_and_no_more() {
    let till = Arc::new(Till::new().await);
    till.set(&till.eva, &till.eva, "042").await.unwrap();
    let guess = |n: usize| {
        // All at one device, then each at one of its own.
        let till = Arc::clone(&till);
        tokio::spawn(async move {
            let own = till.world.caller_of(&till.log_in(&till.ana).await.secret).await;
            let device = if n < 25 { &till.ana } else { &own };
            failure(&till, device, &till.eva, "999", 0).await.unwrap()
        })
    };
    let guesses: Vec<_> = (0..50).map(guess).collect();
    let mut left = Vec::new();
    for guess in guesses {
        match guess.await.unwrap() {
            AccessError::WrongPin { attempts_remaining } => left.push(attempts_remaining),
            other => assert_eq!(other, locked(30)),
        }
    }
    left.sort_unstable();
    assert_eq!(left, [0, 1, 2, 3, 4]);
    let device = till.world.caller_of(&till.log_in(&till.ana).await.secret).await;
    assert_eq!(failure(&till, &device, &till.eva, "042", 29).await, Some(locked(1)));
    assert_eq!(failure(&till, &device, &till.eva, "042", 30).await, None);
}

#[tokio::test]
async fn the_stores_clock_decides_on_a_lock() {
    let till = Till::new().await;
    let Till { ana, eva, world, .. } = &till;
    till.set(eva, eva, "042").await.unwrap();
    for _ in 0..5 {
        failure(&till, ana, eva, "999", 0).await.unwrap();
    }
    let scope = till.scope(ana).await;
    // What a process takes for now counts for nothing beside a store that knows.
    for (process, store, expected) in
        [(0, 29, Some(locked(1))), (3_600, 29, Some(locked(1))), (0, 30, None)]
    {
        let clocked = Clocked { store: world.shared(), now: START + Duration::seconds(store) };
        let stamp = world.after(Duration::seconds(process));
        let begun = begin_switch(Context::new(&clocked, &scope, &stamp), ana, &user_id(eva)).await;
        assert_eq!(begun.err(), expected, "{process} {store}");
    }
}

#[tokio::test]
async fn an_attempt_whose_process_dies_counts_as_failed() {
    let till = Till::new().await;
    let Till { ana, eva, world, .. } = &till;
    till.set(eva, eva, "042").await.unwrap();
    let (store, scope) = (world.store(), till.scope(ana).await);
    for _ in 0..5 {
        let begun =
            begin_switch(Context::new(store, &scope, &world.stamp()), ana, &user_id(eva)).await;
        drop(begun.unwrap().verify(&till.key, &Pin::parse("042".to_owned()).unwrap()));
    }
    assert_eq!(failure(&till, ana, eva, "042", 0).await, Some(locked(30)));
}

#[tokio::test]
async fn no_token_is_made_when_the_pin_changes_at_the_same_time() {
    let till = Till::new().await;
    let Till { ana, eva, world, .. } = &till;
    let (store, scope, stamp) = (world.store(), till.scope(ana).await, world.stamp());
    let pin = Pin::parse("042".to_owned()).unwrap();
    for removes in [false, true] {
        till.set(eva, eva, "042").await.unwrap();
        let begun =
            begin_switch(Context::new(store, &scope, &stamp), ana, &user_id(eva)).await.unwrap();
        let right = begun.verify(&till.key, &pin).unwrap();
        if removes {
            till.remove(eva, eva).await.unwrap();
        } else {
            till.set(eva, eva, "042").await.unwrap();
        }
        let made = finish_switch(store, right, &stamp).await;
        assert!(matches!(made, Err(AccessError::WrongPin { .. })), "{made:?}");
    }
    assert!(Pin::parse("0421".to_owned()).is_err());
}
