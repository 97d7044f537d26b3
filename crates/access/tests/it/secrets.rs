//! What is secret does not show.

use racun_access::*;
use racun_kernel::{Environment, Role};
use racun_store::{Context, Record};

use crate::world::World;

#[tokio::test]
async fn no_secret_and_no_digest_is_printed_and_no_secret_is_kept() {
    let world = World::new();
    let caller = world.caller("ana@example.com").await;
    let Caller::User { user, .. } = &caller else { panic!("a user") };
    let session = open_session(world.store(), user, &world.stamp()).await.unwrap();
    let entity = world.entity(&caller, "Žar", Environment::Sandbox).await;
    let scope = world.scope(&caller, &entity).await;
    let input = NewKey { name: "till".to_owned(), ttl: Some(60), ..NewKey::default() };
    let key = create_entity_key(Context::new(world.store(), &scope, &world.stamp()), input)
        .await
        .unwrap();
    let invitation = world.invite(&scope, "eva@example.com", Role::Viewer).await;
    let open = find_invitation(world.store(), &invitation.secret, &world.stamp()).await.unwrap();
    let answer = open.clone().answer("correct horse", None, &world.stamp()).unwrap();
    let origin = Origin::default();
    let login = begin_login(world.store(), "ana@example.com", &origin, &world.stamp()).await;
    let login = login.unwrap();
    let key_caller = world.caller_of(&key.secret).await;

    let printed = format!(
        "{caller:?} {session:?} {key:?} {invitation:?} {open:?} {answer:?} {login:?} {key_caller:?}"
    );
    for shown in [&session.secret, &key.secret, &invitation.secret] {
        assert!(!printed.contains(shown.as_str()), "a secret is printed");
        let digest = serde_json::to_string(&Digest::of(shown)).unwrap();
        assert!(!printed.contains(digest.trim_matches('"')), "a digest is printed");
    }
    assert!(!printed.contains("argon2id"), "a password hash is printed");
    assert!(printed.contains("ana@example.com"), "the rest is printed");

    let kept = [
        serde_json::to_string(&session.record).unwrap() + &format!("{:?}", session.record.values()),
        serde_json::to_string(&key.record).unwrap() + &format!("{:?}", key.record.values()),
        serde_json::to_string(&invitation.record).unwrap(),
    ];
    for (kept, secret) in kept.iter().zip([&session.secret, &key.secret, &invitation.secret]) {
        let random = secret.rsplit('_').next().unwrap();
        assert!(!kept.contains(random), "a secret is kept");
    }
}
