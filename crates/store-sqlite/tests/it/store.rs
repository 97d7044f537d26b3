//! The store in memory and on file: the contract of all stores, and what only this one promises.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use racun_kernel::Decimal;
use racun_kernel::id::EntityId;
use racun_store::testing::contract::{
    NOTES, SAMPLES, Sample, happened, random_lists, random_tallies, store_contract,
};
use racun_store::{
    Event, Field, FieldKind, ListQuery, Loaded, Part, Put, RawQuery, Record, Refusal, Series,
    Store, StoreError, Table, Tally, TallyRow, TransactError, Unit, Value, Writes, evaluate,
};
use racun_store_sqlite::{OpenError, Options, SqliteStore};
use tempfile::TempDir;
use time::macros::datetime;

static TABLES: [&Table; 2] = [&SAMPLES, &NOTES];

fn in_memory() -> Arc<dyn Store> {
    Arc::new(SqliteStore::in_memory(&TABLES).unwrap())
}

/// A folder that goes with its owner, and the data file in it.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("racun.db");
    (folder, file)
}

fn open(file: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(file, &TABLES, 1).unwrap())
}

fn in_segments(file: &Path, rows: usize) -> Arc<dyn Store> {
    let options = Options { rows, ..Options::default() };
    Arc::new(SqliteStore::open_with(file, &TABLES, &options).unwrap())
}

pub(crate) fn run<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn sample(id: &str) -> Sample {
    Sample::new(EntityId::new(7_u128.into()), id)
}

fn insertion(sample: &Sample) -> Unit {
    let puts = vec![Put::insert(sample)];
    let writes = Writes { puts, ..Writes::default() };
    Unit { loads: Vec::new(), series: None, decide: Box::new(move |_| Ok(writes)) }
}

async fn get(store: &Arc<dyn Store>, sample: &Sample) -> Option<Sample> {
    store.get(&SAMPLES, &sample.tenant(), &sample.id).await.unwrap()
}

#[test]
fn the_contract_holds_in_memory() {
    run(store_contract(in_memory()));
}

#[test]
fn the_contract_holds_on_file() {
    let (_folder, file) = folder();
    run(store_contract(open(&file)));
}

#[test]
fn random_lists_equal_the_reference() {
    for seed in [1, 20_261_120, 0x5EED] {
        run(random_lists(in_memory(), seed, 300));
    }
}

#[test]
fn random_lists_on_file_equal_the_reference() {
    let (_folder, file) = folder();
    run(random_lists(open(&file), 3, 60));
}

#[test]
fn random_lists_in_small_segments_equal_the_reference() {
    for (seed, rows) in [(1, 2), (20_261_120, 4), (0x5EED, 8), (4, 16)] {
        let (_folder, file) = folder();
        let store: Arc<dyn Store> = in_segments(&file, rows);
        run(random_lists(store, seed, 300));
    }
}

#[test]
fn random_tallies_in_small_segments_equal_the_reference() {
    for (seed, rows) in [(1, 2), (20_261_120, 4), (0x5EED, 8)] {
        let (_folder, file) = folder();
        run(random_tallies(in_segments(&file, rows), seed, 100));
    }
}

/// A file as format 1 left it: accents in what is searched, no segments, and an index that nothing
/// needs.
fn set_back(file: &Path) {
    let connection = rusqlite::Connection::open(file).unwrap();
    let before = "
        UPDATE samples SET search = 'žiga\u{1f}čeh' WHERE id = 'smp_1';
        DROP TABLE racun_kept; DROP TABLE racun_fresh;
        DROP TABLE racun_segments; DROP TABLE racun_columns;
        DROP TABLE racun_building; DROP TABLE racun_versions; DROP TABLE racun_upgrades;
        CREATE INDEX samples__amount__old ON samples (amount);
        PRAGMA user_version = 1;";
    connection.execute_batch(before).unwrap();
}

