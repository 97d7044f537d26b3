//! The bytes of files: in a folder, or in a bucket of any S3 service.

use std::fmt;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path as Folder, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use object_store::aws::AmazonS3Builder;
use object_store::client::{ClientOptions, HttpClient, HttpConnector};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, RetryConfig};
use racun_catalog::{FileStorage, StorageError};
use reqwest::redirect::Policy;

use crate::tls;

/// Until a storage took the connection.
const CONNECT: Duration = Duration::from_secs(5);
/// For one call of a storage: a file has 10 MB at most.
const CALL: Duration = Duration::from_secs(10);
/// For a call with the ones that repeat it, within what a client waits.
const CALLS: Duration = Duration::from_secs(20);

/// A bucket, and how to get into it.
#[derive(Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Whose service: `https://host:port`; `None` is Amazon's, of the region.
    pub endpoint: Option<String>,
    /// Its name.
    pub name: String,
    /// Its region; services other than Amazon's mostly want `us-east-1`.
    pub region: String,
    /// Who gets in.
    pub access_key_id: String,
    /// What proves it.
    pub secret_access_key: String,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket")
            .field("endpoint", &self.endpoint)
            .field("name", &self.name)
            .finish()
    }
}

/// Keeps the bytes of files.
pub struct Files(Backend);

enum Backend {
    /// Opened when it is first needed: a server that keeps no files makes no folder.
    Folder {
        path: PathBuf,
        store: OnceLock<Arc<dyn ObjectStore>>,
    },
    Bucket(Arc<dyn ObjectStore>),
}

impl Files {
    /// In `path`, which is made when it is first needed, readable by the server's user only. What
    /// was stored survives a crash.
    #[must_use]
    pub const fn in_folder(path: PathBuf) -> Self {
        Self(Backend::Folder { path, store: OnceLock::new() })
    }

    /// In `bucket`, over the network.
    ///
    /// # Errors
    /// When it cannot be used as it is written. Nothing is called yet.
    pub fn in_bucket(bucket: &Bucket) -> Result<Self, StorageError> {
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&bucket.name)
            .with_region(&bucket.region)
            .with_access_key_id(&bucket.access_key_id)
            .with_secret_access_key(&bucket.secret_access_key)
            // Not everybody who speaks S3 knows of deleting many at once, and one is all there is.
            .with_disable_bulk_delete(true)
            .with_http_connector(Connector)
            .with_retry(RetryConfig {
                max_retries: 2,
                retry_timeout: CALLS,
                ..RetryConfig::default()
            });
        if let Some(endpoint) = &bucket.endpoint {
            builder = builder.with_endpoint(endpoint).with_allow_http(true);
        }
        Ok(Self(Backend::Bucket(Arc::new(builder.build().map_err(unavailable)?))))
    }

    fn store(&self) -> Result<&dyn ObjectStore, StorageError> {
        match &self.0 {
            Backend::Bucket(store) => Ok(&**store),
            Backend::Folder { path, store } => match store.get() {
                Some(store) => Ok(&**store),
                // Two at once make the same folder, and one of their stores is forgotten.
                None => open(path).map(|opened| &**store.get_or_init(|| opened)),
            },
        }
    }
}

fn open(path: &Folder) -> Result<Arc<dyn ObjectStore>, StorageError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| StorageError::of(&error))?;
    let folder = LocalFileSystem::new_with_prefix(path).map_err(unavailable)?;
    Ok(Arc::new(folder.with_fsync(true)))
}

#[async_trait]
impl FileStorage for Files {
    async fn put(&self, key: &str, content: Vec<u8>) -> Result<(), StorageError> {
        self.store()?.put(&path(key)?, content.into()).await.map(drop).map_err(unavailable)
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        let found = match self.store()?.get(&path(key)?).await {
            Ok(found) => found,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(unavailable(error)),
        };
        found.bytes().await.map(|bytes| Some(bytes.into())).map_err(unavailable)
    }

    async fn delete(&self, key: &str) -> Result<(), StorageError> {
        match self.store()?.delete(&path(key)?).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(unavailable(error)),
        }
    }
}

/// Keys are ours, and no part of them is a client's; one that would leave the folder is refused all
/// the same.
fn path(key: &str) -> Result<Path, StorageError> {
    Path::parse(key).map_err(|error| StorageError::of(&error))
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn unavailable(error: Error) -> StorageError {
    StorageError::of(&error)
}

/// Makes the client that calls a bucket.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let failed = |source| Error::Generic { store: "S3", source };
        let tls = tls::client().map_err(|error| failed(error.into()))?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .redirect(Policy::none())
            .http1_only()
            .connect_timeout(CONNECT)
            .timeout(CALL)
            .build();
        client.map(HttpClient::new).map_err(|error| failed(error.into()))
    }
}
