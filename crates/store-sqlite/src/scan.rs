//! Lists that are found in columns ([`crate::columns`]), meaning what [`racun_store::evaluate`]
//! means.
//!
//! Segments are looked through in the direction in which ids break ties, row by row, so that of two
//! rows with equal keys the first that is met comes first, and no id needs to be read to know it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use memchr::memmem::Finder;
use racun_kernel::text::fold;
use racun_store::{Clause, ListQuery, Operator, Source, Stored, Table};
use rusqlite::Connection;

use crate::column::{self, Column};
use crate::columns::{IDS, Owner, SEARCH, Segment, column_of, segment_of};
use crate::read::stored;
use crate::select::{downwards, ids_fall};
use crate::sql::{Sql, text};

/// A condition on the bytes of a value.
type Test = Box<dyn Fn(&[u8]) -> bool>;

/// A list query in terms of columns.
pub(crate) struct Scan<'a> {
    query: &'a ListQuery,
    /// What must hold of which columns.
    tests: Vec<(usize, Test)>,
    /// What the row's text must contain: what `search` looks for, and what searched fields contain.
    texts: Vec<Finder<'a>>,
    /// What must hold of columns where the texts do: folding a value is dear.
    inside: Vec<(usize, Test)>,
    /// The columns that the walk is ordered by, and whether it goes to lesser values.
    order: Vec<(usize, bool)>,
    ids_fall: bool,
    /// The keys at the cursor, and its id.
    cursor: Option<(Vec<Vec<u8>>, &'a str)>,
}

/// A row that may be on the page.
struct Candidate {
    keys: Vec<Vec<u8>>,
    id: String,
}

impl<'a> Scan<'a> {
    /// `query` as a scan; `None` when it looks at what is in no column, or an index serves it
    /// better.
    pub(crate) fn of(table: &'static Table, query: &'a ListQuery) -> Option<Self> {
        let is_default = query.order.iter().all(|order| order.field.name == "created_at");
        if query.trash || (is_default && query.is_unfiltered()) {
            return None;
        }
        let column = |place, source| match source {
            Source::Id => Some(IDS),
            _ => column_of(table, place),
        };
        let test = |clause: &Clause| {
            let column = column(clause.place, clause.field.source)?;
            clause.key.is_none().then_some(())?;
            Some((column, test(clause)?))
        };
        let inside = |clause: &&Clause| contained(clause).is_some();
        let (inside, others): (Vec<_>, Vec<_>) = query.clauses.iter().partition(inside);
        let texts = query.search.as_deref().into_iter();
        let texts = texts.chain(inside.iter().filter_map(|clause| contained(clause)));
        let texts = texts.map(|text| Finder::new(text.as_bytes())).collect();
        let tests = others.into_iter().map(test).collect::<Option<_>>()?;
        let inside = inside.into_iter().map(test).collect::<Option<_>>()?;
        let order = |order: &racun_store::Order| {
            Some((column(order.place, order.field.source)?, downwards(query, order)))
        };
        // Outside the trash nothing has a time when it came there: all are null.
        let ordered = query.order.iter().filter(|order| order.field.name != "deleted_at");
        let order = ordered.map(order).collect::<Option<_>>()?;
        let cursor = query.cursor.as_ref().map(|cursor| {
            let keys = query.order.iter().zip(&cursor.keys);
            let keys = keys.filter(|(order, _)| order.field.name != "deleted_at");
            (keys.map(|(_, key)| column::bytes(key)).collect(), cursor.id.as_str())
        });
        Some(Self { query, tests, texts, inside, order, ids_fall: ids_fall(query), cursor })
    }

