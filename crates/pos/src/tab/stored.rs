//! A tab's stored fields.

use racun_kernel::Tenant;
use racun_store::Field;

use super::{Tab, TabState};

racun_store::record! {
    /// Where tabs are kept. `status` finds all tabs of an entity that are in some of the states;
    /// the hidden field `occupied_table_id` those that keep a table from being deleted.
    pub static TABS: Tab = "pos_tabs";
    |tab|
    id: tab.id,
    tenant: Tenant::entity(tab.entity_id),
    where {
        let (invoice_id, issued_at) = match &tab.state {
            TabState::Issued { invoice_id, issued_at, .. } => (Some(invoice_id), Some(*issued_at)),
            TabState::Open | TabState::Issuing(_) | TabState::Cancelled { .. } => (None, None),
        };
    }
    fields: {
        Field::id() => tab.id,
        Field::text("status").indexed() => tab.status().name(),
        Field::number("version") => tab.version,
        Field::text("table_id") => tab.table_id,
        Field::text("customer_id") => tab.customer_id,
        Field::text("note").searched() => tab.note,
        Field::text("claimed_by_device") => tab.claimant().map(|claim| claim.device.as_str()),
        Field::instant("claimed_at") => tab.claimant().map(|claim| claim.claimed_at),
        Field::text("invoice_id") => invoice_id,
        Field::instant("issued_at") => issued_at,
        Field::map("metadata") => tab.metadata,
        Field::instant("created_at") => tab.created_at,
        Field::instant("updated_at") => tab.updated_at,
        Field::text("occupied_table_id").indexed().hidden() => tab.occupies(),
    }
}
