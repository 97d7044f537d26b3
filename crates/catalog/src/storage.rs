//! The port to where the bytes of files are.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter::successors;

use async_trait::async_trait;

/// The storage cannot do it now. What it carries is for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// It does not answer, or fails.
    #[error("the file storage is not available: {0}")]
    Unavailable(String),
    /// It has no room.
    #[error("the file storage is full: {0}")]
    Full(String),
}

impl StorageError {
    /// The error for `error`, which says by its kind, or by the kind of what it comes from, whether
    /// there was no room.
    #[must_use]
    pub fn of(error: &(dyn Error + 'static)) -> Self {
        let mut causes = successors(Some(error), |&error| error.source());
        let is_full = causes.any(|cause| {
            let cause = cause.downcast_ref::<io::Error>().map(io::Error::kind);
            matches!(cause, Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded))
        });
        let reason = error.to_string();
        if is_full { Self::Full(reason) } else { Self::Unavailable(reason) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("it was not written")]
    struct Wrapped(#[source] io::Error);

    #[test]
    fn no_room_is_known_by_its_kind_and_not_by_words() {
        let of = |number| StorageError::of(&Wrapped(io::Error::from_raw_os_error(number)));
        let reason = "it was not written".to_owned();
        // ENOSPC, EDQUOT, EIO.
        assert_eq!(of(28), StorageError::Full(reason.clone()));
        assert_eq!(of(122), StorageError::Full(reason.clone()));
        assert_eq!(of(5), StorageError::Unavailable(reason));
        let words = io::Error::other("No space left on device");
        assert!(matches!(StorageError::of(&words), StorageError::Unavailable(_)));
    }
}
