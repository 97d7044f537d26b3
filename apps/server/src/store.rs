//! Opening the store that the settings name.

use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use racun_kernel::{RateLimits, Store, StoreError};
use racun_store_postgres::{Options, PgStore};
use racun_store_sqlite::SqliteStore;

use crate::clock;
use crate::data_folder::DataFolder;
use crate::settings::{MasterKey, PostgresUrl, Settings};

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
    /// The key of all secrets; `None` on PostgreSQL when the settings name none.
    pub master_key: Option<MasterKey>,
}

/// Opens the store, creating or upgrading what is in it, and makes sure that there is a master key
/// where Racun makes its own.
///
/// # Errors
/// When it cannot be opened, or another process has it.
pub async fn open(settings: &Settings) -> anyhow::Result<Opened> {
    match &settings.database.url {
        Some(url) => {
            let options = Options { others_write: settings.database.shared, ..Options::default() };
            open_postgres(url, options, settings.secrets.master_key.clone()).await
        }
        None => open_embedded(settings).await,
    }
}

async fn open_postgres(
    url: &PostgresUrl,
    options: Options,
    master_key: Option<MasterKey>,
) -> anyhow::Result<Opened> {
    let applied = racun_store_postgres::migrate(url.as_str()).await.map_err(told)?;
    let store = PgStore::connect(url.as_str(), options).await.map_err(told)?;
    store.check(&racun_application::tables()).await.map_err(told)?;
    let made = applied.iter().map(|version| format!("migration {version}")).collect();
    let store = Arc::new(store);
    let rate_limits: Option<Arc<dyn RateLimits>> = Some(Arc::<PgStore>::clone(&store));
    Ok(Opened { store, place: "PostgreSQL".to_owned(), made, rate_limits, master_key })
}

async fn open_embedded(settings: &Settings) -> anyhow::Result<Opened> {
    let folder = DataFolder::open(&settings.database.dir)?;
    let (file, is_new) = folder.database()?;
    let place = format!("the folder {}", folder.display());
    let opening =
        tokio::task::spawn_blocking(move || SqliteStore::open(&file, &racun_application::tables()));
    let store = opening.await.context("opening the store panicked")??;
    // After the store, whose lock keeps a second process from making a second key.
    let master_key = match &settings.secrets.master_key {
        Some(key) => key.clone(),
        None => folder.master_key(&clock::stamp())?,
    };
    let made = if is_new { vec!["an embedded database".to_owned()] } else { Vec::new() };
    let (store, master_key) = (Arc::new(store), Some(master_key));
    Ok(Opened { store, place, made, rate_limits: None, master_key })
}

/// The store's own words, which an answer over HTTP leaves out.
fn told(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Unavailable(reason) => anyhow!("PostgreSQL (RACUN__DATABASE__URL): {reason}"),
        other => other.into(),
    }
}
