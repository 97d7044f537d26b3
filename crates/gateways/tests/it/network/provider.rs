//! Exchanges with a provider, made by hand after its public documentation.

use std::time::Duration;

use racun_einvoicing::network::{
    Capability, Dispatch, EInvoicingNetwork, NetworkDocument, NetworkError, Participant, Progress,
    Receipt, Sender, Standing, Unauthorized, vat_scheme,
};
use racun_gateways::{Network, Provider, ProviderOptions, Reach};
use racun_kernel::{Environment, vat_number};
use racun_store::testing;
use serde_json::{Value, json};
use time::macros::datetime;

use crate::stand_in::{Asked, StandIn};

const LIVE: Environment = Environment::Live;

fn network(stand_in: &StandIn) -> Network {
    let options = ProviderOptions {
        reach: Reach::ThisMachine,
        patience: Duration::from_secs(5),
        notice_secret: Some("notices".to_owned()),
        ..ProviderOptions::new(&format!("http://{}/api/v2/", stand_in.address), "secret-key")
    };
    Network { live: Some(Provider::new(&options).unwrap()), ..Network::default() }
}

fn party(id: &str) -> Participant {
    Participant::read(None, id).unwrap()
}

fn dispatch() -> Dispatch {
    Dispatch {
        key: "9b2e7c41-0d3a-4f6e-8c15-7a9d2b4e6f80".to_owned(),
        account: "42".to_owned(),
        recipient: party("0208:0471497796"),
        document: NetworkDocument::Invoice,
        xml: "<Invoice/>".to_owned(),
    }
}

fn sender() -> Sender {
    let stamp = testing::stamp(datetime!(2026-11-26 10:00 UTC));
    Sender {
        entity_id: stamp.id(),
        participant: party("9949:SI10039856"),
        name: "Ana s.p.".to_owned(),
        address: "Cesta 1".to_owned(),
        address_2: None,
        post_code: "1000".to_owned(),
        city: "Ljubljana".to_owned(),
        country_code: "SI".to_owned(),
    }
}

fn body(asked: &Asked) -> Value {
    serde_json::from_str(&asked.body).unwrap()
}

#[tokio::test]
async fn a_document_is_handed_over_under_its_key() {
    let guid = "3f1c2a8e-5b7d-4c1e-9a0f-2d6b8e4c7a11";
    let stand_in = StandIn::new(move |_| Some((200, json!({ "guid": guid }).to_string()))).await;
    let receipt = network(&stand_in).send(LIVE, &dispatch()).await;
    assert_eq!(receipt, Ok(Receipt::Taken(guid.to_owned())));
    let asked = stand_in.asked();
    assert_eq!(asked.len(), 1, "nothing is sent twice by itself");
    assert_eq!(asked[0].line, "POST /api/v2/document_submissions HTTP/1.1");
    assert!(asked[0].head.contains("authorization: Bearer secret-key"), "{}", asked[0].head);
    let expected = json!({
        "legalEntityId": 42,
        "idempotencyGuid": "9b2e7c41-0d3a-4f6e-8c15-7a9d2b4e6f80",
        "routing": { "eIdentifiers": [{ "scheme": "BE:EN", "id": "0471497796" }] },
        "document": {
            "documentType": "invoice",
            "rawDocumentData": {
                "document": "PEludm9pY2UvPg==", "parse": false,
                "documentTypeId": "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice\
                    ##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0\
                    ::2.1",
                "processId": "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
            },
        },
    });
    assert_eq!(body(&asked[0]), expected);
}

