//! The README's commands do what it says.

use std::path::Path;
use std::process::Command;

use crate::process::Server;

/// Where the README's commands expect the server.
const ADDRESS: &str = "127.0.0.1:8080";

#[test]
fn the_commands_of_the_readme_issue_a_first_invoice_and_first_receipts() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start::<&str>(folder.path(), &[]);
    let script = script().replace(ADDRESS, &server.address);
    let output = Command::new("sh").args(["-eu", "-c", &script]).output().unwrap();
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
    said("idempotent-replayed: true");
    assert!(!printed.contains("3/P1/1"), "the second copy issued another receipt: {printed}");
    server.stop();
}

/// The README's blocks of `sh`, in their order.
fn script() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    let blocks: Vec<&str> =
        text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty(), "the README has no commands");
    blocks.concat()
}
