//! Opening the store that the settings name, with its keys, and closing it.

use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use racun_access::{MasterKeyError, MasterKeyRecord, OpenedKeys, open_keys};
use racun_kernel::{RateLimits, Store, StoreError};
use racun_store_postgres::{Options, PgStore};
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
pub struct Closing(Option<Arc<SqliteStore>>);

impl Closing {
    /// Ends what is written, and leaves the embedded store's file whole: what was committed is in
    /// it, and no longer in the log beside it. On PostgreSQL there is nothing to do.
    pub async fn close(self) {
        let Some(store) = self.0 else { return };
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
            let options = Options { others_write: settings.database.shared, ..Options::default() };
            open_postgres(url, options).await
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
    let given = match (&settings.secrets.master_key, &opened.folder) {
        (Some(keys), _) => Some(keys.clone()),
        (None, Some(folder)) => match folder.master_keys()? {
            Some(keys) => Some(keys),
            None => made_once(store, folder).await?,
        },
        (None, None) => None,
    };
    let Some(given) = given else {
        let record = MasterKeyRecord::find(store).await.map_err(told)?;
        return match record {
            Some(record) => Err(MasterKeyError::Missing(record.current).into()),
            None => Ok(None),
        };
    };
    let keys = open_keys(store, &given.bytes(), &stamp).await?;
    if keys.is_rotating {
        tracing::warn!("a change of the master key has not ended: run `racun rekey` again");
    }
    Ok(Some(keys))
}

/// A new key in a folder whose store has none yet: beside a store that has one, another key would
/// hide that its own must be found.
async fn made_once(store: &dyn Store, folder: &DataFolder) -> anyhow::Result<Option<MasterKeys>> {
    if MasterKeyRecord::find(store).await?.is_some() {
        return Ok(None);
    }
    let keys = MasterKeys::new(vec![MasterKey::new(clock::stamp().secret())]);
    folder.write_master_keys(&keys)?;
    Ok(Some(keys))
}

async fn open_postgres(url: &PostgresUrl, options: Options) -> anyhow::Result<Opened> {
    let applied = racun_store_postgres::migrate(url.as_str()).await.map_err(told)?;
    let store = PgStore::connect(url.as_str(), options).await.map_err(told)?;
    store.check(&racun_application::tables()).await.map_err(told)?;
    let made = applied.iter().map(|version| format!("migration {version}")).collect();
    let store = Arc::new(store);
    let rate_limits: Option<Arc<dyn RateLimits>> = Some(Arc::<PgStore>::clone(&store));
    let (place, closing) = ("PostgreSQL".to_owned(), Closing(None));
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
    let closing = Closing(Some(Arc::clone(&store)));
    Ok(Opened { store, place, made, rate_limits: None, closing, folder: Some(folder) })
}

/// The store's own words, which an answer over HTTP leaves out.
fn told(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Unavailable(reason) => anyhow!("PostgreSQL (RACUN__DATABASE__URL): {reason}"),
        other => other.into(),
    }
}