    /// The page and the number of rows that match; `None` when the tenant has no segments.
    pub(crate) fn run(
        &self,
        connection: &Connection,
        owner: Owner<'_>,
    ) -> rusqlite::Result<Option<(Vec<Stored>, i64)>> {
        let mut segments = owner.segments(connection)?;
        if segments.is_empty() {
            return Ok(None);
        }
        let fresh = owner.fresh(connection)?;
        let stale = stale(connection, owner, &segments, fresh.iter().map(|(id, _)| id.as_str()))?;
        let mut best = Best { rows: Vec::new(), most: self.query.limit + 1 };
        let mut total = 0;
        if self.ids_fall {
            segments.reverse();
        }
        for segment in &segments {
            let loaded = Loaded { connection, owner, segment, columns: HashMap::new() };
            total += self.look_through(loaded, stale.get(&segment.number), &mut best)?;
        }
        for (id, row) in fresh.into_iter().filter_map(|(id, row)| Some((id, row?))) {
            if self.holds(&row) {
                total += 1;
                let key = |(column, _): &(usize, bool)| row.get(*column).cloned();
                let keys = self.order.iter().map(|key_of| key(key_of).unwrap_or_default());
                let candidate = Candidate { keys: keys.collect(), id };
                if self.is_beyond(&candidate.keys, || Ok(candidate.id.as_str()))? {
                    best.insert(candidate, |a, b| self.compare(a, b));
                }
            }
        }
        let (mut rows, mut bytes) = (Vec::new(), 0);
        for row in &best.rows {
            if !self.query.reads_on(bytes) {
                break;
            }
            let row = body(connection, owner, &row.id)?;
            bytes += row.body.len();
            rows.push(row);
        }
        Ok(Some((rows, total)))
    }

    /// Counts what matches in a segment, `stale` rows aside, and puts the best of it among `best`.
    fn look_through(
        &self,
        mut loaded: Loaded<'_>,
        stale: Option<&HashSet<usize>>,
        best: &mut Best,
    ) -> rusqlite::Result<i64> {
        let mut rows: Vec<usize> = (0..loaded.segment.size).collect();
        if let Some(stale) = stale {
            rows.retain(|row| !stale.contains(row));
        }
        for (column, test) in &self.tests {
            loaded.column(*column)?.keep(&mut rows, test);
            if rows.is_empty() {
                return Ok(0);
            }
        }
        for finder in &self.texts {
            let texts = loaded.column(SEARCH)?;
            rows.retain(|row| is_in(finder, texts.get(*row)));
        }
        for (column, test) in &self.inside {
            if rows.is_empty() {
                return Ok(0);
            }
            loaded.column(*column)?.keep(&mut rows, test);
        }
        let total = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        if self.ids_fall {
            rows.reverse();
        }
        let columns: Vec<usize> = self.order.iter().map(|(column, _)| *column).collect();
        for column in columns.iter().chain(self.cursor.is_some().then_some(&IDS)) {
            loaded.column(*column)?;
        }
        for row in rows {
            let keys = self.order.iter().map(|(column, _)| loaded.at(*column, row));
            let keys: Vec<&[u8]> = keys.collect();
            // Of equal keys those that were met before come before.
            if best.is_full() && best.last_is_before(|last| self.by_keys(&keys, last).is_ge()) {
                continue;
            }
            if !self.is_beyond(&keys, || Ok(loaded.id(row)))? {
                continue;
            }
            let keys = keys.into_iter().map(<[u8]>::to_vec).collect();
            loaded.column(IDS)?;
            let id = loaded.id(row).to_owned();
            best.insert(Candidate { keys, id }, |a, b| self.compare(a, b));
        }
        Ok(total)
    }

    /// Whether a fresh row matches.
    fn holds(&self, row: &[Vec<u8>]) -> bool {
        let value = |column: usize| row.get(column).map_or(&[][..], Vec::as_slice);
        let mut tests = self.tests.iter().chain(&self.inside);
        tests.all(|(column, test)| test(value(*column)))
            && self.texts.iter().all(|finder| is_in(finder, value(SEARCH)))
    }

    /// The order of two rows in the walk by their keys.
    fn by_keys(&self, a: &[impl AsRef<[u8]>], b: &[impl AsRef<[u8]>]) -> Ordering {
        let pairs = self.order.iter().zip(a.iter().zip(b));
        let orders = pairs.map(|((_, down), (a, b))| {
            let order = column::compare(a.as_ref(), b.as_ref());
            if *down { order.reverse() } else { order }
        });
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn by_ids(&self, a: &str, b: &str) -> Ordering {
        if self.ids_fall { b.cmp(a) } else { a.cmp(b) }
    }

    fn compare(&self, a: &Candidate, b: &Candidate) -> Ordering {
        self.by_keys(&a.keys, &b.keys).then_with(|| self.by_ids(&a.id, &b.id))
    }

    /// Whether a row comes behind the cursor.
    fn is_beyond<'b>(
        &self,
        keys: &[impl AsRef<[u8]>],
        id: impl FnOnce() -> rusqlite::Result<&'b str>,
    ) -> rusqlite::Result<bool> {
        let Some((at, at_id)) = &self.cursor else { return Ok(true) };
        let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
        let at: Vec<&[u8]> = at.iter().map(Vec::as_slice).collect();
        Ok(match self.by_keys(&keys, &at) {
            Ordering::Equal => self.by_ids(id()?, at_id).is_gt(),
            order => order.is_gt(),
        })
    }
}

