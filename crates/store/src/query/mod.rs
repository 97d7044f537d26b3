//! The list language: limit, cursors, order, filter, search and trash.
//!
//! A query is read once, against the declared fields of a [`Table`]; what comes out holds typed
//! values and fields that exist, and every store gives it the meaning of [`crate::evaluate`].

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use racun_kernel::calendar::{format_date, format_instant};
use racun_kernel::{Issue, Issues};
use serde_json::Value as Json;

use crate::{Field, Record, StoreError, Stored, Table, Value, json_length};

mod parse;

use parse::{parse_filter, parse_flag, parse_limit, parse_order, parse_search, read_value};

/// A list's query parameters as they were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawQuery {
    /// Page size, 1 to 100.
    pub limit: Option<String>,
    /// Where the next page starts.
    pub next_cursor: Option<String>,
    /// Where the previous page ends.
    pub prev_cursor: Option<String>,
    /// `true` or `false`.
    pub include_total_count: Option<String>,
    /// Fields, `-` for descending; repeated, or parted by commas.
    pub order_by: Vec<String>,
    /// The filter, a JSON object.
    pub query: Option<String>,
    /// Text to look for.
    pub search: Option<String>,
    /// `true` for the trash.
    pub deleted: Option<String>,
}

/// A list query that was understood.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ListQuery {
    /// Rows of a page.
    pub limit: usize,
    /// Whether the answer says how many rows there are in all.
    pub count: bool,
    /// What to order by, most important first. Never empty; the id breaks ties, in the direction of
    /// the first.
    pub order: Vec<Order>,
    /// All must hold.
    pub clauses: Vec<Clause>,
    /// Folded text that the searched fields must contain.
    pub search: Option<String>,
    /// Only the trash instead of everything but the trash.
    pub trash: bool,
    /// How long its rows may be together.
    pub size: PageSize,
    /// Where to go on from.
    pub cursor: Option<Cursor>,
}

/// How long the rows of a page may be together. The first one is on the page in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum PageSize {
    /// Of at most [`ListQuery::MAX_LIMIT`] rows, [`ListQuery::MAX_PAGE_BYTES`] of JSON; more rows,
    /// which use cases alone ask for, are answered whole.
    #[default]
    OfLimit,
    /// So many bytes of JSON.
    Json(usize),
    /// So many bytes of bodies, as a store keeps them: it reads no further, and all rows that it
    /// has read are the page. For walks alone, since two stores may end a page elsewhere.
    Stored(usize),
}

/// One field to order by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Order {
    /// The field.
    pub field: &'static Field,
    /// Its place in [`Record::values`].
    pub place: usize,
    /// Greatest first.
    pub descending: bool,
}

/// A condition on one field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clause {
    /// The field.
    pub field: &'static Field,
    /// Its place in [`Record::values`].
    pub place: usize,
    /// The key inside a [`crate::FieldKind::Map`]; the operator then sees that property's text.
    pub key: Option<String>,
    /// What must hold.
    pub operator: Operator,
}

impl Order {
    /// By the field of `table` that is called `name`.
    ///
    /// # Panics
    /// When `table` declares no such field: a mistake in the program.
    #[must_use]
    pub fn on(table: &'static Table, name: &str, descending: bool) -> Self {
        let (place, field) = table.field(name).expect("use cases name declared fields");
        Self { field, place, descending }
    }
}

impl Clause {
    /// On the field of `table` that is called `name`.
    ///
    /// # Panics
    /// When `table` declares no such field: a mistake in the program.
    #[must_use]
    pub fn on(table: &'static Table, name: &str, operator: Operator) -> Self {
        let (place, field) = table.field(name).expect("use cases name declared fields");
        Self { field, place, key: None, operator }
    }
}

