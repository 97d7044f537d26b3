//! Signing up, logging in and out.

use racun_access::*;
use racun_kernel::Patch;
use time::Duration;

use crate::world::{PASSWORD, World};

#[tokio::test]
async fn a_user_logs_in_with_their_address_whatever_its_capitals() {
    let world = World::new();
    let user = world.user("Žiga@Example.com").await;
    assert_eq!(world.log_in("žIGA@example.COM", PASSWORD).await.unwrap(), user);
}

#[tokio::test]
async fn an_unknown_address_and_a_wrong_password_are_not_distinguished() {
    let world = World::new();
    world.user("ana@example.com").await;
    for (email, password) in [
        ("ana@example.com", "wrong horse"),
        ("nobody@example.com", PASSWORD),
        ("a\0b", PASSWORD),
        ("", ""),
    ] {
        let refused = world.log_in(email, password).await;
        assert_eq!(refused, Err(AccessError::BadCredentials), "{email:?}");
    }
}

#[tokio::test]
async fn one_address_has_one_user() {
    let world = World::new();
    let ana = world.user("ana@example.com").await;
    let again = SignUp {
        email: "ANA@example.com".to_owned(),
        password: ana.password.clone(),
        name: None,
        company_name: Some("Ana d.o.o.".to_owned()),
        locale: None,
        white_label: None,
        settings: None,
        metadata: None,
    };
    let refused = sign_up(world.store(), again, &world.stamp()).await;
    assert_eq!(refused, Err(AccessError::Conflict(Conflict::EmailTaken)));
}

#[tokio::test]
async fn a_wrong_sign_up_names_all_its_fields() {
    let world = World::new();
    let input = SignUp {
        email: "ana".to_owned(),
        password: world.user("ana@example.com").await.password,
        name: Some(" ".to_owned()),
        company_name: Some("x".repeat(256)),
        locale: None,
        white_label: None,
        settings: Some([("a".to_owned(), "x".repeat(70_000).into())].into_iter().collect()),
        metadata: None,
    };
    let refused = sign_up(world.store(), input, &world.stamp()).await.unwrap_err();
    let AccessError::Invalid(issues) = refused else { panic!("{refused}") };
    let paths: Vec<_> = issues.iter().map(|issue| issue.path[0].clone()).collect();
    assert_eq!(paths, ["email", "name", "company_name", "settings"].map(Into::into));
}

#[tokio::test]
async fn a_session_ends_when_the_user_logs_out() {
    let world = World::new();
    let user = world.user("ana@example.com").await;
    let session = open_session(world.store(), &user, &world.stamp()).await.unwrap();
    let caller = authenticate(world.store(), &session.secret, &world.stamp()).await.unwrap();
    log_out(world.store(), &caller, &world.stamp()).await.unwrap();
    log_out(world.store(), &caller, &world.stamp()).await.unwrap();
    let refused = authenticate(world.store(), &session.secret, &world.stamp()).await;
    assert_eq!(refused, Err(AccessError::Unauthorized));
}

#[tokio::test]
async fn tokens_that_are_not_ours_are_refused_alike() {
    let world = World::new();
    let user = world.user("ana@example.com").await;
    let token = open_session(world.store(), &user, &world.stamp()).await.unwrap().secret;
    let unknown = format!("tok_{}", "A".repeat(43));
    let padded = format!(" {token}");
    for text in
        ["", "tok_", &unknown, &padded, &token[1..], "sk_live_", "ek_sandbox_zz", &"x".repeat(9999)]
    {
        let refused = authenticate(world.store(), text, &world.stamp()).await;
        assert_eq!(refused, Err(AccessError::Unauthorized), "{text}");
    }
}

#[tokio::test]
async fn the_oldest_of_a_hundred_sessions_makes_room() {
    let world = World::new();
    let user = world.user("ana@example.com").await;
    let mut tokens = Vec::new();
    for second in 0..101 {
        let stamp = world.after(Duration::seconds(second));
        tokens.push(open_session(world.store(), &user, &stamp).await.unwrap().secret);
    }
    let first = authenticate(world.store(), &tokens[0], &world.stamp()).await;
    assert_eq!(first, Err(AccessError::Unauthorized));
    for token in &tokens[1..] {
        assert!(authenticate(world.store(), token, &world.stamp()).await.is_ok());
    }
}

#[tokio::test]
async fn a_user_changes_their_name_and_language() {
    let world = World::new();
    let user = world.user("ana@example.com").await;
    let value = |text: &str| Patch::Value(text.to_owned());
    let later = world.after(Duration::hours(1));
    let changed = update_me(world.store(), user.id, value("Ana"), value("sl"), &later).await;
    let changed = changed.unwrap();
    assert_eq!((changed.name.as_deref(), changed.locale.as_deref()), (Some("Ana"), Some("sl")));
    assert_eq!(changed.updated_at, later.now());
    let cleared =
        update_me(world.store(), user.id, Patch::Null, value("sl-SI"), &later).await.unwrap();
    assert_eq!((cleared.name, cleared.locale.as_deref()), (None, Some("sl-SI")));
    for (name, locale) in [(value(""), Patch::Absent), (Patch::Absent, value("xx-XX"))] {
        let refused = update_me(world.store(), user.id, name, locale, &later).await;
        assert!(matches!(refused, Err(AccessError::Invalid(_))), "{refused:?}");
    }
}
