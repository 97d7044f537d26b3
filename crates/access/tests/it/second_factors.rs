//! Users with a second factor: enrolled, asked for, used once, guessed at, removed.

use std::sync::Arc;

use data_encoding::BASE32_NOPAD;
use racun_access::*;
use racun_kernel::{Environment, Role, Vault};
use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};
use time::Duration;

use crate::world::{PASSWORD, START, World};

const ANA: &str = "ana@example.com";
const NOW: Duration = Duration::ZERO;

fn vault() -> Arc<dyn Vault> {
    Arc::new(MasterVault::derive(&[3; 32]))
}

/// What an app with this secret shows `later` than the start.
pub fn code(secret: &str, later: Duration) -> String {
    let key = BASE32_NOPAD.decode(secret.as_bytes()).unwrap();
    let step = (START + later).unix_timestamp() / 30;
    let mac = sign(&Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, &key), &step.to_be_bytes());
    let start = usize::from(mac.as_ref()[19] & 15);
    let word: [u8; 4] = mac.as_ref()[start..start + 4].try_into().unwrap();
    format!("{:06}", (u32::from_be_bytes(word) & 0x7fff_ffff) % 1_000_000)
}

async fn right(world: &World, later: Duration) -> RightLogin {
    let stamp = world.after(later);
    let attempt = begin_login(world.store(), ANA, &Origin::default(), &stamp).await.unwrap();
    attempt.verify(PASSWORD).unwrap()
}

async fn log_in(
    world: &World,
    code: Option<&str>,
    later: Duration,
) -> Result<WithSecret<Session>, AccessError> {
    let right = right(world, later).await;
    let proof = SecondProof::new(Some(vault()), code.map(str::to_owned));
    finish_login(world.store(), &right, proof, &Origin::default(), &world.after(later)).await
}

/// Ana with a second factor: her session, the app's secret and the recovery codes.
async fn enrolled(world: &World) -> (Caller, String, Vec<String>) {
    let caller = world.caller(ANA).await;
    let Caller::User { user, session } = &caller else { panic!("a user") };
    let (store, stamp) = (world.store(), world.stamp());
    let right = right(world, NOW).await;
    let shown = begin_second_factor(store, right, &*vault(), "Racun", &stamp).await.unwrap();
    let first = code(&shown.secret, NOW);
    let codes = confirm_second_factor(store, user, session.id, Some(vault()), first, &stamp);
    let NewCodes(codes) = codes.await.unwrap();
    (caller, shown.secret, codes)
}

fn required() -> AccessError {
    AccessError::SecondFactorRequired { continuation: None }
}

#[tokio::test]
async fn a_log_in_needs_a_code_that_was_not_used() {
    let world = World::new();
    let (_, secret, _) = enrolled(&world).await;
    assert_eq!(log_in(&world, None, NOW).await, Err(required()));
    // The code that confirmed it is used, and so is each one that logged in.
    assert_eq!(log_in(&world, Some(&code(&secret, NOW)), NOW).await, Err(AccessError::WrongCode));
    let next = Duration::seconds(30);
    let shown = code(&secret, next);
    log_in(&world, Some(&shown), next).await.unwrap();
    assert_eq!(log_in(&world, Some(&shown), next).await, Err(AccessError::WrongCode));
    let later = Duration::minutes(5);
    let spaced = code(&secret, later);
    let spaced = format!(" {} {}", &spaced[..3], &spaced[3..]);
    log_in(&world, Some(&spaced), later).await.unwrap();
    // Of a clock that is half a minute behind or ahead, and no further.
    for (n, (ahead, is_taken)) in (1..).zip([(-60, false), (-30, true), (30, true), (60, false)]) {
        let now = later + Duration::minutes(n);
        let shown = code(&secret, now + Duration::seconds(ahead));
        assert_eq!(log_in(&world, Some(&shown), now).await.is_ok(), is_taken, "{ahead}");
    }
}

#[tokio::test]
async fn of_two_requests_with_one_code_one_is_let_in() {
    let world = World::new();
    let (_, secret, codes) = enrolled(&world).await;
    for shown in [code(&secret, Duration::minutes(1)), codes[0].clone()] {
        let later = Duration::minutes(1);
        let both = [(); 2].map(|()| log_in(&world, Some(&shown), later));
        let [one, other] = both;
        let (one, other) = tokio::join!(one, other);
        assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1, "{shown}");
    }
}

