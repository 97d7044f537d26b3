//! Second factors and sign-ins by an identity provider, as clients see them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use racun_access::{Claims, Grant, Identity, IdentityError, IdentityProvider, ProviderDescription};
use racun_application::Services;
use racun_http_api::{Guards, Http, SignUpMode};
use racun_store::Put;
use ring::digest::{SHA256, digest};
use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};
use serde_json::{Value, json};

use crate::harness::{Api, PASSWORD, Who, text};

const ANA: &str = "ana@example.com";
const START: i64 = 1_795_161_600;

/// What an app with this secret shows `later` seconds than the start.
fn code(secret: &str, later: i64) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let (mut key, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for byte in secret.bytes() {
        let value = alphabet.iter().position(|one| *one == byte).unwrap();
        bits = (bits << 5 | u32::try_from(value).unwrap()) & 0xfff;
        held += 5;
        if held >= 8 {
            held -= 8;
            key.push(u8::try_from(bits >> held & 0xff).unwrap());
        }
    }
    let step = (START + later) / 30;
    let mac = sign(&Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, &key), &step.to_be_bytes());
    let start = usize::from(mac.as_ref()[19] & 15);
    let word: [u8; 4] = mac.as_ref()[start..start + 4].try_into().unwrap();
    format!("{:06}", (u32::from_be_bytes(word) & 0x7fff_ffff) % 1_000_000)
}

/// Ana with a second factor: her session, the app's secret and a recovery code.
async fn enrolled(api: &Api) -> (Who, String, String) {
    let ana = api.user(ANA).await;
    api.verify(ANA).await;
    let own = json!({"current_password": PASSWORD});
    let begun = api.post("/users/me/second-factor", &ana, own).await.with(201).json();
    let secret = text(&begun["secret"]);
    assert!(text(&begun["otpauth_uri"]).contains(&secret), "{begun}");
    let first = json!({"code": code(&secret, 0)});
    let path = "/users/me/second-factor/confirm";
    let codes = api.post(path, &ana, first).await.with(200).json();
    assert_eq!(codes["recovery_codes"].as_array().unwrap().len(), 10);
    (ana, secret, text(&codes["recovery_codes"][0]))
}

fn log_in(code: Option<&str>) -> Value {
    let mut body = json!({"email": ANA, "password": PASSWORD});
    if let Some(code) = code {
        body["second_factor_code"] = code.into();
    }
    body
}

#[actix_web::test]
async fn a_second_factor_is_asked_for_at_log_in() {
    let api = Api::new().await;
    let (ana, secret, recovery) = enrolled(&api).await;
    let seen = api.get("/users/me/second-factor", &ana).await.with(200).json();
    assert_eq!((&seen["enabled"], &seen["recovery_codes_left"]), (&json!(true), &json!(10)));
    let anonymous = Who::anonymous();
    let ask = async |code: Option<&str>| api.post("/users/login", &anonymous, log_in(code)).await;
    let required = ask(None).await.with(401).json();
    assert_eq!(required["cause"], json!({"code": "second_factor_required"}));
    let used = ask(Some(&code(&secret, 0))).await.with(401).json();
    assert_eq!(used["cause"]["code"], "second_factor_wrong");
    api.pass(30);
    ask(Some(&code(&secret, 30))).await.with(200);
    ask(Some(&recovery)).await.with(200);
    ask(Some(&recovery)).await.with(401);
    // A wrong password does not tell that there is a second factor.
    let wrong = json!({"email": ANA, "password": "wrong horse 1", "second_factor_code": "1"});
    let refused = api.post("/users/login", &anonymous, wrong).await.with(401).json();
    assert_eq!(refused["cause"]["code"], json!(null));
    for _ in 0..5 {
        ask(Some("000000")).await.with(401);
    }
    let locked = ask(Some(&code(&secret, 60))).await.with(429);
    assert_eq!(locked.json()["cause"]["code"], "second_factor_locked");
    assert_eq!(locked.header("retry-after"), "30");
}

