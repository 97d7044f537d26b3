//! The certificates that the simulator makes, seen by others.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use p12_keystore::{KeyStore, Pkcs12ImportPolicy};
use racun_authorities::Certificate;
use racun_authority_simulator::WantedTaxpayer;
use racun_fiscal::Authority;
use serde_json::json;

use crate::client::{OIB, TAX_NUMBER, control, start, taxpayer};
use crate::xmlsec::openssl;

#[tokio::test]
async fn a_p12_file_opens_and_holds_the_taxpayers_certificate_and_key() {
    let running = start();
    for authority in [Authority::Furs, Authority::Fina] {
        for is_legacy in [false, true] {
            let number = if authority == Authority::Furs { TAX_NUMBER } else { OIB };
            let wanted = WantedTaxpayer {
                is_legacy,
                ..WantedTaxpayer::new(authority, number, "geslo čšž")
            };
            let made = running.issue(&wanted).unwrap();
            let open = |passphrase| {
                KeyStore::from_pkcs12(&made.p12, passphrase, Pkcs12ImportPolicy::Strict)
            };
            assert!(open("other").is_err());
            let store = open("geslo čšž").unwrap();
            let (_, chain) = store.private_key_chain().unwrap();
            assert_eq!(chain.key().as_der(), made.private_key);
            assert_eq!(chain.certs()[0].as_der(), made.certificate);
            let read = Certificate::from_der(&made.certificate).unwrap();
            assert_eq!(read.serial, made.serial);
            let of_authority = match authority {
                Authority::Furs => read.tax_number(),
                Authority::Fina => read.oib(),
            };
            assert_eq!(of_authority, Some(number));
        }
    }
}

#[tokio::test]
async fn names_are_those_of_the_authorities() {
    let running = start();
    let name = |authority| {
        let made = taxpayer(&running, authority);
        let read = Certificate::from_der(&made.certificate).unwrap();
        (read.subject.rfc4514(), read.issuer.rfc4514(), made.serial.len())
    };
    let (subject, issuer, digits) = name(Authority::Furs);
    assert_eq!(
        subject,
        "CN=TESTNO PODJETJE,2.5.4.5=1,OU=10039856,OU=DavPotRacTEST,O=state-institutions,C=SI"
    );
    assert_eq!(issuer, "CN=Tax CA Test,O=state-institutions,C=SI");
    assert!(digits >= 19, "the serial number does not fit a signed 64-bit integer");
    let (subject, issuer, digits) = name(Authority::Fina);
    assert_eq!(subject, "CN=FISKAL 1,L=ZAGREB,O=TESTNO PODJETJE HR69435151530,C=HR");
    assert_eq!(issuer, "CN=Fina Demo CA 2020,O=Financijska agencija,C=HR");
    assert!(digits >= 38, "the serial number has some 128 bits");
}

#[tokio::test]
async fn openssl_reads_and_believes_them() {
    let running = start();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let split: Vec<&str> = running.ca_pem.split_inclusive("-----END CERTIFICATE-----\n").collect();
    let (root, issuing) = (file("root", split[0].as_bytes()), file("ca", split[1].as_bytes()));
    assert!(openssl(&["verify", "-x509_strict", "-CAfile", &root, &issuing]).contains("OK"));
    let made = taxpayer(&running, Authority::Fina);
    let certificate = file("taxpayer", made.certificate_pem.as_bytes());
    let text = openssl(&["x509", "-in", &certificate, "-noout", "-text"]);
    assert!(text.contains("Digital Signature, Key Encipherment"), "{text}");
    assert!(text.contains("E-mail Protection, TLS Web Client Authentication"), "{text}");
    let p12 = file("p12", &made.p12);
    let opened = openssl(&["pkcs12", "-in", &p12, "-passin", "pass:secret", "-nodes"]);
    assert!(opened.contains("BEGIN PRIVATE KEY"));
}

#[tokio::test]
async fn the_signer_of_furs_has_two_attributes_in_one_set() {
    let running = start();
    let program = crate::messages::Program::new(&running, &taxpayer(&running, Authority::Furs));
    let token = program.token(&crate::messages::invoice("BP1", 1));
    let response = program.json_raw("invoices", &token).await.unwrap();
    let body = response.json();
    let token = racun_authorities::jws::Token::parse(body["token"].as_str().unwrap()).unwrap();
    assert_eq!(token.certificates().len(), 1, "the leaf alone");
    let read = Certificate::from_der(&token.certificates()[0]).unwrap();
    assert_eq!(
        read.subject.rfc4514(),
        "CN=DavPotRacTEST+2.5.4.5=1237997210028,OU=systems,O=state authorities,C=SI"
    );
}

#[tokio::test]
async fn a_certificate_is_issued_over_http_too() {
    let running = start();
    let ask = json!({
        "authority": "fina", "tax_number": OIB, "passphrase": "p", "name": "PRIMJER D.O.O."
    });
    let response = control(&running, "POST", "/taxpayers", &ask.to_string()).await;
    assert_eq!(response.status, 200);
    let body = response.json();
    let p12 = STANDARD.decode(body["p12"].as_str().unwrap()).unwrap();
    let store = KeyStore::from_pkcs12(&p12, "p", Pkcs12ImportPolicy::Strict).unwrap();
    let (_, chain) = store.private_key_chain().unwrap();
    let read = Certificate::from_der(chain.certs()[0].as_der()).unwrap();
    assert_eq!(read.oib(), Some(OIB));
    assert!(read.subject.rfc4514().contains("O=PRIMJER D.O.O. HR"));
    assert_eq!(control(&running, "GET", "/ca.pem", "").await.text(), running.ca_pem);
    let bad = control(&running, "POST", "/taxpayers", "{}").await;
    assert_eq!(bad.status, 400);
}
