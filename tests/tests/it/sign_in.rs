//! Signing in by an identity provider, and second factors, through a kill, on both stores.

use racun_identity_simulator::{Fault, Options, Running, Simulator};
use racun_tests::{
    Account, Answer, Client, Data, Profile, Racun, StoreKind, mails, on_both_stores, token_in,
};
use serde_json::{Value, json};

on_both_stores! {
    people_sign_in_by_a_provider_and_are_the_same_after_a_kill,
    wrong_codes_of_a_second_factor_are_counted_through_a_kill,
}

const PASSWORD: &str = "correct horse 1";

/// A server whose operator names the simulator.
async fn start(store: StoreKind, simulator: &Running) -> Racun {
    let setting = |name: &str, value: &str| (format!("RACUN__OPENID__{name}"), value.to_owned());
    let settings = vec![
        setting("ISSUER", &simulator.url),
        setting("CLIENT_ID", "racun"),
        setting("CLIENT_SECRET", "sandbox"),
        setting("REDIRECT_URIS", "http://127.0.0.1:1/back"),
        setting("TRUSTED_DOMAINS", "example.com"),
    ];
    Racun::start_with(Profile::Debug, Data::fresh(store), settings).await
}

/// What the server answers when `person` comes back from the provider.
async fn sign_in(client: &Client, simulator: &Running, person: &str) -> Answer {
    let begun = client.post("/users/openid/authorize", &json!({})).await.expect(200);
    let url = begun["authorization_url"].as_str().unwrap_or_default();
    let back = simulator.sign_in(url, person).unwrap_or_else(|error| panic!("{error}"));
    let (_, query) = back.split_once("?code=").unwrap_or_else(|| panic!("no code in {back}"));
    let (code, state) = query.split_once("&state=").unwrap_or_else(|| panic!("no state"));
    let body = json!({"attempt": begun["attempt"], "state": state, "code": code});
    client.post("/users/openid/login", &body).await
}

fn cause(answer: &Answer) -> Value {
    answer.body()["cause"]["code"].clone()
}

async fn people_sign_in_by_a_provider_and_are_the_same_after_a_kill(store: StoreKind) {
    let simulator = Simulator::start(&Options::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut racun = start(store, &simulator).await;
    let made = sign_in(&racun.client(), &simulator, "ana@example.com").await.expect(200);
    assert_eq!(made["user"]["email_verified"], true, "{made}");
    racun.restart().await;
    let client = racun.client();
    let again = sign_in(&client, &simulator, "ana@example.com").await.expect(200);
    assert_eq!(again["user_id"], made["user_id"]);
    let token = again["id"].as_str().unwrap_or_default();
    let linked = client.clone().bearer(token).read("/users/me/identities").await;
    assert_eq!(linked["data"][0]["subject"], "sub-ana@example.com", "{linked}");
    for (fault, status, code) in [
        (Fault::ForeignKey, 401, "identity_mistrusted"),
        (Fault::PublicKeyAsSecret, 401, "identity_mistrusted"),
        (Fault::OtherAudience, 401, "identity_mistrusted"),
        (Fault::Expired, 401, "identity_mistrusted"),
        (Fault::Reset, 503, "identity_provider_unreachable"),
    ] {
        simulator.add_fault(fault);
        let refused = sign_in(&client, &simulator, "ana@example.com").await;
        assert_eq!((refused.status, cause(&refused)), (status, json!(code)), "{fault:?}");
    }
    // Another person of whom the provider says the same address.
    let other = sign_in(&client, &simulator, "other:ana@example.com").await;
    assert_eq!((other.status, cause(&other)), (409, json!("identity_not_linked")));
    let nameless = sign_in(&client, &simulator, "anonymous:17").await;
    assert_eq!((nameless.status, cause(&nameless)), (403, json!("identity_without_address")));
}

async fn wrong_codes_of_a_second_factor_are_counted_through_a_kill(store: StoreKind) {
    let mut racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let mail = mails(&racun, &format!("To: {}", account.email), 1).await.remove(0);
    let token = json!({ "token": token_in(&mail, "verify_") });
    racun.client().post("/users/verify-email", &token).await.expect(200);
    let own = json!({ "current_password": PASSWORD });
    let begun = account.user.post("/users/me/second-factor", &own).await.expect(201);
    assert_eq!(begun["secret"].as_str().map(str::len), Some(32), "{begun}");
    let path = "/users/me/second-factor/confirm";
    let wrong = json!({ "code": "no code" });
    for _ in 0..4 {
        account.user.post(path, &wrong).await.expect(422);
    }
    racun.restart().await;
    let user = account.user.clone().at(&racun.client());
    user.post(path, &wrong).await.expect(422);
    let locked = user.post(path, &wrong).await;
    assert_eq!((locked.status, cause(&locked)), (429, json!("second_factor_locked")));
    let seen = user.read("/users/me/second-factor").await;
    assert_eq!(seen["enabled"], false, "{seen}");
}
