//! The rows that a batch reads or writes. Queued units that do not conflict with it may start while
//! its commit is in flight.

use std::collections::HashSet;

use racun_kernel::Tenant;
use racun_store::{Load, Put, PutKind, Unit, Value};

use crate::group::Decided;

/// Table, tenant and id of a row.
type Row = (&'static str, Tenant, String);

/// What a batch locks and writes. A unit that does not conflict with it decides the same whether it
/// runs before the batch is committed or after.
pub(crate) struct ConflictSet {
    /// Rows that it locks or writes.
    rows: HashSet<Row>,
    /// Values of the indexed fields of inserted and changed rows, by which a lookup finds them.
    found: HashSet<(&'static str, Tenant, &'static str, String)>,
    /// Tables and tenants in which rows change or are deleted: a lookup by any value may have found
    /// them before.
    changed: HashSet<(&'static str, Tenant)>,
    /// Keys of the series that it locks, all of one tenant.
    series: HashSet<String>,
}

impl ConflictSet {
    pub(crate) fn by(group: &[Decided]) -> Self {
        let mut conflict_set = Self {
            rows: group.iter().flat_map(Decided::held).collect(),
            found: HashSet::new(),
            changed: HashSet::new(),
            series: group.iter().filter_map(Decided::series).map(|s| s.key.clone()).collect(),
        };
        group.iter().flat_map(|decided| &decided.writes.puts).for_each(|put| conflict_set.add(put));
        conflict_set
    }

    fn add(&mut self, put: &Put) {
        let table = put.table.name;
        self.rows.insert((table, put.tenant.clone(), put.id.clone()));
        if put.kind != PutKind::Insert {
            self.changed.insert((table, put.tenant.clone()));
        }
        for (field, value) in put.table.fields.iter().zip(&put.values) {
            if let (true, Value::Text(value)) = (field.indexed, value) {
                self.found.insert((table, put.tenant.clone(), field.name, value.clone()));
            }
        }
    }

    /// Whether `unit` does not conflict with the batch.
    pub(crate) fn allows(&self, unit: &Unit) -> bool {
        let series = unit.series.as_ref();
        !series.is_some_and(|series| self.series.contains(&series.key))
            && !unit.loads.iter().any(|load| self.is_loaded_by(load))
    }

    fn is_loaded_by(&self, load: &Load) -> bool {
        match load {
            Load::One { table, tenant, id } => {
                self.rows.contains(&(table.name, tenant.clone(), id.clone()))
            }
            Load::Where { table, tenant, field, value } => {
                let found = (table.name, tenant.clone(), *field, value.clone());
                self.changed.contains(&(table.name, tenant.clone())) || self.found.contains(&found)
            }
        }
    }
}
