//! PKCS#12 files.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use p12_keystore::{
    Certificate as Held, EncryptionAlgorithm, KeyStore, KeyStoreEntry, MacAlgorithm, PrivateKey,
    PrivateKeyChain,
};
use racun_authorities::open_p12;
use racun_fiscal::{Authority, P12Error};
use serde_json::Value;

use crate::support::{FINA, FURS, der, fina, fina_key, furs_key, text};

fn bytes(value: &Value, field: &str) -> Vec<u8> {
    STANDARD.decode(text(value, field)).unwrap()
}

#[test]
fn files_for_furs_open_whether_modern_or_legacy() {
    for name in ["pub_a", "pub_b"] {
        let key = &FURS["keys"][name];
        let expected = furs_key(name);
        for field in ["p12_modern_b64", "p12_legacy_b64"] {
            let file = bytes(key, field);
            let opened = open_p12(Authority::Furs, &file, text(key, "p12_password")).unwrap();
            assert_eq!(opened.identity.certificate, expected.certificate, "{name} {field}");
            assert_eq!(opened.identity.private_key, expected.private_key, "{name} {field}");
            let wrong = open_p12(Authority::Furs, &file, "Test-password");
            assert_eq!(wrong, Err(P12Error::WrongPassphrase), "{name} {field}");
        }
    }
    let key = &FURS["keys"]["pub_a"];
    let file = bytes(key, "p12_modern_b64");
    let opened = open_p12(Authority::Furs, &file, text(key, "p12_password")).unwrap();
    assert_eq!(opened.tax_number.as_deref(), Some("10039856"));
    assert_eq!(opened.common_name, "TESTNO PODJETJE 901");
    assert_eq!(opened.issuer, "CN=Mock Tax CA Test,O=state-institutions,C=SI");
    assert_eq!(opened.serial, "6051472362733120001");
    assert!(opened.not_before < opened.not_after);
    // Uploaded for the other authority, it names no taxpayer.
    let opened = open_p12(Authority::Fina, &file, text(key, "p12_password")).unwrap();
    assert_eq!(opened.tax_number, None);
}

#[test]
fn files_of_fina_open_as_the_vectors_say() {
    for vector in fina("p12") {
        let opened = open_p12(Authority::Fina, &bytes(vector, "b64"), text(vector, "password"));
        let expected = &vector["expect"];
        if expected["error"] == "password" {
            assert_eq!(opened, Err(P12Error::WrongPassphrase));
            continue;
        }
        let opened = opened.unwrap();
        assert_eq!(opened.tax_number.as_deref(), Some(text(expected, "oib")));
        assert_eq!(opened.serial, text(expected, "serial_decimal"));
        let expected = fina_key("public_taxpayer");
        assert_eq!(opened.identity.certificate, expected.certificate);
        assert_eq!(opened.identity.private_key, expected.private_key);
        let issuing = der(text(&FINA["trust"], "sub_ca_pem"));
        assert!(opened.identity.chain.is_empty() || opened.identity.chain == [issuing]);
    }
}

#[test]
fn files_that_hold_no_key_of_a_taxpayer_are_distinguished() {
    let open = |file: &[u8]| open_p12(Authority::Furs, file, "secret").unwrap_err();
    assert_eq!(open(b""), P12Error::NotP12);
    assert_eq!(open(b"-----BEGIN CERTIFICATE-----"), P12Error::NotP12);
    assert_eq!(open(&vec![0x30; 1_000_000]), P12Error::TooMuch);
    let whole = bytes(&FURS["keys"]["pub_a"], "p12_modern_b64");
    assert_eq!(open(&whole[..whole.len() - 1]), P12Error::NotP12);

    // Another taxpayer's certificate beside the key; the right one is found by the key.
    let (one, other) = (furs_key("pub_a"), furs_key("pub_b"));
    let held = |der: &[u8]| Held::from_der(der).unwrap();
    let key = || PrivateKey::from_der(&one.private_key).unwrap();
    let file = |entries: Vec<KeyStoreEntry>| {
        let mut store = KeyStore::new();
        for (place, entry) in entries.into_iter().enumerate() {
            store.add_entry(&place.to_string(), entry);
        }
        store
            .writer("secret")
            .encryption_algorithm(EncryptionAlgorithm::PbeWithHmacSha256AndAes256)
            .mac_algorithm(MacAlgorithm::HmacSha256)
            .write()
            .unwrap()
    };
    let chain = |certificates: Vec<Held>| {
        KeyStoreEntry::PrivateKeyChain(PrivateKeyChain::new("id", key(), certificates))
    };
    assert_eq!(open(&file(vec![chain(vec![held(&other.certificate)])])), P12Error::NoIdentity);
    let two = vec![
        chain(vec![held(&one.certificate)]),
        KeyStoreEntry::PrivateKeyChain(PrivateKeyChain::new(
            "other",
            PrivateKey::from_der(&other.private_key).unwrap(),
            vec![held(&other.certificate)],
        )),
    ];
    assert_eq!(open(&file(two)), P12Error::NoIdentity);
    assert_eq!(
        open(&file(vec![KeyStoreEntry::Certificate(held(&one.certificate))])),
        P12Error::NoIdentity
    );
    let turned = file(vec![chain(vec![held(&other.certificate), held(&one.certificate)])]);
    let opened = open_p12(Authority::Furs, &turned, "secret").unwrap();
    assert_eq!(opened.identity.certificate, one.certificate);
}