/// What must hold of a field's value. Values are of the field's kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Equal; null equals null.
    Equals(Value),
    /// Not equal; null differs from every value.
    Not(Value),
    /// Greater; never true of null, like the three below.
    Gt(Value),
    /// Greater or equal.
    Gte(Value),
    /// Less.
    Lt(Value),
    /// Less or equal.
    Lte(Value),
    /// Greater or equal, or null: what had not happened before.
    NotBefore(Value),
    /// Both ends included.
    Between(Value, Value),
    /// Equal to one of them.
    In(Vec<Value>),
    /// Different from all of them.
    NotIn(Vec<Value>),
    /// Contains this folded text, capitals or not.
    Contains(String),
    /// Starts with exactly this text.
    StartsWith(String),
    /// Ends with exactly this text.
    EndsWith(String),
    /// The array holds all of these.
    HasAll(Vec<String>),
    /// The array holds at least one of these.
    HasAny(Vec<String>),
    /// The array holds none of these.
    HasNone(Vec<String>),
}

/// Which way a cursor goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards the end of the list.
    Next,
    /// Towards its beginning.
    Previous,
}

/// A place between two rows, which stays valid when the row it was taken from is gone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// Which way to go on.
    pub direction: Direction,
    /// The values of the ordered fields at that place.
    pub keys: Vec<Value>,
    /// The id at that place.
    pub id: String,
}

/// One page of a list, in display order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Where the page stands.
    pub pagination: Pagination,
}

/// The position of a page in its list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pagination {
    /// Rows in all pages; -1 when it was not asked for.
    pub total: i64,
    /// For the page after this one.
    pub next_cursor: Option<String>,
    /// For the page before this one.
    pub prev_cursor: Option<String>,
    /// Whether a page follows.
    pub has_more: bool,
}

impl ListQuery {
    /// Rows of a page when the caller names no number.
    pub const DEFAULT_LIMIT: usize = 10;
    /// Rows that a page may hold.
    pub const MAX_LIMIT: usize = 100;
    /// Bytes of rows, as JSON, after which a page ends before its limit. Answers say more of a row
    /// than is stored of it; that of a page stays below 4 MiB.
    pub const MAX_PAGE_BYTES: usize = 2 * 1024 * 1024;
    /// Bytes that a filter may hold.
    pub const MAX_FILTER_BYTES: usize = 8 * 1024;
    /// Clauses that a filter may hold.
    pub const MAX_CLAUSES: usize = 50;
    /// Values that an operator's array may hold.
    pub const MAX_IN_VALUES: usize = 200;
    /// Characters that a search may hold.
    pub const MAX_SEARCH_CHARS: usize = 200;
    /// Fields that a list may be ordered by.
    pub const MAX_ORDER_FIELDS: usize = 5;

    /// The first page of `table` in its default order: newest first.
    #[must_use]
    pub fn first_page(table: &'static Table) -> Self {
        let order = table.field("created_at").map(|(place, field)| Order {
            field,
            place,
            descending: true,
        });
        Self {
            limit: Self::DEFAULT_LIMIT,
            count: true,
            order: order.into_iter().collect(),
            clauses: Vec::new(),
            search: None,
            trash: false,
            size: PageSize::default(),
            cursor: None,
        }
    }

    /// The rows of `table` whose `field` says that they are due by `until`, earliest first: a page
    /// of [`ListQuery::MAX_LIMIT`], not counted.
    ///
    /// # Panics
    /// When `table` declares no such field: a mistake in the program.
    #[must_use]
    pub fn due_by(table: &'static Table, field: &str, until: Value) -> Self {
        Self {
            limit: Self::MAX_LIMIT,
            count: false,
            clauses: vec![Clause::on(table, field, Operator::Lte(until))],
            order: vec![Order::on(table, field, false)],
            ..Self::first_page(table)
        }
    }

