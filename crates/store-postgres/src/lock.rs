//! The rows that units ask to lock, and the locked rows that their decisions are shown.

use std::collections::{BTreeMap, BTreeSet};

use racun_kernel::Tenant;
use racun_store::{Load, Put, PutKind, Series, StoreError, Stored, Table, Value};

use crate::schema::quote;
use crate::statement::{Bind, HeldRow, SeriesRow, Statement};

/// Rows of one table and tenant to lock: by ids, or by values of a field.
pub(crate) struct LockRequest {
    table: &'static Table,
    pub(crate) tenant: Tenant,
    /// The field; none for ids.
    field: Option<&'static str>,
    values: BTreeSet<String>,
}

impl LockRequest {
    /// The requests of `loads`, in the one order in which all transactions lock: rows that are
    /// named, then rows that are found by a field. So a unit that names a parent locks it before it
    /// looks for its children, and sees those that others added while they held the lock.
    pub(crate) fn of<'a>(loads: impl Iterator<Item = &'a Load>) -> Vec<Self> {
        let mut all = BTreeMap::new();
        for load in loads {
            let (table, tenant, field, value) = match load {
                Load::One { table, tenant, id } => (*table, tenant, None, id),
                Load::Where { table, tenant, field, value } => {
                    (*table, tenant, Some(*field), value)
                }
            };
            let key = (field.is_some(), table.name, tenant, field);
            let request = all.entry(key).or_insert_with(|| Self {
                table,
                tenant: tenant.clone(),
                field,
                values: BTreeSet::new(),
            });
            request.values.insert(value.clone());
        }
        all.into_values().collect()
    }

    /// # Errors
    /// When a field is not declared: a mistake in the program.
    pub(crate) fn statement(&self) -> Result<Statement, StoreError> {
        let table = quote(self.table.name);
        let mut statement = Statement::new("");
        let tenant = statement.value(self.tenant.as_str());
        let one = self.values.first().filter(|_| self.values.len() == 1);
        let values = match one {
            Some(value) => statement.value(value.as_str()),
            None => statement.value(self.values.iter().collect::<Bind>()),
        };
        // Rows found by a field are sorted by no index, lest the one on ids is walked from end to
        // end for the order's sake.
        let (key, column, order) = match self.field {
            None => ("NULL".to_owned(), "id".to_owned(), "id"),
            Some(field) => {
                let column = quote(self.table.indexed_text(field)?);
                (column.clone(), column, "id || ''")
            }
        };
        let rows = |value: &str| {
            format!(
                "SELECT id, {key} AS key, body::text AS body FROM {table} \
                 WHERE tenant = {tenant} AND {column} = {value} ORDER BY {order} FOR UPDATE"
            )
        };
        // One value after the other, lest an index that serves none of them is preferred, or the
        // whole tenant is walked where the planner does not know yet how much there is.
        statement.push(&match one {
            Some(_) => rows(&values),
            None => format!(
                "SELECT held.* FROM unnest({values}) AS request (value), LATERAL ({}) AS held",
                rows("request.value")
            ),
        });
        Ok(statement)
    }
}

/// What a group holds, as its units before left it: each decides on what the ones before it
/// decided.
#[derive(Default)]
pub(crate) struct LockedRows {
    tables: BTreeMap<(&'static str, Tenant), HeldTable>,
    /// The last used number of each series, by its key.
    last: BTreeMap<String, Option<i64>>,
    /// The server's time, when it was asked.
    pub(crate) now: Option<time::OffsetDateTime>,
}

/// The rows of one table and tenant.
#[derive(Default)]
struct HeldTable {
    bodies: BTreeMap<String, String>,
    /// The ids of the rows with each value, of the fields by which rows were looked for.
    found: BTreeMap<&'static str, BTreeMap<String, BTreeSet<String>>>,
}

impl LockedRows {
    /// The rows that `request` named or found, one answer for each, and the held series.
    pub(crate) fn of(
        request: &[LockRequest],
        answers: Vec<Vec<HeldRow>>,
        series: Vec<SeriesRow>,
        now: Option<time::OffsetDateTime>,
    ) -> Self {
        let last = series.into_iter().map(|row| (row.key, row.last)).collect();
        let mut locked = Self { tables: BTreeMap::new(), last, now };
        for (request, rows) in request.iter().zip(answers) {
            let held =
                locked.tables.entry((request.table.name, request.tenant.clone())).or_default();
            if let Some(field) = request.field {
                held.found.entry(field).or_default();
            }
            for row in rows {
                if let Some((field, value)) = request.field.zip(row.key) {
                    let ids = held.found.entry(field).or_default().entry(value).or_default();
                    ids.insert(row.id.clone());
                }
                held.bodies.insert(row.id, row.body);
            }
        }
        locked
    }

    /// What each of `loads` is answered with, in the order of ids.
    pub(crate) fn show(&self, loads: &[Load]) -> Vec<Vec<Stored>> {
        loads.iter().map(|load| self.rows(load)).collect()
    }

    fn rows(&self, load: &Load) -> Vec<Stored> {
        let (Load::One { table, tenant, .. } | Load::Where { table, tenant, .. }) = load;
        let Some(held) = self.tables.get(&(table.name, tenant.clone())) else { return Vec::new() };
        let stored = |id: &String| {
            held.bodies.get(id).map(|body| Stored { id: id.clone(), body: body.clone() })
        };
        match load {
            Load::One { id, .. } => stored(id).into_iter().collect(),
            Load::Where { field, value, .. } => {
                let ids = held.found.get(field).and_then(|values| values.get(value));
                ids.into_iter().flatten().filter_map(stored).collect()
            }
        }
    }

    /// The next number of `series`.
    pub(crate) fn next_number(&self, series: &Series) -> i64 {
        let last = self.last.get(&series.key).copied().flatten();
        last.map_or(series.start, |last| last + 1)
    }

    pub(crate) fn use_number(&mut self, series: &Series, number: i64) {
        self.last.insert(series.key.clone(), Some(number));
    }

    /// Whether the row that `put` replaces or deletes is certain to be there.
    pub(crate) fn has(&self, put: &Put) -> bool {
        let held = self.tables.get(&(put.table.name, put.tenant.clone()));
        held.is_some_and(|held| held.bodies.contains_key(&put.id))
    }

    /// Shows `put` to the next decision.
    pub(crate) fn apply(&mut self, put: &Put) {
        let Some(held) = self.tables.get_mut(&(put.table.name, put.tenant.clone())) else { return };
        let is_there = put.kind != PutKind::Delete;
        for (field, values) in &mut held.found {
            for ids in values.values_mut() {
                ids.remove(&put.id);
            }
            let value = put.table.field(field).and_then(|(place, _)| put.values.get(place));
            if let Some(Value::Text(value)) = value.filter(|_| is_there) {
                values.entry(value.clone()).or_default().insert(put.id.clone());
            }
        }
        if is_there {
            held.bodies.insert(put.id.clone(), put.body.clone());
        } else {
            held.bodies.remove(&put.id);
        }
    }
}
