//! What units ask to hold, and what they hold.

use std::collections::{BTreeMap, BTreeSet};

use racun_kernel::{Load, Put, PutKind, StoreError, Stored, Table, Tenant, Value};

use crate::schema::quote;
use crate::statement::{Bind, HeldRow, Statement};

/// Rows of one table and tenant to hold.
pub(crate) struct Wanted {
    table: &'static Table,
    pub(crate) tenant: Tenant,
    /// The rows that are named, or …
    ids: BTreeSet<String>,
    /// … the values of fields by which they are found.
    fields: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Wanted {
    /// What `loads` ask for, in the order in which everybody holds it: rows that are named, then
    /// rows that are found by a field. So whoever names a parent holds it before looking for its
    /// children, and sees those that others added while they held it.
    pub(crate) fn of<'a>(loads: impl Iterator<Item = &'a Load>) -> Vec<Self> {
        let mut all = BTreeMap::new();
        for load in loads {
            let (Load::One { table, tenant, .. } | Load::Where { table, tenant, .. }) = load;
            let is_found = matches!(load, Load::Where { .. });
            let wanted = all.entry((is_found, table.name, tenant)).or_insert_with(|| Self {
                table,
                tenant: tenant.clone(),
                ids: BTreeSet::new(),
                fields: BTreeMap::new(),
            });
            match load {
                Load::One { id, .. } => wanted.ids.insert(id.clone()),
                Load::Where { field, value, .. } => {
                    wanted.fields.entry(field).or_default().insert(value.clone())
                }
            };
        }
        all.into_values().collect()
    }

    /// # Errors
    /// When a field is not declared: a mistake in the program.
    pub(crate) fn statement(&self) -> Result<Statement, StoreError> {
        let mut statement = Statement::new("");
        let tenant = statement.value(self.tenant.as_str());
        let mut keys = Vec::new();
        let mut any = Vec::new();
        if !self.ids.is_empty() {
            any.push(is_any_of(&mut statement, "id", &self.ids));
        }
        for (field, values) in &self.fields {
            let key = quote(self.table.indexed_text(field)?);
            any.push(is_any_of(&mut statement, &key, values));
            keys.push(key);
        }
        // Rows that a field finds are sorted by no index, lest the one on ids is walked from end to
        // end for the order's sake.
        let order = if keys.is_empty() { "id" } else { "id || ''" };
        statement.push(&format!(
            "SELECT id, ARRAY[{}]::text[] AS keys, body::text AS body FROM {} \
             WHERE tenant = {tenant} AND ({}) ORDER BY {order} FOR UPDATE",
            keys.join(", "),
            quote(self.table.name),
            any.join(" OR ")
        ));
        Ok(statement)
    }
}

/// The condition that `expression` is one of `values`. One value is compared as such: PostgreSQL
/// takes an array in a prepared statement for ten values, and prefers an index that serves none.
fn is_any_of(statement: &mut Statement, expression: &str, values: &BTreeSet<String>) -> String {
    match values.first() {
        Some(value) if values.len() == 1 => {
            format!("{expression} = {}", statement.value(value.as_str()))
        }
        _ => format!("{expression} = ANY ({})", statement.value(values.iter().collect::<Bind>())),
    }
}

/// What a group holds: rows by table and tenant, and the last number of its series.
#[derive(Default)]
pub(crate) struct Holding {
    rows: BTreeMap<(&'static str, Tenant), HeldTable>,
    pub(crate) last: Option<i64>,
}

/// The rows of one table and tenant, by id.
#[derive(Default)]
struct HeldTable {
    fields: Vec<&'static str>,
    rows: BTreeMap<String, HeldRow>,
}

impl Holding {
    /// The rows that `wanted` named or found, one answer for each.
    pub(crate) fn of(wanted: &[Wanted], answers: Vec<Vec<HeldRow>>, last: Option<i64>) -> Self {
        let mut holding = Self { last, ..Self::default() };
        for (wanted, rows) in wanted.iter().zip(answers) {
            let key = (wanted.table.name, wanted.tenant.clone());
            let held = holding.rows.entry(key).or_default();
            held.fields = wanted.fields.keys().copied().collect();
            held.rows.extend(rows.into_iter().map(|row| (row.id.clone(), row)));
        }
        holding
    }

    /// The rows of `load`, in the order of their ids.
    fn rows(&self, load: &Load) -> Vec<&HeldRow> {
        let (Load::One { table, tenant, .. } | Load::Where { table, tenant, .. }) = load;
        let Some(held) = self.rows.get(&(table.name, tenant.clone())) else { return Vec::new() };
        match load {
            Load::One { id, .. } => held.rows.get(id).into_iter().collect(),
            Load::Where { field, value, .. } => {
                let place = held.fields.iter().position(|name| name == field);
                let key = |row: &HeldRow| place.and_then(|place| row.keys.get(place).cloned());
                let wanted = Some(Some(value.clone()));
                held.rows.values().filter(|row| key(row) == wanted).collect()
            }
        }
    }

    /// What each of `loads` is answered with.
    pub(crate) fn show(&self, loads: &[Load]) -> Vec<Vec<Stored>> {
        let stored = |row: &HeldRow| Stored { id: row.id.clone(), body: row.body.clone() };
        loads.iter().map(|load| self.rows(load).into_iter().map(stored).collect()).collect()
    }

    /// Whether every row that `puts` replace or delete is certain to be there: it is held, and none
    /// of them has deleted it before.
    pub(crate) fn has_all(&self, puts: &[Put]) -> bool {
        let mut deleted = BTreeSet::new();
        puts.iter().all(|put| {
            let held = self.rows.get(&(put.table.name, put.tenant.clone()));
            let is_held = held.is_some_and(|held| held.rows.contains_key(&put.id));
            let key = (put.table.name, &put.tenant, &put.id);
            let is_there = is_held && !deleted.contains(&key);
            if put.kind == PutKind::Delete {
                deleted.insert(key);
            }
            is_there || put.kind == PutKind::Insert
        })
    }

    /// Whether `load` would be answered differently after `put`.
    pub(crate) fn is_outdated(&self, load: &Load, put: &Put) -> bool {
        let (Load::One { table, tenant, .. } | Load::Where { table, tenant, .. }) = load;
        if table.name != put.table.name || *tenant != put.tenant {
            return false;
        }
        match load {
            Load::One { id, .. } => *id == put.id,
            Load::Where { field, value, .. } => {
                let after = table.field(field).and_then(|(place, _)| put.values.get(place));
                after == Some(&Value::from(value))
                    || self.rows(load).iter().any(|row| row.id == put.id)
            }
        }
    }
}
