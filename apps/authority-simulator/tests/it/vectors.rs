//! The vectors of both authorities: what others signed is taken, what others hold invalid is not.

use std::fs;

use racun_authority_simulator::{Filter, Options, Running, Simulator, Taxpayer};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use time::macros::datetime;

use crate::client::{Client, Response};
use crate::messages::*;

fn vectors(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/fiscal/");
    serde_json::from_slice(&fs::read(format!("{folder}{name}.json")).unwrap()).unwrap()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} of {value}"))
}

/// The taxpayer whose key and certificate stand under these names.
fn identity(key: &Value, certificate: &str) -> Taxpayer {
    let certificate_pem = text(key, certificate).to_owned();
    let der = CertificateDer::from_pem_slice(certificate_pem.as_bytes()).unwrap().to_vec();
    let private_key = text(key, "private_key_pkcs8_pem");
    let private_key = PrivatePkcs8KeyDer::from_pem_slice(private_key.as_bytes()).unwrap();
    Taxpayer {
        p12: Vec::new(),
        certificate: der,
        certificate_pem,
        private_key: private_key.secret_pkcs8_der().to_vec(),
        serial: String::new(),
    }
}

fn trusting(pem: &str, now: time::OffsetDateTime) -> Running {
    let options = Options { trust_pem: pem.to_owned(), now: Some(now), ..Options::default() };
    Simulator::start(&options).unwrap()
}

fn furs(vectors: &Value) -> Running {
    let ca = text(&vectors["keys"]["mock_tax_ca"], "cert_pem");
    trusting(ca, datetime!(2026-11-20 12:00 UTC))
}

/// Registers all premises that the vectors name, as their taxpayer.
async fn register_all(running: &Running, vectors: &Value, key: &str) {
    let taxpayer = identity(&vectors["keys"][key], "cert_pem");
    let program = Program::new(running, &taxpayer);
    let number = racun_authorities::Certificate::from_der(&taxpayer.certificate).unwrap();
    let number = number.tax_number().unwrap().to_owned();
    for message in vectors["vectors"]["messages"].as_array().unwrap() {
        let payload: Value = serde_json::from_str(text(message, "payload_json")).unwrap();
        let request = &payload["InvoiceRequest"];
        let premise = request["Invoice"]["InvoiceIdentifier"]["BusinessPremiseID"].as_str();
        let premise = premise.or(request["SalesBookInvoice"]["BusinessPremiseID"].as_str());
        let Some(name) = premise.filter(|_| message["key"] == key) else { continue };
        let mut premise = premise_of(name);
        premise["BusinessPremiseRequest"]["BusinessPremise"]["TaxNumber"] =
            crate::messages::number(&number);
        let answer = program.json("invoices/register", &premise).await;
        assert!(answer["BusinessPremiseResponse"]["Error"].is_null(), "{answer}");
    }
}

fn premise_of(name: &str) -> Value {
    premise(name, false)
}

#[tokio::test]
async fn tokens_that_others_signed_are_taken() {
    let vectors = vectors("furs");
    let running = furs(&vectors);
    for key in ["pub_a", "pub_b"] {
        register_all(&running, &vectors, key).await;
    }
    let before = running.taken(&Filter::default()).len();
    let messages = vectors["vectors"]["messages"].as_array().unwrap();
    for message in messages {
        let key = &vectors["keys"][text(message, "key")];
        let client = Client::with(&running, &identity(key, "cert_pem"));
        let url = format!("{}/v1/cash_registers/{}", running.furs_url, text(message, "endpoint"));
        let response = client.post(&url, JSON, text(message, "http_body").as_bytes()).await;
        let answer = verified_token(&running, &response.unwrap());
        let (_, answer) = answer.as_object().unwrap().iter().next().unwrap();
        assert!(answer["Error"].is_null(), "{}: {answer}", message["id"]);
        let is_invoice = text(message, "endpoint") == "invoices";
        assert_eq!(answer.get("UniqueInvoiceID").is_some(), is_invoice);
    }
    assert_eq!(running.taken(&Filter::default()).len(), before + messages.len());
    assert!(running.gaps(&Filter::default()).iter().all(|gaps| gaps.doubled.is_empty()));
}

