//! The statements that write: rows, kept counts, the log and series.

use std::collections::{BTreeMap, BTreeSet};

use racun_kernel::Tenant;
use racun_store::{ACTIVITIES, FieldKind, Put, PutKind, StoreError, Table, Unique, Value};

use crate::filter::{array, cell};
use crate::schema::{column_type, quote};
use crate::statement::{Bind, Statement};
use crate::write_set::WriteSet;

/// Rows of one table to which the same happens.
pub(crate) struct Batch<'a> {
    kind: PutKind,
    pub(crate) table: &'static Table,
    puts: Vec<&'a Put>,
    /// What stands beside each entry of the log.
    snapshots: Option<Vec<Option<&'a str>>>,
}

/// Rows that an insertion spells out, at most: there is a text of it for each number of them.
const SPELLED_OUT: usize = 2;

/// Groups `puts` into few statements that mean the same: those of one table keep their order.
/// Unless they are `in_order`, unique values may seem to clash that would not if they were written
/// one after the other.
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
            _ => batches.push(Batch::of(put)),
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

impl<'a> Batch<'a> {
    fn of(put: &'a Put) -> Self {
        Self { kind: put.kind, table: put.table, puts: vec![put], snapshots: None }
    }

    /// Whether `put` can join the statement. One statement touches a row once; and it touches its
    /// rows in no particular order, so that a unique value could be taken before it is given up.
    fn takes(&self, put: &Put, in_order: bool) -> bool {
        let is_unique = || self.table.fields.iter().any(|field| field.unique != Unique::No);
        self.kind == put.kind
            && !self.puts.iter().any(|other| other.id == put.id && other.tenant == put.tenant)
            && (put.kind != PutKind::Update || !in_order || !is_unique())
    }

    /// The text of the statement, whose values go to `statement`. It answers the ids of the rows
    /// that it finds when it `tells`.
    fn sql(&self, statement: &mut Statement, tells: bool) -> String {
        let columns = self.columns();
        let sql = match (&self.puts[..], self.kind) {
            (puts, PutKind::Insert) if puts.len() <= SPELLED_OUT => {
                return self.insert_few(statement, &columns);
            }
            ([_], _) => self.change_one(statement, &columns),
            _ => self.of_many(statement, &columns),
        };
        let answer = if tells && self.kind != PutKind::Insert { " RETURNING rows.id" } else { "" };
        sql + answer
    }

    /// Inserts rows that are spelled out. To take apart an array for each of thirty columns costs
    /// the server more than to write a row.
    fn insert_few(&self, statement: &mut Statement, columns: &[Column]) -> String {
        let names: Vec<String> = columns.iter().map(|column| quote(column.name)).collect();
        let row = |n| format!("({})", self.cells(statement, columns, n).join(", "));
        let rows: Vec<String> = (0..self.puts.len()).map(row).collect();
        let table = quote(self.table.name);
        format!("INSERT INTO {table} ({}) VALUES {}", names.join(", "), rows.join(", "))
    }

    /// Changes one row, or deletes it.
    fn change_one(&self, statement: &mut Statement, columns: &[Column]) -> String {
        let table = quote(self.table.name);
        let names: Vec<String> = columns.iter().map(|column| quote(column.name)).collect();
        let cells = self.cells(statement, columns, 0);
        let (key, values) = cells.split_at(KEY);
        let key = format!("(rows.tenant, rows.id) = ({})", key.join(", "));
        if self.kind == PutKind::Delete {
            return format!("DELETE FROM {table} AS rows WHERE {key}");
        }
        let names = names.get(KEY..).unwrap_or_default().join(", ");
        let values = values.join(", ");
        format!("UPDATE {table} AS rows SET ({names}) = ROW ({values}) WHERE {key}")
    }

    /// Does it to any number of rows, whose values are in arrays.
    fn of_many(&self, statement: &mut Statement, columns: &[Column]) -> String {
        let table = quote(self.table.name);
        let names: Vec<String> = columns.iter().map(|column| quote(column.name)).collect();
        let arrays: Vec<String> = columns
            .iter()
            .map(|column| format!("{}::{}[]", statement.value(self.array(column)), column.array))
            .collect();
        let value = |column: &Column| format!("news.{}::{}", quote(column.name), column.kind);
        let values: Vec<String> = columns.iter().skip(KEY).map(value).collect();
        let rest = names.get(KEY..).unwrap_or_default().join(", ");
        let (names, arrays, values) = (names.join(", "), arrays.join(", "), values.join(", "));
        let news = format!("unnest({arrays}) AS news ({names})");
        let key = "rows.tenant = news.tenant AND rows.id = news.id";
        match self.kind {
            PutKind::Insert => format!(
                "INSERT INTO {table} ({names}) SELECT news.tenant, news.id, {values} FROM {news}"
            ),
            PutKind::Update => {
                format!(
                    "UPDATE {table} AS rows SET ({rest}) = ROW ({values}) FROM {news} WHERE {key}"
                )
            }
            PutKind::Delete => format!("DELETE FROM {table} AS rows USING {news} WHERE {key}"),
        }
    }

