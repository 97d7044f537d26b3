//! A column store beside the rows, for lists of many rows: the listed fields of a tenant's rows,
//! field by field.
//!
//! An index for each order would write one more page at every commit. Instead the rows outside the
//! trash are stored a second time in **segments**: ranges of ids in ascending order, and for each
//! segment every listed field as one blob ([`crate::column`]). A list scans only the blobs of the
//! fields that it names: a few megabytes for half a million rows. A commit adds each row that it
//! writes to the **fresh** rows, with the bytes of its fields; they override the row's values in
//! its segment. When there are enough fresh rows, the writer merges them into their segments.
//! Segments and fresh rows together always equal the table.

use std::collections::BTreeMap;

use racun_store::{Field, Put, PutKind, Table, Value};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::column::{self, Column};
use crate::sql::place;

/// Tables of the segments.
pub(crate) const OWN_TABLES: &str = "
    CREATE TABLE IF NOT EXISTS racun_kept (
        name TEXT PRIMARY KEY, fields TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS racun_building (
        name TEXT PRIMARY KEY, fields TEXT NOT NULL,
        tenant TEXT NOT NULL, id TEXT NOT NULL, next INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS racun_fresh (
        table_name TEXT NOT NULL, tenant TEXT NOT NULL, id TEXT NOT NULL, fields BLOB,
        PRIMARY KEY (table_name, tenant, id)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS racun_segments (
        table_name TEXT NOT NULL, tenant TEXT NOT NULL, segment INTEGER NOT NULL,
        first TEXT NOT NULL, size INTEGER NOT NULL,
        PRIMARY KEY (table_name, tenant, first)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS racun_columns (
        table_name TEXT NOT NULL, tenant TEXT NOT NULL, segment INTEGER NOT NULL,
        field INTEGER NOT NULL, cells BLOB NOT NULL,
        PRIMARY KEY (table_name, tenant, field, segment)
    ) STRICT;
";

/// Rows of a segment; it is halved when it has twice as many.
pub(crate) const ROWS: usize = 2048;

/// Where a column is among those of a segment.
pub(crate) const IDS: usize = 0;
pub(crate) const SEARCH: usize = 1;

/// The fields of `table` that are kept, in the order of their columns, which follow ids and texts.
pub(crate) fn kept(table: &'static Table) -> impl Iterator<Item = (usize, &'static Field)> {
    let listed = table.fields.iter().any(Field::is_listed) && table.has_trash();
    table.fields.iter().enumerate().filter(move |(_, field)| {
        listed && column::holds(field.kind) && (field.is_listed() || field.name == "created_at")
    })
}

/// Whether lists of `table` are found by columns.
pub(crate) fn keeps(table: &'static Table) -> bool {
    kept(table).next().is_some()
}

/// Where the column of the field at `place` is.
pub(crate) fn column_of(table: &'static Table, place: usize) -> Option<usize> {
    kept(table).position(|(kept, _)| kept == place).map(|position| position + 2)
}

fn signature(table: &'static Table) -> String {
    kept(table).map(|(_, field)| field.name).collect::<Vec<_>>().join(",")
}

/// A segment.
pub(crate) struct Segment {
    pub(crate) number: i64,
    /// No row of it has a lesser id; those of the first segment have any.
    pub(crate) first: String,
    pub(crate) size: usize,
}

/// Whose segments.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) table: &'static Table,
    pub(crate) tenant: &'a str,
}

impl Owner<'_> {
    pub(crate) fn segments(self, connection: &Connection) -> rusqlite::Result<Vec<Segment>> {
        let query = "SELECT segment, first, size FROM racun_segments
                     WHERE table_name = ? AND tenant = ? ORDER BY first";
        let mut statement = connection.prepare_cached(query)?;
        let rows = statement.query_map((self.table.name, self.tenant), |row| {
            let size: i64 = row.get(2)?;
            let size = usize::try_from(size).unwrap_or_default();
            Ok(Segment { number: row.get(0)?, first: row.get(1)?, size })
        })?;
        rows.collect()
    }

    pub(crate) fn column(
        self,
        connection: &Connection,
        segment: i64,
        column: usize,
    ) -> rusqlite::Result<Column> {
        let query = "SELECT cells FROM racun_columns
                     WHERE table_name = ? AND tenant = ? AND field = ? AND segment = ?";
        let mut statement = connection.prepare_cached(query)?;
        let key = params![self.table.name, self.tenant, number(column), segment];
        statement.query_row(key, |row| {
            let blob = row.get_ref(0)?.as_blob()?;
            Column::from_blob(blob).ok_or(rusqlite::Error::InvalidQuery)
        })
    }

    /// Ids of rows that were written since their segments, with the bytes of their columns; none
    /// for what is gone or in the trash.
    pub(crate) fn fresh(self, connection: &Connection) -> rusqlite::Result<Fresh> {
        let query = "SELECT id, fields FROM racun_fresh
                     WHERE table_name = ? AND tenant = ? ORDER BY id";
        let mut statement = connection.prepare_cached(query)?;
        let rows = statement.query_map((self.table.name, self.tenant), |row| {
            let fields = row.get_ref(1)?.as_blob_or_null()?;
            Ok((row.get(0)?, fields.and_then(column::from_row)))
        })?;
        rows.collect()
    }

    fn write_segment(
        self,
        connection: &Connection,
        number_of: i64,
        rows: &[Vec<Vec<u8>>],
        first: &str,
    ) -> rusqlite::Result<()> {
        let size = number(rows.len());
        connection
            .prepare_cached("INSERT INTO racun_segments VALUES (?, ?, ?, ?, ?)")?
            .execute(params![self.table.name, self.tenant, number_of, first, size])?;
        let mut insert =
            connection.prepare_cached("INSERT INTO racun_columns VALUES (?, ?, ?, ?, ?)")?;
        for field in 0..kept(self.table).count() + 2 {
            let values = rows.iter().map(|row| row.get(field).map_or(&[][..], Vec::as_slice));
            let blob = Column::of(values).to_blob();
            let field = number(field);
            insert.execute(params![self.table.name, self.tenant, number_of, field, blob])?;
        }
        Ok(())
    }

    fn remove_segment(self, connection: &Connection, segment: &Segment) -> rusqlite::Result<()> {
        let key = (self.table.name, self.tenant, &segment.first);
        let delete = "DELETE FROM racun_segments WHERE table_name = ? AND tenant = ? AND first = ?";
        connection.prepare_cached(delete)?.execute(key)?;
        let delete = "DELETE FROM racun_columns
                      WHERE table_name = ? AND tenant = ? AND field = ? AND segment = ?";
        let mut delete = connection.prepare_cached(delete)?;
        for field in 0..kept(self.table).count() + 2 {
            let field = number(field);
            delete.execute(params![self.table.name, self.tenant, field, segment.number])?;
        }
        Ok(())
    }

    /// All rows of a segment, each as the bytes of its columns.
    fn rows(
        self,
        connection: &Connection,
        segment: &Segment,
    ) -> rusqlite::Result<Vec<Vec<Vec<u8>>>> {
        let columns = (0..kept(self.table).count() + 2)
            .map(|field| self.column(connection, segment.number, field))
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let row = |row| columns.iter().map(|column| column.get(row).to_vec()).collect();
        Ok((0..segment.size).map(row).collect())
    }

    /// Replaces the segment at `place` of `segments` by its rows and the `changes` that belong
    /// there.
    fn rewrite(
        self,
        connection: &Connection,
        segments: &[Segment],
        place: usize,
        changes: Fresh,
        size: usize,
    ) -> rusqlite::Result<()> {
        let mut rows: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
        let mut first = String::new();
        if let Some(segment) = segments.get(place) {
            for row in self.rows(connection, segment)? {
                let id = row.get(IDS).and_then(|id| column::text(id)).unwrap_or_default();
                rows.insert(id.to_owned(), row);
            }
            self.remove_segment(connection, segment)?;
            first.clone_from(&segment.first);
        }
        let forget = "DELETE FROM racun_fresh WHERE table_name = ? AND tenant = ? AND id = ?";
        let mut forget = connection.prepare_cached(forget)?;
        for (id, fields) in changes {
            forget.execute((self.table.name, self.tenant, &id))?;
            match fields {
                Some(fields) => rows.insert(id, fields),
                None => rows.remove(&id),
            };
        }
        let query = "SELECT coalesce(max(segment), 0) + 1 FROM racun_segments
                     WHERE table_name = ? AND tenant = ?";
        let mut next: i64 = connection
            .prepare_cached(query)?
            .query_row((self.table.name, self.tenant), |row| row.get(0))?;
        let (ids, rows): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let parts = if rows.len() >= 2 * size { rows.chunks(size) } else { rows.chunks(2 * size) };
        let mut begin = 0;
        for part in parts {
            // The first one keeps the bound that it had: ids before its rows still belong there.
            let bound = if begin == 0 { first.as_str().min(&ids[0]) } else { ids[begin].as_str() };
            self.write_segment(connection, next, part, bound)?;
            (begin, next) = (begin + part.len(), next + 1);
        }
        Ok(())
    }
}

/// Rows by their ids, each as the bytes of its columns; none for what is gone.
pub(crate) type Fresh = Vec<(String, Option<Vec<Vec<u8>>>)>;

/// The segment that rows with `id` are in.
pub(crate) fn segment_of(segments: &[Segment], id: &str) -> usize {
    segments.partition_point(|segment| segment.first.as_str() <= id).saturating_sub(1)
}

fn number(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Notes that `put` is written.
pub(crate) fn note(connection: &Connection, put: &Put) -> rusqlite::Result<()> {
    if !keeps(put.table) {
        return Ok(());
    }
    let trashed = put.table.field("deleted_at").and_then(|(place, _)| put.values.get(place));
    let is_live = trashed.is_none_or(|at| *at == Value::Null) && put.kind != PutKind::Delete;
    let fields = is_live.then(|| {
        let own = [column::of_text(&put.id), column::of_text(&put.search)];
        let values = kept(put.table).map(|(place, _)| put.values.get(place));
        let values = values.map(|value| value.map(column::bytes).unwrap_or_default());
        column::to_row(&own.into_iter().chain(values).collect::<Vec<_>>())
    });
    let note = "INSERT INTO racun_fresh VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET fields = excluded.fields";
    connection.prepare_cached(note)?.execute((
        put.table.name,
        put.tenant.as_str(),
        &put.id,
        fields,
    ))?;
    Ok(())
}

/// How many fresh rows there are of each table and tenant.
pub(crate) fn waiting(connection: &Connection) -> rusqlite::Result<Vec<(String, String, usize)>> {
    let query = "SELECT table_name, tenant, count(*) FROM racun_fresh GROUP BY 1, 2";
    let mut statement = connection.prepare(query)?;
    let rows = statement.query_map([], |row| {
        let count: i64 = row.get(2)?;
        Ok((row.get(0)?, row.get(1)?, usize::try_from(count).unwrap_or_default()))
    })?;
    rows.collect()
}

/// Puts fresh rows into the segments where most of them belong, at most `segments` of these; how
/// many are left. Many that are spread over many segments stay until they are worth it.
pub(crate) fn settle(
    connection: &mut Connection,
    owner: Owner<'_>,
    size: usize,
    most: usize,
) -> rusqlite::Result<usize> {
    let transaction = connection.transaction()?;
    let segments = owner.segments(&transaction)?;
    let mut by_segment: BTreeMap<usize, Fresh> = BTreeMap::new();
    let mut left = 0;
    for row in owner.fresh(&transaction)? {
        left += 1;
        by_segment.entry(segment_of(&segments, &row.0)).or_default().push(row);
    }
    let mut chosen: Vec<(usize, Fresh)> = by_segment.into_iter().collect();
    chosen.sort_by_key(|(_, rows)| std::cmp::Reverse(rows.len()));
    chosen.truncate(most);
    // A segment is rewritten as a whole.
    let is_crowded = left >= 4 * size;
    chosen.retain(|(_, rows)| is_crowded || rows.len() * 32 >= size);
    for (place, rows) in chosen {
        left -= rows.len();
        owner.rewrite(&transaction, &segments, place, rows, size)?;
    }
    transaction.commit()?;
    Ok(left)
}

/// Whether the file keeps the fields that `table` declares.
pub(crate) fn is_current(connection: &Connection, table: &'static Table) -> rusqlite::Result<bool> {
    let query = "SELECT fields FROM racun_kept WHERE name = ?";
    let kept: Option<String> =
        connection.query_row(query, [table.name], |row| row.get(0)).optional()?;
    Ok(kept.unwrap_or_default() == signature(table))
}

/// Notes that the file keeps the fields that `table` declares.
pub(crate) fn remember(connection: &Connection, table: &'static Table) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM racun_building WHERE name = ?", [table.name])?;
    let remember = "INSERT OR REPLACE INTO racun_kept VALUES (?, ?)";
    connection.execute(remember, (table.name, signature(table))).map(|_| ())
}

/// Notes that the segments of `table` say something else than its rows: all are made again.
pub(crate) fn forget(connection: &Connection, table: &Table) -> rusqlite::Result<()> {
    for own in ["racun_kept", "racun_building"] {
        connection.execute(&format!("DELETE FROM {own} WHERE name = ?"), [table.name])?;
    }
    Ok(())
}

/// Segments that [`build`] makes at once.
const AT_ONCE: usize = 8;

/// How far the segments of a table are made: up to this row, the next of its tenant has this
/// number.
struct Built {
    tenant: String,
    id: String,
    next: i64,
}

/// Makes the next segments of `table`, of which the file keeps other fields; whether some are left
/// to make. What is made is noted in the same transaction.
pub(crate) fn build(
    connection: &Connection,
    table: &'static Table,
    size: usize,
) -> rusqlite::Result<bool> {
    let mut built = begun(connection, table)?;
    let rows = if keeps(table) { rows_after(connection, table, &built, size)? } else { Vec::new() };
    let is_last = rows.len() < AT_ONCE * size;
    for of_tenant in rows.chunk_by(|(one, _), (other, _)| one == other) {
        for part in of_tenant.chunks(size) {
            let Some((tenant, id)) = part
                .last()
                .and_then(|(tenant, row)| Some((tenant.as_str(), column::text(row.get(IDS)?)?)))
            else {
                continue;
            };
            let ends_here = is_last || rows.last().is_none_or(|(last, _)| last != tenant);
            if part.len() < size && !ends_here {
                // The rest of it comes with the next rows.
                break;
            }
            if built.tenant != tenant {
                built.next = 1;
            }
            let first = part.first().and_then(|(_, row)| column::text(row.get(IDS)?));
            let first = if built.next == 1 { "" } else { first.unwrap_or_default() };
            let values: Vec<_> = part.iter().map(|(_, row)| row.clone()).collect();
            Owner { table, tenant }.write_segment(connection, built.next, &values, first)?;
            built = Built { tenant: tenant.to_owned(), id: id.to_owned(), next: built.next + 1 };
        }
    }
    if is_last {
        remember(connection, table)?;
    } else {
        let note = "UPDATE racun_building SET tenant = ?, id = ?, next = ? WHERE name = ?";
        connection.execute(note, (built.tenant, built.id, built.next, table.name))?;
    }
    Ok(!is_last)
}

/// How far the segments of `table` are made; begins when others were made before.
fn begun(connection: &Connection, table: &'static Table) -> rusqlite::Result<Built> {
    let query = "SELECT tenant, id, next FROM racun_building WHERE name = ? AND fields = ?";
    let found = connection
        .query_row(query, (table.name, signature(table)), |row| {
            Ok(Built { tenant: row.get(0)?, id: row.get(1)?, next: row.get(2)? })
        })
        .optional()?;
    if let Some(built) = found {
        return Ok(built);
    }
    for own in ["racun_fresh", "racun_segments", "racun_columns"] {
        connection.execute(&format!("DELETE FROM {own} WHERE table_name = ?"), [table.name])?;
    }
    let begin = "INSERT OR REPLACE INTO racun_building VALUES (?, ?, '', '', 1)";
    connection.execute(begin, (table.name, signature(table)))?;
    Ok(Built { tenant: String::new(), id: String::new(), next: 1 })
}

/// Tenants and columns of the rows that follow `built`.
fn rows_after(
    connection: &Connection,
    table: &'static Table,
    built: &Built,
    size: usize,
) -> rusqlite::Result<Vec<(String, Vec<Vec<u8>>)>> {
    let fields: Vec<String> =
        kept(table).map(|(_, field)| place(field).text().to_owned()).collect();
    let query = format!(
        r#"SELECT tenant, id, search, {} FROM "{}"
           WHERE deleted_at IS NULL AND (tenant, id) > (?, ?) ORDER BY tenant, id LIMIT ?"#,
        fields.join(", "),
        table.name
    );
    let mut statement = connection.prepare(&query)?;
    let key = (&built.tenant, &built.id, number(AT_ONCE * size));
    let rows = statement.query_map(key, |row| {
        let values = (0..fields.len() + 2).map(|n| Ok(column::of_cell(&row.get(n + 1)?)));
        Ok((row.get(0)?, values.collect::<rusqlite::Result<_>>()?))
    })?;
    rows.collect()
}
