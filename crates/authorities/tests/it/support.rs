//! The vectors, and programs to ask.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use racun_authorities::{Certificate, RsaSigner, Trust};
use racun_fiscal::Identity;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Vectors of FURS.
pub static FURS: LazyLock<Value> = LazyLock::new(|| read("furs.json"));
/// Vectors of FINA.
pub static FINA: LazyLock<Value> = LazyLock::new(|| read("fina.json"));

/// The folder of the vectors.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/fiscal")
}

fn read(name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder().join(name)).unwrap()).unwrap()
}

/// The vectors of a group of FURS.
pub fn furs(group: &str) -> &'static [Value] {
    FURS["vectors"][group].as_array().unwrap()
}

/// The vectors of a group of FINA.
pub fn fina(group: &str) -> &'static [Value] {
    FINA["public"][group].as_array().unwrap()
}

/// The text of `field`.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("{field} of {value}"))
}

/// The time of `field`.
pub fn time(value: &Value, field: &str) -> OffsetDateTime {
    OffsetDateTime::parse(text(value, field), &Rfc3339).unwrap()
}

/// The one certificate of a PEM.
pub fn der(pem: &str) -> Vec<u8> {
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap().to_vec()
}

fn identity(certificate: &str, key: &str) -> Identity {
    let key = PrivatePkcs8KeyDer::from_pem_slice(key.as_bytes()).unwrap();
    Identity {
        certificate: der(certificate),
        chain: Vec::new(),
        private_key: key.secret_pkcs8_der().to_vec(),
    }
}

/// A key of FURS' vectors.
pub fn furs_key(name: &str) -> Identity {
    let key = &FURS["keys"][name];
    identity(text(key, "cert_pem"), text(key, "private_key_pkcs8_pem"))
}

/// A key of FINA's vectors.
pub fn fina_key(name: &str) -> Identity {
    let key = &FINA["keys"][name];
    identity(text(key, "certificate_pem"), text(key, "private_key_pkcs8_pem"))
}

/// Signer and certificate of an identity.
pub fn signing(identity: &Identity) -> (RsaSigner, Certificate) {
    let certificate = Certificate::from_der(&identity.certificate).unwrap();
    (RsaSigner::new(&identity.private_key).unwrap(), certificate)
}

/// Whom the vectors of FURS trust.
pub fn furs_trust() -> Trust {
    let pem = |name: &str| text(&FURS["keys"][name], "cert_pem").to_owned();
    Trust::from_pem(&(pem("mock_root") + &pem("mock_sigov_ca"))).unwrap()
}

/// Whom the vectors of FINA trust.
pub fn fina_trust() -> Trust {
    let pem = |name: &str| text(&FINA["trust"], name).to_owned();
    Trust::from_pem(&(pem("root_ca_pem") + &pem("sub_ca_pem"))).unwrap()
}

/// Asks `xmlsec1` whether it verifies `document`, signed at the element `element`.
pub fn xmlsec1(document: &str, element: &str, arguments: &[&str]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("document.xml");
    fs::write(&file, document).unwrap();
    let output = racun_test_postgres::program("xmlsec1")
        .args(["--verify", "--id-attr:Id", element, "--enabled-reference-uris", "same-doc"])
        .args(arguments)
        .arg(&file)
        .output()
        .expect("xmlsec1 is installed: apt-get install xmlsec1");
    output.status.success()
}
