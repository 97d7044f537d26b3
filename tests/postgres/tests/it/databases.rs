//! Databases on the shared cluster, and on a given server.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use racun_test_postgres::{Cluster, Database, Durability, database};

use crate::support::query;

const IDENTITY: &str = "SELECT system_identifier::text FROM pg_control_system()";

/// The template's migrations, for these tests.
fn prepare(url: &str) -> anyhow::Result<()> {
    query(url, "CREATE TABLE prepared (id integer); INSERT INTO prepared VALUES (7)")?;
    Ok(())
}

fn one() -> Database {
    database("test_of_databases", prepare).expect("a database")
}

#[test]
fn databases_made_in_parallel_are_distinct_and_prepared() {
    let made: Vec<Database> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (number, database) in made.iter().enumerate() {
        let sql = format!("INSERT INTO prepared VALUES ({number}); SELECT count(*) FROM prepared");
        assert_eq!(query(&database.url, &sql).unwrap().as_deref(), Some("2"));
    }
}

#[test]
fn a_database_is_dropped_despite_open_connections() {
    let (kept, dropped) = (one(), one());
    let url = dropped.url.clone();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (_client, connection) =
        runtime.block_on(tokio_postgres::connect(&url, tokio_postgres::NoTls)).unwrap();
    runtime.spawn(connection);
    drop(dropped);
    let refused = query(&url, "SELECT 1").unwrap_err();
    assert_eq!(refused.code(), Some(&tokio_postgres::error::SqlState::UNDEFINED_DATABASE));
    assert!(query(&kept.url, "SELECT 1").is_ok());
}

#[tokio::test]
async fn async_tests_get_databases_too_and_their_templates_may_block_on_a_runtime() {
    let database = database("test_of_async_callers", prepare).unwrap();
    let (client, connection) =
        tokio_postgres::connect(&database.url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let id: i32 = client.query_one("SELECT id FROM prepared", &[]).await.unwrap().get(0);
    assert_eq!(id, 7);
}

#[test]
fn a_template_is_prepared_once_by_those_who_ask_at_the_same_time() {
    let server = Cluster::start(Durability::Fast).unwrap();
    let output =
        child("a_template_that_many_ask_for_is_prepared_at_most_once", &server.url("postgres"));
    assert_eq!(said(&output, "prepared "), ["1"], "{output}");
}

#[test]
fn a_template_whose_preparation_failed_is_prepared_again() {
    let name = format!("test_of_failure_{}", std::process::id());
    let failed = database(&name, |url| {
        query(url, "CREATE TABLE half_way ()")?;
        anyhow::bail!("no more")
    });
    assert!(format!("{:#}", failed.unwrap_err()).contains("no more"));
    let made = database(&name, prepare).unwrap();
    assert!(query(&made.url, "SELECT * FROM half_way").is_err());
    assert!(query(&made.url, "SELECT * FROM prepared").is_ok());
}

#[test]
fn a_second_process_uses_the_same_cluster() {
    let ours = query(&one().url, IDENTITY).unwrap().unwrap();
    let output = child("a_server_tells_which_it_is", "");
    assert_eq!(said(&output, "server "), [ours], "{output}");
}

#[test]
fn a_given_server_is_used_instead_of_the_shared_cluster() {
    let given = Cluster::start(Durability::Fast).unwrap();
    query(given.url("postgres"), "CREATE ROLE modest LOGIN CREATEDB").unwrap();
    let output =
        child("a_server_tells_which_it_is", &given.url("postgres").replace("postgres@", "modest@"));
    let expected = query(given.url("postgres"), IDENTITY).unwrap().unwrap();
    assert_eq!(said(&output, "server "), [expected], "{output}");
}

/// Runs one of the tests below in a process of its own; what it printed.
fn child(test: &str, given_server: &str) -> String {
    let output = Command::new(std::env::current_exe().expect("the path of this program"))
        .args(["--exact", &format!("databases::{test}"), "--nocapture"])
        .env("RACUN_TEST_DATABASE_URL", given_server)
        .output()
        .expect("a second process");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// What follows `key` at the beginning of the lines of a child.
fn said<'a>(printed: &'a str, key: &str) -> Vec<&'a str> {
    printed.lines().filter_map(|line| line.strip_prefix(key)).collect()
}

#[test]
fn a_server_tells_which_it_is() {
    let server = query(&one().url, IDENTITY).unwrap().unwrap();
    assert!(!server.is_empty());
    println!("\nserver {server}");
}

#[test]
fn a_template_that_many_ask_for_is_prepared_at_most_once() {
    let prepared = AtomicUsize::new(0);
    let ask = || {
        database("test_of_one_preparation", |url| {
            prepared.fetch_add(1, Ordering::Relaxed);
            prepare(url)
        })
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
    let prepared = prepared.into_inner();
    assert!(prepared <= 1, "another process may have been first, none second");
    println!("\nprepared {prepared}");
}
