//! Files of earlier versions, brought up to this one when they are opened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use racun_kernel::Tenant;
use racun_kernel::id::EntityId;
use racun_store::{
    Event, Field, ListQuery, Listing, Put, RawQuery, Store, Unique, evaluate, record,
};
use racun_store_sqlite::{OpenError, Options, SqliteStore};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use time::OffsetDateTime;
use time::macros::datetime;

use crate::store::run;

/// A thing as version 1 declares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Thing {
    id: String,
    name: Option<String>,
    color: Option<String>,
    weight: i64,
    #[serde(with = "time::serde::rfc3339::option")]
    deleted_at: Option<OffsetDateTime>,
}

record! {
    static THINGS: Thing = "things";
    |thing|
    id: thing.id,
    tenant: tenant(),
    trashed: thing.deleted_at.is_some(),
    fields: {
        Field::instant("created_at") => CREATED,
        Field::instant("deleted_at") => thing.deleted_at,
        Field::text("name").searched().listed(Listing::Ordered) => thing.name,
        Field::text("color").indexed() => thing.color,
        Field::text("weight").indexed() => thing.weight.to_string(),
    }
}

/// The same thing as version 2 declares it: `color` is gone, `weight` is a number, `code` and what
/// the body says already are new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Newer {
    id: String,
    name: Option<String>,
    #[serde(default)]
    note: Option<String>,
    weight: i64,
    #[serde(with = "time::serde::rfc3339::option")]
    deleted_at: Option<OffsetDateTime>,
}

record! {
    static NEWER: Newer = "things";
    |thing|
    id: thing.id,
    tenant: tenant(),
    trashed: thing.deleted_at.is_some(),
    fields: {
        Field::instant("created_at") => CREATED,
        Field::instant("deleted_at") => thing.deleted_at,
        Field::text("name").searched().listed(Listing::Ordered) => thing.name,
        Field::text("note") => thing.note,
        Field::number("weight").listed(Listing::Ordered) => thing.weight,
        Field::bool("heavy").indexed() => thing.weight > 20,
        Field::text("code").unique(Unique::Tenant).searched()
            => format!("{}/{}", thing.id, thing.weight),
    }
}

/// A table that version 1 does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Extra {
    id: String,
}

record! {
    static EXTRAS: Extra = "extras";
    |extra|
    id: extra.id,
    tenant: tenant(),
    fields: {
        Field::instant("created_at") => CREATED,
    }
}

const CREATED: OffsetDateTime = datetime!(2026-11-20 08:30 UTC);
const ROWS: i64 = 40;
/// The file and the number of a step, for a process that is to end there.
const ABORT: &str = "RACUN_TEST_ABORT";

racun_store::events! {
    mod happened on THINGS {
        CREATED = "thing.created",
    }
}

fn tenant() -> Tenant {
    Tenant::entity(EntityId::new(7_u128.into()))
}

fn thing(n: i64) -> Thing {
    Thing {
        id: format!("thing_{n:03}"),
        name: (n % 5 > 0).then(|| format!("Reč {}", n % 7)),
        color: Some(format!("color {n}")),
        weight: n,
        deleted_at: (n % 10 == 0).then_some(CREATED),
    }
}

fn newer(n: i64) -> Newer {
    let Thing { id, name, weight, deleted_at, .. } = thing(n);
    Newer { id, name, note: None, weight, deleted_at }
}

/// Segments of few rows, so that they are made in several steps.
fn options(version: u32) -> Options {
    Options { version, rows: 2, ..Options::default() }
}

/// A file of version 1 with some rows, and its folder.
fn file_of_version_1() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("racun.db");
    let store = SqliteStore::open_with(&file, &[&THINGS], &options(1)).unwrap();
    let stamp = racun_store::testing::stamp(CREATED);
    let event = Event::new(tenant(), happened::CREATED, "t".to_owned(), "usr_1".to_owned(), &stamp);
    let store: &dyn Store = &store;
    let puts = (1..=ROWS).map(|n| Put::insert(&thing(n))).collect();
    run(store.insert(puts, vec![event])).unwrap();
    (folder, file)
}

fn open(file: &Path) -> Result<Arc<dyn Store>, OpenError> {
    let store = SqliteStore::open_with(file, &[&NEWER, &EXTRAS], &options(2))?;
    Ok(Arc::new(store))
}

