//! The README's commands do what it says, as one script, and again when they are run again.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::process::Server;

/// Where the README's commands expect the server.
const ADDRESS: &str = "127.0.0.1:8080";

#[test]
fn the_commands_of_the_readme_do_what_it_says_and_again_the_second_time() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start::<&str>(folder.path(), &[]);
    let script = blocks("sh").replace(ADDRESS, &server.address);
    let first = run(&script, folder.path());
    assert!(first.contains("{\"email_verified\":true}"), "{first}");
    let second = run(&script, folder.path());
    assert!(!second.contains("invalid_token"), "{second}");
    assert!(second.contains("\"code\":\"conflict\""), "{second}");
    for printed in [&first, &second] {
        let said = |part: &str| assert!(printed.contains(part), "no {part}: {printed}");
        said("\"email_verified\":true");
        said("\"total_with_tax\":102.45");
        said("-00001\"");
        for (number, confirmation) in [("P1-1-1", "eor"), ("1/P1/1", "jir")] {
            said(&format!("\"number\":\"{number}\""));
            said(&format!("\"{confirmation}\":\""));
        }
        said("\"number\":\"FT 2026A/1\"");
        said("\"status\":\"sent\",\"to\":\"ana@example.com\"");
        said("idempotent-replayed: true");
        let other = "3/P1/1";
        assert!(!printed.contains(other), "the second copy issued another receipt: {printed}");
    }
    server.stop();
}

#[test]
fn the_function_of_the_readme_knows_an_event_by_its_signature_however_headers_are_spelled() {
    // HMAC-SHA256 of the body under the secret, as `openssl dgst -sha256 -hmac whsec` prints it.
    let checks = r#"
secret, body = "whsec", b'{"event":"invoice.created"}'
signature = "sha256=4ae365c1d7e6ee2babc002d63a76df6491c99d82eb343ff566d4f91d022c7aad"
for name in ("X-Webhook-Signature", "x-webhook-signature", "X-WEBHOOK-SIGNATURE"):
    assert is_from_racun(body, {name: signature}, secret), name
    assert not is_from_racun(body + b" ", {name: signature}, secret), name
assert not is_from_racun(body, {}, secret)
"#;
    let mut python = racun_test_postgres::program("python3");
    let mut python = python.arg("-").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let program = blocks("python") + checks;
    python.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    let failure = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{failure}");
}

/// What the commands print in `folder`, none of which fails.
fn run(script: &str, folder: &Path) -> String {
    let output = Command::new("sh").args(["-eu", "-c", script]).current_dir(folder).output();
    let output = output.unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let failure = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{failure}");
    printed
}

/// The README's blocks of `language`, in their order.
fn blocks(language: &str) -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    // What a fence opens stands at odd places.
    let blocks = text.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    blocks.filter(|(named, _)| *named == language).map(|(_, lines)| lines).collect()
}
