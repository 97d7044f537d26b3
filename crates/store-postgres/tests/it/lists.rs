//! How lists are found, and how text is folded.

use std::ops::RangeInclusive;
use std::sync::Arc;

use racun_kernel::id::EntityId;
use racun_kernel::{Tenant, text};
use racun_store::testing::contract::{SAMPLES, Sample};
use racun_store::{
    Cursor, Direction, ListQuery, Load, Operator, Part, RawQuery, Store, StoreError, Tally, Value,
    Writes,
};
use racun_test_postgres::Database;
use time::macros::datetime;

use crate::support::{Failure, Fixture, connect, entity};

/// Rows of the list whose deep pages are looked at.
const ROWS: i64 = 20_000;

/// Capitals and letters with accents of Unicode 16 and 17, which a server may not know yet.
const NEW_LETTERS: [RangeInclusive<char>; 10] = [
    '\u{105c9}'..='\u{105e4}',
    '\u{11383}'..='\u{11391}',
    '\u{113c5}'..='\u{113c8}',
    '\u{11d90}'..='\u{11d97}',
    '\u{16121}'..='\u{16128}',
    '\u{16d68}'..='\u{16d6a}',
    '\u{1c89}'..='\u{1c89}',
    '\u{a7cb}'..='\u{a7dc}',
    '\u{10d50}'..='\u{10d65}',
    '\u{16ea0}'..='\u{16eb8}',
];

/// A store with an entity of [`ROWS`] samples, four of each group, and no statistics of them yet.
async fn crowded() -> (Arc<dyn Store>, Database, EntityId) {
    let fixture = Fixture::new().await;
    let entity = entity(1);
    let insert = format!(
        "INSERT INTO samples (tenant, id, created_at, group_name, search, body)
         SELECT '{entity}', 'smp_' || n, timestamptz '2026-01-01' + n * interval '1 minute',
                'g_' || n % ({ROWS} / 4), '',
                jsonb_build_object('id', 'smp_' || n, 'entity_id', '{entity}', 'created_at',
                    '2026-01-01T00:00:00Z', 'deleted_at', NULL, 'day', NULL, 'seen_at', NULL) FROM \
                    generate_series(1, {ROWS}) AS n"
    );
    fixture.owner().await.batch_execute(&insert).await.expect("rows are inserted");
    (fixture.store, fixture.database, entity)
}

