//! Clusters of a test's own.

use std::process::Command;

use racun_test_postgres::{Cluster, Durability};

use crate::support::query;

#[test]
fn a_durable_cluster_keeps_what_was_committed_before_it_was_killed() {
    let mut cluster = Cluster::start(Durability::Durable).unwrap();
    let url = cluster.url("postgres");
    for setting in ["fsync", "synchronous_commit", "full_page_writes"] {
        let shown = query(&url, &format!("SHOW {setting}")).unwrap();
        assert_eq!(shown.as_deref(), Some("on"), "{setting}");
    }
    query(&url, "CREATE TABLE kept (id integer)").unwrap();
    query(&url, "INSERT INTO kept VALUES (1), (2)").unwrap();
    cluster.kill().unwrap();
    assert!(query(&url, "SELECT 1").is_err());
    cluster.restart().unwrap();
    assert_eq!(query(&url, "SELECT count(*) FROM kept").unwrap().as_deref(), Some("2"));
}

#[test]
fn a_killed_cluster_restarts_although_its_clients_are_at_work() {
    let mut cluster = Cluster::start(Durability::Fast).unwrap();
    let url = cluster.url("postgres");
    std::thread::scope(|scope| {
        let busy = scope.spawn(|| query(&url, "SELECT count(*) FROM generate_series(1, 10000000)"));
        let begun = "SELECT count(*) FROM pg_stat_activity \
                     WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()";
        while !busy.is_finished() && query(&url, begun).unwrap().as_deref() != Some("1") {}
        cluster.kill().unwrap();
        cluster.restart().unwrap();
        assert!(query(&url, "SELECT 1").is_ok());
        let _either_way = busy.join().unwrap();
    });
}

#[test]
fn a_running_cluster_restarts_at_the_same_url_and_a_dropped_one_leaves_nothing() {
    let mut cluster = Cluster::start(Durability::Fast).unwrap();
    let (url, folder) = (cluster.url("postgres"), cluster.folder().to_path_buf());
    cluster.restart().unwrap();
    let psql = Command::new(cluster.bin("psql")).args([&url, "-Atc", "SELECT 6 * 7"]).output();
    assert_eq!(String::from_utf8(psql.unwrap().stdout).unwrap(), "42\n");
    drop(cluster);
    assert!(query(&url, "SELECT 1").is_err());
    assert!(!folder.exists());
}