/// Shows `each` the values of the fields `wanted`, given by their places, of all rows of which
/// `clauses` hold, as bytes of their columns. `false` when some of it is in no column, or the
/// tenant has no segments: then nothing was shown.
pub(crate) fn each_row(
    connection: &Connection,
    owner: Owner<'_>,
    clauses: &[Clause],
    wanted: &[(usize, Source)],
    mut each: impl FnMut(&[&[u8]]),
) -> rusqlite::Result<bool> {
    let column = |place, source| match source {
        Source::Id => Some(IDS),
        _ => column_of(owner.table, place),
    };
    let test = |clause: &Clause| {
        clause.key.is_none().then_some(())?;
        Some((column(clause.place, clause.field.source)?, test(clause)?))
    };
    let tests = clauses.iter().map(test).collect::<Option<Vec<(usize, Test)>>>();
    let wanted = wanted.iter().map(|(place, source)| column(*place, *source));
    let (Some(tests), Some(wanted)) = (tests, wanted.collect::<Option<Vec<usize>>>()) else {
        return Ok(false);
    };
    let segments = owner.segments(connection)?;
    if segments.is_empty() {
        return Ok(false);
    }
    let fresh = owner.fresh(connection)?;
    let stale = stale(connection, owner, &segments, fresh.iter().map(|(id, _)| id.as_str()))?;
    for segment in &segments {
        let mut loaded = Loaded { connection, owner, segment, columns: HashMap::new() };
        let mut rows: Vec<usize> = (0..segment.size).collect();
        if let Some(stale) = stale.get(&segment.number) {
            rows.retain(|row| !stale.contains(row));
        }
        for (column, test) in &tests {
            loaded.column(*column)?.keep(&mut rows, test);
        }
        if rows.is_empty() {
            continue;
        }
        for column in &wanted {
            loaded.column(*column)?;
        }
        for row in rows {
            let values: Vec<&[u8]> = wanted.iter().map(|column| loaded.at(*column, row)).collect();
            each(&values);
        }
    }
    for row in fresh.iter().filter_map(|(_, row)| row.as_ref()) {
        let value = |column: usize| row.get(column).map_or(&[][..], Vec::as_slice);
        if tests.iter().all(|(column, test)| test(value(*column))) {
            let values: Vec<&[u8]> = wanted.iter().map(|column| value(*column)).collect();
            each(&values);
        }
    }
    Ok(true)
}

/// Whether the text of a row contains what `finder` looks for.
fn is_in(finder: &Finder<'_>, text: &[u8]) -> bool {
    finder.find(text.get(1..).unwrap_or_default()).is_some()
}

/// What `clause` wants a searched field to contain, folded as the texts of rows are.
fn contained(clause: &Clause) -> Option<&str> {
    match &clause.operator {
        Operator::Contains(part) if clause.field.search && clause.key.is_none() => Some(part),
        _ => None,
    }
}

/// The best rows so far, in the order of the walk.
struct Best {
    rows: Vec<Candidate>,
    most: usize,
}

impl Best {
    fn is_full(&self) -> bool {
        self.rows.len() >= self.most
    }

    /// Whether the last one is, as `is_behind` says, not behind another.
    fn last_is_before(&self, is_behind: impl FnOnce(&[Vec<u8>]) -> bool) -> bool {
        self.rows.last().is_some_and(|last| is_behind(&last.keys))
    }

    fn insert(
        &mut self,
        candidate: Candidate,
        compare: impl Fn(&Candidate, &Candidate) -> Ordering,
    ) {
        let place = self.rows.partition_point(|row| compare(row, &candidate).is_lt());
        if place < self.most {
            self.rows.insert(place, candidate);
            self.rows.truncate(self.most);
        }
    }
}

/// The columns of a segment that were looked at.
struct Loaded<'a> {
    connection: &'a Connection,
    owner: Owner<'a>,
    segment: &'a Segment,
    columns: HashMap<usize, Column>,
}

impl Loaded<'_> {
    fn column(&mut self, column: usize) -> rusqlite::Result<&Column> {
        Ok(match self.columns.entry(column) {
            std::collections::hash_map::Entry::Occupied(there) => there.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(self.owner.column(self.connection, self.segment.number, column)?)
            }
        })
    }

    /// The value in a column that was looked at.
    fn at(&self, column: usize, row: usize) -> &[u8] {
        self.columns.get(&column).map_or(&[], |column| column.get(row))
    }

    fn id(&self, row: usize) -> &str {
        column::text(self.at(IDS, row)).unwrap_or_default()
    }
}

