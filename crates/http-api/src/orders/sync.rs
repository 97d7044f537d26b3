//! How far the reading of a shop's earlier orders came, as it is answered.

use racun_orders::{OrderSync, SyncState};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::{Convert, names};

names! {
    /// Where the reading of earlier orders stands.
    SyncStateBody as OrderSyncStatus of SyncState { Running, Completed, Failed }
}

/// How far the reading of earlier orders came.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderSync)]
pub struct SyncBody {
    /// `running` while there are further pages.
    status: SyncStateBody,
    /// Orders that were taken, or were here already.
    orders_taken: u64,
    /// Orders that could not be read; `error` says why the last of them.
    orders_skipped: u64,
    /// Where the next page begins; null after the last one.
    #[schema(required = true)]
    next_cursor: Option<String>,
    /// What went wrong last.
    #[schema(required = true)]
    error: Option<String>,
    /// When it began.
    started_at: String,
    /// When the last page was read.
    updated_at: String,
}

impl Convert<SyncBody> for OrderSync {
    fn convert(self) -> SyncBody {
        SyncBody {
            status: self.state.convert(),
            orders_taken: self.taken,
            orders_skipped: self.skipped,
            next_cursor: self.cursor,
            error: self.error,
            started_at: self.started_at.convert(),
            updated_at: self.updated_at.convert(),
        }
    }
}
