//! The migrations of the top-level folder `migrations`, which the program carries with it.

use std::time::{Duration, Instant};

use diesel::migration::{MigrationSource, MigrationVersion};
use diesel::pg::Pg;
use diesel_async::{AsyncConnection, AsyncMigrationHarness, AsyncPgConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use racun_store::StoreError;
use tokio::runtime::Builder;

use crate::statement::{NumberRow, Statement};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations");

/// The lock by which processes that start together take turns; it ends with the connection. The
/// number is "racun" in ASCII.
const LOCK: &str = "SELECT pg_try_advisory_lock(491260798318)::integer::bigint AS number";

/// How long to wait for the migrations of another process, and how often to ask.
const PATIENCE: Duration = Duration::from_secs(600);
const INTERVAL: Duration = Duration::from_millis(50);

/// Brings the database at `url` up to this version, and answers the names of the migrations that
/// were missing.
///
/// The role in `url` owns what is made. It needs the right to create roles, or a role `racun_app`
/// that is there already; without either, the tenants' fence binds the owner itself.
///
/// # Errors
/// [`StoreError::Unavailable`], whose text says in one line which migration failed, and why; or
/// which ones of a later version this program does not know.
pub async fn migrate(url: &str) -> Result<Vec<String>, StoreError> {
    let url = url.to_owned();
    // The harness blocks, which it can only on a multi-threaded runtime, and the caller's may not
    // be one.
    let task = tokio::task::spawn_blocking(move || {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| format!("no runtime for migrations: {error}"))?;
        runtime.block_on(run(&url))
    });
    task.await
        .unwrap_or_else(|error| Err(format!("the migrations stopped: {error}")))
        .map_err(StoreError::Unavailable)
}

async fn run(url: &str) -> Result<Vec<String>, String> {
    let opened = AsyncPgConnection::establish(url).await;
    let connection = opened.map_err(|error| format!("no database connection: {error}"))?;
    lock(&connection).await?;
    let mut harness = AsyncMigrationHarness::new(connection);
    let unknown = unknown(&mut harness).map_err(|error| format!("no migrations: {error}"))?;
    if !unknown.is_empty() {
        return Err(format!(
            "a later version of Racun migrated the database: this program does not know {}; start \
             that version, or restore the backup that was made before its first start",
            unknown.join(", ")
        ));
    }
    let is_pending = harness.has_pending_migration(MIGRATIONS);
    // A migration may change rows: no process caches any while it runs.
    let _nobody_is_alone = match is_pending.map_err(|error| format!("no migrations: {error}"))? {
        true => crate::lease::crowd(url).await?,
        false => None,
    };
    let done = harness.run_pending_migrations(MIGRATIONS);
    done.map(|versions| versions.iter().map(ToString::to_string).collect())
        .map_err(|error| format!("a migration failed: {error}"))
}

/// The migrations of the database that are none of this program's.
fn unknown(
    harness: &mut AsyncMigrationHarness<AsyncPgConnection>,
) -> diesel::migration::Result<Vec<String>> {
    let own = MigrationSource::<Pg>::migrations(&MIGRATIONS)?;
    let is_own = |version: &MigrationVersion<'_>| {
        own.iter().any(|migration| migration.name().version() == *version)
    };
    let mut unknown = harness.applied_migrations()?;
    unknown.retain(|version| !is_own(version));
    Ok(unknown.iter().map(ToString::to_string).collect())
}

/// Asks for the lock instead of waiting in it: a statement that waits would be waited for by a
/// `CREATE INDEX CONCURRENTLY` of the process that has the lock.
async fn lock(connection: &AsyncPgConnection) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let asked = Statement::new(LOCK).rows::<NumberRow>(connection).await;
        let rows = asked.map_err(|error| format!("no lock for migrations: {error}"))?;
        if rows.iter().any(|row| row.number == Some(1)) {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err("another process runs migrations and does not end".to_owned());
        }
        tokio::time::sleep(INTERVAL).await;
    }
}
