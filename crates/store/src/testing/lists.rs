//! The contract of lists: every page equals the one that the reference evaluation answers.

use racun_kernel::Tenant;
use racun_kernel::id::EntityId;

use super::amendments::insert;
use super::random::Random;
use super::random_samples::{random_query, random_sample};
use super::sample::{NOTES, Note, SAMPLES, Sample, SamplePart, SamplePrice, fresh_entity};
use crate::{ListQuery, Order, Page, PageSize, Put, RawQuery, Read, Record, Store, Walk, evaluate};

/// Rows of a tenant in the random test.
const ROWS: usize = 30;

/// Walks random lists of random records from end to end and back; every page must be the one that
/// [`evaluate`] answers. Between the lists, rows are added, changed, trashed and deleted.
///
/// # Panics
/// When a page differs. The message holds `seed` and the query, which repeat the failure.
pub async fn random_lists(store: std::sync::Arc<dyn Store>, seed: u64, rounds: usize) {
    let store = &*store;
    let mut random = Random::new(seed);
    let entity = fresh_entity();
    let mut rows: Vec<Sample> =
        (0..ROWS).map(|n| random_sample(&mut random, entity, &format!("smp_{n:02}"))).collect();
    insert(store, rows.iter().map(Put::insert).collect()).await;
    let stranger = fresh_entity();
    let strangers: Vec<Sample> = rows.iter().map(|row| moved(row, stranger)).collect();
    insert(store, strangers.iter().map(Put::insert).collect()).await;

    for round in 0..rounds {
        if random.chance(30) {
            change_one(store, &mut random, &mut rows, round).await;
        }
        let raw = random_query(&mut random, &rows);
        let told = format!("seed {seed}, round {round}: {raw:?}");
        walk(store, &Tenant::entity(entity), &rows, &raw, &told).await;
    }
}

/// `sample` as a row of another tenant.
fn moved(sample: &Sample, entity_id: EntityId) -> Sample {
    let handle = sample.handle.as_ref().map(|_| format!("{entity_id} {}", sample.id));
    Sample { entity_id, handle, ..sample.clone() }
}

/// Replaces, deletes or adds a row, in the store and in `rows`.
async fn change_one(store: &dyn Store, random: &mut Random, rows: &mut Vec<Sample>, round: usize) {
    let place = random.below(rows.len());
    let old = rows.swap_remove(place);
    let put = if random.chance(30) {
        Put::delete(&old)
    } else {
        let new = random_sample(random, old.entity_id, &old.id);
        let put = Put::update(&old, &new);
        rows.push(new);
        put
    };
    let added = random_sample(random, old.entity_id, &format!("smp_9{round:03}"));
    let mut puts = vec![put];
    if rows.len() < ROWS {
        puts.push(Put::insert(&added));
        rows.push(added);
    }
    insert(store, puts).await;
}

/// Follows the cursors of `raw` to the last page and back to the first.
async fn walk(store: &dyn Store, tenant: &Tenant, rows: &[Sample], raw: &RawQuery, told: &str) {
    let mut page = same_page(store, tenant, rows, raw, told).await;
    let mut seen = page.rows.len();
    while let Some(cursor) = page.pagination.next_cursor {
        let next = RawQuery { next_cursor: Some(cursor), ..raw.clone() };
        page = same_page(store, tenant, rows, &next, told).await;
        assert!(!page.rows.is_empty(), "a page that was announced is empty: {told}");
        seen += page.rows.len();
    }
    let all = ListQuery { limit: ListQuery::MAX_LIMIT + rows.len(), ..parsed(raw, told) };
    assert_eq!(seen, evaluate(rows, &all).rows.len(), "pages leave out rows: {told}");
    while let Some(cursor) = page.pagination.prev_cursor {
        seen -= page.rows.len();
        let previous = RawQuery { prev_cursor: Some(cursor), ..raw.clone() };
        page = same_page(store, tenant, rows, &previous, told).await;
    }
    assert_eq!(seen, page.rows.len(), "the way back differs: {told}");
}

