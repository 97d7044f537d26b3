//! Databases for single tests, copied from a template that was prepared once.

use anyhow::Context;

use crate::sql::{self, Session};
use crate::{names, settings, shared};

/// The first version that lets one choose how a database is copied; older ones copy files anyway.
const FIRST_WITH_STRATEGY: u32 = 150_000;

/// A database of one test, dropped together with this value, even with open connections.
#[derive(Debug)]
pub struct Database {
    /// The URL of the database, of its owner, with the right to do everything in it.
    pub url: String,
    server: String,
    name: String,
}

/// Makes a database of its own for a test: a copy of the template database `template`.
///
/// The server is the one named in `RACUN_TEST_DATABASE_URL` (a superuser or a role with
/// `CREATEDB`; without TLS), else a cluster that is started by the first process that asks and
/// shared by all. When the template is not there yet, one caller of all processes makes it: an
/// empty database (UTF-8, locale C), to whose URL `prepare` applies the migrations. It becomes
/// the template only when `prepare` succeeded, and no client can connect to it any more.
///
/// A template is never prepared twice, so its name must change with the migrations: put their
/// hash or version into it. It has up to 46 of the characters `a-z`, `0-9` and `_`.
///
/// This blocks; async tests may call it nevertheless. `prepare` runs on a thread of its own,
/// where it may block on an async runtime.
///
/// # Errors
///
/// When there is no server and none can be started (in one line, with the remedies), when
/// `prepare` fails, when the name or the given URL is not usable, or when the server refuses to
/// create a database.
///
/// # Panics
///
/// When `prepare` does.
pub fn database(
    template: &str,
    prepare: impl FnOnce(&str) -> anyhow::Result<()> + Send,
) -> anyhow::Result<Database> {
    names::check_template_name(template)?;
    let server = match settings::given_server() {
        Some(given) => given,
        None => shared::url()?,
    };
    let name = format!("{template}_{:016x}", names::unique());
    let url = names::with_database(&server, &name)?;
    sql::with(&server, |session| {
        make_sure_of_template(session, &server, template, prepare)?;
        copy(session, template, &name)
    })?;
    Ok(Database { url, server, name })
}

impl Drop for Database {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        if let Err(error) = sql::with(&self.server, |session| session.run(&statement)) {
            eprintln!("racun-test-postgres: cannot drop a test's database: {error:#}");
        }
    }
}

fn make_sure_of_template(
    session: &Session<'_>,
    server: &str,
    template: &str,
    prepare: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if exists(session, template)? {
        return Ok(());
    }
    // The server's own lock holds among all who use it, also from other machines. It is given
    // back when the session ends, however that happens.
    let key = names::lasting_hash(template).cast_signed();
    session.text("SELECT pg_advisory_lock($1)::text", &[&key])?;
    if !exists(session, template)? {
        make_template(session, server, template, prepare)?;
    }
    session.text("SELECT pg_advisory_unlock($1)::text", &[&key])?;
    Ok(())
}

/// Under another name until it is finished: what has the template's name is complete.
fn make_template(
    session: &Session<'_>,
    server: &str,
    template: &str,
    prepare: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let unfinished = format!("{template}_unfinished");
    session.run(&format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)"))?;
    session.run(&format!(
        "CREATE DATABASE {unfinished} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
    ))?;
    prepare(&names::with_database(server, &unfinished)?)
        .with_context(|| format!("preparing the template database {template} failed"))?;
    // A template with a connection to it cannot be copied.
    session.run(&format!("ALTER DATABASE {unfinished} ALLOW_CONNECTIONS false"))?;
    session.run(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = '{unfinished}' AND usename = current_user"
    ))?;
    session.run(&format!("ALTER DATABASE {unfinished} RENAME TO {template}"))
}

fn exists(session: &Session<'_>, database: &str) -> anyhow::Result<bool> {
    let query = "SELECT datname::text FROM pg_database WHERE datname = $1";
    Ok(session.text(query, &[&database])?.is_some())
}

fn copy(session: &Session<'_>, template: &str, name: &str) -> anyhow::Result<()> {
    let version: u32 = session
        .text("SHOW server_version_num", &[])?
        .and_then(|number| number.parse().ok())
        .context("the PostgreSQL server does not tell its version")?;
    let strategy = if version >= FIRST_WITH_STRATEGY { " STRATEGY file_copy" } else { "" };
    session.run(&format!("CREATE DATABASE {name} TEMPLATE {template}{strategy}"))
}
