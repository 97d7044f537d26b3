//! An OpenID provider, as the simulator plays it: people sign in, and tokens of others do not.

mod recorded;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use racun_access::identity_contract as contract;
use racun_access::{
    Claims, Grant, IdentityError, IdentityProvider, MistrustedClaims, ProviderDescription,
    SignInAttempt, Verified, begin_sign_in,
};
use racun_gateways::{OpenId, OpenIdOptions, Reach};
use racun_identity_simulator::{Fault, Options, Running, Simulator};
use racun_kernel::Stamp;
use racun_store::testing::stamp;
use time::OffsetDateTime;
use time::macros::datetime;

const NOW: OffsetDateTime = datetime!(2026-11-26 12:00 UTC);
/// One source of randomness, so that no two attempts are the same.
static STAMP: LazyLock<Stamp> = LazyLock::new(|| stamp(NOW));
const BACK: &str = "https://app.example/back?x=1";

fn options(secret: Option<&str>) -> Options {
    let client_secret = secret.map(str::to_owned);
    Options { clock: Arc::new(|| NOW.unix_timestamp()), client_secret, ..Options::default() }
}

fn described(issuer: &str) -> ProviderDescription {
    ProviderDescription {
        name: "Office".to_owned(),
        issuer: issuer.to_owned(),
        client_id: "racun".to_owned(),
        redirect_uris: vec![BACK.to_owned()],
        trusted_domains: Vec::new(),
    }
}

fn client_of(
    description: ProviderDescription,
    secret: Option<&str>,
    reach: Reach,
) -> Result<OpenId, String> {
    let client_secret = secret.map(str::to_owned);
    let patience = Duration::from_secs(5);
    OpenId::new(OpenIdOptions { description, client_secret, reach, patience })
}

fn client(issuer: &str, secret: Option<&str>, reach: Reach) -> Result<OpenId, String> {
    client_of(described(issuer), secret, reach)
}

fn start() -> (Running, OpenId) {
    let running = Simulator::start(&options(Some("sandbox"))).unwrap();
    let client = client(&running.url, Some("sandbox"), Reach::ThisMachine).unwrap();
    (running, client)
}

/// What the provider sends `person` back with.
async fn signed_in(
    running: &Running,
    client: &OpenId,
    person: &str,
) -> (SignInAttempt, String, String) {
    let attempt = begin_sign_in(client.description(), None, &STAMP).unwrap();
    let endpoint = client.authorization_endpoint().await.unwrap();
    let url = attempt.authorization_url(&endpoint, client.description());
    let back = running.sign_in(&url, person).unwrap();
    let back = back.strip_prefix("https://app.example/back?x=1&").unwrap();
    let (code, state) = back.split_once("&state=").unwrap();
    let (code, state) = (code.strip_prefix("code=").unwrap().to_owned(), state.to_owned());
    (attempt, code, state)
}

/// What Ana's sign-in is redeemed with.
async fn grant(running: &Running, client: &OpenId) -> Grant {
    let (attempt, code, state) = signed_in(running, client, "ana@example.com").await;
    attempt.grant(code, &state).unwrap()
}

#[tokio::test]
async fn the_simulator_keeps_the_contract() {
    let (running, client) = start();
    let endpoint = format!("{}/authorize", running.url);
    contract::people_sign_in_where_the_provider_says(&client, &endpoint).await;
    let (attempt, code, state) = signed_in(&running, &client, "ana@example.com").await;
    let said = Claims {
        issuer: running.url.clone(),
        subject: "sub-ana@example.com".to_owned(),
        audience: vec!["racun".to_owned()],
        expires_at: Some(NOW.unix_timestamp() + 300),
        issued_at: Some(NOW.unix_timestamp()),
        nonce: Some(attempt.nonce()),
        email: Some("ana@example.com".to_owned()),
        email_verified: true,
        name: Some("ana".to_owned()),
        ..Claims::default()
    };
    let grant = async || self::grant(&running, &client).await;
    let own = attempt.grant(code, &state).unwrap();
    contract::a_code_gives_the_claims_once(&client, own, &said).await;
    contract::a_code_needs_its_verifier(&client, grant().await).await;
    contract::a_code_needs_its_address(&client, grant().await).await;
    contract::an_unknown_code_is_refused(&client, grant().await).await;
    running.add_fault(Fault::ForeignKey);
    contract::a_token_of_another_key_is_mistrusted(&client, grant().await).await;
    let (grant, issuer) = (grant().await, running.url.clone());
    drop(running);
    let late = self::client(&issuer, Some("sandbox"), Reach::ThisMachine).unwrap();
    contract::a_provider_that_is_away_is_silent(&late, grant).await;
}

