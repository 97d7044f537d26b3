//! The program's key, and the header that names who calls: known answers, and what openssl says.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_authorities::portugal::{
    BadKey, ProgramPublicKey, RsaProgramKey, RsaPublicKey, Token, padded_ecb,
};
use racun_portugal::{Hash, ProgramKey as _};
use serde_json::Value;
use time::macros::datetime;

use crate::support::text;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/portugal")
}

/// A key of the vectors.
pub fn pem(name: &str) -> String {
    fs::read_to_string(folder().join(format!("keys/{name}.pem"))).unwrap()
}

/// A file of the vectors.
pub fn read(name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder().join(name)).unwrap()).unwrap()
}

fn key(name: &str) -> RsaProgramKey {
    RsaProgramKey::from_pem(&pem(&format!("{name}_private")), 1).unwrap()
}

fn group(value: &Value) -> &Vec<Value> {
    let entries = value.as_array().unwrap();
    assert!(!entries.is_empty());
    entries
}

#[test]
fn known_texts_have_their_known_signatures() {
    let file = read("hash_vectors.json");
    let (demo, own) = (group(&file["at_demo"]["vectors"]), group(&file["own"]));
    assert_eq!(demo.len() + own.len(), 46);
    for (vectors, name) in [(demo, "at_demo"), (own, "test_a")] {
        let key = key(name);
        let public = ProgramPublicKey::from_pem(&pem(&format!("{name}_public"))).unwrap();
        assert_eq!(key.public(), &public);
        for vector in vectors {
            let message = text(vector, "message").as_bytes();
            let signature = key.sign(message).unwrap();
            assert_eq!(Hash::of(&signature).unwrap().as_str(), text(vector, "hash"));
            assert!(public.verifies(message, &signature));
            assert!(!public.verifies(&message[1..], &signature));
        }
    }
}

#[test]
fn faulty_signatures_do_not_verify() {
    let public = ProgramPublicKey::from_pem(&pem("test_a_public")).unwrap();
    for vector in group(&read("hash_vectors.json")["invalid_own"]) {
        let signature = STANDARD.decode(text(vector, "hash")).unwrap_or_default();
        let message = text(vector, "message").as_bytes();
        let is_one = text(vector, "hash").len() == 172 && public.verifies(message, &signature);
        assert!(!is_one, "{}", text(vector, "why"));
    }
}

/// The judge that the authority's own manual names.
#[test]
fn openssl_takes_our_signatures_and_keys_of_its_own_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let openssl = |arguments: &[&str]| {
        let run = racun_test_postgres::program("openssl")
            .current_dir(folder.path())
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        run.unwrap().success()
    };
    let made = ["genrsa", "-traditional", "-out", "pkcs1.pem", "1024"];
    assert!(openssl(&made), "{made:?}");
    assert!(openssl(&["pkcs8", "-topk8", "-nocrypt", "-in", "pkcs1.pem", "-out", "pkcs8.pem"]));
    assert!(openssl(&["rsa", "-in", "pkcs1.pem", "-pubout", "-out", "public.pem"]));
    let message = "2026-01-05;2026-01-05T09:00:00;FT 2026A/1;123.00;";
    fs::write(place("text"), message).unwrap();
    for file in ["pkcs1.pem", "pkcs8.pem"] {
        let key = RsaProgramKey::from_pem(&fs::read_to_string(place(file)).unwrap(), 2).unwrap();
        assert_eq!(key.version(), 2);
        let signature = key.sign(message.as_bytes()).unwrap();
        fs::write(place("signature"), signature).unwrap();
        let verify = ["dgst", "-sha1", "-verify", "public.pem", "-signature", "signature", "text"];
        assert!(openssl(&verify), "{file}");
    }
    fs::write(place("text"), message.replace("123", "124")).unwrap();
    assert!(!openssl(&[
        "dgst",
        "-sha1",
        "-verify",
        "public.pem",
        "-signature",
        "signature",
        "text"
    ]));
}

#[test]
fn keys_of_no_use_are_refused() {
    let refused = |pem: &str| RsaProgramKey::from_pem(pem, 1).map(|_| ()).unwrap_err();
    for pem in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
        assert_eq!(refused(pem), BadKey::NoKey, "{pem}");
    }
    assert_eq!(refused(&pem("test_a_public")), BadKey::NoKey);
    assert_eq!(refused(&pem("at_ws_test_private")), BadKey::Size, "it has 2048 bits");
    let other = ProgramPublicKey::from_pem(&pem("at_ws_test_public")).unwrap_err();
    assert_eq!(other, BadKey::Size);
    // The last bytes of a PKCS#8 key are those of its coefficient.
    let whole = pem("test_a_private");
    let base64: String = whole.lines().filter(|line| !line.starts_with('-')).collect();
    let mut der = STANDARD.decode(base64).unwrap();
    *der.last_mut().unwrap() ^= 1;
    let broken = STANDARD.encode(&der);
    let broken = format!("-----BEGIN PRIVATE KEY-----\n{broken}\n-----END PRIVATE KEY-----\n");
    assert_eq!(refused(&broken), BadKey::Broken);
}

#[test]
fn passwords_and_times_are_encrypted_as_the_authority_wants_them() {
    for vector in group(&read("ws_auth_vectors.json")["vectors"]) {
        let hex = text(vector, "aes_key_hex");
        let bytes = (0..16).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap());
        let key: [u8; 16] = bytes.collect::<Vec<_>>().try_into().unwrap();
        for name in ["password", "created"] {
            let sealed = STANDARD.encode(padded_ecb(&key, text(vector, name).as_bytes()));
            assert_eq!(sealed, text(vector, &format!("{name}_element")));
        }
    }
}

/// What openssl opens with the authority's private key is the key of the request.
#[test]
fn the_authority_opens_what_a_token_says() {
    let authority = RsaPublicKey::from_pem(&pem("at_ws_test_public")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let now = datetime!(2026-11-26 10:01:00.123 UTC);
    let first = Token::new(&authority, "açoriano€1", now).unwrap();
    let second = Token::new(&authority, "açoriano€1", now).unwrap();
    assert_ne!(first.nonce, second.nonce);
    assert_ne!(first.password, second.password, "each request has a key of its own");
    let nonce = folder.path().join("nonce");
    fs::write(&nonce, STANDARD.decode(&first.nonce).unwrap()).unwrap();
    let opened = racun_test_postgres::program("openssl")
        .args(["pkeyutl", "-decrypt", "-inkey"])
        .arg(self::folder().join("keys/at_ws_test_private.pem"))
        .arg("-in")
        .arg(&nonce)
        .output()
        .unwrap();
    let key: [u8; 16] = opened.stdout.try_into().unwrap();
    let expected = |text: &str| STANDARD.encode(padded_ecb(&key, text.as_bytes()));
    assert_eq!(first.password, expected("açoriano€1"));
    assert_eq!(first.created, expected("2026-11-26T10:01:00.123Z"));
    assert!(first.header("508025338/1").contains("<wss:Username>508025338/1</wss:Username>"));
}
