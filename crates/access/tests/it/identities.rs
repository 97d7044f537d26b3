//! Signing in by an identity provider: who is recognized, linked, made, and kept out.

use std::sync::Arc;

use racun_access::*;
use racun_kernel::Vault;
use time::Duration;

use crate::world::{PASSWORD, World};

const ANA: &str = "ana@example.com";

fn provider(trusted: &[&str]) -> ProviderDescription {
    ProviderDescription {
        name: "Office".to_owned(),
        issuer: "https://id.example".to_owned(),
        client_id: "racun".to_owned(),
        redirect_uris: vec!["https://app.example/back".to_owned()],
        trusted_domains: trusted.iter().map(|domain| (*domain).to_owned()).collect(),
    }
}

fn person(subject: &str, email: Option<&str>) -> Verified {
    let (issuer, subject) = ("https://id.example".to_owned(), subject.to_owned());
    Verified { issuer, subject, email: email.map(str::to_owned), name: Some("Ana".to_owned()) }
}

async fn signed_in(
    world: &World,
    provider: &ProviderDescription,
    verified: Verified,
) -> Result<Option<User>, AccessError> {
    let (store, stamp) = (world.store(), world.stamp());
    match recognize(store, provider, verified, &stamp).await? {
        Recognized::New(_) => Ok(None),
        Recognized::Known(login) => {
            let (proof, origin) = (SecondProof::default(), Origin::default());
            finish_sign_in(store, &login, proof, &origin, &stamp).await?;
            Ok(Some(login.user))
        }
    }
}

async fn link(world: &World, email: &str, verified: Verified) -> Result<Identity, AccessError> {
    let (store, stamp) = (world.store(), world.stamp());
    let attempt = begin_login(store, email, &Origin::default(), &stamp).await?;
    link_identity(store, attempt.verify(PASSWORD)?, verified, &stamp).await
}

#[tokio::test]
async fn an_identity_is_issuer_and_subject_and_no_address() {
    let world = World::new();
    let ana = world.user(ANA).await;
    let other = world.user("bor@example.com").await;
    let provider = provider(&[]);
    let identity = link(&world, ANA, person("17", Some(ANA))).await.unwrap();
    assert_eq!(identity.user_id, ana.id);
    // Whatever address the provider says.
    for email in [Some(ANA), Some("bor@example.com"), None] {
        let user = signed_in(&world, &provider, person("17", email)).await.unwrap();
        assert_eq!(user.map(|user| user.id), Some(ana.id), "{email:?}");
    }
    // Another person of whom the provider says Ana's address.
    let refused = signed_in(&world, &provider, person("18", Some(ANA))).await;
    assert_eq!(refused, Err(Conflict::IdentityNotLinked.into()));
    // The same subject of another issuer.
    let elsewhere = Verified {
        issuer: "https://other.example".to_owned(),
        ..person("17", Some("cveta@example.com"))
    };
    assert_eq!(signed_in(&world, &provider, elsewhere).await, Ok(None));
    let taken = link(&world, "bor@example.com", person("17", None)).await;
    assert_eq!(taken.err(), Some(Conflict::IdentityTaken.into()));
    let none: Vec<Identity> = list_identities(world.store(), &other).await.unwrap();
    assert!(none.is_empty());
}

#[tokio::test]
async fn an_address_links_only_where_both_proved_it() {
    let world = World::new();
    world.user(ANA).await;
    let (trusted, untrusted) = (provider(&["example.com"]), provider(&["example.org"]));
    let verified = || person("17", Some("ANA@example.com"));
    // Another person may have signed up with the address.
    let refused = signed_in(&world, &trusted, verified()).await;
    assert_eq!(refused, Err(Conflict::IdentityNotLinked.into()));
    let ana = world.verify(ANA).await;
    let refused = signed_in(&world, &untrusted, verified()).await;
    assert_eq!(refused, Err(Conflict::IdentityNotLinked.into()));
    let user = signed_in(&world, &trusted, verified()).await.unwrap();
    assert_eq!(user.map(|user| user.id), Some(ana.id));
    // The address was given to another person at the provider.
    let refused = signed_in(&world, &trusted, person("18", Some(ANA))).await;
    assert_eq!(refused, Err(Conflict::IdentityNotLinked.into()));
    let nameless = signed_in(&world, &trusted, person("19", None)).await;
    assert_eq!(nameless, Err(Forbidden::IdentityWithoutAddress.into()));
}

#[tokio::test]
async fn a_new_person_gets_a_user_whose_address_is_proved_by_its_domain_alone() {
    let world = World::new();
    for (domain, is_proved) in [("example.com", true), ("example.org", false)] {
        let email = format!("new@{domain}");
        let provider = provider(&["example.com"]);
        let (new, stamp) = (person(domain, Some(&email)), world.stamp());
        let found = recognize(world.store(), &provider, new, &stamp).await.unwrap();
        let Recognized::New(verified) = found else { panic!("known") };
        let made = sign_up_writes_by(&provider, verified, None, &world.stamp()).unwrap();
        let (login, puts, told) = made;
        world.store().insert(puts, told).await.unwrap();
        assert_eq!(login.user.email_verified, is_proved, "{domain}");
        let again = signed_in(&world, &provider, person(domain, Some(&email))).await.unwrap();
        assert_eq!(again.map(|user| user.id), Some(login.user.id));
        // There is no password to log in by.
        for guess in ["", PASSWORD] {
            let refused = world.log_in(&email, guess).await;
            assert_eq!(refused.err(), Some(AccessError::BadCredentials));
        }
    }
}

