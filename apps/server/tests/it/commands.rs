//! The commands that end by themselves.

use crate::process::{Server, run};

/// Runs `line` and checks its status, and that what it prints begins with, or holds, `expected`.
fn check(line: &str, status: i32, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let output = run(folder.path(), &arguments, &[]);
    let printed = if status == 0 { &output.stdout } else { &output.stderr };
    let printed = String::from_utf8_lossy(printed);
    assert_eq!(output.status.code(), Some(status), "{line}: {printed}");
    assert!(printed.contains(expected), "{line}: {printed}");
    if status != 0 {
        assert_eq!(printed.lines().count(), 1, "{line}: {printed}");
    }
}

#[test]
fn each_command_does_what_it_says_and_an_unknown_one_is_named() {
    check("--help", 0, "Usage: racun [COMMAND]");
    check("--version", 0, env!("CARGO_PKG_VERSION"));
    check("openapi", 0, "\"openapi\": \"3.1.0\"");
    check("migrate", 0, "made");
    check("sevre", 2, "`sevre`");
    check("serve --port 80", 2, "`--port`");
    check("demo --url", 2, "--url");
}

#[test]
fn the_second_migration_has_nothing_to_do() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(folder.path(), &["migrate"], &[]).status.success());
    let output = run(folder.path(), &["migrate"], &[]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("up to date"));
}

#[test]
fn the_demo_plays_every_step_of_the_main_job() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["demo"], &[]);
    let printed = String::from_utf8_lossy(&output.stdout);
    let failure = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}{failure}");
    for step in ["sign up", "log in", "draft an invoice", "issue it", "list invoices", "void it"] {
        assert!(printed.contains(step), "no step `{step}` in:\n{printed}");
    }
    assert!(!folder.path().join("racun-data").exists(), "the demo leaves data behind");
}

#[test]
fn the_demo_of_the_point_of_sale_plays_a_whole_evening() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["demo", "pos"], &[]);
    let printed = String::from_utf8_lossy(&output.stdout);
    let failure = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}{failure}");
    for part in [
        "make a table",
        "switch operator",
        "version 2: 2 × Coffee",
        "version 3: 3 × Coffee, 1 × Cake",
        "already_claimed",
        "total_with_tax 11.4, total_paid 11.4",
        "status issued",
        "status cancelled",
        r#""category":"Drinks","quantity":3,"total":6.6"#,
        r#"by_payment_type: [{"invoices":1,"total":11.4,"type":"cash"}]"#,
    ] {
        assert!(printed.contains(part), "no `{part}` in:\n{printed}");
    }
}

/// What `line` prints, which must succeed.
fn played(line: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let output = run(folder.path(), &arguments, &[]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let failure = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}{failure}");
    printed
}

/// Checks that each of `parts` is printed, each behind the one before.
fn in_order(printed: &str, parts: &[&str]) {
    let mut rest = printed;
    for part in parts {
        let place = rest.find(part);
        let place = place.unwrap_or_else(|| panic!("no `{part}` at its place in:\n{printed}"));
        rest = &rest[place + part.len()..];
    }
}

#[test]
fn the_demo_of_reports_sells_for_a_quarter_and_adds_it_up() {
    let parts = [
        "give back a tenth",
        "month 2026-01, revenue 4453, count 1",
        "kind domestic, category S, rate 22, base 3285, tax 722.7",
        "book KIR",
        "book KPR",
        "period 2026-01, recognized 310, deferred 3340, accrued 0",
        "period 2026-02, recognized 280, deferred 3060, accrued 0",
        "period 2026-03, recognized 220, deferred 2475, accrued 0",
        "closing_balance",
        "/tax-reports/kpr",
    ];
    in_order(&played("demo reports"), &parts);
}

/// The characters from the first finder pattern of a code on.
const FINDER: &str = "█▀▀▀▀▀█";

#[test]
fn the_demo_of_slovenia_issues_receipts_through_an_outage() {
    let parts = [
        "get a certificate",
        "certificate_status valid",
        "open a premise",
        "switch it on",
        "number P1-1-1, success, EOR ",
        "Total     9 EUR",
        "ZOI ",
        "EOR ",
        FINDER,
        "FURS cannot be reached",
        "number P1-1-2, pending, EOR none yet",
        "ZOI ",
        FINDER,
        "read it later",
        "number P1-1-2, success, EOR ",
        "take it back",
        "number P1-1-3, success, EOR ",
        "Credit    P1-1-3 for invoice P1-1-1",
    ];
    let printed = played("demo si");
    in_order(&printed, &parts);
    let receipt = printed.split("pending, EOR none yet").nth(1).unwrap();
    let receipt = receipt.split("can be reached again").next().unwrap();
    assert!(!receipt.contains("EOR"), "there is no EOR yet:\n{receipt}");
}