#[actix_web::test]
async fn a_second_factor_is_removed_by_password_and_code() {
    let api = Api::new().await;
    let (ana, secret, recovery) = enrolled(&api).await;
    let path = "/users/me/second-factor/remove";
    let remove = async |password: &str, code: &str| {
        let body = json!({"current_password": password, "code": code});
        api.post(path, &ana, body).await
    };
    let wrong = remove("wrong horse 1", &recovery).await.with(422);
    assert_eq!(wrong.issue(), ("[\"current_password\"]".to_owned(), "wrong_password".to_owned()));
    let wrong = remove(PASSWORD, "000000").await.with(422);
    assert_eq!(wrong.issue(), ("[\"code\"]".to_owned(), "wrong_code".to_owned()));
    api.pass(30);
    let own = json!({"current_password": PASSWORD, "code": code(&secret, 30)});
    let path = "/users/me/second-factor/recovery-codes";
    let renewed = api.post(path, &ana, own).await.with(200).json();
    remove(PASSWORD, &recovery).await.with(422);
    remove(PASSWORD, renewed["recovery_codes"][1].as_str().unwrap()).await.with(204);
    api.post("/users/login", &Who::anonymous(), log_in(None)).await.with(200);
    let gone = remove(PASSWORD, "000000").await.with(422).json();
    assert_eq!(gone["cause"]["code"], "no_second_factor");
}

#[actix_web::test]
async fn a_server_without_a_master_key_keeps_no_second_factors() {
    let api = Api::with(|services| Services { vault: None, ..services }).await;
    let ana = api.user(ANA).await;
    api.verify(ANA).await;
    let own = json!({"current_password": PASSWORD});
    let refused = api.post("/users/me/second-factor", &ana, own).await.with(503).json();
    assert_eq!(refused["cause"]["code"], "master_key_missing");
}

/// A provider that knows people by the codes that a test gives out.
#[derive(Default)]
struct Office {
    description: Option<ProviderDescription>,
    codes: Mutex<HashMap<String, (String, Claims)>>,
}

impl Office {
    fn new(trusted: &[&str]) -> Arc<Self> {
        let description = ProviderDescription {
            name: "Office".to_owned(),
            issuer: "https://id.example".to_owned(),
            client_id: "racun".to_owned(),
            redirect_uris: vec!["https://app.example/back".to_owned()],
            trusted_domains: trusted.iter().map(|domain| (*domain).to_owned()).collect(),
        };
        Arc::new(Self { description: Some(description), ..Self::default() })
    }

    /// Gives a code out to the person `subject`, who signs in at `url`: the code and the state.
    fn sign_in(&self, url: &str, subject: &str, email: &str, now: i64) -> (String, String) {
        let said = |name: &str| {
            let (_, rest) = url.split_once(&format!("{name}=")).unwrap();
            rest.split('&').next().unwrap().to_owned()
        };
        let claims = Claims {
            issuer: "https://id.example".to_owned(),
            subject: subject.to_owned(),
            audience: vec!["racun".to_owned()],
            expires_at: Some(now + 300),
            issued_at: Some(now),
            nonce: Some(said("nonce")),
            email: Some(email.to_owned()),
            email_verified: true,
            ..Claims::default()
        };
        let mut codes = self.codes.lock().unwrap();
        let code = format!("code-{}-{subject}", codes.len());
        codes.insert(code.clone(), (said("code_challenge"), claims));
        (code, said("state"))
    }
}

#[async_trait]
impl IdentityProvider for Office {
    fn description(&self) -> &ProviderDescription {
        self.description.as_ref().unwrap()
    }

    async fn authorization_endpoint(&self) -> Result<String, IdentityError> {
        Ok("https://id.example/authorize".to_owned())
    }

    async fn redeem(&self, grant: &Grant) -> Result<Claims, IdentityError> {
        let found = self.codes.lock().unwrap().remove(&grant.code);
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, grant.verifier.as_bytes()));
        match found {
            Some((expected, claims)) if expected == challenge => Ok(claims),
            _ => Err(IdentityError::Refused("no such code".to_owned())),
        }
    }
}

