//! The port to who publishes rates.

use async_trait::async_trait;

use crate::rates::DayRates;

/// Which rates are fetched, from few to many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Span {
    /// Those of the last business day.
    Latest,
    /// Those of the last 90 days.
    Recent,
    /// All since 1999.
    All,
}

/// The publisher gave no rates; those that are kept stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SourceSilent {
    /// Why, for the log.
    pub reason: String,
}

/// Who publishes reference rates.
#[async_trait]
pub trait RateSource: Send + Sync {
    /// The rates of `span`, of each day once, the newest first.
    ///
    /// # Errors
    /// [`SourceSilent`]: it is not asked, does not answer, or what it answers cannot be read.
    async fn fetch(&self, span: Span) -> Result<Vec<DayRates>, SourceSilent>;
}