fn parsed(raw: &RawQuery, told: &str) -> ListQuery {
    ListQuery::parse(&SAMPLES, raw).unwrap_or_else(|issues| panic!("{issues}: {told}"))
}

/// The page that both the store and the reference answer.
async fn same_page(
    store: &dyn Store,
    tenant: &Tenant,
    rows: &[Sample],
    raw: &RawQuery,
    told: &str,
) -> Page<Sample> {
    let query = parsed(raw, told);
    let answered = store.page::<Sample>(&SAMPLES, tenant, &query).await;
    let expected = evaluate(rows, &query);
    assert_eq!(answered.as_ref(), Ok(&expected), "at {:?}: {told}", query.cursor);
    expected
}

pub(super) async fn a_table_without_trash_has_an_empty_one(store: &dyn Store) {
    let notes = ["note_1", "note_2"].map(|id| Note::new(fresh_entity(), id, "smp_1"));
    let note = &notes[0];
    insert(store, notes.iter().map(Put::insert).collect()).await;
    for (search, deleted, expected) in
        [(None, "false", 1), (None, "true", 0), (Some("RAČ"), "false", 1), (Some("RAČ"), "true", 0)]
    {
        let raw = RawQuery {
            search: search.map(str::to_owned),
            deleted: Some(deleted.to_owned()),
            ..RawQuery::default()
        };
        let query = ListQuery::parse(&NOTES, &raw).expect("it is well formed");
        let page = store.page::<Note>(&NOTES, &note.tenant(), &query).await.expect("it answers");
        assert_eq!(page.rows, [note.clone()][..expected], "{raw:?}");
        assert_eq!(page.pagination.total, i64::from(deleted == "false"), "{raw:?}");
    }
}