#[tokio::test]
async fn recovery_codes_work_once_and_are_not_kept() {
    let world = World::new();
    let (caller, _, codes) = enrolled(&world).await;
    let Caller::User { user, .. } = &caller else { panic!("a user") };
    assert_eq!(codes.len(), 10);
    let kept = get_second_factor(world.store(), user).await.unwrap().unwrap();
    let text = serde_json::to_string(&kept).unwrap() + &format!("{kept:?}");
    for code in &codes {
        assert!(!text.contains(code) && !text.contains(&code.replace('-', "")));
    }
    assert!(!format!("{kept:?}").contains("Digest(\""));
    log_in(&world, Some(&codes[3].to_uppercase()), NOW).await.unwrap();
    assert_eq!(log_in(&world, Some(&codes[3]), NOW).await, Err(AccessError::WrongCode));
    let left = get_second_factor(world.store(), user).await.unwrap().unwrap();
    assert_eq!(left.recovery_codes_left(), 9);
    // They work without the key that sealed the app's secret.
    let right = right(&world, NOW).await;
    let proof = SecondProof::new(None, Some(codes[4].clone()));
    let origin = Origin::default();
    finish_login(world.store(), &right, proof, &origin, &world.stamp()).await.unwrap();
}

#[tokio::test]
async fn guesses_lock_codes_and_no_recovery_code() {
    let world = World::new();
    let (_, secret, codes) = enrolled(&world).await;
    let wrong = ["000000", "12345", "no code at all", "999999", "111111"];
    for guess in wrong {
        let refused = log_in(&world, Some(guess), NOW).await;
        assert_eq!(refused, Err(AccessError::WrongCode), "{guess}");
    }
    let later = Duration::seconds(29);
    let locked = log_in(&world, Some(&code(&secret, later)), later).await;
    assert_eq!(locked, Err(AccessError::CodeLocked { retry_after: 1 }));
    log_in(&world, Some(&codes[0]), later).await.unwrap();
    // The right one forgave the failures.
    let later = Duration::minutes(1);
    log_in(&world, Some(&code(&secret, later)), later).await.unwrap();
}

