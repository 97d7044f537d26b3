//! The port to receivers of events.

use std::time::Duration;

use async_trait::async_trait;

/// One HTTP `POST` of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// Where to: `http` or `https`.
    pub url: String,
    /// Headers beside those that HTTP itself needs; `Content-Type` is JSON.
    pub headers: Vec<(&'static str, String)>,
    /// The body, byte for byte as it was signed.
    pub body: String,
}

/// What a receiver answered, whatever the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverResponse {
    /// The HTTP status. Redirects are not followed, so that 301 is an answer like any other.
    pub status: u16,
    /// The beginning of the body, at most 4 KiB, as text.
    pub body: String,
    /// How long it took.
    pub took: Duration,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// Nothing was sent, for the address is none that the server may call: not a URL of HTTP, or
    /// one that leads to a private, loopback or link-local address.
    #[error("the address may not be called: {0}")]
    Forbidden(String),
    /// The name is unknown, no server listens, the connection broke, no certificate was trusted,
    /// the answer was no HTTP, or it did not come in time.
    #[error("{0}")]
    Failed(String),
}

/// Delivers to receivers.
#[async_trait]
pub trait Courier: Send + Sync {
    /// Whether `url` may be called, as far as can be told without looking up its name: what is
    /// certain to fail is refused when it is registered.
    ///
    /// # Errors
    /// [`Undelivered::Forbidden`].
    fn accepts(&self, _url: &str) -> Result<(), Undelivered> {
        Ok(())
    }

    /// Posts once. It neither repeats nor follows a redirect, and ends within its time limit.
    ///
    /// # Errors
    /// [`Undelivered`].
    async fn post(&self, post: &Post) -> Result<ReceiverResponse, Undelivered>;
}
