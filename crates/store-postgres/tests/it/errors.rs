//! What the server says of the errors that the store tells from others.

use std::sync::Arc;
use std::time::Duration;

use racun_store::testing::contract::{SAMPLES, Sample};
use racun_store::{Decision, Put, Record as _, Store, StoreError};
use racun_store_postgres::{Options, PgStore};
use tokio_postgres::error::{DbError, SqlState};

use crate::support::{Fixture, connect, database, entity, patient};

fn refusal<T>(answered: Result<T, tokio_postgres::Error>) -> DbError {
    let Err(error) = answered else { panic!("it is not refused") };
    error.as_db_error().expect("the server refuses it").clone()
}

#[tokio::test]
async fn an_ended_epoch_has_a_code_and_a_constraint() {
    let fixture = Fixture::new().await;
    let owner = fixture.owner().await;
    let refused = refusal(owner.query("SELECT racun_write_in(-1)", &[]).await);
    assert_eq!(*refused.code(), SqlState::T_R_SERIALIZATION_FAILURE);
    assert_eq!(refused.constraint(), Some("racun_epoch"));
    // Servers of the version before compare it.
    assert_eq!(refused.message(), "racun: the epoch has ended");
}

#[tokio::test]
async fn a_deadlock_and_a_timeout_have_the_texts_that_are_compared() {
    let fixture = Fixture::new().await;
    let owner = fixture.owner().await;
    owner.batch_execute("SET statement_timeout = 1").await.unwrap();
    let refused = refusal(owner.batch_execute("SELECT pg_sleep(600)").await);
    assert_eq!(*refused.code(), SqlState::QUERY_CANCELED);
    assert_eq!(refused.message(), "canceling statement due to statement timeout");
    assert_eq!(refused.constraint(), None);

    let [one, other] = [1, 2].map(|_| connect(&fixture.database.url));
    let (one, other) = tokio::join!(one, other);
    // Each has one lock, and then asks for that of the other.
    one.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(1)").await.unwrap();
    other.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(2)").await.unwrap();
    let (first, second) = tokio::join!(
        one.batch_execute("SELECT pg_advisory_xact_lock(2); COMMIT"),
        other.batch_execute("SELECT pg_advisory_xact_lock(1); COMMIT"),
    );
    assert!(first.is_ok() != second.is_ok(), "the server ends one of the two");
    let refused = refusal(first.and(second));
    assert_eq!(*refused.code(), SqlState::T_R_DEADLOCK_DETECTED);
    assert_eq!((refused.message(), refused.constraint()), ("deadlock detected", None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_waits_for_a_row_no_longer_than_it_may() {
    let database = database();
    let options = Options { row_time: Duration::from_millis(50), ..patient() };
    let store = PgStore::connect(&database.url, options).await.expect("the database answers");
    let store: Arc<dyn Store> = Arc::new(store);
    let sample = Sample::new(entity(1), "smp_1");
    store.insert(vec![Put::insert(&sample)], Vec::new()).await.unwrap();
    let mut owner = connect(&database.url).await;
    let foreign = owner.transaction().await.unwrap();
    foreign.execute("SELECT FROM samples FOR UPDATE", &[]).await.unwrap();

    let tenant = sample.tenant();
    let name = || {
        let named = |before: Sample| {
            let after = Sample { group: Some("new".to_owned()), ..before };
            Ok::<_, StoreError>(Decision::changed(after, Vec::new()))
        };
        store.amend(&SAMPLES, &tenant, "smp_1".to_owned(), named)
    };
    let refused = name().await;
    let Err(StoreError::Unavailable(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains("lock timeout"), "{why}");
    foreign.rollback().await.unwrap();
    assert_eq!(name().await.unwrap().group.as_deref(), Some("new"));
}