    /// The columns that the statement receives: all, or the key of rows to delete.
    fn columns(&self) -> Vec<Column> {
        let key = [Column::text("tenant", Part::Tenant), Column::text("id", Part::Id)];
        if self.kind == PutKind::Delete {
            return key.into();
        }
        let declared = self.table.columns().map(|(place, field, name)| {
            let kind = column_type(field.kind);
            let array = match field.kind {
                FieldKind::Bool | FieldKind::Date | FieldKind::Instant => kind,
                FieldKind::Text | FieldKind::Number | FieldKind::Map | FieldKind::List => "text",
            };
            Column { name, kind, array, part: Part::Value(place, field.kind) }
        });
        let search = Column::text("search", Part::Search);
        let body = Column { name: "body", kind: "jsonb", array: "text", part: Part::Body };
        let snapshot = self.snapshots.as_ref().map(|_| Column::text("snapshot", Part::Snapshot));
        key.into_iter().chain(declared).chain([search, body]).chain(snapshot).collect()
    }

    fn array(&self, column: &Column) -> Bind {
        let puts = self.puts.iter();
        match column.part {
            Part::Tenant => puts.map(|put| put.tenant.as_str()).collect(),
            Part::Id => puts.map(|put| put.id.as_str()).collect(),
            Part::Search => puts.map(|put| put.search.as_str()).collect(),
            Part::Body => puts.map(|put| put.body.as_str()).collect(),
            Part::Value(place, kind) => array(kind, puts.filter_map(|put| put.values.get(place))),
            Part::Snapshot => {
                let snapshots = self.snapshots.iter().flatten();
                Bind::Texts(snapshots.map(|snapshot| snapshot.map(str::to_owned)).collect())
            }
        }
    }

    /// The values of the row at `place`, column by column.
    fn cells(&self, statement: &mut Statement, columns: &[Column], place: usize) -> Vec<String> {
        let Some(put) = self.puts.get(place) else { return Vec::new() };
        let snapshot = self.snapshots.as_ref().and_then(|all| *all.get(place)?);
        let cells = columns.iter().map(|column| (column.cell(put, snapshot), column.kind));
        cells.map(|(cell, kind)| format!("{}::{kind}", statement.value(cell))).collect()
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
    /// The type in which its values travel. What travels as text is read row by row: to read an
    /// array of bodies into an array of `jsonb`, and to take that apart again, costs twice as much.
    /// And an array of lists would be taken apart to the last element.
    array: &'static str,
    part: Part,
}

impl Column {
    /// What `put`, beside which `snapshot` stands, has in it.
    fn cell(&self, put: &Put, snapshot: Option<&str>) -> Bind {
        match self.part {
            Part::Tenant => Bind::from(put.tenant.as_str()),
            Part::Id => Bind::from(put.id.as_str()),
            Part::Search => Bind::from(put.search.as_str()),
            Part::Body => Bind::from(put.body.as_str()),
            Part::Value(place, kind) => cell(kind, put.values.get(place).unwrap_or(&Value::Null)),
            Part::Snapshot => Bind::Text(snapshot.map(str::to_owned)),
        }
    }

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
    Snapshot,
}

/// Columns of the key, which stand first.
const KEY: usize = 2;

/// The statements that write `write_set`, whose rows are in `batches`, and what goes with them: the
/// kept counts, the log and the series.
///
/// Each statement has much the same fixed cost for the server and the caller. So all writes of one
/// unit are one statement, unless the unit changes a table twice; and there is a text for each
/// shape that units have. Groups have too many shapes: there each batch is a statement, and what
/// goes with all of them is one more. Where a row may be missing, each batch is one, too, and
/// answers what it finds.
pub(crate) fn statements(batches: &[Batch<'_>], write_set: &WriteSet<'_>) -> Vec<Statement> {
    let tables: BTreeSet<&str> = batches.iter().map(|batch| batch.table.name).collect();
    let is_one = write_set.is_sure && write_set.is_of_one && tables.len() == batches.len();
    let (mut statements, mut last, mut parts) = (Vec::new(), Statement::new(""), Vec::new());
    for batch in batches {
        if is_one {
            parts.push(batch.sql(&mut last, false));
        } else {
            let mut statement = Statement::new("");
            let sql = batch.sql(&mut statement, !write_set.is_sure);
            statement.push(&sql);
            statements.push(statement);
        }
    }
    parts.extend(count(&mut last, write_set.changed()));
    parts.extend(log(&mut last, &write_set.entries));
    parts.extend(use_up(&mut last, &write_set.used));
    let Some((main, others)) = parts.split_last() else { return statements };
    for (n, part) in others.iter().enumerate() {
        let with = if n == 0 { "WITH" } else { "," };
        last.push(&format!("{with} part_{n} AS ({part}) "));
    }
    last.push(main);
    statements.push(last);
    statements
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
    let snapshots = Some(entries.iter().map(|(_, snapshot)| *snapshot).collect());
    let batch = Batch { kind: PutKind::Insert, table: &ACTIVITIES, puts, snapshots };
    Some(batch.sql(statement, false))
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
