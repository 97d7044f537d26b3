//! Migrations, and the check of declarations against the database.

use racun_store::testing::contract::{NOTES, SAMPLES, Sample};
use racun_store::{Field, Store, StoreError, Table, Unique};
use racun_store_postgres::{Options, PgStore, migrate};

use crate::support::{Fixture, migrations, undo_migrations};

static CHANGED: Table = Table::new::<Sample>(
    "sample_notes",
    &[
        Field::instant("created_at"),
        Field::text("sample_id").unique(Unique::Tenant),
        Field::number("text"),
        Field::text("color"),
    ],
);

#[tokio::test(flavor = "multi_thread")]
async fn the_check_names_what_differs_from_the_declarations() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.store.check(&[&SAMPLES, &NOTES]).await, Ok(()));
    let Err(StoreError::Unavailable(reason)) = fixture.store.check(&[&CHANGED, &SAMPLES]).await
    else {
        panic!("the declarations differ")
    };
    assert_eq!(
        reason,
        "the database lacks sample_notes.color (text), \
         sample_notes.sample_notes_sample_id_key (unique index), sample_notes.text (numeric); \
         run the migrations of this version"
    );
    let owner = fixture.owner().await;
    owner.batch_execute("ALTER TABLE samples NO FORCE ROW LEVEL SECURITY").await.unwrap();
    assert!(fixture.store.check(&[&SAMPLES]).await.is_err(), "the fence is down");
}

#[tokio::test]
async fn migrations_run_once_on_any_runtime_and_can_be_undone() {
    let fixture = Fixture::new().await;
    assert_eq!(migrate(&fixture.database.url).await, Ok(Vec::new()), "all were there");

    let owner = fixture.owner().await;
    undo_migrations(&owner).await;
    let left = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace \
                AND relname NOT LIKE '\\_\\_diesel%'";
    assert_eq!(owner.query_one(left, &[]).await.unwrap().get::<_, i64>(0), 0, "all is undone");
    owner.batch_execute("DELETE FROM __diesel_schema_migrations").await.unwrap();
    let (first, second) =
        tokio::join!(migrate(&fixture.database.url), migrate(&fixture.database.url));
    assert_eq!(first.unwrap().len() + second.unwrap().len(), migrations().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_outlives_its_connections_and_says_when_there_is_no_database() {
    let fixture = Fixture::new().await;
    let owner = fixture.owner().await;
    let others = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                  WHERE datname = current_database() AND pid <> pg_backend_pid()";
    owner.execute(others, &[]).await.unwrap();
    let answers = [fixture.store.ping().await, fixture.store.ping().await];
    assert_eq!(answers[1], Ok(()), "{:?}", answers[0]);

    let nowhere = fixture.database.url.replace("store_", "nowhere_");
    let refused = PgStore::connect(&nowhere, Options::default()).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn a_database_of_a_later_version_is_refused_with_what_to_do() {
    let fixture = Fixture::new().await;
    let owner = fixture.owner().await;
    let later = "INSERT INTO __diesel_schema_migrations (version) VALUES ('20991231000100')";
    owner.batch_execute(later).await.unwrap();
    let Err(StoreError::Unavailable(reason)) = migrate(&fixture.database.url).await else {
        panic!("the migration is unknown")
    };
    for told in ["later version of Racun", "20991231000100", "start that version", "backup"] {
        assert!(reason.contains(told), "{reason}");
    }
    owner
        .batch_execute("DELETE FROM __diesel_schema_migrations WHERE version > '2099'")
        .await
        .unwrap();
    assert_eq!(migrate(&fixture.database.url).await, Ok(Vec::new()));
}