#[test]
fn a_file_of_the_format_before_is_brought_up_when_it_is_opened() {
    let (_folder, file) = folder();
    let mut rows: Vec<Sample> = (1..=9)
        .map(|n: i64| Sample {
            name: Some(format!("Miha {}", n % 4)),
            amount: Some((n % 3).into()),
            ..sample(&format!("smp_{n}"))
        })
        .collect();
    rows[0].name = Some("Žiga Čeh".to_owned());
    rows[8].deleted_at = Some(rows[8].created_at);
    let store = open(&file);
    for row in &rows {
        run(store.transact(insertion(row))).unwrap();
    }
    drop(store);
    set_back(&file);
    let store: Arc<dyn Store> = in_segments(&file, 4);
    for (order, search) in [("-amount", None), ("name,-amount", None), ("name", Some("ziga"))] {
        let raw = RawQuery {
            order_by: vec![order.to_owned()],
            search: search.map(str::to_owned),
            ..RawQuery::default()
        };
        let query = ListQuery::parse(&SAMPLES, &raw).unwrap();
        let page = run(store.page::<Sample>(&SAMPLES, &rows[0].tenant(), &query)).unwrap();
        assert_eq!(page, evaluate(&rows, &query), "{order} {search:?}");
        assert_eq!(page.rows.len(), if search.is_some() { 1 } else { 8 }, "{order}");
    }
    drop(store);
    let connection = rusqlite::Connection::open(&file).unwrap();
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM racun_segments"), 2);
    assert_eq!(count("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%old'"), 0);
}

#[test]
fn random_tallies_equal_the_reference() {
    for seed in [1, 20_261_120, 0x5EED] {
        run(random_tallies(in_memory(), seed, 300));
    }
    let (_folder, file) = folder();
    run(random_tallies(open(&file), 3, 60));
}

/// A writer counts a sample's amount up; readers who look it up never see less than what was
/// answered to the writer before they asked, nor less than what they saw before.
#[test]
fn no_read_answers_what_was_before_a_write_that_was_answered() {
    const WRITES: i64 = 1_500;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    let (_folder, file) = folder();
    let store = open(&file);
    let told = Arc::new(AtomicI64::new(0));
    let counted = |count: i64| Sample {
        group: Some("counted".to_owned()),
        amount: Some(count.into()),
        ..sample("smp_1")
    };
    let read = |rows: Vec<Sample>| rows[0].amount.clone().unwrap();
    runtime.block_on(async {
        store.transact(insertion(&counted(0))).await.unwrap();
        let readers: Vec<_> = (0..4)
            .map(|_| {
                let (store, told) = (Arc::clone(&store), Arc::clone(&told));
                tokio::spawn(async move {
                    let (mut reads, mut least) = (0_u32, Decimal::zero());
                    while told.load(Ordering::SeqCst) < WRITES {
                        let before = Decimal::from(told.load(Ordering::SeqCst));
                        let changed = store.changed(&SAMPLES, &sample("").tenant());
                        let seen = read(store.look_up(&SAMPLES, "group", "counted").await.unwrap());
                        assert!(seen >= before && seen >= least, "{seen} after {before}, {least}");
                        let again =
                            read(store.look_up(&SAMPLES, "group", "counted").await.unwrap());
                        let still = store.changed(&SAMPLES, &sample("").tenant());
                        if changed.is_some() && changed == still {
                            assert_eq!(seen, again, "nothing changed in between");
                        }
                        (reads, least) = (reads + 1, again);
                    }
                    reads
                })
            })
            .collect();
        for count in 1..=WRITES {
            let puts = vec![Put::update(&counted(count - 1), &counted(count))];
            let writes = Writes { puts, ..Writes::default() };
            let decide = Box::new(move |_| Ok(writes));
            store.transact(Unit { loads: Vec::new(), series: None, decide }).await.unwrap();
            told.store(count, Ordering::SeqCst);
        }
        for reader in readers {
            assert!(reader.await.unwrap() > 100);
        }
    });
}