#[tokio::test]
async fn a_repetition_is_distinguished_from_a_refusal_and_from_silence() {
    for (status, answer, expected) in [
        (
            422,
            json!([{ "source": "idempotencyGuid", "details": "has already been taken" }]),
            Some(Receipt::TakenBefore),
        ),
        (
            422,
            json!([{ "source": "routing", "details": "no receiver" }]),
            Some(Receipt::Refused {
                code: "routing".to_owned(),
                message: "routing: no receiver".to_owned(),
            }),
        ),
        (500, json!({}), None),
        (401, json!({}), None),
        (404, json!({}), None),
        (405, json!({}), None),
        (415, json!({}), None),
        (429, json!({}), None),
        (302, json!({}), None),
        (200, json!({}), None),
    ] {
        let text = answer.to_string();
        let stand_in = StandIn::new(move |_| Some((status, text.clone()))).await;
        let receipt = network(&stand_in).send(LIVE, &dispatch()).await;
        match expected {
            Some(expected) => assert_eq!(receipt, Ok(expected), "{status}"),
            None => assert!(matches!(receipt, Err(NetworkError::NoAnswer(_))), "{receipt:?}"),
        }
    }
    let stand_in = StandIn::new(|_| None).await;
    let lost = network(&stand_in).send(LIVE, &dispatch()).await;
    assert!(matches!(lost, Err(NetworkError::NoAnswer(_))), "{lost:?}");
}

#[tokio::test]
async fn a_company_gets_an_account_with_its_identifier() {
    let stand_in = StandIn::new(|asked| {
        Some(match asked.line.split(' ').nth(1).unwrap() {
            "/api/v2/legal_entities" => (200, json!({ "id": 7 }).to_string()),
            "/api/v2/legal_entities/7/peppol_identifiers" => (200, "{}".to_owned()),
            "/api/v2/legal_entities/7" => {
                (200, json!({ "id": 7, "peppol_identifiers": [{}] }).to_string())
            }
            _ => (404, String::new()),
        })
    })
    .await;
    let (network, sender) = (network(&stand_in), sender());
    let account = network.open_account(LIVE, &sender).await.unwrap();
    assert_eq!((account.as_str(), stand_in.asked().len()), ("7", 1));
    let standing = network.announce(LIVE, &account, &sender.participant).await;
    assert_eq!(standing, Ok(Standing::Verified));
    let asked = stand_in.asked();
    assert_eq!(body(&asked[0])["tenant_id"], json!(sender.entity_id.to_string()));
    let expected = json!({ "superscheme": "iso6523-actorid-upis", "scheme": "SI:VAT",
                           "identifier": "SI10039856" });
    assert_eq!(body(&asked[1]), expected);
    assert_eq!(network.standing(LIVE, "7").await, Ok(Standing::Verified));
    assert!(matches!(network.standing(LIVE, "8").await, Ok(Standing::Rejected(_))));
    // A name of a stranger is no path.
    let _ = network.standing(LIVE, "../../secrets").await;
    assert!(
        stand_in.asked().last().unwrap().line.starts_with("GET /api/v2/legal_entities/secrets ")
    );
}

#[tokio::test]
async fn an_identifier_that_is_taken_is_the_accounts_own_or_another_ones() {
    let taken = json!([{ "source": "identifier", "details": "has already been taken" }]);
    for (known, expected) in [
        (json!([{ "identifier": "SI10039856" }]), Some(true)),
        (json!([{ "identifier": "SI50000004" }]), Some(false)),
        (json!([]), Some(false)),
        (Value::Null, None),
    ] {
        let taken = taken.to_string();
        let stand_in = StandIn::new(move |asked| {
            Some(match asked.line.split(' ').next().unwrap() {
                "POST" => (422, taken.clone()),
                _ if known.is_null() => (500, String::new()),
                _ => (200, json!({ "id": 7, "peppol_identifiers": known }).to_string()),
            })
        })
        .await;
        let found = network(&stand_in).announce(LIVE, "7", &party("9949:SI10039856")).await;
        match expected {
            Some(true) => assert_eq!(found, Ok(Standing::Verified)),
            Some(false) => assert!(matches!(found, Ok(Standing::Rejected(_))), "{found:?}"),
            None => assert!(matches!(found, Err(NetworkError::NoAnswer(_))), "{found:?}"),
        }
    }
}

#[tokio::test]
async fn a_recipient_receives_or_not_or_it_is_not_known() {
    for (receives, exists, expected) in [
        ("OK", "OK", Some((true, true))),
        ("NOK", "OK", Some((true, false))),
        ("NOK", "NOK", Some((false, false))),
        ("NOK", "what", None),
        ("", "", None),
    ] {
        let stand_in = StandIn::new(move |asked| {
            let code = if asked.line.contains("receives") { receives } else { exists };
            Some((200, json!({ "code": code }).to_string()))
        })
        .await;
        let found = network(&stand_in);
        let found =
            found.capability(LIVE, &party("9930:DE136695976"), NetworkDocument::CreditNote).await;
        match expected {
            Some((is_registered, can_receive)) => {
                assert_eq!(found, Ok(Capability { is_registered, can_receive }));
            }
            None => assert!(found.is_err(), "{found:?}"),
        }
        let asked = body(&stand_in.asked()[0]);
        assert_eq!(
            (&asked["documentTypes"], &asked["scheme"]),
            (&json!(["creditnote"]), &json!("DE:VAT"))
        );
    }
}