#[tokio::test]
async fn an_unlinked_identity_signs_no_user_in() {
    let world = World::new();
    let ana = world.user(ANA).await;
    let bor = world.user("bor@example.com").await;
    let identity = link(&world, ANA, person("17", None)).await.unwrap();
    let (store, stamp, id) = (world.store(), world.stamp(), identity.id.to_string());
    let found = recognize(store, &provider(&[]), person("17", None), &stamp).await.unwrap();
    let Recognized::Known(login) = found else { panic!("new") };
    let foreign = unlink_identity(store, &bor, &id, &stamp).await;
    assert_eq!(foreign, Err(AccessError::NotFound { id: id.clone() }));
    unlink_identity(store, &ana, &id, &stamp).await.unwrap();
    let (proof, origin) = (SecondProof::default(), Origin::default());
    let late = finish_sign_in(store, &login, proof, &origin, &stamp).await;
    assert_eq!(late.err(), Some(AccessError::BadCredentials));
    let gone = signed_in(&world, &provider(&[]), person("17", None)).await;
    assert_eq!(gone, Err(Forbidden::IdentityWithoutAddress.into()));
}

#[tokio::test]
async fn the_reader_of_the_mail_takes_over_what_a_strangers_identity_made() {
    let world = World::new();
    let (store, stamp, provider) = (world.store(), world.stamp(), provider(&[]));
    let stranger = person("17", Some(ANA));
    let (made, puts, told) = sign_up_writes_by(&provider, stranger, None, &stamp).unwrap();
    store.insert(puts, told).await.unwrap();
    let purpose = MailTokenPurpose::PasswordReset;
    let token = mint_mail_token(store, ANA, purpose, &stamp).await.unwrap().unwrap();
    let token = find_mail_token(store, &token, purpose, &stamp).await.unwrap();
    let password = hash_password("a real horse 2", &[ANA], &stamp).unwrap();
    let origin = Origin::default();
    reset_password(store, token, password, false, &origin, &stamp).await.unwrap();
    assert_eq!(list_identities(store, &made.user).await.unwrap(), []);
    let refused = signed_in(&world, &provider, person("17", Some(ANA))).await;
    assert_eq!(refused, Err(Conflict::IdentityNotLinked.into()));
}

#[tokio::test]
async fn there_are_ten_identities_at_most() {
    let world = World::new();
    world.user(ANA).await;
    for n in 0..10 {
        link(&world, ANA, person(&n.to_string(), None)).await.unwrap();
    }
    let refused = link(&world, ANA, person("10", None)).await;
    assert_eq!(refused.err(), Some(Refused::TooManyIdentities.into()));
}

#[tokio::test]
async fn a_second_factor_is_asked_for_here_too_and_goes_on_for_five_minutes() {
    let world = World::new();
    let caller = world.caller(ANA).await;
    let Caller::User { user, session } = &caller else { panic!("a user") };
    link(&world, ANA, person("17", None)).await.unwrap();
    let vault: Arc<dyn Vault> = Arc::new(MasterVault::derive(&[3; 32]));
    let (store, stamp) = (world.store(), world.stamp());
    let attempt = begin_login(store, ANA, &Origin::default(), &stamp).await.unwrap();
    let right = attempt.verify(PASSWORD).unwrap();
    let shown = begin_second_factor(store, right, &*vault, "R", &stamp).await.unwrap();
    let code = crate::second_factors::code(&shown.secret, Duration::ZERO);
    let vaulted = Some(Arc::clone(&vault));
    let codes = confirm_second_factor(store, user, session.id, vaulted, code, &stamp).await;
    let NewCodes(codes) = codes.unwrap();
    let found = recognize(store, &provider(&[]), person("17", None), &stamp).await.unwrap();
    let Recognized::Known(login) = found else { panic!("new") };
    let proof = |code: Option<&String>| SecondProof::new(Some(Arc::clone(&vault)), code.cloned());
    let origin = Origin::default();
    let refused = finish_sign_in(store, &login, proof(None), &origin, &stamp).await.err();
    let Some(AccessError::SecondFactorRequired { continuation: Some(text) }) = refused else {
        panic!("{refused:?}")
    };
    assert!(!text.contains("usr_"), "{text}");
    let goes_on = |text: String, later: Duration| {
        let (vault, stamp) = (Arc::clone(&vault), world.after(later));
        async move { continue_sign_in(store, &text, Some(&*vault), &stamp).await }
    };
    for (text, later) in [
        (text.clone(), Duration::minutes(5)),
        (format!("{text}A"), Duration::ZERO),
        (String::new(), Duration::ZERO),
    ] {
        assert!(matches!(goes_on(text, later).await, Err(AccessError::Invalid(_))));
    }
    let login = goes_on(text, Duration::seconds(299)).await.unwrap();
    let wrong = "000000".to_owned();
    let refused = finish_sign_in(store, &login, proof(Some(&wrong)), &origin, &stamp).await;
    assert_eq!(refused.err(), Some(AccessError::WrongCode));
    finish_sign_in(store, &login, proof(Some(&codes[0])), &origin, &stamp).await.unwrap();
    let replayed = finish_sign_in(store, &login, proof(Some(&codes[0])), &origin, &stamp).await;
    assert_eq!(replayed.err(), Some(AccessError::WrongCode));
}