/// Lists of version 2 say what the reference says, and the file is laid out as a new one is.
fn is_upgraded(file: &Path) {
    let rows: Vec<Newer> = (1..=ROWS).map(newer).collect();
    let store = open(file).unwrap();
    for (order, search, filter) in [
        ("-weight", None, None),
        ("name,-weight", None, None),
        ("weight", Some("39"), None),
        ("-name,weight", Some("rec"), Some(r#"{"heavy": true}"#)),
    ] {
        let raw = RawQuery {
            order_by: vec![order.to_owned()],
            search: search.map(str::to_owned),
            query: filter.map(str::to_owned),
            ..RawQuery::default()
        };
        let query = ListQuery::parse(&NEWER, &raw).unwrap();
        let page = run(store.page::<Newer>(&NEWER, &tenant(), &query)).unwrap();
        assert_eq!(page, evaluate(&rows, &query), "{order} {search:?}");
        assert!(!page.rows.is_empty());
    }
    assert_eq!(run(store.events_after(0, 10)).unwrap().len(), 1);
    drop(store);
    let new = file.with_file_name("new.db");
    let _ = std::fs::remove_file(&new);
    drop(SqliteStore::open_with(&new, &[&NEWER, &EXTRAS], &options(2)).unwrap());
    assert_eq!(layout(file), layout(&new));
}

/// Tables with their columns, and indexes.
fn layout(file: &Path) -> BTreeMap<String, Vec<String>> {
    let connection = Connection::open(file).unwrap();
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    let mut found = BTreeMap::new();
    for table in texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
        let columns =
            format!("SELECT name || ' ' || type FROM pragma_table_info('{table}') ORDER BY 1");
        found.insert(table.clone(), texts(&columns));
    }
    let rest = "SELECT coalesce(sql, name) FROM sqlite_schema WHERE type <> 'table' ORDER BY 1";
    found.insert("indexes and triggers".to_owned(), texts(rest));
    let versions = "SELECT name || ' ' || value FROM racun_versions";
    found.insert("versions".to_owned(), texts(versions));
    let declared = "SELECT name || ' ' || declaration FROM racun_tables ORDER BY 1";
    found.insert("declarations".to_owned(), texts(declared));
    found.insert("notes".to_owned(), texts("SELECT table_name FROM racun_upgrades"));
    found.insert("built".to_owned(), texts("SELECT name FROM racun_building"));
    found
}

fn copies(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut copies: Vec<String> = names.filter(|name| name.contains("before")).collect();
    copies.sort();
    copies
}

#[test]
fn a_file_whose_tables_are_declared_otherwise_is_upgraded_and_kept_as_it_was() {
    let (folder, file) = file_of_version_1();
    is_upgraded(&file);
    assert_eq!(copies(folder.path()), ["racun.db.before-2"], "one upgrade, one copy");
    // The copy is a file of version 1: that version goes on with it.
    let copy = folder.path().join("racun.db.before-2");
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::open_with(&copy, &[&THINGS], &options(1)).unwrap());
    let found: Option<Thing> = run(store.get(&THINGS, &tenant(), "thing_007")).unwrap();
    assert_eq!(found, Some(thing(7)));
    drop(store);
    // From the copy the upgrade is done once more, and no copy is overwritten.
    std::fs::copy(&copy, &file).unwrap();
    is_upgraded(&file);
    assert_eq!(copies(folder.path()).len(), 3, "{:?}", copies(folder.path()));
}

/// The upgrade has this many steps.
fn steps(file: &Path) -> usize {
    static STEPS: AtomicUsize = AtomicUsize::new(0);
    fn count() {
        STEPS.fetch_add(1, Ordering::SeqCst);
    }
    let options = Options { after_step: Some(count), ..options(2) };
    drop(SqliteStore::open_with(file, &[&NEWER, &EXTRAS], &options).unwrap());
    STEPS.load(Ordering::SeqCst)
}

/// Not a test of its own: what [`a_program_that_is_killed_at_any_step_goes_on_at_its_next_start`]
/// starts in another process, to be aborted there.
#[test]
#[expect(clippy::disallowed_methods, reason = "it is how a test tells another process what to do")]
fn upgrade_until_a_step() {
    static LEFT: AtomicUsize = AtomicUsize::new(0);
    fn abort() {
        if LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
            std::process::abort();
        }
    }
    let Ok(told) = std::env::var(ABORT) else { return };
    let (step, file) = told.split_once(' ').unwrap();
    LEFT.store(step.parse().unwrap(), Ordering::SeqCst);
    let options = Options { after_step: Some(abort), ..options(2) };
    let _ = SqliteStore::open_with(Path::new(file), &[&NEWER, &EXTRAS], &options);
}

/// Upgrades `file` in a process that is aborted after `step` steps.
fn upgrade_until(file: &Path, step: usize) {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "upgrade::upgrade_until_a_step"])
        .env(ABORT, format!("{step} {}", file.display()))
        .output()
        .unwrap()
        .status;
    assert!(!status.success(), "it was aborted");
}

#[test]
fn a_program_that_is_killed_at_any_step_goes_on_at_its_next_start() {
    let (_folder, file) = file_of_version_1();
    let steps = steps(&file);
    assert!(steps > 12, "{steps}");
    for step in 1..steps {
        let (folder, file) = file_of_version_1();
        upgrade_until(&file, step);
        // Until it has ended the program of version 1 does not touch the file.
        let refused = SqliteStore::open_with(&file, &[&THINGS], &options(1)).err().unwrap();
        assert!(matches!(refused, OpenError::Newer { .. }), "{step}: {refused}");
        is_upgraded(&file);
        assert_eq!(copies(folder.path()), ["racun.db.before-2"], "{step}");
    }
}