/// Where segments hold rows with `ids`, by segment: what they say of them no longer counts.
fn stale<'a>(
    connection: &Connection,
    owner: Owner<'_>,
    segments: &[Segment],
    ids: impl Iterator<Item = &'a str>,
) -> rusqlite::Result<HashMap<i64, HashSet<usize>>> {
    let mut stale: HashMap<i64, HashSet<usize>> = HashMap::new();
    let mut column: Option<(i64, Column)> = None;
    for id in ids {
        let Some(segment) = segments.get(segment_of(segments, id)) else { continue };
        if column.as_ref().is_none_or(|(number, _)| *number != segment.number) {
            column = Some((segment.number, owner.column(connection, segment.number, IDS)?));
        }
        let Some((number, ids)) = &column else { continue };
        let wanted = column::of_text(id);
        // The ids of a segment are sorted.
        let (mut low, mut high) = (0, ids.len());
        while low < high {
            let middle = low.midpoint(high);
            if ids.get(middle) < wanted.as_slice() { low = middle + 1 } else { high = middle }
        }
        if ids.get(low) == wanted.as_slice() {
            stale.entry(*number).or_default().insert(low);
        }
    }
    Ok(stale)
}

fn body(connection: &Connection, owner: Owner<'_>, id: &str) -> rusqlite::Result<Stored> {
    let row = Sql::new(format!(r#"SELECT id, body FROM "{}" WHERE tenant = "#, owner.table.name))
        .bind(text(owner.tenant))
        .then(" AND id = ")
        .bind(text(id))
        .rows(connection, stored)?;
    row.into_iter().next().ok_or(rusqlite::Error::QueryReturnedNoRows)
}

/// What `clause` wants of a value's bytes; `None` when it looks at what no column holds.
fn test(clause: &Clause) -> Option<Test> {
    use racun_store::FieldKind::Text;
    let is_text = clause.field.kind == Text;
    let of = |bound: &racun_store::Value, test: fn(Ordering) -> bool| -> Test {
        let bound = column::bytes(bound);
        Box::new(move |value| !value.is_empty() && test(value.cmp(&bound[..])))
    };
    Some(match &clause.operator {
        Operator::Equals(wanted) => {
            let wanted = column::bytes(wanted);
            Box::new(move |value| value == wanted)
        }
        Operator::Not(other) => {
            let other = column::bytes(other);
            Box::new(move |value| value != other)
        }
        Operator::Gt(bound) => of(bound, Ordering::is_gt),
        Operator::Gte(bound) => of(bound, Ordering::is_ge),
        Operator::Lt(bound) => of(bound, Ordering::is_lt),
        Operator::Lte(bound) => of(bound, Ordering::is_le),
        Operator::NotBefore(bound) => {
            let bound = column::bytes(bound);
            Box::new(move |value| value.is_empty() || *value >= bound[..])
        }
        Operator::Between(min, max) => {
            let (min, max) = (column::bytes(min), column::bytes(max));
            Box::new(move |value| !value.is_empty() && *value >= min[..] && *value <= max[..])
        }
        Operator::In(values) => {
            let values: HashSet<Vec<u8>> = values.iter().map(column::bytes).collect();
            Box::new(move |value| values.contains(value))
        }
        Operator::NotIn(values) => {
            let values: HashSet<Vec<u8>> = values.iter().map(column::bytes).collect();
            Box::new(move |value| !values.contains(value))
        }
        Operator::Contains(part) if is_text => {
            let part = part.clone();
            Box::new(move |value| {
                column::text(value).is_some_and(|text| fold(text).contains(&part))
            })
        }
        Operator::StartsWith(part) if is_text => {
            let part = part.clone();
            Box::new(move |value| column::text(value).is_some_and(|text| text.starts_with(&part)))
        }
        Operator::EndsWith(part) if is_text => {
            let part = part.clone();
            Box::new(move |value| column::text(value).is_some_and(|text| text.ends_with(&part)))
        }
        Operator::Contains(_)
        | Operator::StartsWith(_)
        | Operator::EndsWith(_)
        | Operator::HasAll(_)
        | Operator::HasAny(_)
        | Operator::HasNone(_) => return None,
    })
}
