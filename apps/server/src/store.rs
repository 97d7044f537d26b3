//! Opening the store that the settings name, with its keys, and closing it.

use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use racun_access::{MasterKeyError, MasterKeyRecord, OpenedKeys, id_of, open_keys};
use racun_application::rekey;
use racun_store::{RateLimits, Store, StoreError};
use racun_store_postgres::{KeyHold, Options, PgStore};
use racun_store_sqlite::SqliteStore;

use crate::clock;
use crate::data_folder::DataFolder;
use crate::settings::{MasterKey, MasterKeys, PostgresUrl, Settings};

/// A store that is ready.
pub struct Opened {
    /// It.
    pub store: Arc<dyn Store>,
    /// Where its data are, for messages.
    pub place: String,
    /// What was made in it just now; nothing when all was there.
    pub made: Vec<String>,
    /// What counts requests for all processes that share the store; `None` where there is only one.
    pub rate_limits: Option<Arc<dyn RateLimits>>,
    /// What closes it.
    pub closing: Closing,
    /// The embedded store's folder.
    pub folder: Option<DataFolder>,
}

/// Closes a store, also while others hold it.
#[derive(Clone)]
pub struct Closing {
    embedded: Option<Arc<SqliteStore>>,
    /// Prevents a change of the master key of a database on PostgreSQL while this process runs.
    hold: Option<Arc<KeyHold>>,
}

impl Closing {
    /// Ends what is written, and leaves the embedded store's file whole: what was committed is in
    /// it, and no longer in the log beside it. On PostgreSQL the master key may be changed then.
    pub async fn close(self) {
        if let Some(hold) = self.hold {
            hold.release().await;
        }
        let Some(store) = self.embedded else { return };
        if let Err(error) = store.close().await {
            tracing::error!(
                ?error,
                "racun.db is not whole without racun.db-wal: keep both together"
            );
        }
    }
}

/// Opens the store, creating or upgrading what is in it.
///
/// # Errors
/// When it cannot be opened, or another process has it.
pub async fn open(settings: &Settings) -> anyhow::Result<Opened> {
    match &settings.database.url {
        Some(url) => {
            let Some(hold) = racun_store_postgres::hold_key(url.as_str()).await.map_err(told)?
            else {
                bail!("the master key is being changed by `racun rekey`: start when that has ended")
            };
            open_postgres(settings, url, hold).await
        }
        None => open_embedded(settings).await,
    }
}

/// Opens the store as [`open`] does, to change its master key: while no process serves with it, and
/// none begins to.
///
/// # Errors
/// When it cannot be opened, or another process has it.
pub async fn open_to_rekey(settings: &Settings) -> anyhow::Result<Opened> {
    match &settings.database.url {
        Some(url) => {
            let hold = racun_store_postgres::hold_key_alone(url.as_str()).await.map_err(told)?;
            let Some(hold) = hold else {
                bail!(
                    "a server works on the database: stop all of them, run this, and start them \
                     again"
                )
            };
            open_postgres(settings, url, hold).await
        }
        None => open_embedded(settings).await,
    }
}

/// The keys of the secrets in `opened`; `None` on PostgreSQL where nothing was ever sealed and the
/// settings name no key. The embedded store's key is made at its first start.
///
/// # Errors
/// [`MasterKeyError`] when the keys that are there are not those of the database.
pub async fn keys(settings: &Settings, opened: &Opened) -> anyhow::Result<Option<OpenedKeys>> {
    let (store, stamp) = (&*opened.store, clock::stamp());
    let mut given = given_keys(settings, opened.folder.as_ref())?;
    match MasterKeyRecord::find(store).await.map_err(told)? {
        Some(record) if given.is_empty() => {
            return Err(MasterKeyError::Missing(record.current).into());
        }
        Some(_) => {}
        None => {
            given = of_unnoted(store, given).await?;
            match &opened.folder {
                Some(folder) if given.is_empty() => given.push(made(folder)?),
                None if given.is_empty() => return Ok(None),
                Some(_) | None => {}
            }
        }
    }
    let given: Vec<_> = given.iter().map(|key| *key.bytes()).collect();
    let keys = open_keys(store, &given, &stamp).await?;
    if keys.is_rotating {
        tracing::warn!("a change of the master key has not ended: run `racun rekey` again");
    }
    Ok(Some(keys))
}

