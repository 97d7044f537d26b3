//! A tab's stored fields.

use racun_kernel::{Field, FieldKind, Record, Table, Tenant, Value};

use super::{Tab, TabState};

/// Where tabs are kept. `status` finds all tabs of an entity that are in some of the states; the
/// hidden field `occupied_table_id` those that keep a table from being deleted.
pub static TABS: Table = Table {
    name: "pos_tabs",
    fields: &[
        Field::id(),
        Field::column("status", FieldKind::Text).indexed(),
        Field::column("version", FieldKind::Number),
        Field::column("table_id", FieldKind::Text),
        Field::column("customer_id", FieldKind::Text),
        Field::column("note", FieldKind::Text).searched(),
        Field::column("claimed_by_device", FieldKind::Text),
        Field::column("claimed_at", FieldKind::Instant),
        Field::column("invoice_id", FieldKind::Text),
        Field::column("issued_at", FieldKind::Instant),
        Field::column("metadata", FieldKind::Map),
        Field::column("created_at", FieldKind::Instant),
        Field::column("updated_at", FieldKind::Instant),
        Field::column("occupied_table_id", FieldKind::Text).indexed().hidden(),
    ],
};

impl Record for Tab {
    fn table(&self) -> &'static Table {
        &TABS
    }

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn tenant(&self) -> Tenant {
        Tenant::entity(self.entity_id)
    }

    fn values(&self) -> Vec<Value> {
        let (invoice_id, issued_at) = match &self.state {
            TabState::Issued { invoice_id, issued_at, .. } => (Some(invoice_id), Some(*issued_at)),
            TabState::Open | TabState::Issuing(_) | TabState::Cancelled { .. } => (None, None),
        };
        vec![
            self.id.into(),
            self.status().name().into(),
            self.version.into(),
            self.table_id.into(),
            self.customer_id.into(),
            self.note.as_ref().into(),
            self.claimant().map(|claim| claim.device.as_str()).into(),
            self.claimant().map(|claim| claim.claimed_at).into(),
            invoice_id.into(),
            issued_at.into(),
            (&self.metadata).into(),
            self.created_at.into(),
            self.updated_at.into(),
            self.occupies().into(),
        ]
    }
}
