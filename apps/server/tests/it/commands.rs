//! The commands that end by themselves.

use crate::process::run;

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

#[test]
fn the_demo_ends_with_the_step_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["demo", "--url", "http://127.0.0.1:1"], &[]);
    let failure = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(failure.contains("sign up: POST /users/signup got no answer"), "{failure}");
}
