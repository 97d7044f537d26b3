//! A disk that is full.

use racun_store::testing::contract::{SAMPLES, Sample};
use racun_store::{Put, StoreError};

use crate::support::{Fixture, entity};

/// Fails as PostgreSQL does without room, wherever it needs new pages: for long rows, and for
/// tables that are made.
const FULL: &str = "
    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF length(NEW.body::text) > 1000 THEN
            RAISE 'could not extend file: No space left on device';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON samples FOR EACH ROW EXECUTE FUNCTION full_disk();
    CREATE FUNCTION no_table() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE 'could not extend file: No space left on device';
    END $$;
    CREATE EVENT TRIGGER no_table ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
        EXECUTE FUNCTION no_table();
";

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_reported_until_new_pages_can_be_written() {
    let fixture = Fixture::new().await;
    let (store, owner) = (fixture.store(), fixture.owner().await);
    owner.batch_execute(FULL).await.unwrap();
    let insert = async |id: &str, bytes: usize| {
        let note = Some("x".repeat(bytes));
        let sample = Sample { note, ..Sample::new(entity(1), id) };
        store.insert(vec![Put::insert(&sample)], Vec::new()).await
    };
    assert_eq!(store.ping().await, Ok(()), "it was not met yet");
    assert_eq!(insert("smp_1", 2_000).await, Err(StoreError::Full));
    for _ in 0..2 {
        assert_eq!(store.ping().await, Err(StoreError::Full));
    }
    // A small row fits into a page that is there, and tells nothing.
    insert("smp_2", 1).await.unwrap();
    assert_eq!(store.ping().await, Err(StoreError::Full));
    let tenant = racun_kernel::Tenant::entity(entity(1));
    let found: Option<Sample> = store.get(&SAMPLES, &tenant, "smp_2").await.unwrap();
    assert!(found.is_some());

    assert_eq!(insert("smp_1", 2_000).await, Err(StoreError::Full));
    let room = "DROP EVENT TRIGGER no_table; DROP TRIGGER full_disk ON samples";
    owner.batch_execute(room).await.unwrap();
    assert_eq!(store.ping().await, Ok(()));
    insert("smp_1", 2_000).await.unwrap();
    // The table of the look is gone, and another look makes it once more.
    let left = "SELECT count(*) FROM pg_class WHERE relname = 'racun_probe'";
    let left: i64 = owner.query_one(left, &[]).await.unwrap().get(0);
    assert_eq!(left, 0);
}
