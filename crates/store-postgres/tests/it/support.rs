//! A store on a database of its own, and SQL beside it.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use racun_kernel::Tenant;
use racun_kernel::id::EntityId;
use racun_store::testing::contract::{NOTES, SAMPLES};
use racun_store::{Series, Store, StoreError, Writes};
use racun_store_postgres::{Options, PgStore, create_table_sql, migrate};
use racun_test_postgres::Database;
use tokio_postgres::{Client, NoTls};

/// For what must happen.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Bounds of statements that a busy machine does not reach.
pub fn patient() -> Options {
    Options { statement_time: PATIENCE, row_time: PATIENCE, ..Options::default() }
}

/// A database with the sample tables, and a store on it.
pub struct Fixture {
    pub store: Arc<PgStore>,
    pub database: Database,
}

impl Fixture {
    pub async fn new() -> Self {
        let database = database();
        let store = PgStore::connect(&database.url, patient()).await.expect("the database answers");
        Self { store: Arc::new(store), database }
    }

    pub fn store(&self) -> Arc<dyn Store> {
        Arc::<PgStore>::clone(&self.store)
    }

    /// A connection of the database's owner.
    pub async fn owner(&self) -> Client {
        connect(&self.database.url).await
    }
}

pub async fn connect(url: &str) -> Client {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.expect("the database answers");
    tokio::spawn(connection);
    client
}

/// A migrated database with the sample tables.
pub fn database() -> Database {
    let template = format!("store_{:016x}", fingerprint());
    racun_test_postgres::database(&template, |url| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(async {
            migrate(url).await?;
            let owner = connect(url).await;
            for table in [&SAMPLES, &NOTES] {
                owner.batch_execute(&create_table_sql(table)).await?;
            }
            Ok(())
        })
    })
    .expect("a database")
}

/// What the template is made of, so that a change makes another one.
fn fingerprint() -> u64 {
    let mut hasher = DefaultHasher::new();
    for (_, up, _) in migrations() {
        up.hash(&mut hasher);
    }
    create_table_sql(&SAMPLES).hash(&mut hasher);
    create_table_sql(&NOTES).hash(&mut hasher);
    hasher.finish()
}

/// Name, `up.sql` and `down.sql` of every migration, oldest first.
pub fn migrations() -> Vec<(String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let mut folders: Vec<_> = fs::read_dir(folder)
        .expect("the folder of migrations")
        .map(|entry| entry.expect("a folder").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let read = |folder: &Path, file| fs::read_to_string(folder.join(file)).expect("a migration");
    folders
        .iter()
        .map(|folder| {
            let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
            (name, read(folder, "up.sql"), read(folder, "down.sql"))
        })
        .collect()
}

/// Takes everything out of the database again but the list of what was done.
pub async fn undo_migrations(owner: &Client) {
    let samples = owner.batch_execute("DROP TABLE samples, sample_notes");
    samples.await.expect("the sample tables were there");
    for (name, _, down) in migrations().iter().rev() {
        owner.batch_execute(down).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
}

/// The entity called `number`.
pub fn entity(number: u8) -> EntityId {
    format!("ent_{number:026}").parse().expect("an id")
}

/// The series that the tests of groups use.
pub fn series(tenant: &Tenant) -> Series {
    Series { tenant: tenant.clone(), key: "invoice/2026".to_owned(), start: 1 }
}

/// Why a unit of the tests was not committed.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    Refused,
    Store(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// `writes`, with the number taken.
pub fn numbered(writes: Writes) -> Writes {
    Writes { takes_number: true, ..writes }
}