pub(super) async fn a_page_of_long_rows_ends_before_its_limit(store: &dyn Store) {
    let entity = fresh_entity();
    let part = |chars| SamplePart {
        label: Some("ž\"".repeat(chars)),
        price: SamplePrice { amount: None },
    };
    // Also one that is longer than a page.
    let lengths = [100_000, 10, 90_000, 800_000, 250_000, 1, 110_000, 100_000, 100_000, 100_000];
    let rows: Vec<Sample> = lengths
        .iter()
        .enumerate()
        .map(|(n, length)| Sample {
            parts: Some(vec![part(*length)]),
            name: (n % 2 == 0).then(|| "even".to_owned()),
            ..Sample::new(entity, format!("smp_{n}"))
        })
        .collect();
    insert(store, rows.iter().map(Put::insert).collect()).await;
    let filter = Some(r#"{"name": "even"}"#.to_owned());
    for (order, query) in [("id", None), ("-id", None), ("name", None), ("id", filter)] {
        let raw = RawQuery {
            limit: Some("100".to_owned()),
            order_by: vec![order.to_owned()],
            query,
            ..RawQuery::default()
        };
        let first = same_page(store, &rows[0].tenant(), &rows, &raw, order).await;
        assert!(first.pagination.has_more && first.rows.len() < 6, "{order}");
        walk(store, &rows[0].tenant(), &rows, &raw, order).await;
    }
    let all = ListQuery { limit: 1_000, ..ListQuery::first_page(&SAMPLES) };
    for (size, is_whole) in [
        (PageSize::OfLimit, true),
        (PageSize::Json(10_000_000), true),
        (PageSize::Json(1_000_000), false),
        (PageSize::Json(1), false),
    ] {
        let query = ListQuery { size, ..all.clone() };
        let answered = store.page::<Sample>(&SAMPLES, &rows[0].tenant(), &query).await;
        let expected = evaluate(&rows, &query);
        assert_eq!(answered.as_ref(), Ok(&expected), "{size:?}");
        assert_eq!(expected.rows.len() == rows.len(), is_whole, "{size:?}");
        assert_eq!(expected.pagination.has_more, !is_whole, "{size:?}");
    }
}

/// A walk ends its pages where the store likes, with each row once, and reads no row in vain.
pub(super) async fn a_walk_of_long_rows_meets_each_of_them_once(store: &dyn Store) {
    let entity = fresh_entity();
    let part = |length: usize| SamplePart {
        label: Some("x".repeat(length)),
        price: SamplePrice { amount: None },
    };
    let lengths = [3_000_000, 10, 900_000, 1_500_000, 10, 10, 2_200_000, 1_000_000, 1_000_000, 10];
    let rows: Vec<Sample> = lengths
        .iter()
        .enumerate()
        .map(|(n, length)| Sample {
            parts: Some(vec![part(*length)]),
            ..Sample::new(entity, format!("smp_{n}"))
        })
        .collect();
    for row in &rows {
        insert(store, vec![Put::insert(row)]).await;
    }
    for descending in [false, true] {
        let order = vec![Order::on(&SAMPLES, "id", descending)];
        let query = ListQuery { order, ..ListQuery::first_page(&SAMPLES) };
        let mut walk = Walk::through(&SAMPLES, rows[0].tenant(), query);
        let (mut met, mut pages) = (Vec::new(), 0);
        while let Some(page) = walk.next::<Sample>(store).await.expect("a page") {
            pages += 1;
            met.extend(page);
        }
        let mut expected = rows.clone();
        if descending {
            expected.reverse();
        }
        assert_eq!(met, expected);
        assert!((4..rows.len()).contains(&pages), "{pages}");
    }
}

pub(super) async fn a_cursor_survives_the_row_it_stands_on(store: &dyn Store) {
    let entity = fresh_entity();
    let rows = ["smp_1", "smp_2", "smp_3"].map(|id| Sample::new(entity, id));
    insert(store, rows.iter().map(Put::insert).collect()).await;
    let mut raw = RawQuery {
        limit: Some("2".to_owned()),
        order_by: vec!["amount".to_owned()],
        ..RawQuery::default()
    };
    let first = same_page(store, &rows[0].tenant(), &rows, &raw, "three rows").await;
    insert(store, vec![Put::delete(&rows[1])]).await;
    raw.next_cursor = first.pagination.next_cursor;
    let left = [rows[0].clone(), rows[2].clone()];
    let second = same_page(store, &rows[0].tenant(), &left, &raw, "two rows").await;
    assert_eq!(second.rows, rows[2..]);
}

pub(super) async fn reads_at_once_answer_what_each_answers_alone(store: &dyn Store) {
    let rows = ["smp_1", "smp_2"].map(|id| Sample {
        group: Some(format!("read of {id}")),
        ..Sample::new(fresh_entity(), id)
    });
    insert(store, rows.iter().map(Put::insert).collect()).await;
    let [first, second] = rows;
    let changed = Sample { note: Some("changed".to_owned()), ..second.clone() };
    insert(store, vec![Put::update(&second, &changed)]).await;
    let first_page = ListQuery { count: true, ..ListQuery::first_page(&SAMPLES) };
    let reads = [
        Read::Find(&SAMPLES, first.tenant(), vec!["smp_1".to_owned(), "smp_2".to_owned()]),
        Read::Find(&SAMPLES, first.tenant(), vec!["smp\0".to_owned()]),
        Read::Lookup(&SAMPLES, "group", "read of smp_2".to_owned()),
        Read::Lookup(&SAMPLES, "name", "no index".to_owned()),
        Read::List(&SAMPLES, second.tenant(), first_page.clone()),
    ];
    let answers = store.read_all(&reads).await;
    let tenants = [first.tenant(), second.tenant()];
    let found = store.find(&SAMPLES, &tenants[0], &["smp_1".to_owned()]).await;
    let looked_up = store.lookup(&SAMPLES, "group", "read of smp_2").await;
    assert!(looked_up.as_ref().is_ok_and(|rows| rows[0].body.contains("changed")));
    let listed = store.list(&SAMPLES, &tenants[1], &first_page).await;
    let unindexed = store.lookup(&SAMPLES, "name", "no index").await;
    assert!(unindexed.is_err());
    let alone =
        [found, Ok(Vec::new()), looked_up, unindexed].map(|rows| rows.map(|rows| (rows, 0)));
    assert_eq!(answers[..4], alone);
    assert_eq!(answers[4], listed);
}