#[test]
fn acknowledged_units_survive_reopening() {
    let (_folder, file) = folder();
    let kept = Sample { name: Some("Žiga".to_owned()), ..sample("smp_1") };
    let series = Series { tenant: kept.tenant(), key: "a".to_owned(), start: 1 };
    let writes = Writes { puts: vec![Put::insert(&kept)], events: Vec::new(), takes_number: true };
    let decide = Box::new(move |_: Loaded| Ok(writes));
    let unit = Unit { loads: Vec::new(), series: Some(series), decide };

    let store = open(&file);
    run(store.transact(unit)).unwrap();
    drop(store);

    let store = open(&file);
    assert_eq!(run(get(&store, &kept)), Some(kept.clone()));
    assert_eq!(run(store.series(&kept.tenant())), Ok(vec![("a".to_owned(), 1)]));
    let query = racun_store::ListQuery::first_page(&SAMPLES);
    let page = run(store.page::<Sample>(&SAMPLES, &kept.tenant(), &query)).unwrap();
    assert_eq!((page.rows, page.pagination.total), (vec![kept], 1));
}

#[test]
fn a_tally_of_columns_reads_no_body() {
    let (_folder, file) = folder();
    let store = open(&file);
    run(store.transact(insertion(&sample("smp_1")))).unwrap();
    drop(store);
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute("UPDATE samples SET body = 'no JSON'", []).unwrap();
    drop(connection);

    let store = open(&file);
    let tenant = sample("smp_1").tenant();
    let versions = Tally {
        by: vec![Part::field(&SAMPLES, "id"), Part::field(&SAMPLES, "amount")],
        ..Tally::of(&SAMPLES)
    };
    let found = run(store.tally(&tenant, versions.clone())).unwrap();
    assert_eq!(
        found,
        [TallyRow {
            by: vec!["smp_1".into(), Value::Null],
            figures: vec![1.into()],
            extremes: Vec::new()
        }]
    );
    let inside = Tally { each: Some(&["parts"]), ..versions };
    let refused = run(store.tally(&tenant, inside));
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
}

#[test]
fn a_second_store_on_one_file_is_refused_until_the_first_is_dropped() {
    let (_folder, file) = folder();
    let first = SqliteStore::open(&file, &TABLES, 1).unwrap();
    let refused = SqliteStore::open(&file, &TABLES, 1).err().unwrap();
    assert!(matches!(&refused, OpenError::InUse { .. }), "{refused}");
    assert!(refused.to_string().contains("racun.db.lock"), "{refused}");
    drop(first);
    SqliteStore::open(&file, &TABLES, 1).unwrap();
}

#[test]
fn a_store_that_is_dropped_finishes_what_was_queued() {
    let (_folder, file) = folder();
    run(async {
        let store = open(&file);
        for n in 0..50 {
            let unit = insertion(&sample(&format!("smp_{n}")));
            // Polled once, so that it is queued; then dropped, as by a client that hangs up.
            tokio::select! { biased; _ = store.transact(unit) => {}, () = async {} => {} }
        }
    });
    // SQLite removes its log when the last connection is closed: nothing of the store is left.
    assert!(!file.with_extension("db-wal").exists());
    let store = open(&file);
    for n in 0..50 {
        assert!(run(get(&store, &sample(&format!("smp_{n}")))).is_some(), "smp_{n}");
    }
}

#[test]
fn a_panicking_decision_takes_nothing_else_with_it() {
    let (_folder, file) = folder();
    let store = open(&file);
    let panicking = || Unit {
        loads: Vec::new(),
        series: None,
        decide: Box::new(|_| panic!("a bug in a decision, made on purpose")),
    };
    let refusing = || Unit { loads: Vec::new(), series: None, decide: Box::new(|_| Err(Refusal)) };
    let [first, second] = ["smp_1", "smp_2"].map(sample);
    // Waiting together, they are committed as one group.
    let (before, panicked, refused, after) = run(async {
        tokio::join!(
            store.transact(insertion(&first)),
            store.transact(panicking()),
            store.transact(refusing()),
            store.transact(insertion(&second)),
        )
    });
    assert_eq!((before, after), (Ok(()), Ok(())));
    assert_eq!(refused, Err(TransactError::Refused));
    let unavailable =
        TransactError::Store(StoreError::Unavailable("the decision panicked".to_owned()));
    assert_eq!(panicked, Err(unavailable));
    assert_eq!(run(get(&store, &first)), Some(first));
    assert_eq!(run(get(&store, &second)), Some(second));
}