#[test]
fn the_demo_of_paper_writes_a_file_of_each_template_and_exports_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let printed = played(&format!("demo paper {}", folder.path().display()));
    let mut files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
    files.sort_by_key(std::fs::DirEntry::path);
    assert_eq!(files.len(), 11, "{printed}");
    for file in files {
        let begins = match file.path().extension().and_then(|ending| ending.to_str()) {
            Some("pdf") => &b"%PDF-1.7"[..],
            Some("csv") => "\u{feff}".as_bytes(),
            _ => b"PK\x03\x04",
        };
        assert!(std::fs::read(file.path()).unwrap().starts_with(begins), "{file:?}");
        assert!(printed.contains(&file.path().display().to_string()), "{printed}");
    }
    assert!(printed.contains("Done: 8 documents and 3 exports in "), "{printed}");
}

#[test]
fn the_demo_of_electronic_invoices_writes_each_form_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let printed = played(&format!("demo einvoice {}", folder.path().display()));
    for (name, begins, holds) in [
        ("xrechnung.xml", "<?xml", "xrechnung_3.0"),
        ("zugferd.pdf", "%PDF-1.7", "<fx:ConformanceLevel>EN 16931<"),
        ("eslog.xml", "<?xml", "<ds:SignatureValue>"),
        ("ujp.zip", "PK\u{3}\u{4}", "<receiver_agent>UJPLSI2DICL<"),
        ("peppol.xml", "<?xml", "urn:fdc:peppol.eu:2017:poacc:billing:3.0"),
    ] {
        let path = folder.path().join(name);
        let file = std::fs::read(&path).unwrap();
        assert!(file.starts_with(begins.as_bytes()), "{name}");
        let mut windows = file.windows(holds.len());
        assert!(windows.any(|window| window == holds.as_bytes()), "{name}: {holds}");
        assert!(printed.contains(&path.display().to_string()), "{printed}");
    }
    assert!(printed.contains("delivered as "), "{printed}");
    assert!(printed.contains("Done: electronic invoices in "), "{printed}");
}

#[test]
fn the_demo_of_croatia_issues_receipts_through_an_outage_and_changes_a_payment() {
    let parts = [
        "number 1/P1/1, success, JIR ",
        "ZKI ",
        FINDER,
        "https://porezna.gov.hr/rn?jir=",
        "FINA cannot be reached",
        "number 2/P1/1, pending, JIR none yet",
        "https://porezna.gov.hr/rn?zki=",
        "number 2/P1/1, success, JIR ",
        "number 3/P1/1, success, JIR ",
        "number 4/P1/1, success, JIR ",
        "paid by card",
        "type card",
    ];
    in_order(&played("demo hr"), &parts);
}

#[test]
fn the_demo_of_portugal_registers_series_and_the_authority_checks_its_chains() {
    let parts = [
        "register a series",
        "document_type invoice, series_code 2026A, validation_code ",
        "is_registered true",
        "communicate_invoices true",
        "OR 2026A/1, ATCUD ",
        "FT 2026A/1, ATCUD ",
        "FT 2026A/2, ATCUD ",
        "void it",
        "FT 2026A/1, success",
        "The authority knows FT 2026A/1 in status N.",
        "FT 2026A/2, success",
        "The authority knows FT 2026A/2 in status A.",
        "NC 2026A/1, ATCUD ",
        "FT 2026A/3, ATCUD ",
        "RG 2026A/1, ATCUD ",
        "write SAF-T",
        "The chains hold with the public key: ",
        "FT 2026A: 3",
    ];
    in_order(&played("demo pt"), &parts);
}

#[test]
fn a_demo_on_a_server_whose_authorities_are_not_its_own_leaves_the_outage_out() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start::<&str>(folder.path(), &[]);
    let printed = played(&format!("demo si --url http://{}", server.address));
    let parts = ["number P1-1-1, success", "no outage is played", "number P1-1-2, success"];
    in_order(&printed, &parts);
    server.stop();
}

#[test]
fn the_demo_ends_with_the_step_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["demo", "--url", "http://127.0.0.1:1"], &[]);
    let failure = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(failure.contains("sign up: POST /users/signup got no answer"), "{failure}");
}