    /// Reads `raw` against the fields of `table`.
    ///
    /// # Errors
    /// All that cannot be understood, each with the parameter's name first in its path.
    pub fn parse(table: &'static Table, raw: &RawQuery) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        let first = Self::first_page(table);
        let limit = issues.collect("limit", parse_limit(raw.limit.as_deref()));
        let count = issues
            .collect("include_total_count", parse_flag(raw.include_total_count.as_deref(), true));
        let trash = issues.collect("deleted", parse_flag(raw.deleted.as_deref(), false));
        let order = issues.collect("order_by", parse_order(table, &raw.order_by, first.order));
        let clauses = issues.collect("query", parse_filter(table, raw.query.as_deref()));
        let search = issues.collect("search", parse_search(raw.search.as_deref()));
        let mut query = Self {
            limit: limit.unwrap_or_default(),
            count: count.unwrap_or_default(),
            order: order.unwrap_or_default(),
            clauses: clauses.unwrap_or_default(),
            search: search.unwrap_or_default(),
            trash: trash.unwrap_or_default(),
            size: PageSize::default(),
            cursor: None,
        };
        if issues.is_empty() {
            match query.parse_cursors(raw) {
                Ok(cursor) => query.cursor = cursor,
                Err(issue) => issues.push(issue),
            }
        }
        issues.into_result(query)
    }

    /// Whether every row of the list (or of its trash) matches: then stores answer a kept count.
    #[must_use]
    pub const fn is_unfiltered(&self) -> bool {
        self.clauses.is_empty() && self.search.is_none()
    }

