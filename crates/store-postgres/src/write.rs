//! The statements that write: rows, kept counts, the log and series.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use racun_kernel::{ACTIVITIES, FieldKind, Put, PutKind, StoreError, Table, Tenant, Unique, Value};

use crate::filter::array;
use crate::schema::{column_type, quote};
use crate::statement::{Bind, Statement};

/// Rows of one table to which the same happens.
pub(crate) struct Batch<'a> {
    kind: PutKind,
    pub(crate) table: &'static Table,
    puts: Vec<&'a Put>,
}

/// Groups `puts` into few statements that mean the same: those of one table keep their order. Unless
/// they are `in_order`, unique values may seem to clash that would not if they were written one after
/// the other.
///
/// # Errors
/// When a value is not of its field's kind: a mistake in the program.
pub(crate) fn batches<'a>(
    puts: impl Iterator<Item = &'a Put>,
    in_order: bool,
) -> Result<Vec<Batch<'a>>, StoreError> {
    let mut batches: Vec<Batch<'_>> = Vec::new();
    for put in puts {
        check_kinds(put)?;
        let last = batches.iter_mut().rev().find(|batch| batch.table.name == put.table.name);
        match last {
            Some(batch) if batch.takes(put, in_order) => batch.puts.push(put),
            _ => batches.push(Batch { kind: put.kind, table: put.table, puts: vec![put] }),
        }
    }
    Ok(batches)
}

fn check_kinds(put: &Put) -> Result<(), StoreError> {
    let fits = |kind, value: &Value| {
        matches!(
            (kind, value),
            (_, Value::Null)
                | (FieldKind::Text, Value::Text(_))
                | (FieldKind::Number, Value::Number(_))
                | (FieldKind::Bool, Value::Bool(_))
                | (FieldKind::Date, Value::Date(_))
                | (FieldKind::Instant, Value::Instant(_))
                | (FieldKind::Map, Value::Map(_))
                | (FieldKind::List, Value::List(_))
        )
    };
    let wrong = put.table.fields.iter().enumerate().find(|(place, field)| {
        !put.values.get(*place).is_some_and(|value| fits(field.kind, value))
    });
    wrong.map_or(Ok(()), |(_, field)| {
        Err(StoreError::Corrupt {
            table: put.table.name,
            id: put.id.clone(),
            reason: format!("the value of {} is not of the declared kind", field.name),
        })
    })
}

impl Batch<'_> {
    /// Whether `put` can join the statement. One statement touches a row once; and it touches its
    /// rows in no particular order, so that a unique value could be taken before it is given up.
    fn takes(&self, put: &Put, in_order: bool) -> bool {
        let is_unique = || self.table.fields.iter().any(|field| field.unique != Unique::No);
        self.kind == put.kind
            && !self.puts.iter().any(|other| other.id == put.id && other.tenant == put.tenant)
            && (put.kind != PutKind::Update || !in_order || !is_unique())
    }

    pub(crate) fn statement(&self) -> Statement {
        let mut statement = Statement::new("");
        let sql = self.sql(&mut statement, None);
        statement.push(&sql);
        statement
    }

    /// The text of a statement whose values go to `statement`; `beside` is one more text column and the
    /// place of its values.
    fn sql(&self, statement: &mut Statement, beside: Option<(&str, String)>) -> String {
        let table = quote(self.table.name);
        let columns = self.columns();
        let mut names: Vec<String> = columns.iter().map(|column| quote(column.name)).collect();
        let mut arrays: Vec<String> = columns
            .iter()
            .map(|column| format!("{}::{}[]", statement.value(self.array(column)), column.array))
            .collect();
        let mut values: Vec<String> = columns
            .iter()
            .skip(2)
            .map(|column| format!("news.{}::{}", quote(column.name), column.kind))
            .collect();
        if let Some((name, place)) = beside {
            names.push(quote(name));
            arrays.push(format!("{place}::text[]"));
            values.push(format!("news.{}", quote(name)));
        }
        let rest = names.get(2..).unwrap_or_default().join(", ");
        let (names, arrays, values) = (names.join(", "), arrays.join(", "), values.join(", "));
        let news = format!("unnest({arrays}) AS news ({names})");
        match self.kind {
            PutKind::Insert => format!(
                "INSERT INTO {table} ({names}) SELECT news.tenant, news.id, {values} FROM {news}"
            ),
            PutKind::Update => format!(
                "UPDATE {table} AS rows SET ({rest}) = ROW ({values}) FROM {news} \
                 WHERE rows.tenant = news.tenant AND rows.id = news.id RETURNING rows.id"
            ),
            PutKind::Delete => format!(
                "DELETE FROM {table} AS rows USING {news} \
                 WHERE rows.tenant = news.tenant AND rows.id = news.id RETURNING rows.id"
            ),
        }
    }

    /// The columns that the statement is told: all, or the key of rows that go.
    fn columns(&self) -> Vec<Column> {
        let key = [Column::text("tenant", Part::Tenant), Column::text("id", Part::Id)];
        if self.kind == PutKind::Delete {
            return key.into();
        }
        let declared = self.table.columns().map(|(place, field, name)| {
            let kind = column_type(field.kind);
            // An array of arrays would be taken apart to the last element: lists travel as text.
            let array = if field.kind == FieldKind::List { "text" } else { kind };
            Column { name, kind, array, part: Part::Value(place, field.kind) }
        });
        let search = Column::text("search", Part::Search);
        let body = Column { name: "body", kind: "jsonb", array: "jsonb", part: Part::Body };
        key.into_iter().chain(declared).chain([search, body]).collect()
    }

    fn array(&self, column: &Column) -> Bind {
        let puts = self.puts.iter();
        match column.part {
            Part::Tenant => puts.map(|put| put.tenant.as_str()).collect(),
            Part::Id => puts.map(|put| put.id.as_str()).collect(),
            Part::Search => puts.map(|put| put.search.as_str()).collect(),
            Part::Body => puts.map(|put| put.body.as_str()).collect(),
            Part::Value(place, kind) => array(kind, puts.filter_map(|put| put.values.get(place))),
        }
    }

    /// The id of a row that should have been there, when the statement answered `ids`.
    pub(crate) fn missing(&self, mut ids: Vec<String>) -> Option<String> {
        if self.kind == PutKind::Insert {
            return None;
        }
        let is_missing = |id: &String| match ids.iter().position(|found| found == id) {
            Some(place) => {
                ids.swap_remove(place);
                false
            }
            None => true,
        };
        self.puts.iter().map(|put| put.id.clone()).find(is_missing)
    }
}

