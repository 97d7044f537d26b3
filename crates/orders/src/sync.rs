//! How far the reading of a shop's earlier orders came.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Characters of a text that is kept of what went wrong.
const MAX_TEXT_CHARS: usize = 500;

/// Where a reading stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncState {
    /// There are further pages.
    Running,
    /// The last page was read.
    Completed,
    /// The platform refused it.
    Failed,
}

/// A reading of a shop's earlier orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderSync {
    /// Where it stands.
    pub state: SyncState,
    /// Orders that changed since then.
    #[serde(with = "time::serde::rfc3339::option")]
    pub since: Option<OffsetDateTime>,
    /// Orders that changed until then.
    #[serde(with = "time::serde::rfc3339::option")]
    pub until: Option<OffsetDateTime>,
    /// Where the next page begins.
    pub cursor: Option<String>,
    /// Orders of a page.
    pub limit: u32,
    /// Orders that were taken, or were here already.
    pub taken: u64,
    /// Orders that could not be read.
    pub skipped: u64,
    /// Why the last of them could not be read, or what the platform said.
    pub error: Option<String>,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    pub started_at: OffsetDateTime,
    /// When the last page was read.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl OrderSync {
    /// A page was read: so many orders were taken, and those that could not be read with the last
    /// reason; `next` is where the next page begins.
    #[must_use]
    pub fn read(
        mut self,
        taken: u64,
        skipped: &[String],
        next: Option<String>,
        now: OffsetDateTime,
    ) -> Self {
        self.taken = self.taken.saturating_add(taken);
        let count = u64::try_from(skipped.len()).unwrap_or(u64::MAX);
        self.skipped = self.skipped.saturating_add(count);
        if let Some(last) = skipped.last() {
            self.error = Some(clipped(last));
        }
        self.state = if next.is_some() { SyncState::Running } else { SyncState::Completed };
        self.cursor = next;
        self.updated_at = now;
        self
    }

    /// The platform refused to answer.
    #[must_use]
    pub fn refused(mut self, why: &str, now: OffsetDateTime) -> Self {
        self.state = SyncState::Failed;
        self.error = Some(clipped(why));
        self.updated_at = now;
        self
    }
}

fn clipped(text: &str) -> String {
    // PostgreSQL's texts hold no NUL.
    text.chars().filter(|sign| *sign != '\0').take(MAX_TEXT_CHARS).collect()
}