#[tokio::test]
async fn what_became_of_a_document_is_asked_for_by_its_reference() {
    for (status, answer, expected) in [
        (200, json!({ "evidence": { "message_id": "m" } }), Ok(Progress::Delivered)),
        (404, json!({}), Ok(Progress::UnderWay)),
        (500, json!({}), Err(())),
        (200, json!({ "x": 1 }), Err(())),
    ] {
        let text = answer.to_string();
        let stand_in = StandIn::new(move |_| Some((status, text.clone()))).await;
        let found = network(&stand_in).progress(LIVE, "3f1c-2a").await;
        assert_eq!(found.map_err(drop), expected, "{status}");
        let line = &stand_in.asked()[0].line;
        assert_eq!(line, "GET /api/v2/document_submissions/3f1c-2a/evidence HTTP/1.1");
    }
}

#[tokio::test]
async fn notices_show_the_secret() {
    let stand_in = StandIn::new(|_| None).await;
    let network = network(&stand_in);
    let body = json!({ "guid": "g", "idempotencyGuid": "k", "event": "succeeded" }).to_string();
    let ask = |shown: Option<&str>| network.notice(shown, body.as_bytes());
    for shown in [None, Some("notices"), Some("Bearer other"), Some("Bearer "), Some("Basic x")] {
        assert_eq!(ask(shown), Err(Unauthorized), "{shown:?}");
    }
    let notice = ask(Some("Bearer notices")).unwrap().unwrap();
    assert_eq!((notice.key.as_deref(), notice.progress), (Some("k"), Progress::Delivered));
    assert_eq!(network.notice(Some("Bearer notices"), b"{}"), Ok(None));
}

#[test]
fn companies_of_each_country_that_is_covered_have_a_scheme_to_send_as() {
    let letters = || (b'A'..=b'Z').map(char::from);
    let all = letters().flat_map(|one| letters().map(move |other| format!("{one}{other}")));
    let covered: Vec<String> = all.filter(|country| Network::covers(country)).collect();
    for country in &covered {
        let scheme = vat_number::prefix_of(country).and_then(vat_scheme);
        assert!(scheme.is_some(), "{country} has no scheme of VAT numbers");
    }
    assert_eq!(covered.len(), 24, "{covered:?}");
    for country in ["CH", "DK", "GB", "GR", "IS", "LI", "ME", "NO", "SE"] {
        assert!(!Network::covers(country), "{country}");
    }
}

#[tokio::test]
async fn nothing_is_called_where_there_is_no_provider_or_other_machines_are_out_of_reach() {
    let nothing = Network::default();
    let refused = nothing.send(Environment::Sandbox, &dispatch()).await;
    assert_eq!(refused, Err(NetworkError::NotConnected(Environment::Sandbox)));
    assert!(!nothing.supports(LIVE, "SI"));
    for url in ["https://192.0.2.1/api/v2", "https://provider.example/api/v2"] {
        let options =
            ProviderOptions { reach: Reach::ThisMachine, ..ProviderOptions::new(url, "key") };
        let far = Network { live: Some(Provider::new(&options).unwrap()), ..Network::default() };
        assert!(far.supports(LIVE, "SI") && !far.supports(LIVE, "US"));
        let silence = far.send(LIVE, &dispatch()).await;
        assert!(matches!(silence, Err(NetworkError::NoAnswer(_))), "{silence:?}");
    }
    assert!(Provider::new(&ProviderOptions::new("no url", "key")).is_err());
    assert!(Provider::new(&ProviderOptions::new("https://a.example", "k\ney")).is_err());
    assert!(!format!("{:?}", ProviderOptions::new("https://a.example", "key")).contains("key\""));
}