async fn at(office: &Arc<Office>, sign_up: SignUpMode) -> Api {
    let provider: Arc<dyn IdentityProvider> = Arc::<Office>::clone(office);
    let with = |services| Services { identity_provider: Some(provider), ..services };
    let guards = Guards { sign_up, ..Guards::default() };
    Api::with_http(with, |http| Http { guards, ..http }).await
}

/// What a client sends when `subject` came back to it.
async fn back(api: &Api, office: &Office, (subject, email): (&str, &str)) -> Value {
    let begun = api.post("/users/openid/authorize", &Who::anonymous(), json!({})).await;
    let begun = begun.with(200).json();
    let url = text(&begun["authorization_url"]);
    assert!(url.starts_with("https://id.example/authorize?response_type=code"), "{url}");
    let now = api.services.stamp().now().unix_timestamp();
    let (code, state) = office.sign_in(&url, subject, email, now);
    assert_eq!(begun["state"], state.as_str());
    json!({"attempt": begun["attempt"], "state": state, "code": code})
}

/// An identity of the user `id`, made without a provider.
pub async fn identity(api: &Api, id: &str) -> String {
    let stamp = api.services.stamp();
    let identity = Identity {
        id: stamp.id(),
        user_id: id.parse().unwrap(),
        issuer: "https://id.example".to_owned(),
        subject: id.to_owned(),
        email: None,
        created_at: stamp.now(),
        last_used_at: None,
    };
    api.services.store.insert(vec![Put::insert(&identity)], Vec::new()).await.unwrap();
    identity.id.to_string()
}

#[actix_web::test]
async fn a_new_person_signs_in_and_comes_back() {
    let office = Office::new(&["example.com"]);
    let api = at(&office, SignUpMode::Open).await;
    let anonymous = Who::anonymous();
    let described = api.get("/users/openid", &anonymous).await.with(200).json();
    assert_eq!((&described["enabled"], &described["name"]), (&json!(true), &json!("Office")));
    let mut users = Vec::new();
    for _ in 0..2 {
        let body = back(&api, &office, ("17", ANA)).await;
        let login = api.post("/users/openid/login", &anonymous, body.clone()).await;
        let login = login.with(200).json();
        assert_eq!(login["user"]["email_verified"], true);
        users.push(text(&login["user_id"]));
        let who = Who { token: Some(text(&login["id"])), entity: None };
        let linked = api.get("/users/me/identities", &who).await.with(200).json();
        assert_eq!(linked["data"][0]["subject"], "17");
        let replayed = api.post("/users/openid/login", &anonymous, body).await.with(401).json();
        assert_eq!(replayed["cause"]["code"], "identity_refused");
    }
    assert_eq!(users[0], users[1]);
}

#[actix_web::test]
async fn answers_of_other_attempts_are_refused() {
    let office = Office::new(&[]);
    let api = at(&office, SignUpMode::Open).await;
    let one = back(&api, &office, ("17", ANA)).await;
    let other = back(&api, &office, ("18", "bor@example.com")).await;
    let login = async |body: Value| api.post("/users/openid/login", &Who::anonymous(), body).await;
    let mixed = json!({"attempt": one["attempt"], "state": other["state"], "code": one["code"]});
    let refused = login(mixed).await.with(422);
    assert_eq!(refused.issue(), ("[\"state\"]".to_owned(), "invalid_state".to_owned()));
    // The code of another attempt, with a right state: its verifier is not known.
    let mixed = json!({"attempt": one["attempt"], "state": one["state"], "code": other["code"]});
    login(mixed).await.with(401);
    let odd = json!({"attempt": "signin_x", "state": one["state"], "code": one["code"]});
    assert_eq!(login(odd).await.with(422).issue().0, "[\"attempt\"]");
    let elsewhere = json!({"redirect_uri": "https://evil.example/"});
    let path = "/users/openid/authorize";
    let refused = api.post(path, &Who::anonymous(), elsewhere).await.with(422);
    assert_eq!(refused.issue().0, "[\"redirect_uri\"]");
}