#[test]
fn a_program_that_is_killed_after_each_step_still_ends_the_upgrade() {
    let (folder, file) = file_of_version_1();
    // The first step of each start is to mark the file; the second is the next one.
    let mut starts = 0;
    while layout(&file)["versions"] != ["version 2"] {
        upgrade_until(&file, 2);
        starts += 1;
        assert!(starts < 100, "it goes on");
    }
    assert!(starts > 12, "{starts}");
    is_upgraded(&file);
    assert_eq!(copies(folder.path()), ["racun.db.before-2"]);
}

#[test]
fn a_file_of_a_later_version_is_refused_with_what_to_do() {
    let (_folder, file) = file_of_version_1();
    drop(open(&file).unwrap());
    let refused = SqliteStore::open_with(&file, &[&THINGS], &options(1)).err().unwrap();
    let text = refused.to_string();
    for told in ["racun.db", "of version 2", "up to 1", "later version of Racun", ".before-"] {
        assert!(text.contains(told), "{text}");
    }
    is_upgraded(&file);
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let refused = open(&file).err().unwrap().to_string();
    assert!(refused.contains("format 99"), "{refused}");
}

#[test]
fn without_room_for_the_copy_nothing_is_changed() {
    let (folder, file) = file_of_version_1();
    let before = layout(&file);
    let options = Options { room: Some(1_000), ..options(2) };
    let refused = SqliteStore::open_with(&file, &[&NEWER, &EXTRAS], &options).err().unwrap();
    assert!(matches!(refused, OpenError::NoRoom { free: 1_000, .. }), "{refused}");
    assert!(refused.to_string().contains("make room"), "{refused}");
    assert_eq!((layout(&file), copies(folder.path()).len()), (before, 0));
    is_upgraded(&file);
}

#[test]
fn a_body_that_cannot_be_read_stops_the_upgrade_by_name() {
    let (folder, file) = file_of_version_1();
    let break_one = "UPDATE things SET body = json_remove(body, '$.weight') WHERE id = 'thing_039'";
    Connection::open(&file).unwrap().execute(break_one, []).unwrap();
    let refused = open(&file).err().unwrap().to_string();
    for told in ["table things", "thing_039", "weight", ".before-"] {
        assert!(refused.contains(told), "{refused}");
    }
    assert_eq!(copies(folder.path()), ["racun.db.before-2"]);
    let mend = "UPDATE things SET body = json_set(body, '$.weight', 39) WHERE id = 'thing_039'";
    Connection::open(&file).unwrap().execute(mend, []).unwrap();
    is_upgraded(&file);
}

#[test]
fn a_file_as_it_is_declared_is_opened_without_a_copy() {
    let (folder, file) = file_of_version_1();
    let store = SqliteStore::open_with(&file, &[&THINGS], &options(1)).unwrap();
    drop(store);
    assert_eq!(copies(folder.path()), [""; 0]);
}

#[test]
fn the_log_is_filled_again_and_is_not_rewritten_afterwards() {
    let (_folder, file) = file_of_version_1();
    let before = "ALTER TABLE activities DROP COLUMN kind;
                  UPDATE racun_tables SET declaration = 'before' WHERE name = 'activities';";
    Connection::open(&file).unwrap().execute_batch(before).unwrap();
    is_upgraded(&file);
    let connection = Connection::open(&file).unwrap();
    let kind = "SELECT kind FROM activities";
    let kind: String = connection.query_row(kind, [], |row| row.get(0)).unwrap();
    assert_eq!(kind, "thing.created");
    let refused = connection.execute("UPDATE activities SET kind = ''", []).unwrap_err();
    assert_eq!(refused.to_string(), "the log is not rewritten");
}

#[test]
fn a_file_that_another_program_reads_is_not_copied_without_its_log() {
    let (folder, file) = file_of_version_1();
    let reader = Connection::open(&file).unwrap();
    let count = |connection: &Connection| -> i64 {
        connection.query_row("SELECT count(*) FROM things", [], |row| row.get(0)).unwrap()
    };
    // A change that is in the log alone, and a reader of it.
    for change in ["live = live + 1", "live = live - 1"] {
        reader.execute(&format!("UPDATE racun_counts SET {change}"), []).unwrap();
    }
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(count(&reader), ROWS);
    let refused = open(&file).err().unwrap();
    assert!(matches!(refused, OpenError::Read { .. }), "{refused}");
    assert_eq!(copies(folder.path()), [""; 0]);
    reader.execute_batch("COMMIT").unwrap();
    is_upgraded(&file);
}