/// A column that is written.
struct Column {
    name: &'static str,
    /// Its type.
    kind: &'static str,
    /// The type in which its values travel.
    array: &'static str,
    part: Part,
}

impl Column {
    const fn text(name: &'static str, part: Part) -> Self {
        Self { name, kind: "text", array: "text", part }
    }
}

/// What of a [`Put`] goes into a column.
#[derive(Clone, Copy)]
enum Part {
    Tenant,
    Id,
    Value(usize, FieldKind),
    Search,
    Body,
}

/// What goes with the rows: the kept counts, the log and the series. One statement, for each one
/// costs the server and whoever waits for it much the same whatever it does.
pub(crate) fn keep(
    puts: &[Cow<'_, Put>],
    entries: &[(Put, Option<&str>)],
    used: &BTreeMap<(&Tenant, &str), i64>,
) -> Option<Statement> {
    let mut statement = Statement::new("");
    let parts = [
        count(&mut statement, puts.iter().map(AsRef::as_ref).chain(entries.iter().map(|e| &e.0))),
        log(&mut statement, entries),
        use_up(&mut statement, used),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let (last, first) = parts.split_last()?;
    for (n, part) in first.iter().enumerate() {
        let with = if n == 0 { "WITH" } else { "," };
        statement.push(&format!("{with} part_{n} AS ({part}) "));
    }
    statement.push(last);
    Some(statement)
}

/// Adds to the kept counts what `puts` change.
///
/// Each connection of a pool has a shard of its own, so that writers do not wait for each other; a
/// count is the sum of its shards. Those who share a shard take its rows in one order.
fn count<'a>(statement: &mut Statement, puts: impl Iterator<Item = &'a Put>) -> Option<String> {
    let changes = Put::count_changes(puts);
    if changes.is_empty() {
        return None;
    }
    let tenants =
        statement.value(changes.keys().map(|(tenant, _)| tenant.as_str()).collect::<Bind>());
    let tables = statement.value(changes.keys().map(|(_, table)| *table).collect::<Bind>());
    let live = statement.value(Bind::Ints(changes.values().map(|(live, _)| *live).collect()));
    let trashed = Bind::Ints(changes.values().map(|(_, trashed)| *trashed).collect());
    let trashed = statement.value(trashed);
    Some(format!(
        "INSERT INTO list_counts AS kept (tenant, table_name, shard, live, trashed) \
         SELECT tenant, table_name, current_setting('racun.shard')::smallint, live, trashed \
         FROM unnest({tenants}, {tables}, {live}, {trashed}) \
         AS news (tenant, table_name, live, trashed) \
         ON CONFLICT (tenant, table_name, shard) DO UPDATE \
         SET live = kept.live + excluded.live, trashed = kept.trashed + excluded.trashed"
    ))
}

/// Puts `entries` into the log, in their order.
fn log(statement: &mut Statement, entries: &[(Put, Option<&str>)]) -> Option<String> {
    if entries.is_empty() {
        return None;
    }
    let puts = entries.iter().map(|(entry, _)| entry).collect();
    let snapshots = entries.iter().map(|(_, snapshot)| snapshot.map(str::to_owned)).collect();
    let batch = Batch { kind: PutKind::Insert, table: &ACTIVITIES, puts };
    let snapshot = ("snapshot", statement.value(Bind::Texts(snapshots)));
    Some(batch.sql(statement, Some(snapshot)))
}

/// Holds the series called `keys`, in their order, and answers their last numbers.
pub(crate) fn hold_series(tenant: &Tenant, keys: &BTreeSet<&str>) -> Statement {
    Statement::new(
        "INSERT INTO series (tenant, key) SELECT $1, key FROM unnest($2) AS wanted (key) \
         ON CONFLICT (tenant, key) DO UPDATE SET key = excluded.key RETURNING key, last",
    )
    .bind(tenant.as_str())
    .bind(keys.iter().copied().collect::<Bind>())
}

/// Records the last used number of each series.
fn use_up(statement: &mut Statement, used: &BTreeMap<(&Tenant, &str), i64>) -> Option<String> {
    if used.is_empty() {
        return None;
    }
    let tenants = statement.value(used.keys().map(|(tenant, _)| tenant.as_str()).collect::<Bind>());
    let keys = statement.value(used.keys().map(|(_, key)| *key).collect::<Bind>());
    let numbers = statement.value(Bind::Ints(used.values().copied().collect()));
    Some(format!(
        "UPDATE series SET last = used.last \
         FROM unnest({tenants}, {keys}, {numbers}) AS used (tenant, key, last) \
         WHERE series.tenant = used.tenant AND series.key = used.key"
    ))
}