/// The master keys that there are: of the settings, or else of the data folder.
///
/// # Errors
/// When the folder's file cannot be read, or holds no keys.
pub fn given_keys(
    settings: &Settings,
    folder: Option<&DataFolder>,
) -> anyhow::Result<Vec<MasterKey>> {
    let given = match (&settings.secrets.master_key, folder) {
        (Some(keys), _) => Some(keys.clone()),
        (None, Some(folder)) => folder.master_keys()?,
        (None, None) => None,
    };
    Ok(given.map(|keys| keys.all().to_vec()).unwrap_or_default())
}

/// `given`, of which the first is to be the key of a store that does not say yet which one is. A
/// version that did not note it may have sealed something: then it is the key of that.
///
/// # Errors
/// [`MasterKeyError`] when that one is not among them, or the store fails.
pub async fn of_unnoted(
    store: &dyn Store,
    mut given: Vec<MasterKey>,
) -> Result<Vec<MasterKey>, MasterKeyError> {
    let ids: Vec<String> = given.iter().map(|key| id_of(key.bytes())).collect();
    let Some(wanted) = rekey::sealed_under(store, &ids).await? else { return Ok(given) };
    match (ids.iter().position(|id| *id == wanted), ids.into_iter().next()) {
        (Some(place), _) => {
            given.swap(0, place);
            Ok(given)
        }
        (None, Some(given)) => Err(MasterKeyError::Other { wanted, given }),
        (None, None) => Err(MasterKeyError::Missing(wanted)),
    }
}

/// A new key in a folder whose store has none yet and in which nothing is sealed: beside a store
/// that has one, another key would hide that its own must be found.
fn made(folder: &DataFolder) -> anyhow::Result<MasterKey> {
    let key = MasterKey::new(clock::stamp().secret());
    folder.write_master_keys(&MasterKeys::new(vec![key.clone()]))?;
    Ok(key)
}

async fn open_postgres(
    settings: &Settings,
    url: &PostgresUrl,
    hold: KeyHold,
) -> anyhow::Result<Opened> {
    let options = Options { others_write: settings.database.shared, ..Options::default() };
    let applied = racun_store_postgres::migrate(url.as_str()).await.map_err(told)?;
    let store = PgStore::connect(url.as_str(), options).await.map_err(told)?;
    store.check(&racun_application::tables()).await.map_err(told)?;
    let made = applied.iter().map(|version| format!("migration {version}")).collect();
    let store = Arc::new(store);
    let rate_limits: Option<Arc<dyn RateLimits>> = Some(Arc::<PgStore>::clone(&store));
    let place = "PostgreSQL".to_owned();
    let closing = Closing { embedded: None, hold: Some(Arc::new(hold)) };
    Ok(Opened { store, place, made, rate_limits, closing, folder: None })
}

async fn open_embedded(settings: &Settings) -> anyhow::Result<Opened> {
    let folder = DataFolder::open(&settings.database.dir)?;
    let (file, is_new) = folder.database()?;
    let place = format!("the folder {}", folder.display());
    let opening = tokio::task::spawn_blocking(move || {
        SqliteStore::open(&file, &racun_application::tables(), racun_application::DATA_VERSION)
    });
    let store = Arc::new(opening.await.context("opening the store panicked")??);
    let made = if is_new { vec!["an embedded database".to_owned()] } else { Vec::new() };
    let closing = Closing { embedded: Some(Arc::clone(&store)), hold: None };
    Ok(Opened { store, place, made, rate_limits: None, closing, folder: Some(folder) })
}

/// The store's own words, which an answer over HTTP leaves out.
fn told(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Unavailable(reason) => anyhow!("PostgreSQL (RACUN__DATABASE__URL): {reason}"),
        other => other.into(),
    }
}
