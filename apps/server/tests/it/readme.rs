//! The README's commands do what it says.

use std::path::Path;
use std::process::Command;

use crate::process::Server;

/// Where the README's commands expect the server.
const ADDRESS: &str = "127.0.0.1:8080";

/// People take longer to type than a mail to arrive.
const UNTIL_THERE_IS_MAIL: &str =
    "for try in $(seq 300); do ls racun-data/mail/*.eml 2>&1 && break; sleep 0.1; done\n";

#[test]
fn the_commands_of_the_readme_issue_a_first_invoice_and_first_receipts_and_send_one() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start::<&str>(folder.path(), &[]);
    let script = script().replace(ADDRESS, &server.address);
    let mut shell = Command::new("sh");
    let output = shell.args(["-eu", "-c", &script]).current_dir(folder.path()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let failure = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{failure}");
    let said = |part: &str| assert!(printed.contains(part), "no {part}: {printed}\n{failure}");
    said("\"total_with_tax\":102.45");
    said("-00001\"");
    for (number, confirmation) in [("P1-1-1", "eor"), ("1/P1/1", "jir")] {
        said(&format!("\"number\":\"{number}\""));
        said(&format!("\"{confirmation}\":\""));
    }
    said("\"email_verified\":true}");
    said("\"status\":\"sent\",\"to\":\"ana@example.com\"");
    said("idempotent-replayed: true");
    assert!(!printed.contains("3/P1/1"), "the second copy issued another receipt: {printed}");
    server.stop();
}

/// The README's commands, in their order: blocks of `sh`, and of `console` what stands behind `$`.
fn script() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    let mut script = String::new();
    // What a fence opens stands at odd places.
    for block in text.split("```").skip(1).step_by(2) {
        match block.split_once('\n') {
            Some(("sh", commands)) => script.push_str(commands),
            Some(("console", lines)) => {
                script.push_str(UNTIL_THERE_IS_MAIL);
                script.push_str(&typed(lines));
            }
            _ => {}
        }
    }
    script
}

/// What is typed in `lines`: what stands behind `$`, and what goes on behind a backslash.
fn typed(lines: &str) -> String {
    let (mut typed, mut goes_on) = (String::new(), false);
    for line in lines.lines() {
        if let Some(command) = line.strip_prefix("$ ").or(goes_on.then_some(line)) {
            typed.push_str(command);
            typed.push('\n');
            goes_on = command.ends_with('\\');
        }
    }
    typed
}
