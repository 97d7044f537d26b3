//! The port that counts requests, where several processes have to count together.

use async_trait::async_trait;

use crate::StoreError;

/// Seconds of a window: all buckets are emptied at the full minute of the counter's clock.
pub const RATE_WINDOW_SECONDS: i64 = 60;

/// What requests are counted in for a minute, and how many of them it holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bucket {
    /// Whose it is. It may be stored, so it is a digest, never a token or an address.
    pub key: String,
    /// Requests that it holds.
    pub limit: u32,
}

/// What became of one request that asked for room in its buckets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Whether all of them had room. If one had none, the request is counted in none.
    pub is_granted: bool,
    /// How many requests each of them holds now, in the order in which they were asked for.
    pub used: Vec<u32>,
    /// The second in which the window ends, since 1970, on the counter's clock.
    pub ends_at: i64,
    /// Seconds until then: 1 to 60.
    pub seconds_left: u32,
}

/// Counts requests for all processes that share it.
#[async_trait]
pub trait RateLimits: Send + Sync {
    /// Counts one request in all of `buckets`, or in none when one of them is full.
    ///
    /// MUST be exact: of all requests of a minute, in whatever process, as many are granted as the
    /// bucket holds, and no more.
    ///
    /// # Errors
    /// When the counter cannot be reached.
    async fn take(&self, buckets: &[Bucket]) -> Result<Taken, StoreError>;
}
