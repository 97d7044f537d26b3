//! Servers on PostgreSQL.

use std::thread;

use racun_test_postgres::{Database, database};

use crate::process::{Server, run};

/// A database in which nothing has been made.
fn empty() -> Database {
    database("racun_server_empty", |_| Ok(())).unwrap()
}

#[test]
fn servers_that_start_together_on_an_empty_database_share_it() {
    let (database, folder) = (empty(), tempfile::tempdir().unwrap());
    let start = || Server::start(folder.path(), &[("RACUN__DATABASE__URL", &database.url)]);
    let (first, second) = thread::scope(|scope| {
        let other = scope.spawn(start);
        (start(), other.join().unwrap())
    });
    // Before anybody signs up: the mail to them is a file there, and all that is.
    assert!(!folder.path().join("racun-data").exists(), "PostgreSQL needs no data folder");
    let user = r#"{"email":"a@example.com","password":"long enough 1","company_name":"A"}"#;
    let (status, body) = first.ask("POST", "/users/signup", "", user);
    assert_eq!(status, 201, "{body}");
    let login = r#"{"email":"a@example.com","password":"long enough 1"}"#;
    let (status, body) = second.ask("POST", "/users/login", "", login);
    assert_eq!(status, 200, "{body}");
    first.stop();
    second.stop();
    let data = std::fs::read_dir(folder.path().join("racun-data")).into_iter().flatten();
    for entry in data {
        assert_eq!(entry.unwrap().file_name(), "mail", "PostgreSQL needs nothing else there");
    }
}

#[test]
fn the_second_migration_of_a_database_has_nothing_to_do() {
    let (database, folder) = (empty(), tempfile::tempdir().unwrap());
    let variables = [("RACUN__DATABASE__URL", database.url.as_str())];
    for expected in ["PostgreSQL: made migration", "PostgreSQL: up to date"] {
        let output = run(folder.path(), &["migrate"], &variables);
        let printed = String::from_utf8_lossy(&output.stdout);
        let failure = String::from_utf8_lossy(&output.stderr);
        assert!(printed.contains(expected), "{printed}{failure}");
    }
}

#[test]
fn a_silent_database_is_reported_in_one_line_without_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let variables = [("RACUN__DATABASE__URL", "postgres://me:hush@127.0.0.1:1/racun")];
    let output = run(folder.path(), &["serve"], &variables);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert_eq!(printed.lines().count(), 1, "{printed}");
    assert!(printed.contains("RACUN__DATABASE__URL"), "{printed}");
    assert!(!printed.contains("hush"), "{printed}");
}