    /// The way in which a store walks: towards the list's beginning only for a previous page.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.cursor.as_ref().map_or(Direction::Next, |cursor| cursor.direction)
    }

    /// Bytes of rows, as JSON, after which the page ends.
    pub(crate) const fn page_bytes(&self) -> usize {
        match self.size {
            PageSize::Json(bytes) => bytes,
            PageSize::OfLimit if self.limit <= Self::MAX_LIMIT => Self::MAX_PAGE_BYTES,
            PageSize::OfLimit | PageSize::Stored(_) => usize::MAX,
        }
    }

    /// Whether a store goes on reading, of whose rows' bodies it has read so many `bytes`. It may
    /// write JSON with spaces, so that what it reads is more than a page.
    #[must_use]
    pub const fn reads_on(&self, bytes: usize) -> bool {
        let most = match self.size {
            PageSize::Stored(most) => most,
            PageSize::OfLimit | PageSize::Json(_) => self.page_bytes().saturating_mul(3),
        };
        bytes <= most
    }

    /// Makes a page of what a store found: up to `limit` + 1 rows, in the order of the walk. Rows
    /// that are together longer than a page may be are left to the next page, but for the first.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub fn page<A: Record>(
        &self,
        table: &'static Table,
        stored: &[Stored],
        total: i64,
    ) -> Result<Page<A>, StoreError> {
        let bytes: usize = stored.iter().map(|row| row.body.len()).sum();
        if bytes <= self.page_bytes() {
            let found = stored.iter().map(|row| row.read(table)).collect::<Result<_, _>>()?;
            return Ok(self.page_of(found, !self.reads_on(bytes), total));
        }
        let (mut found, mut bytes): (Vec<A>, usize) = (Vec::new(), 0);
        for row in stored {
            let record: A = row.read(table)?;
            bytes += json_length(&record);
            if bytes > self.page_bytes() && !found.is_empty() {
                return Ok(self.page_of(found, true, total));
            }
            found.push(record);
        }
        let is_cut = !self.reads_on(stored.iter().map(|row| row.body.len()).sum());
        Ok(self.page_of(found, is_cut, total))
    }

    /// The page of `found`; `is_cut` says that more was found than these.
    pub(crate) fn page_of<A: Record>(
        &self,
        mut found: Vec<A>,
        is_cut: bool,
        total: i64,
    ) -> Page<A> {
        let beyond = is_cut || found.len() > self.limit;
        found.truncate(self.limit);
        let backwards = self.direction() == Direction::Previous;
        if backwards {
            found.reverse();
        }
        let has_next = if backwards { self.cursor.is_some() } else { beyond };
        let has_previous = if backwards { beyond } else { self.cursor.is_some() };
        let cursor = |row: Option<&A>, direction| row.map(|row| self.cursor_at(row, direction));
        let next_cursor = if has_next { cursor(found.last(), Direction::Next) } else { None };
        let prev_cursor =
            if has_previous { cursor(found.first(), Direction::Previous) } else { None };
        let has_more = next_cursor.is_some();
        let total = if self.count { total } else { -1 };
        Page { rows: found, pagination: Pagination { total, next_cursor, prev_cursor, has_more } }
    }

    /// Where the rows behind `row` begin, for the rest of one walk.
    #[must_use]
    pub fn place_behind<A: Record>(&self, row: &A) -> Cursor {
        let values = row.values();
        let keys = self.order.iter().map(|order| values.get(order.place).cloned());
        let keys = keys.map(|key| key.unwrap_or(Value::Null)).collect();
        Cursor { direction: Direction::Next, keys, id: row.id() }
    }

    /// Where the rows behind `row` begin, as text that is kept until [`ListQuery::behind`] reads
    /// it: for walks that go on in another process.
    #[must_use]
    pub fn cursor_behind<A: Record>(&self, row: &A) -> String {
        self.cursor_at(row, Direction::Next)
    }

    /// The same query from where `text` says, which [`ListQuery::cursor_behind`] wrote for a query
    /// of the same order; `None` for any other text.
    #[must_use]
    pub fn behind(self, text: &str) -> Option<Self> {
        let cursor = Some(self.read_cursor(text)?);
        Some(Self { cursor, ..self })
    }

    fn cursor_at<A: Record>(&self, row: &A, direction: Direction) -> String {
        let values = row.values();
        let keys =
            self.order.iter().map(|order| values.get(order.place).map_or(Json::Null, write_key));
        let direction = match direction {
            Direction::Next => "n",
            Direction::Previous => "p",
        };
        let keys: Vec<Json> = keys.collect();
        let text = serde_json::json!([self.order_text(), direction, keys, row.id()]).to_string();
        URL_SAFE_NO_PAD.encode(text)
    }

    /// The order as text, so that a cursor of another order is recognised.
    fn order_text(&self) -> String {
        let field = |order: &Order| {
            format!("{}{}", if order.descending { "-" } else { "" }, order.field.name)
        };
        self.order.iter().map(field).collect::<Vec<_>>().join(",")
    }

    fn parse_cursors(&self, raw: &RawQuery) -> Result<Option<Cursor>, Issue> {
        let (name, text, wanted) = match (&raw.next_cursor, &raw.prev_cursor) {
            (None, None) => return Ok(None),
            (Some(text), None) => ("next_cursor", text, Direction::Next),
            (None, Some(text)) => ("prev_cursor", text, Direction::Previous),
            (Some(_), Some(_)) => {
                let message = "send next_cursor or prev_cursor, not both";
                return Err(Issue::new("invalid_cursor", message).at("prev_cursor"));
            }
        };
        let refused = || {
            let message = "not a cursor of this list and order; take it from a page's pagination, \
                           with the same order_by";
            Issue::new("invalid_cursor", message).at(name)
        };
        let cursor = self.read_cursor(text).ok_or_else(refused)?;
        if cursor.direction == wanted { Ok(Some(cursor)) } else { Err(refused()) }
    }

    fn read_cursor(&self, text: &str) -> Option<Cursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (order, direction, keys, id): (String, String, Vec<Json>, String) =
            serde_json::from_slice(&bytes).ok()?;
        if order != self.order_text() || keys.len() != self.order.len() || id.len() > 64 {
            return None;
        }
        let direction = match direction.as_str() {
            "n" => Direction::Next,
            "p" => Direction::Previous,
            _ => return None,
        };
        let keys =
            self.order.iter().zip(&keys).map(|(order, key)| read_value(order.field.kind, key).ok());
        Some(Cursor { direction, keys: keys.collect::<Option<_>>()?, id })
    }
}

fn write_key(value: &Value) -> Json {
    match value {
        Value::Null | Value::Map(_) | Value::List(_) => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => serde_json::to_value(number).unwrap_or(Json::Null),
        Value::Text(text) => Json::String(text.clone()),
        Value::Date(date) => Json::String(format_date(*date)),
        Value::Instant(instant) => Json::String(format_instant(*instant)),
    }
}
