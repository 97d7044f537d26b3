//! The port to where the bytes of files are.

use async_trait::async_trait;

/// The storage cannot do it now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the file storage is not available: {0}")]
pub struct StorageError(
    /// For the log.
    pub String,
);

impl StorageError {
    /// Whether there was no room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.0.contains("No space left on device")
    }
}

/// Keeps bytes under keys such as `ent_…/file_…`. A key is written once.
#[async_trait]
pub trait FileStorage: Send + Sync {
    /// Keeps `content` under `key`. After `Ok` it survives a crash.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn put(&self, key: &str, content: Vec<u8>) -> Result<(), StorageError>;

    /// What is under `key`, or `None`.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError>;

    /// Forgets what is under `key`, when there is something.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn delete(&self, key: &str) -> Result<(), StorageError>;
}