#[tokio::test]
async fn a_day_has_a_handful_of_guesses() {
    let world = World::new();
    let (_, _, _) = enrolled(&world).await;
    let (mut tried, mut minutes) = (0, 0);
    while minutes < 24 * 60 {
        // A wrong password more or less is not what is looked at: each minute has one log-in.
        let (origin, stamp) = (Origin::default(), world.after(Duration::minutes(minutes)));
        if let Ok(attempt) = begin_login(world.store(), ANA, &origin, &stamp).await {
            let right = attempt.verify(PASSWORD).unwrap();
            let proof = SecondProof::new(Some(vault()), Some("x".to_owned()));
            match finish_login(world.store(), &right, proof, &origin, &stamp).await {
                Err(AccessError::WrongCode) => tried += 1,
                Err(AccessError::CodeLocked { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
        minutes += 5;
    }
    assert!((5..=12).contains(&tried), "{tried}");
}

#[tokio::test]
async fn it_is_on_from_the_first_code_and_other_sessions_end_then() {
    let world = World::new();
    let caller = world.caller(ANA).await;
    let Caller::User { user, session } = &caller else { panic!("a user") };
    let (store, stamp) = (world.store(), world.stamp());
    let other = open_session(store, user, &stamp).await.unwrap();
    let confirm = |code: String, later: Duration| {
        let stamp = world.after(later);
        let (id, user) = (session.id, user.clone());
        async move { confirm_second_factor(store, &user, id, Some(vault()), code, &stamp).await }
    };
    let none = confirm("123456".to_owned(), NOW).await.err();
    assert_eq!(none, Some(Refused::SecondFactorNotBegun.into()));
    let begin = async || {
        let right = right(&world, NOW).await;
        begin_second_factor(store, right, &*vault(), "R", &stamp).await
    };
    let shown = begin().await.unwrap();
    assert!(shown.uri.starts_with("otpauth://totp/R:ana%40example.com?secret="), "{}", shown.uri);
    log_in(&world, None, NOW).await.unwrap();
    let wrong = confirm("000000".to_owned(), NOW).await.err();
    assert!(matches!(wrong, Some(AccessError::Invalid(_))), "{wrong:?}");
    let late = Duration::hours(1);
    let over = confirm(code(&shown.secret, late), late).await.err();
    assert_eq!(over, Some(Refused::SecondFactorNotBegun.into()));
    world.caller_of(&other.secret).await;
    confirm(code(&shown.secret, NOW), NOW).await.unwrap();
    assert!(authenticate(store, &other.secret, &stamp).await.is_err(), "it ended");
    let again = confirm(code(&shown.secret, NOW), NOW).await.err();
    assert_eq!(again, Some(Conflict::SecondFactorOn.into()));
    let again = begin().await;
    assert_eq!(again.err(), Some(Conflict::SecondFactorOn.into()));
}

#[tokio::test]
async fn an_address_that_is_not_proved_gets_no_second_factor() {
    let world = World::new();
    world.user(ANA).await;
    let (right, stamp) = (right(&world, NOW).await, world.stamp());
    let refused = begin_second_factor(world.store(), right, &*vault(), "R", &stamp).await;
    assert_eq!(refused.err(), Some(Forbidden::EmailUnverified.into()));
}

#[tokio::test]
async fn it_is_removed_by_password_and_code_alone() {
    let world = World::new();
    let (caller, secret, codes) = enrolled(&world).await;
    let Caller::User { user, .. } = &caller else { panic!("a user") };
    let (store, stamp) = (world.store(), world.stamp());
    let remove = |code: String| async {
        let right = right(&world, NOW).await;
        remove_second_factor(store, right, Some(vault()), code, &stamp).await
    };
    assert!(matches!(remove("000000".to_owned()).await, Err(AccessError::Invalid(_))));
    let used = code(&secret, NOW);
    assert!(matches!(remove(used).await, Err(AccessError::Invalid(_))), "it was used");
    let right_now = right(&world, NOW).await;
    let renewed =
        renew_recovery_codes(store, right_now, Some(vault()), codes[0].clone(), &stamp).await;
    let NewCodes(renewed) = renewed.unwrap();
    assert!(matches!(remove(codes[1].clone()).await, Err(AccessError::Invalid(_))));
    remove(renewed[0].clone()).await.unwrap();
    assert_eq!(get_second_factor(store, user).await.unwrap(), None);
    let gone = remove(renewed[1].clone()).await;
    assert_eq!(gone, Err(Refused::NoSecondFactor.into()));
    log_in(&world, None, NOW).await.unwrap();
}

#[tokio::test]
async fn a_password_alone_accepts_no_invitation_of_who_has_one() {
    let world = World::new();
    let (caller, _, _) = enrolled(&world).await;
    let Caller::User { user, .. } = &caller else { panic!("a user") };
    let owner = world.caller("owner@example.com").await;
    let entity = world.entity(&owner, "Žar", Environment::Sandbox).await;
    let scope = world.scope(&owner, &entity).await;
    let invited = world.invite(&scope, ANA, Role::Viewer).await;
    let (store, stamp) = (world.store(), world.stamp());
    let id = invited.record.id.to_string();
    let mailed = mint_invitation_token(store, entity.id, &id, &stamp).await.unwrap().unwrap();
    let open = find_invitation(store, &mailed, &stamp).await.unwrap();
    let answer = open.clone().answer(PASSWORD, None, &stamp).unwrap();
    let refused = accept_invitation(store, answer, &stamp).await;
    assert_eq!(refused.err(), Some(Forbidden::SessionRequired.into()));
    accept_invitation(store, open.answer_as(user).unwrap(), &stamp).await.unwrap();
}

#[tokio::test]
async fn a_secret_is_sealed_and_sealed_again() {
    let world = World::new();
    let (caller, secret, _) = enrolled(&world).await;
    let Caller::User { user, .. } = &caller else { panic!("a user") };
    let kept = get_second_factor(world.store(), user).await.unwrap().unwrap();
    assert!(!serde_json::to_string(&kept).unwrap().contains(&secret));
    let ring = KeyRing::new(MasterVault::derive(&[4; 32]), vec![MasterVault::derive(&[3; 32])]);
    let stamp = world.stamp();
    let again = |owner: &str, sealed: &str| ring.reseal(owner, sealed, &stamp);
    let resealed = kept.clone().resealed(&again).unwrap();
    assert_ne!(resealed, kept);
    // With another key the app's codes cannot be checked.
    let right = right(&world, Duration::minutes(1)).await;
    let other: Arc<dyn Vault> = Arc::new(MasterVault::derive(&[9; 32]));
    let shown = code(&secret, Duration::minutes(1));
    let proof = SecondProof::new(Some(other), Some(shown));
    let stamp = world.after(Duration::minutes(1));
    let sealed = finish_login(world.store(), &right, proof, &Origin::default(), &stamp).await;
    assert_eq!(sealed, Err(AccessError::SecretSealed));
    assert_eq!(kept.without_sealed().recovery_codes_left(), 10);
}
