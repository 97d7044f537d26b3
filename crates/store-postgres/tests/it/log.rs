//! The log is a stable prefix, whichever way transactions overlap; and it stays as it was written.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

use racun_kernel::Tenant;
use racun_store::testing::contract::happened;
use racun_store::{Event, Store};
use time::macros::datetime;
use tokio_postgres::Client;

use crate::support::{Fixture, entity};

/// Writes an entry called `id` in whatever transaction `client` is in.
async fn write(client: &Client, id: &str) {
    let insert = "INSERT INTO activities (tenant, id, resource_type, resource_id, action, \
                  actor_type, kind, created_at, search, body) \
                  VALUES ($1::text, $2::text, 'Sample', 'smp_1', 'made', 'system', 'sample.made', \
                  now(), '', jsonb_build_object('id', $2::text, 'tenant', $1::text, 'kind', \
                  'sample.made', 'resource_type', 'Sample', 'resource_id', 'smp_1', 'action', \
                  'made', 'actor_type', 'system', 'actor_id', NULL, 'fields', '[]'::jsonb, \
                  'created_at', '2026-11-21T00:00:00Z'))";
    client.execute(insert, &[&entity(1).to_string(), &full(id)]).await.unwrap();
}

fn full(id: &str) -> String {
    format!("evt_{id:0>26}")
}

/// What `store` answers in the end: other databases of the server may hold it up for a moment.
async fn shown(fixture: &Fixture, expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|id| full(id)).collect();
    let mut found = Vec::new();
    for _ in 0..10_000 {
        let logged = fixture.store.events_after(0, 100).await.unwrap();
        found = logged.iter().map(|logged| logged.activity.id.to_string()).collect::<Vec<_>>();
        if found.len() >= expected.len() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert_eq!(found, expected);
}

/// What is answered is `expected`, again and again.
async fn stays(fixture: &Fixture, expected: &[&str]) {
    shown(fixture, expected).await;
    for _ in 0..20 {
        let logged = fixture.store.events_after(0, 100).await.unwrap();
        assert_eq!(logged.len(), expected.len(), "{logged:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_under_way_holds_up_what_stands_behind_it_and_nothing_else() {
    let fixture = Fixture::new().await;
    let (first, second) = (fixture.owner().await, fixture.owner().await);
    for older_takes_first in [true, false] {
        first
            .batch_execute(
                "SET session_replication_role = replica; DELETE FROM activities; \
                             SET session_replication_role = DEFAULT",
            )
            .await
            .unwrap();
        write(&second, "0").await;
        stays(&fixture, &["0"]).await;
        // Who has the smaller id of a transaction takes the first position, or the second one.
        let (older, younger) = (&first, &second);
        for client in [older, younger] {
            client.batch_execute("BEGIN; SELECT pg_current_xact_id()").await.unwrap();
        }
        let (early, late) = if older_takes_first { (older, younger) } else { (younger, older) };
        write(early, "1").await;
        write(late, "2").await;
        late.batch_execute("COMMIT").await.unwrap();
        stays(&fixture, &["0"]).await;
        early.batch_execute("COMMIT").await.unwrap();
        stays(&fixture, &["0", "1", "2"]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gap_of_one_that_was_given_up_holds_up_nothing() {
    let fixture = Fixture::new().await;
    let (first, second) = (fixture.owner().await, fixture.owner().await);
    for client in [&first, &second] {
        client.batch_execute("BEGIN").await.unwrap();
    }
    write(&first, "1").await;
    write(&second, "2").await;
    second.batch_execute("COMMIT").await.unwrap();
    stays(&fixture, &[]).await;
    first.batch_execute("ROLLBACK").await.unwrap();
    stays(&fixture, &["2"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_cannot_be_rewritten() {
    let fixture = Fixture::new().await;
    let stamp = racun_store::testing::stamp(datetime!(2026-11-20 08:30 UTC));
    let tenant = Tenant::entity(entity(1));
    let event = Event::new(tenant, happened::ADDED, "a_1".to_owned(), "system".to_owned(), &stamp);
    fixture.store().insert(Vec::new(), vec![event]).await.unwrap();
    let owner = fixture.owner().await;
    for change in
        ["UPDATE activities SET kind = 'x'", "DELETE FROM activities", "TRUNCATE activities"]
    {
        let refused = owner.batch_execute(change).await.unwrap_err();
        assert_eq!(
            refused.as_db_error().unwrap().message(),
            "the log is not rewritten",
            "{change}"
        );
    }
    owner.batch_execute("SET ROLE racun_app; SET racun.tenants = '*'").await.unwrap();
    for change in ["UPDATE activities SET kind = 'x'", "DELETE FROM activities"] {
        let refused = owner.batch_execute(change).await.unwrap_err();
        let message = refused.as_db_error().unwrap().message();
        assert_eq!(message, "permission denied for table activities", "{change}");
    }
}