/// `samples` as the server counted its use once everybody had left: whole scans, and rows fetched
/// through an index.
async fn usage(database: &Database) -> (i64, i64) {
    let owner = connect(&database.url).await;
    // A session counts what it used when it ends.
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()";
    while owner.query_one(others, &[]).await.expect("the database answers").get::<_, i64>(0) > 1 {}
    let sql = "SELECT seq_scan, idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'samples'";
    let row = owner.query_one(sql, &[]).await.expect("the database answers");
    (row.get(0), row.get(1))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deep_page_is_read_without_the_pages_before_it() {
    let (store, database, entity) = crowded().await;

    // The middle of a list of which the server has no statistics yet. The second order has a bound
    // on its first field alone.
    let deep = Value::Instant(datetime!(2026-01-08 00:00 UTC));
    for (order_by, keys) in
        [("-created_at", vec![deep.clone()]), ("created_at,name", vec![deep, Value::Null])]
    {
        let raw = RawQuery { order_by: vec![order_by.to_owned()], ..RawQuery::default() };
        let mut query = ListQuery::parse(&SAMPLES, &raw).unwrap();
        let id = "smp_0".to_owned();
        query.cursor = Some(Cursor { direction: Direction::Next, keys, id });
        let (rows, _) = store.list(&SAMPLES, &Tenant::entity(entity), &query).await.unwrap();
        assert_eq!(rows.len(), query.limit + 1, "{order_by}");
    }
    drop(store);

    let (scans, rows) = usage(&database).await;
    assert_eq!(scans, 0, "whole scans");
    assert!(rows < 100, "two pages of 11 rows took {rows} rows");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_by_a_listed_field_is_found_in_its_index_by_a_few_of_its_entries() {
    let (store, database, entity) = crowded().await;
    let owner = connect(&database.url).await;
    // Many equal values, and an index whose entries are enough.
    let varied = "UPDATE samples SET name = 'n' || length(id) % 3, active = length(id) % 2 = 0;
         VACUUM ANALYZE samples; SELECT pg_stat_force_next_flush(); SELECT pg_stat_reset();";
    for statement in varied.split_inclusive(';') {
        owner.batch_execute(statement).await.expect("rows are varied");
    }
    drop(owner);
    let fields =
        ["name", "active", "customer.name", "note", "seen_at", "amount", "id", "deleted_at"];
    for order in fields.iter().flat_map(|field| [(*field).to_owned(), format!("-{field}")]) {
        let raw = RawQuery { order_by: vec![order.clone()], ..RawQuery::default() };
        let mut raw = RawQuery { limit: Some("100".to_owned()), ..raw };
        for _ in 0..3 {
            let query = ListQuery::parse(&SAMPLES, &raw).unwrap();
            let tenant = Tenant::entity(entity);
            let page = store.page::<Sample>(&SAMPLES, &tenant, &query).await;
            raw.next_cursor =
                page.unwrap_or_else(|error| panic!("{order}: {error:?}")).pagination.next_cursor;
        }
    }
    drop(store);

    let (scans, rows) = usage(&database).await;
    assert_eq!(scans, 0, "whole scans");
    let owner = connect(&database.url).await;
    let sql =
        "SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes WHERE relname = 'samples'";
    let entries: i64 = owner.query_one(sql, &[]).await.expect("it counts").get(0);
    let pages = i64::try_from(fields.len() * 2 * 3).unwrap();
    assert!(entries < pages * 450, "{pages} pages of 101 rows took {entries} entries, {rows} rows");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_a_unit_holds_by_a_field_are_found_without_the_others() {
    let (store, database, entity) = crowded().await;
    // As a busy server: many small tenants beside a big one, and statistics of all of them.
    let others = format!(
        "INSERT INTO samples (tenant, id, created_at, group_name, search, body)
         SELECT 'ent_' || n % 5000, 'smp_' || n, now(), NULL, '', '{{}}'
         FROM generate_series(1, {ROWS}) AS n;
         ANALYZE samples; SELECT pg_stat_reset();"
    );
    let owner = connect(&database.url).await;
    owner.batch_execute(&others).await.expect("rows are inserted");
    drop(owner);
    for group in ["g_7", "g_8"] {
        let (tenant, value) = (Tenant::entity(entity), group.to_owned());
        let load = Load::Where { table: &SAMPLES, tenant, field: "group", value };
        let found = store.decide(vec![load], None, |loaded| {
            Ok::<_, Failure>((loaded.rows.concat().len(), Writes::default()))
        });
        assert_eq!(found.await, Ok(4), "{group}");
    }
    drop(store);

    let (scans, rows) = usage(&database).await;
    assert_eq!(scans, 0, "whole scans");
    assert!(rows < 100, "two units that hold 4 rows took {rows} rows");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tally_of_columns_looks_at_its_rows_alone_and_at_no_body() {
    let (store, database, entity) = crowded().await;
    let owner = connect(&database.url).await;
    let hidden = "REVOKE SELECT ON samples FROM racun_app;
         GRANT SELECT (tenant, id, deleted_at, group_name, amount) ON samples TO racun_app";
    owner.batch_execute(hidden).await.expect("the body can be hidden");
    drop(owner);

    let groups = vec!["g_7".into(), "g_8".into()];
    let versions = Tally {
        by: vec![Part::field(&SAMPLES, "id"), Part::field(&SAMPLES, "amount")],
        figures: Vec::new(),
        ..Tally::of(&SAMPLES).only("group", Operator::In(groups))
    };
    let tenant = Tenant::entity(entity);
    let found = store.tally(&tenant, versions.clone()).await.expect("columns are not hidden");
    assert_eq!(found.len(), 8);
    let inside = Tally { each: Some(&["parts"]), ..versions };
    let refused = store.tally(&tenant, inside).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    drop(store);

    let (scans, rows) = usage(&database).await;
    assert_eq!(scans, 0, "whole scans");
    assert!(rows < 100, "a tally of 8 rows took {rows} rows");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_folds_every_character_as_the_kernel_does() {
    let fixture = Fixture::new().await;
    let owner = fixture.owner().await;
    let texts: Vec<String> = ('\u{1}'..=char::MAX)
        .map(String::from)
        .chain(
            ["ΟΔΟΣ ΣΣ", "İstanbul Iı", "ŽIGA Čeh ẞ", "ὈΔΥΣΣΕΎΣ.", "z\u{30c}\u{327}a"]
                .map(str::to_owned),
        )
        .collect();
    let sql = "SELECT array_agg(racun_bare(text) ORDER BY place) \
               FROM unnest($1::text[]) WITH ORDINALITY AS all_texts (text, place)";
    let folded: Vec<String> = owner.query_one(sql, &[&texts]).await.unwrap().get(0);
    let is_new =
        |text: &str| NEW_LETTERS.iter().any(|range| text.chars().any(|c| range.contains(&c)));
    for (text, folded) in texts.iter().zip(&folded) {
        assert!(text::fold(text) == *folded || is_new(text), "{text:?} becomes {folded:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn most_rows_are_counted_by_the_others() {
    let fixture = Fixture::new().await;
    let (entity, owner) = (entity(1), fixture.owner().await);
    // 126,000 active, 13,990 not, and 10 that do not say; a thousand more are in the trash.
    let insert = format!(
        "INSERT INTO samples (tenant, id, created_at, deleted_at, active, search, body)
         SELECT '{entity}', 'smp_' || n, timestamptz '2026-01-01' + n * interval '1 minute',
                CASE WHEN n > 140000 THEN now() END,
                CASE WHEN n % 10 > 0 THEN true WHEN n > 100 THEN false END, '', '{{}}'
         FROM generate_series(1, 141000) AS n;
         INSERT INTO list_counts (tenant, table_name, shard, live, trashed)
         VALUES ('{entity}', 'samples', 0, 139000, 0), ('{entity}', 'samples', 1, 1000, 1000)"
    );
    owner.batch_execute(&insert).await.expect("rows are inserted");
    for (active, expected) in [("true", 126_000), ("false", 13_990), ("null", 10)] {
        let filter = format!(r#"{{"active": {active}}}"#);
        let raw = RawQuery { query: Some(filter), ..RawQuery::default() };
        let query = ListQuery::parse(&SAMPLES, &raw).unwrap();
        let page = fixture.store.list(&SAMPLES, &Tenant::entity(entity), &query).await;
        assert_eq!(page.unwrap().1, expected, "{active}");
    }
}
