//! Guessing passwords, and who is not locked out by it.

use racun_access::*;
use racun_kernel::Environment;
use time::Duration;

use crate::world::{PASSWORD, World};

fn from(address: &str) -> Origin {
    Origin { address: Some(address.to_owned()), agent: Some("a browser".to_owned()) }
}

/// Logs in, or tries to.
async fn log_in(
    world: &World,
    (email, password): (&str, &str),
    origin: &Origin,
    later: Duration,
) -> Result<WithSecret<Session>, AccessError> {
    let stamp = world.after(later);
    let attempt = begin_login(world.store(), email, origin, &stamp).await?;
    let right = attempt.verify(password)?;
    finish_login(world.store(), &right, SecondProof::default(), origin, &stamp).await
}

/// An attempt that counts, whatever the password is.
async fn fail(world: &World, email: &str, from_: &Origin, later: Duration) -> Option<AccessError> {
    begin_login(world.store(), email, from_, &world.after(later)).await.err()
}

const NOW: Duration = Duration::ZERO;
const ANA: &str = "ana@example.com";

#[tokio::test]
async fn ten_failures_lock_known_and_unknown_addresses_alike() {
    let world = World::new();
    world.user(ANA).await;
    for email in [ANA, "nobody@example.com"] {
        for guess in 0..10 {
            // Each from another place.
            let place = from(&format!("192.0.2.{guess}"));
            assert_eq!(fail(&world, email, &place, NOW).await, None, "{email} {guess}");
        }
        let locked = fail(&world, &email.to_uppercase(), &from("192.0.2.99"), NOW).await;
        assert_eq!(locked, Some(AccessError::PasswordLocked { retry_after: 30 }), "{email}");
        let second = Duration::seconds(30);
        assert_eq!(fail(&world, email, &from("192.0.2.99"), second).await, None, "{email}");
        let locked = fail(&world, email, &from("192.0.2.99"), second).await;
        assert_eq!(locked, Some(AccessError::PasswordLocked { retry_after: 60 }), "{email}");
    }
}

#[tokio::test]
async fn guesses_do_not_lock_users_out_of_their_known_places() {
    let world = World::new();
    world.user(ANA).await;
    let home = from("203.0.113.7");
    log_in(&world, (ANA, PASSWORD), &home, NOW).await.unwrap();
    for _ in 0..10 {
        fail(&world, ANA, &from("192.0.2.1"), NOW).await;
    }
    let away = log_in(&world, (ANA, PASSWORD), &from("192.0.2.1"), NOW).await;
    assert_eq!(away.map(|_| ()), Err(AccessError::PasswordLocked { retry_after: 30 }));
    log_in(&world, (ANA, PASSWORD), &home, NOW).await.unwrap();
    // At home they have a lock of their own.
    for _ in 0..10 {
        assert_eq!(fail(&world, ANA, &home, NOW).await, None);
    }
    assert!(fail(&world, ANA, &home, NOW).await.is_some());
}

#[tokio::test]
async fn where_they_logged_in_rightly_is_known_for_ninety_days_without_a_session() {
    let world = World::new();
    let user = world.user(ANA).await;
    let home = from("203.0.113.7");
    let session = log_in(&world, (ANA, PASSWORD), &home, NOW).await.unwrap();
    let ended = Ending::One(session.record.id.to_string());
    end_sessions_of(world.store(), &user, ended, &world.stamp()).await.unwrap();
    for (days, is_known) in [(0, true), (89, true), (90, false)] {
        let later = Duration::days(days);
        while fail(&world, ANA, &from("192.0.2.1"), later).await.is_none() {}
        // Any address of the network will do.
        let at_home = fail(&world, ANA, &from("203.0.113.99"), later).await;
        assert_eq!(at_home.is_none(), is_known, "{days}: {at_home:?}");
    }
}

#[tokio::test]
async fn guesses_without_a_pause_lock_for_a_quarter_of_an_hour_at_most() {
    let world = World::new();
    world.user(ANA).await;
    let mut second = 0;
    while second < 14 * 60 {
        fail(&world, ANA, &from("192.0.2.1"), Duration::seconds(second)).await;
        second += 7;
    }
    let quarter = Duration::minutes(15);
    let before = fail(&world, ANA, &from("198.51.100.1"), quarter - Duration::seconds(1)).await;
    assert_eq!(before, Some(AccessError::PasswordLocked { retry_after: 1 }));
    fail(&world, ANA, &from("192.0.2.1"), quarter).await;
    log_in(&world, (ANA, PASSWORD), &from("198.51.100.1"), quarter).await.unwrap();
}

