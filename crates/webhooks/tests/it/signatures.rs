//! Signatures, against computations of others.

use std::io::Write as _;
use std::process::{Command, Stdio};

use racun_webhooks::{Delivery, MASKED_SECRET, body_signature, new_secret, standard_signature};

use crate::world::{OpenVault, START, at_start, delivery, endpoint};

/// What `openssl` says that the HMAC-SHA256 of `text` under `key` is.
fn openssl_hmac(key: &str, text: &str) -> String {
    let mut child = Command::new("openssl")
        .args(["dgst", "-sha256", "-hmac", key, "-r"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

/// What `openssl` says that these hexadecimal digits are in base64.
fn in_base64(digits: &str) -> String {
    use base64::Engine as _;
    let pairs = (0..digits.len()).step_by(2).map(|at| &digits[at..at + 2]);
    let bytes: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn header<'a>(headers: &'a [(&'static str, String)], name: &str) -> &'a str {
    let mut found = headers.iter().filter(|(header, _)| *header == name);
    let value = &found.next().unwrap_or_else(|| panic!("no {name}")).1;
    assert!(found.next().is_none(), "{name} twice");
    value
}

#[test]
fn the_signature_of_rfc_4231_comes_out() {
    // RFC 4231, test case 2.
    let digits = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    let signed = body_signature("Jefe", "what do ya want for nothing?");
    assert_eq!(signed, format!("sha256={digits}"));
}

#[test]
fn every_header_is_there_and_both_signatures_are_what_openssl_computes() {
    let stamp = at_start();
    let (endpoint, secret) = endpoint(&stamp);
    let delivery = delivery(&endpoint, &stamp);
    let secrets = endpoint.secrets(&OpenVault, START).unwrap();
    assert_eq!(secrets, std::slice::from_ref(&secret));
    let post = delivery.post(&secrets, START);
    let header = |name| header(&post.headers, name);

    let body = concat!(
        r#"{"event":"invoice.created","data":{"id":"inv_1","total":29.90},"#,
        r#""timestamp":"2026-11-21T08:00:00.000Z"}"#,
    );
    assert_eq!(post.body, body);
    assert_eq!(post.url, "https://example.com/hooks");
    assert_eq!(header("User-Agent"), "Racun-Webhook/1.0");
    assert_eq!(header("X-Webhook-Event"), "invoice.created");
    assert_eq!(header("X-Webhook-Timestamp"), "1795248000");
    assert_eq!(header("X-Webhook-Delivery"), delivery.id.to_string());
    assert_eq!(header("X-Webhook-Id"), endpoint.id.to_string());
    assert_eq!(header("X-Webhook-Event-Id"), "evt_1");
    assert_eq!(header("X-Webhook-Sequence"), "7");
    assert_eq!(header("webhook-id"), "evt_1");
    assert_eq!(header("webhook-timestamp"), "1795248000");
    assert_eq!(header("X-Webhook-Signature"), format!("sha256={}", openssl_hmac(&secret, body)));
    let digits = openssl_hmac(&secret, &format!("evt_1.1795248000.{body}"));
    assert_eq!(header("webhook-signature"), format!("v1,{}", in_base64(&digits)));
}

#[test]
fn a_secret_is_64_digits_and_what_is_shown_instead_tells_nothing_of_it() {
    let stamp = at_start();
    let [one, other] = [(); 2].map(|()| new_secret(&stamp));
    assert_ne!(one, other);
    assert!(one.len() == 64 && one.bytes().all(|b| b.is_ascii_hexdigit()));
    assert!(MASKED_SECRET.starts_with("whsec_****"));
    let (endpoint, secret) = endpoint(&stamp);
    assert!(!format!("{endpoint:?}").contains(&secret));
}

#[test]
fn after_a_rotation_both_secrets_sign_for_a_day_and_then_the_new_one() {
    let stamp = at_start();
    let (mut endpoint, old) = endpoint(&stamp);
    let new = endpoint.rotate_secret(&OpenVault, &stamp);
    let delivery: Delivery = delivery(&endpoint, &stamp);
    let day = time::Duration::hours(24);
    for (after, expected) in [
        (time::Duration::ZERO, vec![new.clone(), old.clone()]),
        (day - time::Duration::SECOND, vec![new.clone(), old.clone()]),
        (day, vec![new.clone()]),
    ] {
        let secrets = endpoint.secrets(&OpenVault, START + after).unwrap();
        assert_eq!(secrets, expected, "{after}");
        let post = delivery.post(&secrets, START + after);
        let timestamp = (START + after).unix_timestamp();
        let both = standard_signature(&expected, "evt_1", timestamp, &post.body);
        assert_eq!(header(&post.headers, "webhook-signature"), both);
        assert_eq!(both.split(' ').count(), expected.len());
        let newest = body_signature(&new, &post.body);
        assert_eq!(header(&post.headers, "X-Webhook-Signature"), newest);
    }
}
