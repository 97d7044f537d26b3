//! A shop in Portugal, whose documents are certified, and what openssl says of their signatures.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use racun_test_postgres::program;
use serde_json::json;

use crate::Account;

/// Opens a shop in Lisbon in the sandbox, with a series for each of these types of documents; its
/// id. The series is called `2026A`; that of advance invoices, which are FT as invoices are,
/// `2026AD`.
///
/// # Panics
/// When the server refuses something.
pub async fn open_shop_in_lisbon(account: &Account, document_types: &[&str]) -> String {
    let wanted = json!({
        "name": "Loja", "country": "Portugal", "environment": "sandbox",
        "tax_number": "501442600", "company_number": "501442600", "phone": "+351 210000000",
        "email": "loja@example.com", "address": "Rua 1", "city": "Lisboa", "state": "Lisboa",
        "post_code": "1000-001", "starting_capital": 5000,
        "settings": {"pt": {
            "operator_first_name": "Ana", "operator_last_name": "Silva",
            "operator_tax_number": "123456789",
        }},
    });
    let entity = account.user.create("/entities", &wanted).await;
    let entity = entity["id"].as_str().expect("an id").to_owned();
    let api = account.api.clone().with("x-entity-id", &entity);
    for kind in document_types {
        let code = if *kind == "advance_invoice" { "2026AD" } else { "2026A" };
        let series = json!({
            "document_type": kind, "series_code": code, "start_date": "2026-01-01",
        });
        api.create("/fiscalization/pt/atcud-series", &series).await;
    }
    entity
}

/// Whether openssl finds that `signature`, Base64, is one of `content` by the throw-away key of the
/// program in the sandbox.
///
/// # Panics
/// When openssl cannot be asked.
#[must_use]
pub fn is_signed(content: &str, signature: &str) -> bool {
    let key = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../apps/authority-simulator/keys/throw-away-program-public.pem");
    let folder = tempfile::tempdir().expect("a folder");
    let (signed, bytes) = (folder.path().join("text"), folder.path().join("signature"));
    fs::write(&signed, content).expect("a file");
    decode(signature, &bytes);
    let status = program("openssl")
        .args(["dgst", "-sha1", "-verify"])
        .arg(key)
        .arg("-signature")
        .args([&bytes, &signed])
        .stdout(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Writes the bytes of a Base64 text to `file`.
fn decode(base64: &str, file: &Path) {
    let mut child = program("openssl")
        .args(["base64", "-d", "-A", "-out"])
        .arg(file)
        .stdin(Stdio::piped())
        .spawn()
        .expect("openssl");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(base64.as_bytes()).expect("openssl reads");
    drop(input);
    assert!(child.wait().is_ok_and(|status| status.success()), "{base64}");
}