#[tokio::test]
async fn a_good_log_in_and_a_new_password_by_mail_forget_failures() {
    let world = World::new();
    world.user(ANA).await;
    let place = from("192.0.2.1");
    for _ in 0..9 {
        fail(&world, ANA, &place, NOW).await;
    }
    log_in(&world, (ANA, PASSWORD), &place, NOW).await.unwrap();
    let elsewhere = from("192.0.2.2");
    for _ in 0..10 {
        assert_eq!(fail(&world, ANA, &elsewhere, NOW).await, None);
    }
    assert!(fail(&world, ANA, &elsewhere, NOW).await.is_some());
    let (store, stamp) = (world.store(), world.stamp());
    let purpose = MailTokenPurpose::PasswordReset;
    let token = mint_mail_token(store, ANA, purpose, &stamp).await.unwrap().unwrap();
    let token = find_mail_token(store, &token, purpose, &stamp).await.unwrap();
    let hash = world.user("other@example.com").await.password;
    reset_password(store, token, hash, false, &elsewhere, &stamp).await.unwrap();
    log_in(&world, (ANA, PASSWORD), &elsewhere, NOW).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_attempts_at_once_ten_are_tried() {
    let world = World::new();
    world.user(ANA).await;
    for email in [ANA, "nobody@example.com"] {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..50 {
            let (store, stamp) = (world.shared(), world.stamp());
            tasks.spawn(async move {
                begin_login(&*store, email, &Origin::default(), &stamp).await.is_ok()
            });
        }
        let tried = tasks.join_all().await.into_iter().filter(|tried| *tried).count();
        assert_eq!(tried, 10, "{email}");
    }
}

#[tokio::test]
async fn failures_of_the_past_are_cleared_away() {
    let world = World::new();
    for n in 0..30 {
        fail(&world, &format!("person{n}@example.com"), &Origin::default(), NOW).await;
    }
    let kept = async || {
        let mut query = racun_store::ListQuery::first_page(&LOGIN_GUARDS);
        query.limit = 100;
        let tenant = racun_kernel::Tenant::directory();
        let page = world.store().page::<LoginGuard>(&LOGIN_GUARDS, &tenant, &query).await.unwrap();
        page.rows.len()
    };
    assert_eq!(kept().await, 30);
    for n in 0..2 {
        let email = format!("late{n}@example.com");
        fail(&world, &email, &Origin::default(), Duration::days(2)).await;
    }
    assert_eq!(kept().await, 2);
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one_and_all_but_one() {
    let world = World::new();
    world.user(ANA).await;
    let user = world.verify(ANA).await;
    let mut tokens = Vec::new();
    for n in 0..4 {
        let origin = from(&format!("192.0.2.{n}"));
        let session = log_in(&world, (ANA, PASSWORD), &origin, Duration::seconds(n)).await;
        tokens.push(session.unwrap());
    }
    let (store, stamp) = (world.store(), world.stamp());
    let listed = list_sessions(store, user.id, &stamp).await.unwrap();
    let places: Vec<_> = listed.iter().map(|one| one.address.clone().unwrap()).collect();
    assert_eq!(places, ["192.0.2.3", "192.0.2.2", "192.0.2.1", "192.0.2.0"]);
    let one = Ending::One(tokens[2].record.id.to_string());
    end_sessions_of(store, &user, one.clone(), &stamp).await.unwrap();
    let again = end_sessions_of(store, &user, one, &stamp).await;
    assert!(matches!(again, Err(AccessError::NotFound { .. })), "{again:?}");
    let other = world.user("other@example.com").await;
    let foreign = Ending::One(tokens[1].record.id.to_string());
    let foreign = end_sessions_of(store, &other, foreign, &stamp).await;
    assert!(matches!(foreign, Err(AccessError::NotFound { .. })), "{foreign:?}");
    let others = Ending::Others(tokens[0].record.id);
    end_sessions_of(store, &user, others, &stamp).await.unwrap();
    for (n, token) in tokens.iter().enumerate() {
        let is_good = authenticate(store, &token.secret, &stamp).await.is_ok();
        assert_eq!(is_good, n == 0, "{n}");
    }
}

#[tokio::test]
async fn an_unused_session_ends_and_a_used_one_lasts_a_year() {
    let world = World::new();
    let user = world.user(ANA).await;
    let token = open_session(world.store(), &user, &world.stamp()).await.unwrap().secret;
    let idle = open_session(world.store(), &user, &world.stamp()).await.unwrap().secret;
    let (store, month) = (world.store(), Duration::days(30));
    let mut now = NOW;
    while now + Duration::days(29) < Duration::seconds(SESSION_SECONDS) {
        now += Duration::days(29);
        let caller = authenticate(store, &token, &world.after(now)).await.unwrap();
        assert!(is_use_news(&caller, world.after(now).now()));
        note_use(store, &caller, &world.after(now)).await.unwrap();
        let caller = authenticate(store, &token, &world.after(now)).await.unwrap();
        assert!(!is_use_news(&caller, world.after(now + Duration::seconds(59)).now()));
    }
    let over = world.after(Duration::seconds(SESSION_SECONDS));
    assert_eq!(authenticate(store, &token, &over).await, Err(AccessError::Unauthorized));
    assert!(authenticate(store, &idle, &world.after(month - Duration::seconds(1))).await.is_ok());
    let gone = authenticate(store, &idle, &world.after(month)).await;
    assert_eq!(gone, Err(AccessError::Unauthorized));
}

#[tokio::test]
async fn a_new_password_takes_the_one_before_and_ends_other_sessions() {
    let world = World::new();
    let ana = world.caller(ANA).await;
    let Caller::User { user, session } = &ana else { panic!("a user") };
    let other = open_session(world.store(), user, &world.stamp()).await.unwrap();
    let key = world.account_key(&ana, Environment::Live).await;
    let (store, stamp) = (world.store(), world.after(Duration::seconds(1)));
    let begin = async || {
        begin_login(store, ANA, &Origin::default(), &stamp).await.unwrap().verify(PASSWORD)
    };
    let hash = hash_password("another horse 2", &[ANA], &stamp).unwrap();
    let (first, late) = (begin().await.unwrap(), begin().await.unwrap());
    change_password(store, first, session.id, hash.clone(), true, &stamp).await.unwrap();
    let refused = change_password(store, late, session.id, hash, true, &stamp).await;
    assert_eq!(refused, Err(AccessError::Unauthorized), "the password is another by now");
    assert_eq!(begin().await.map(|_| ()), Err(AccessError::BadCredentials));
    assert!(authenticate(store, &other.secret, &stamp).await.is_err());
    assert_eq!(list_sessions(store, user.id, &stamp).await.unwrap().len(), 1);
    let account = enter_account(store, &ana, None).await.unwrap();
    assert_eq!(list_account_keys(store, &account).await.unwrap(), [], "{key:?}");
}

#[tokio::test]
async fn a_key_is_used_from_its_addresses_and_its_use_is_noted() {
    let world = World::new();
    let ana = world.caller(ANA).await;
    let account = enter_account(world.store(), &ana, None).await.unwrap();
    let (store, stamp) = (world.store(), world.stamp());
    let key = |allowed: &[&str]| NewKey {
        name: "till".to_owned(),
        allowed_addresses: allowed.iter().map(|text| (*text).to_owned()).collect(),
        ..NewKey::default()
    };
    let make = async |allowed: &[&str]| {
        create_account_key(store, &account, Environment::Live, key(allowed), &stamp).await
    };
    for wrong in [&["10.0.0.0/33"][..], &["10.0.0.1", "a"], &["10.0.0.1"; 51]] {
        assert!(matches!(make(wrong).await, Err(AccessError::Invalid(_))), "{wrong:?}");
    }
    let made = make(&["203.0.113.0/24", "2001:db8::7"]).await.unwrap();
    assert_eq!(made.record.last_used_at, None);
    let caller = world.caller_of(&made.secret).await;
    for (address, allowed) in [
        (Some("203.0.113.200"), true),
        (Some("2001:db8::7"), true),
        (Some("203.0.114.1"), false),
        (Some("2001:db8::8"), false),
        (None, false),
    ] {
        let client = address.map(|text| text.parse().unwrap());
        assert_eq!(caller.check_address(client).is_ok(), allowed, "{address:?}");
    }
    assert_eq!(ana.check_address(None), Ok(()));
    assert!(is_use_news(&caller, stamp.now()));
    note_use(store, &caller, &stamp).await.unwrap();
    let Caller::AccountKey(used) = world.caller_of(&made.secret).await else { panic!("a key") };
    assert_eq!(used.last_used_at, Some(stamp.now()));
    assert!(!is_use_news(&Caller::AccountKey(used), stamp.now()));
}
