//! What happens to series.

use crate::{PT_SERIES, PT_SETTINGS};

racun_store::events! {
    /// What happens to series.
    pub mod pt_series on PT_SERIES {
        CREATED = "pt_series.created",
        UPDATED = "pt_series.updated",
        CLOSED = "pt_series.closed",
    }
}

racun_store::events! {
    /// What happens to settings.
    pub mod pt_settings on PT_SETTINGS {
        UPDATED = "pt_settings.updated",
    }
}

/// All of them.
pub static ALL: [&[racun_store::EventKind]; 2] = [pt_series::ALL, pt_settings::ALL];
