//! Recorded exchanges: the examples of OpenID Connect.

use racun_access::identity_contract as contract;
use racun_access::{Claims, Grant, ProviderDescription};
use racun_gateways::{OpenId, Reach};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{client_of, described};
use crate::cassette::{Cassette, Recording};
use crate::stand_in::StandIn;

const EXCHANGES: &str = include_str!("../../data/openid/exchanges.json");
/// A key that is not the provider's.
const ANOTHER_KEY: &str = include_str!("../../data/rfc7515_a2.jwk.json");
const ISSUER: &str = "https://server.example.com";
const NONCE: &str = "n-0S6_WzA2Mj";
/// A time at which the example's token holds.
const THEN: i64 = 1_311_281_000;

fn recording() -> Recording {
    Recording { origin: Some(ISSUER), ..Recording::new(EXCHANGES, fields) }
}

/// The header fields of a recorded request.
fn fields(request: &Value) -> Vec<(&'static str, String)> {
    let mut fields = vec![("accept", "application/json".to_owned())];
    if request["method"] == "POST" {
        fields.push(("content-type", "application/x-www-form-urlencoded".to_owned()));
        // s6BhdRkqt3:gX1fBat3bV
        fields.push(("authorization", "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW".to_owned()));
    }
    fields
}

fn description(issuer: &str) -> ProviderDescription {
    ProviderDescription { client_id: "s6BhdRkqt3".to_owned(), ..described(issuer) }
}

fn client(issuer: &str) -> OpenId {
    client_of(description(issuer), Some("gX1fBat3bV"), Reach::ThisMachine).unwrap()
}

fn grant() -> Grant {
    Grant {
        code: "SplxlOBeZQQYbYS6WxSbIA".to_owned(),
        verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned(),
        redirect_uri: "https://client.example.org/cb".to_owned(),
    }
}

fn said() -> Claims {
    Claims {
        issuer: ISSUER.to_owned(),
        subject: "248289761001".to_owned(),
        audience: vec!["s6BhdRkqt3".to_owned()],
        expires_at: Some(1_311_281_970),
        issued_at: Some(1_311_280_970),
        nonce: Some(NONCE.to_owned()),
        email: Some("janedoe@example.com".to_owned()),
        name: Some("Jane Doe".to_owned()),
        ..Claims::default()
    }
}

#[tokio::test]
async fn the_contract_is_kept_over_recorded_exchanges() {
    let cassette = Cassette::new(recording()).await;
    let client = client(&cassette.url());
    let endpoint = format!("{}/connect/authorize", cassette.url());
    contract::people_sign_in_where_the_provider_says(&client, &endpoint).await;
    contract::a_code_gives_the_claims_once(&client, grant(), &said()).await;
    contract::a_code_needs_its_verifier(&client, grant()).await;
    contract::a_code_needs_its_address(&client, grant()).await;
    contract::an_unknown_code_is_refused(&client, grant()).await;
    cassette.assert_all_used();
}

#[tokio::test]
async fn a_token_of_another_key_is_mistrusted() {
    let mut recording = recording();
    let mut all = recording.exchanges.as_array_mut().unwrap().iter_mut();
    let keys = all.find(|exchange| exchange["what"] == "the keys").unwrap();
    // The key has the name of the right one.
    let mut another: Value = serde_json::from_str(ANOTHER_KEY).unwrap();
    another["kid"] = json!("1e9gdk7");
    keys["answer"]["body"] = json!({ "keys": [another] });
    let cassette = Cassette::new(recording).await;
    let client = client(&cassette.url());
    contract::a_token_of_another_key_is_mistrusted(&client, grant()).await;
}

#[tokio::test]
async fn a_provider_that_is_away_is_silent() {
    let stand_in = StandIn::new(|_| None).await;
    let client = client(&format!("http://{}", stand_in.address));
    contract::a_provider_that_is_away_is_silent(&client, grant()).await;
}

#[test]
fn the_claims_of_the_example_name_a_person_to_whom_they_are_for() {
    let then = OffsetDateTime::from_unix_timestamp(THEN).unwrap();
    let jane = said().verify(&description(ISSUER), NONCE, then).unwrap();
    assert_eq!((jane.subject.as_str(), jane.name.as_deref()), ("248289761001", Some("Jane Doe")));
    assert_eq!(jane.email, None, "the provider does not say that it is verified");
}
