//! What a group has to do with rows, so that it is known who has nothing to do with it.

use std::collections::HashSet;

use racun_kernel::{Load, Put, PutKind, Tenant, Unit, Value};

use crate::group::Decided;

/// Rows of a table, as a group touches them.
type Row = (&'static str, Tenant, String);

/// What a group holds and writes. A unit that is apart from it decides the same whether the group
/// is written before it or after it.
pub(crate) struct Touched {
    /// Rows that it holds or writes.
    rows: HashSet<Row>,
    /// The values in the fields of inserted and changed rows: a lookup by one of these values would
    /// find them.
    found: HashSet<(&'static str, Tenant, &'static str, String)>,
    /// Tables and tenants in which rows change or go: they may have been found by any value.
    changed: HashSet<(&'static str, Tenant)>,
    /// The keys of the series that it holds, which are of one tenant.
    series: HashSet<String>,
}

impl Touched {
    pub(crate) fn by(group: &[Decided]) -> Self {
        let mut touched = Self {
            rows: group.iter().flat_map(Decided::held).collect(),
            found: HashSet::new(),
            changed: HashSet::new(),
            series: group.iter().filter_map(Decided::series).map(|s| s.key.clone()).collect(),
        };
        group.iter().flat_map(|decided| &decided.writes.puts).for_each(|put| touched.add(put));
        touched
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

    /// Whether `unit` has nothing to do with it.
    pub(crate) fn is_apart_from(&self, unit: &Unit) -> bool {
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