async fn claims(
    running: &Running,
    client: &OpenId,
    person: &str,
) -> Result<(SignInAttempt, Claims), IdentityError> {
    let (attempt, code, state) = signed_in(running, client, person).await;
    let grant = attempt.grant(code, &state).unwrap();
    Ok((attempt, client.redeem(&grant).await?))
}

async fn verified(
    running: &Running,
    client: &OpenId,
    person: &str,
) -> Result<Verified, MistrustedClaims> {
    let (attempt, claims) = claims(running, client, person).await.unwrap();
    claims.verify(client.description(), &attempt.nonce(), NOW)
}

#[tokio::test]
async fn who_signs_in_is_vouched_for() {
    let (running, client) = start();
    for (person, email) in [
        ("ana@example.com", Some("ana@example.com")),
        ("unverified:ana@example.com", None),
        ("text:ana@example.com", Some("ana@example.com")),
        ("anonymous:17", None),
    ] {
        let verified = verified(&running, &client, person).await.unwrap();
        assert_eq!(verified.email.as_deref(), email, "{person}");
    }
    assert_eq!(running.key_requests(), 1, "keys are kept");
}

#[tokio::test]
async fn a_client_without_a_secret_proves_itself_by_the_verifier() {
    let running = Simulator::start(&options(None)).unwrap();
    let client = client(&running.url, None, Reach::ThisMachine).unwrap();
    verified(&running, &client, "ana@example.com").await.unwrap();
}

#[tokio::test]
async fn tokens_that_are_not_the_providers_are_refused() {
    let (running, client) = start();
    for fault in [Fault::Altered, Fault::Unsigned, Fault::PublicKeyAsSecret] {
        running.add_fault(fault);
        let refused = claims(&running, &client, "ana@example.com").await.map(|_| ());
        assert!(matches!(refused, Err(IdentityError::Mistrusted(_))), "{fault:?}: {refused:?}");
    }
    for (fault, expected) in [
        (Fault::WrongNonce, MistrustedClaims::Nonce),
        (Fault::OtherAudience, MistrustedClaims::Audience),
        (Fault::OtherIssuer, MistrustedClaims::Issuer),
        (Fault::Expired, MistrustedClaims::Time),
    ] {
        running.add_fault(fault);
        let refused = verified(&running, &client, "ana@example.com").await;
        assert_eq!(refused, Err(expected), "{fault:?}");
    }
    verified(&running, &client, "ana@example.com").await.unwrap();
}

#[tokio::test]
async fn a_provider_that_fails_is_said_to_and_works_afterwards() {
    let (running, client) = start();
    for fault in [Fault::ServerError, Fault::Reset, Fault::Html] {
        running.add_fault(fault);
        let silent = claims(&running, &client, "ana@example.com").await.map(|_| ());
        assert!(matches!(silent, Err(IdentityError::Silent(_))), "{fault:?}: {silent:?}");
    }
    verified(&running, &client, "ana@example.com").await.unwrap();
    let wrong = self::client(&running.url, Some("wrong"), Reach::ThisMachine).unwrap();
    let refused = claims(&running, &wrong, "ana@example.com").await.map(|_| ());
    let Err(IdentityError::Silent(reason)) = refused else { panic!("{refused:?}") };
    assert!(reason.contains("invalid_client"), "{reason}");
}

#[tokio::test]
async fn a_new_key_is_fetched_and_not_for_every_token() {
    let (running, client) = start();
    verified(&running, &client, "ana@example.com").await.unwrap();
    running.rotate().unwrap();
    // Within ten seconds no keys are fetched again, so that made-up tokens cost no calls.
    let early = claims(&running, &client, "ana@example.com").await.map(|_| ());
    assert!(matches!(early, Err(IdentityError::Mistrusted(_))), "{early:?}");
    assert_eq!(running.key_requests(), 1);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(10)).await;
    tokio::time::resume();
    verified(&running, &client, "ana@example.com").await.unwrap();
    assert_eq!(running.key_requests(), 2);
}

#[tokio::test]
async fn a_provider_is_the_one_that_is_named_and_in_reach() {
    let (running, client) = start();
    running.add_fault(Fault::OtherDescription);
    let other = client.authorization_endpoint().await;
    assert!(matches!(other, Err(IdentityError::Mistrusted(_))), "{other:?}");
    assert!(self::client("http://id.example", None, Reach::Everywhere).is_err(), "no TLS");
    assert!(self::client("ftp://id.example", None, Reach::Everywhere).is_err());
    for far in ["https://192.0.2.1", "https://id.example"] {
        let fenced = self::client(far, None, Reach::ThisMachine).unwrap();
        let silent = fenced.authorization_endpoint().await;
        assert!(matches!(silent, Err(IdentityError::Silent(_))), "{far}: {silent:?}");
    }
}