#[tokio::test]
async fn envelopes_that_others_signed_are_taken() {
    let vectors = vectors("furs");
    let running = furs(&vectors);
    for key in ["pub_a", "pub_b"] {
        register_all(&running, &vectors, key).await;
    }
    for message in vectors["vectors"]["xml"].as_array().unwrap() {
        let key = &vectors["keys"][text(message, "key")];
        let client = Client::with(&running, &identity(key, "cert_pem"));
        let url = format!("{}/v1/cash_registers", running.furs_url);
        let headers = furs_soap(text(message, "soap_action"));
        let body = text(message, "signed_envelope");
        let answer = client.post(&url, &headers, body.as_bytes()).await.unwrap().text();
        let error = tag(&answer, "fu:ErrorMessage");
        // The premise of the last message but one is closed by the last.
        assert_eq!(error, None, "{}", message["id"]);
    }
}

#[tokio::test]
async fn messages_outside_the_schema_of_furs_are_refused() {
    let vectors = vectors("furs");
    let running = furs(&vectors);
    register_all(&running, &vectors, "pub_a").await;
    let key = &vectors["keys"]["pub_a"];
    let program = Program::new(&running, &identity(key, "cert_pem"));
    let invalid = vectors["vectors"]["schema_invalid"].as_array().unwrap();
    assert!(!invalid.is_empty());
    for message in invalid {
        let payload = text(message, "payload_json");
        let path = if payload.contains("BusinessPremiseRequest") {
            "invoices/register"
        } else {
            "invoices"
        };
        let token = program.token_of_text(payload);
        let response = program.json_raw(path, &token).await.unwrap();
        let answer = verified_token(&running, &response);
        let (_, answer) = answer.as_object().unwrap().iter().next().unwrap();
        assert_eq!(answer["Error"]["ErrorCode"], json!("S002"), "{}", message["description"]);
    }
}

#[tokio::test]
async fn an_untrusted_issuers_taxpayer_does_not_get_in() {
    let vectors = vectors("furs");
    let running = crate::client::start();
    let client = Client::with(&running, &identity(&vectors["keys"]["pub_a"], "cert_pem"));
    let url = format!("{}/v1/cash_registers/echo", running.furs_url);
    assert!(client.post(&url, JSON, b"{}").await.is_err());
}

async fn send(running: &Running, request: &Value) -> Response {
    let operation = match text(request, "root") {
        "RacunZahtjev" => "racuni",
        "PromijeniPodatkeRacunaZahtjev" => "promijeniPodatkeRacuna",
        "NapojnicaZahtjev" => "napojnica",
        other => panic!("{other}"),
    };
    let body = text(request, "soap_envelope").as_bytes();
    let client = Client::of(running);
    client.post(&running.fina_url, &fina_soap(operation), body).await.unwrap()
}

#[tokio::test]
async fn requests_to_cis_that_others_signed_are_taken() {
    let vectors = vectors("fina");
    let now = datetime!(2026-11-20 17:00 UTC);
    let running = trusting(text(&vectors["trust"], "sub_ca_pem"), now);
    for request in vectors["public"]["requests"].as_array().unwrap() {
        let response = send(&running, request).await;
        let text = response.text();
        assert_eq!(response.status, 200, "{}: {text}", request["name"]);
        let id = request["id_poruke"].as_str();
        assert_eq!(tag(&text, "tns:IdPoruke"), id);
    }
    let operations: Vec<String> =
        running.taken(&Filter::default()).into_iter().map(|taken| taken.operation).collect();
    assert_eq!(operations, ["invoice", "invoice", "change", "tip"]);
    // Their issuer is not trusted there.
    let strict = trusting("", now);
    for request in vectors["public"]["requests"].as_array().unwrap() {
        let text = send(&strict, request).await.text();
        assert_eq!(tag(&text, "tns:SifraGreske"), Some("s002"));
    }
}

#[tokio::test]
async fn official_requests_of_2025_are_refused_for_their_sha_1() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/fiscal/fina_official/");
    let issuer = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/authorities/certificates/fina-demo-ca-2020.pem"
    );
    let pem = fs::read_to_string(issuer).unwrap();
    let running = trusting(&pem, datetime!(2025-12-04 15:00 UTC));
    let body = fs::read(format!("{folder}req_racun_oib_primatelja_1.xml")).unwrap();
    let client = Client::of(&running);
    let response = client.post(&running.fina_url, &fina_soap("racuni"), &body).await.unwrap();
    assert_eq!(tag(&response.text(), "tns:SifraGreske"), Some("s004"));
}