#[actix_web::test]
async fn an_identity_is_linked_by_who_is_logged_in() {
    let office = Office::new(&[]);
    let api = at(&office, SignUpMode::Open).await;
    let ana = api.user(ANA).await;
    api.verify(ANA).await;
    let anonymous = Who::anonymous();
    let body = back(&api, &office, ("17", ANA)).await;
    let refused = api.post("/users/openid/login", &anonymous, body).await.with(409).json();
    assert_eq!(refused["cause"]["code"], "identity_not_linked");
    let mut body = back(&api, &office, ("17", "other@example.org")).await;
    body["current_password"] = "wrong horse 1".into();
    let wrong = api.post("/users/me/identities", &ana, body).await.with(422);
    assert_eq!(wrong.issue().0, "[\"current_password\"]");
    let mut body = back(&api, &office, ("17", "other@example.org")).await;
    body["current_password"] = PASSWORD.into();
    let linked = api.post("/users/me/identities", &ana, body).await.with(201).json();
    let body = back(&api, &office, ("17", "other@example.org")).await;
    let login = api.post("/users/openid/login", &anonymous, body).await.with(200).json();
    assert_eq!(login["user"]["email"], ANA);
    let path = format!("/users/me/identities/{}", text(&linked["id"]));
    api.delete(&path, &ana).await.with(204);
    api.delete(&path, &ana).await.with(404);
}

#[actix_web::test]
async fn new_people_sign_in_where_they_may_sign_up() {
    for (mode, statuses) in [(SignUpMode::Closed, [403, 403]), (SignUpMode::Invited, [200, 403])] {
        let office = Office::new(&[]);
        let api = at(&office, mode).await;
        for (subject, status) in ["1", "2"].into_iter().zip(statuses) {
            let body = back(&api, &office, (subject, &format!("{subject}@example.org"))).await;
            let answer = api.post("/users/openid/login", &Who::anonymous(), body).await;
            assert_eq!(answer.status, status, "{mode:?} {subject}: {}", answer.text);
        }
    }
}

#[actix_web::test]
async fn a_second_factor_goes_on_with_a_sign_in() {
    let office = Office::new(&[]);
    let api = at(&office, SignUpMode::Open).await;
    let (ana, secret, _) = enrolled(&api).await;
    identity(&api, &api.id(&ana).await).await;
    let subject = api.id(&ana).await;
    let body = back(&api, &office, (&subject, ANA)).await;
    let anonymous = Who::anonymous();
    let required = api.post("/users/openid/login", &anonymous, body).await.with(401).json();
    assert_eq!(required["cause"]["code"], "second_factor_required");
    let continuation = text(&required["cause"]["continuation"]);
    api.pass(30);
    let go_on = async |code: &str| {
        let body = json!({"continuation": continuation, "second_factor_code": code});
        api.post("/users/openid/second-factor", &anonymous, body).await
    };
    go_on("000000").await.with(401);
    let shown = code(&secret, 30);
    go_on(&shown).await.with(200);
    go_on(&shown).await.with(401);
    api.pass(300);
    assert_eq!(go_on(&code(&secret, 330)).await.with(422).issue().0, "[\"continuation\"]");
    // The code may come along at once.
    let mut body = back(&api, &office, (&subject, ANA)).await;
    body["second_factor_code"] = code(&secret, 330).into();
    api.post("/users/openid/login", &anonymous, body).await.with(200);
}

#[actix_web::test]
async fn a_server_without_a_provider_says_so() {
    let api = Api::new().await;
    let described = api.get("/users/openid", &Who::anonymous()).await.with(200).json();
    assert_eq!(described["enabled"], false);
    let refused = api.post("/users/openid/authorize", &Who::anonymous(), json!({})).await;
    assert_eq!(refused.with(422).json()["cause"]["code"], "no_identity_provider");
}