#[test]
fn events_are_in_the_log_exactly_when_their_unit_is_committed() {
    let (_folder, file) = folder();
    let store = open(&file);
    let put = Put::insert(&sample("smp_1"));
    let stamp = racun_store::testing::stamp(datetime!(2026-11-20 08:30 UTC));
    let event = |subject: &str| {
        let (tenant, actor) = (sample("smp_1").tenant(), "usr_1".to_owned());
        Event::new(tenant, happened::ADDED, subject.to_owned(), actor, &stamp)
    };
    run(store.insert(vec![put.clone()], vec![event("smp_1"), event("smp_2")])).unwrap();
    run(store.insert(vec![put], vec![event("smp_3")])).unwrap_err();
    drop(store);

    let connection = rusqlite::Connection::open(&file).unwrap();
    let query = "SELECT position, kind, resource_id, actor_id, created_at FROM activities
                 ORDER BY position";
    let mut statement = connection.prepare(query).unwrap();
    let row = |row: &rusqlite::Row<'_>| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    };
    let events: Vec<(i64, String, String, String, i64)> =
        statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap();
    let expected = [(1, "smp_1"), (2, "smp_2")].map(|(position, subject)| {
        let owned = str::to_owned;
        (position, owned("sample.created"), owned(subject), owned("usr_1"), 1_795_163_400_000_000)
    });
    assert_eq!(events, expected);
    for change in ["UPDATE activities SET kind = ''", "DELETE FROM activities"] {
        let refused = connection.execute(change, []).unwrap_err().to_string();
        assert_eq!(refused, "the log is not rewritten", "{change}");
    }
}

#[test]
fn a_file_of_another_program_is_left_alone() {
    let (_folder, file) = folder();
    let foreign = rusqlite::Connection::open(&file).unwrap();
    foreign.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(foreign);
    let refused = SqliteStore::open(&file, &TABLES, 1).err().unwrap();
    assert!(matches!(&refused, OpenError::Foreign { .. }), "{refused}");

    std::fs::write(&file, "not a database, but long enough to be looked at ".repeat(100)).unwrap();
    let refused = SqliteStore::open(&file, &TABLES, 1).err().unwrap();
    assert!(matches!(&refused, OpenError::Sqlite { .. }), "{refused}");
    assert!(refused.to_string().contains("racun.db"), "{refused}");
}

#[test]
fn declarations_that_no_store_can_keep_are_refused() {
    const CREATED: Field = Field::column("created_at", FieldKind::Instant);
    fn check<const N: usize>(name: &'static str, fields: [Field; N], expected: &str) {
        let fields = Box::leak(Box::new(fields));
        let table: &'static Table = Box::leak(Box::new(Table::new::<Sample>(name, fields)));
        let refused = SqliteStore::in_memory(&[table]).err().unwrap().to_string();
        assert!(refused.contains(expected), "{name}: {refused}");
    }
    check("Things", [CREATED], "name is small letters");
    check("things\"; --", [CREATED], "name is small letters");
    check("racun_series", [CREATED], "not one of ours");
    check("activities", [CREATED], "declared twice");
    check("things", [], "created_at");
    check("things", [CREATED, CREATED], "field created_at: its column exists");
    check("things", [CREATED, Field::column("body", FieldKind::Text)], "field body");
    check("things", [CREATED, Field::column("a b", FieldKind::Text)], "field a b: a column's");
    check("things", [CREATED, Field::body("a", &["a'b"])], "field a: a path's keys");
    check("things", [CREATED, Field::body("a", &["a"]).indexed()], "inside the body");
    check("things", [Field::column("created_at", FieldKind::Text)], "created_at");
    let twice = SqliteStore::in_memory(&[&NOTES, &NOTES]).err().unwrap().to_string();
    assert!(twice.contains("sample_notes: is declared twice"), "{twice}");
}
