//! What happens to series.

use crate::PT_SERIES;

racun_store::events! {
    /// What happens to series.
    pub mod pt_series on PT_SERIES {
        CREATED = "pt_series.created",
        UPDATED = "pt_series.updated",
        CLOSED = "pt_series.closed",
    }
}

/// All of them.
pub static ALL: [&[racun_store::EventKind]; 1] = [pt_series::ALL];
