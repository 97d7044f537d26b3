//! The migrations make the tables that the domain crates declare.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use racun_store_postgres::{Options, PgStore, migrate};

/// A number that changes together with the migrations, for the name of the template database.
fn fingerprint() -> u64 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder of migrations")
        .map(|entry| entry.expect("a folder").path().join("up.sql"))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(file).expect("a migration").hash(&mut hasher);
    }
    hasher.finish()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_declared_table_is_made_by_a_migration() {
    let template = format!("schema_{:016x}", fingerprint());
    let database = racun_test_postgres::database(&template, |url| {
        tokio::runtime::Runtime::new()?.block_on(migrate(url))?;
        Ok(())
    })
    .unwrap();
    let store = PgStore::connect(&database.url, Options::default()).await.unwrap();
    assert_eq!(store.check(&racun_application::tables()).await, Ok(()));
}
