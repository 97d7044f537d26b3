//! The world outside: nobody, but for a storage of files in memory.

use std::collections::HashMap;
use std::sync::Mutex;

use async_trait::async_trait;
use racun_catalog::{FileStorage, StorageError};
use racun_kernel::{Mail, MailError, Mailer};
use racun_webhooks::{Answer, Courier, Post, Undelivered};

/// No receiver answers, and no mail is taken.
pub struct Unreachable;

#[async_trait]
impl Courier for Unreachable {
    async fn post(&self, _: &Post) -> Result<Answer, Undelivered> {
        Err(Undelivered::Failed("nobody listens".to_owned()))
    }
}

#[async_trait]
impl Mailer for Unreachable {
    async fn send(&self, _: &Mail) -> Result<(), MailError> {
        Err(MailError::Temporary("nobody listens".to_owned()))
    }
}

/// Keeps the bytes of files as long as the test lasts.
#[derive(Default)]
pub struct Memory(pub Mutex<HashMap<String, Vec<u8>>>);

#[async_trait]
impl FileStorage for Memory {
    async fn put(&self, key: &str, content: Vec<u8>) -> Result<(), StorageError> {
        self.0.lock().unwrap().insert(key.to_owned(), content);
        Ok(())
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StorageError> {
        Ok(self.0.lock().unwrap().get(key).cloned())
    }

    async fn delete(&self, key: &str) -> Result<(), StorageError> {
        self.0.lock().unwrap().remove(key);
        Ok(())
    }
}
