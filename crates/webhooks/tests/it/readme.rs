//! What the README tells receivers to do.

use std::path::Path;
use std::process::Command;

use racun_webhooks::body_signature;

/// The README's block of Python.
fn recipe() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    let block = text.split("```python\n").nth(1).unwrap();
    block.split("```").next().unwrap().to_owned()
}

/// What the recipe says of `body` and `signature`.
fn is_accepted(body: &str, signature: &str, secret: &str) -> bool {
    let call = r#"
import sys
body, signature, secret = sys.argv[1:]
print(is_from_racun(body.encode(), {"X-Webhook-Signature": signature}, secret))
"#;
    let program = format!("{}{call}", recipe());
    let output =
        Command::new("python3").args(["-c", &program, body, signature, secret]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim() == "True"
}

#[test]
fn the_recipe_takes_what_is_ours_and_nothing_else() {
    let secret = "5f".repeat(32);
    let body = concat!(
        r#"{"event":"invoice.created","data":{"name":"Žaga"},"#,
        r#""timestamp":"2026-11-21T08:00:00.000Z"}"#,
    );
    let signature = body_signature(&secret, body);
    assert!(is_accepted(body, &signature, &secret));
    assert!(!is_accepted(&body.replace("Žaga", "Zaga"), &signature, &secret));
    assert!(!is_accepted(body, &signature.replace('a', "b"), &secret));
    assert!(!is_accepted(body, &signature, &secret.replace('5', "6")));
    assert!(!is_accepted(body, signature.trim_start_matches("sha256="), &secret));
}
