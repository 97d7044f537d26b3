//! What proves to a receiver that a delivery is ours.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_kernel::Stamp;
use ring::hmac;

/// What an endpoint's secret is shown as when it is not shown.
pub const MASKED_SECRET: &str = "whsec_****...****";

/// A new secret: 256 random bits as 64 hexadecimal digits.
#[must_use]
pub fn new_secret(stamp: &Stamp) -> String {
    hex(&stamp.secret())
}

/// The value of `X-Webhook-Signature`: `sha256=` and the HMAC-SHA256 of the body, under the bytes
/// of the secret's text, in hexadecimal digits.
#[must_use]
pub fn body_signature(secret: &str, body: &str) -> String {
    format!("sha256={}", hex(hmac(secret, body).as_ref()))
}

/// The value of `webhook-signature` of Standard Webhooks: for each of `secrets`, `v1,` and the
/// HMAC-SHA256 of `{id}.{timestamp}.{body}` in base64, parted by spaces. A receiver accepts any.
///
/// The key is what it is for [`body_signature`]: the bytes of the secret's text. Libraries of that
/// standard decode what follows `whsec_` from base64, so they are given `whsec_` and the base64 of
/// the secret's text.
#[must_use]
pub fn standard_signature(secrets: &[String], id: &str, timestamp: i64, body: &str) -> String {
    let signed = format!("{id}.{timestamp}.{body}");
    let one = |secret: &String| format!("v1,{}", STANDARD.encode(hmac(secret, &signed)));
    secrets.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn hmac(secret: &str, text: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), text.as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
