//! Row-level security: the second fence between tenants.

use std::sync::Arc;

use racun_store::testing::contract::{SAMPLES, Sample};
use racun_store::{Put, Record, Store, StoreError};
use racun_store_postgres::{Options, PgStore, create_table_sql, migrate};
use tokio_postgres::error::SqlState;

use crate::support::{Fixture, connect, entity, undo_migrations};

const MINE: u8 = 1;
const OTHER: u8 = 2;

fn sample(of: u8) -> Sample {
    Sample::new(entity(of), "smp_1")
}

/// A store in which each of the two has one sample.
async fn fixture() -> Fixture {
    let fixture = Fixture::new().await;
    let puts = [MINE, OTHER].map(|of| Put::insert(&sample(of)));
    let store = fixture.store();
    store.insert(puts.into(), Vec::new()).await.expect("the samples are new");
    fixture
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_reaches_only_the_tenants_that_it_named() {
    let fixture = fixture().await;
    let app = fixture.owner().await;
    app.batch_execute("SET ROLE racun_app").await.unwrap();
    let (mine, other) = (entity(MINE).to_string(), entity(OTHER).to_string());
    let both = format!("{mine},{other}");
    for (named, expected) in [("", 0), (&mine, 1), (&both, 2), ("*", 2), ("ent_", 0)] {
        if !named.is_empty() {
            app.execute("SELECT set_config('racun.tenants', $1, false)", &[&named]).await.unwrap();
        }
        for table in ["samples", "list_counts WHERE table_name = 'samples'"] {
            let sql = format!("SELECT count(*) FROM {table}");
            let seen: i64 = app.query_one(&sql, &[]).await.unwrap().get(0);
            assert_eq!(seen, expected, "{table} for {named:?}");
        }
    }
    // The star is for reading only.
    for named in [mine.as_str(), "*"] {
        app.execute("SELECT set_config('racun.tenants', $1, false)", &[&named]).await.unwrap();
        let update = format!("UPDATE samples SET search = 'x' WHERE tenant = '{other}'");
        assert_eq!(app.execute(&update, &[]).await.unwrap(), 0, "{named}");
        let insert = format!("INSERT INTO series (tenant, key) VALUES ('{other}', 'a')");
        let refused = app.execute(&insert, &[]).await.unwrap_err();
        assert_eq!(refused.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{named}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn row_level_security_binds_the_store_under_every_login() {
    let fixture = fixture().await;
    let owner = fixture.owner().await;
    owner.batch_execute("REVOKE ALL ON samples FROM racun_app").await.unwrap();
    let refused = fixture.store.find(&SAMPLES, &sample(MINE).tenant(), &["smp_1".to_owned()]).await;
    let Err(StoreError::Unavailable(reason)) = refused else { panic!("{refused:?}") };
    assert_eq!(reason, "the database answers: permission denied for table samples");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_who_cannot_take_the_role_is_bound_as_well() {
    let Fixture { store, database } = Fixture::new().await;
    drop(store);
    let administrator = connect(&database.url).await;
    let name = administrator.query_one("SELECT current_database()", &[]).await.unwrap();
    let owner = format!("owner_of_{}", name.get::<_, &str>(0));
    let (start, end) = database.url.split_once('@').unwrap();
    let (scheme, _) = start.split_once("//").unwrap();
    let url = format!("{scheme}//{owner}@{end}");
    undo_migrations(&administrator).await;
    let role = format!(
        "DROP TABLE __diesel_schema_migrations;
         CREATE ROLE {owner} LOGIN;
         GRANT CREATE ON SCHEMA public TO {owner}"
    );
    administrator.batch_execute(&role).await.unwrap();

    migrate(&url).await.unwrap();
    let session = connect(&url).await;
    session.batch_execute(&create_table_sql(&SAMPLES)).await.unwrap();
    let store: Arc<dyn Store> = Arc::new(PgStore::connect(&url, Options::default()).await.unwrap());
    store.insert(vec![Put::insert(&sample(MINE))], Vec::new()).await.unwrap();
    let found: Option<Sample> = store.get(&SAMPLES, &sample(MINE).tenant(), "smp_1").await.unwrap();
    assert_eq!(found, Some(sample(MINE)));
    let seen: i64 = session.query_one("SELECT count(*) FROM samples", &[]).await.unwrap().get(0);
    assert_eq!(seen, 0, "the owner named no tenant");

    let role = format!("DROP OWNED BY {owner}; DROP ROLE {owner}");
    administrator.batch_execute(&role).await.unwrap();
}
