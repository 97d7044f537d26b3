//! What signing and verifying one message takes, in each form.
//!
//! Run with `cargo bench -p racun-authorities`.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use racun_authorities::xml::{self, Accepted, Signature};
use racun_authorities::{Certificate, RsaSigner, fina, furs, jws};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use serde_json::Value;

const BATCHES: u32 = 20;
const CALLS: u32 = 50;

fn read(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/fiscal");
    let bytes = fs::read(folder.join(name)).expect("the vectors are there");
    serde_json::from_slice(&bytes).expect("the vectors are JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("the vector has a text here")
}

/// Signer, certificate, and the certificate as DER.
fn taxpayer(key: &Value, certificate: &str) -> (RsaSigner, Certificate, Vec<u8>) {
    let der = CertificateDer::from_pem_slice(text(&key[certificate]).as_bytes())
        .expect("the certificate is PEM");
    let private =
        PrivatePkcs8KeyDer::from_pem_slice(text(&key["private_key_pkcs8_pem"]).as_bytes())
            .expect("the key is PEM");
    let signer = RsaSigner::new(private.secret_pkcs8_der()).expect("the key is RSA");
    let certificate = Certificate::from_der(&der).expect("the certificate is one");
    (signer, certificate, der.to_vec())
}

/// The best of many batches, per call: what the work costs when nothing else runs.
fn time<T>(name: &str, mut work: impl FnMut() -> T) {
    let batch = |_| {
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(work());
        }
        start.elapsed() / CALLS
    };
    let best: Duration = (0..BATCHES).map(batch).min().unwrap_or_default();
    println!("{name:<22}{:>8} µs", best.as_micros());
}

fn verify(document: &str, key: &[u8]) {
    let document = xml::parse(document).expect("it was signed");
    let element = xml::envelope(&document).expect("it was signed");
    let signature = Signature::of(&document, element, Accepted::Sha256).expect("it was signed");
    signature.verify(key).expect("it was signed");
}

fn main() {
    let (of_furs, of_fina) = (read("furs.json"), read("fina.json"));
    let (signer, certificate, _) = taxpayer(&of_furs["keys"]["pub_a"], "cert_pem");
    let key = certificate.rsa_key.clone().expect("the key is RSA");

    let whole = text(&of_furs["vectors"]["xml"][0]["unsigned_envelope"]);
    let start = whole.find("<fu:InvoiceRequest").expect("it is an invoice");
    let end = whole.find("</soapenv:Body>").expect("it is an envelope");
    let root = &whole[start..end];
    let sign = || furs::sign_soap(root, &signer, &certificate).expect("the key signs");
    time("FURS SOAP, signing", sign);
    let signed = sign();
    time("FURS SOAP, verifying", || verify(&signed, &key));

    let payload = text(&of_furs["vectors"]["messages"][0]["payload_json"]);
    time("FURS JWS, signing", || furs::sign_json(payload, &signer, &certificate));
    let token = jws::sign(&jws::header(&certificate), payload, &signer).expect("the key signs");
    time("FURS JWS, verifying", || {
        let token = jws::Token::parse(&token).expect("it was signed");
        token.verify(&key).map(<[u8]>::len)
    });

    let (signer, certificate, der) =
        taxpayer(&of_fina["keys"]["public_taxpayer"], "certificate_pem");
    let key = certificate.rsa_key.clone().expect("the key is RSA");
    let root = text(&of_fina["public"]["requests"][0]["unsigned_canonical_xml"]);
    let sign = || fina::sign(root, &signer, &certificate, &der).expect("the key signs");
    time("FINA, signing", sign);
    let signed = sign();
    time("FINA, verifying", || verify(&signed, &key));
}
