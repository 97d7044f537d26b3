//! What happens at tills.

use crate::{CLOSINGS, POS_TABLES, TABS};

racun_store::events! {
    /// What happens to tables.
    pub mod pos_table on POS_TABLES {
        CREATED = "pos_table.created",
        UPDATED = "pos_table.updated",
        DELETED = "pos_table.deleted",
    }
    /// What happens to tabs.
    pub mod pos_tab on TABS {
        OPENED = "pos_tab.opened",
        UPDATED = "pos_tab.updated",
        CLAIMED = "pos_tab.claimed",
        RELEASED = "pos_tab.released",
        LINES_MOVED = "pos_tab.lines_moved",
        INVOICED = "pos_tab.invoiced",
        ISSUED = "pos_tab.issued",
        INVOICE_DIFFERS = "pos_tab.invoice_differs",
        CANCELLED = "pos_tab.cancelled",
    }
    /// What happens to closings.
    pub mod pos_closing on CLOSINGS {
        CREATED = "pos_closing.created",
    }
}

/// All of them.
pub static ALL: [&[racun_store::EventKind]; 3] = [pos_table::ALL, pos_tab::ALL, pos_closing::ALL];
