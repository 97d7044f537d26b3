//! How a type declares what a store keeps of it.
//!
//! A record is stored whole, as JSON, with its declared fields beside it as typed columns. One
//! declaration serves every store: filters, orders, uniqueness and kept counts follow from it.

use std::hash::{Hash, Hasher};

use racun_kernel::Tenant;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{StoreError, Value};

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// Text.
    Text,
    /// An exact number.
    Number,
    /// True or false.
    Bool,
    /// A calendar day.
    Date,
    /// An instant.
    Instant,
    /// A map of strings, filtered by `field.key`.
    Map,
    /// An array of texts.
    List,
}

/// Where a store finds a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The row's own id.
    Id,
    /// In a typed column of this name.
    Column(&'static str),
    /// In the JSON body, under this path. For snapshots, which are filtered seldom.
    Body(&'static [&'static str]),
}

/// Whether two records may share a field's value. Null is never a clash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unique {
    /// They may.
    No,
    /// Not within one tenant.
    Tenant,
    /// Not at all.
    Everywhere,
}

/// One declared field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name in filters and orders, dots included: `customer.name`.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// Where a store finds it.
    pub source: Source,
    /// Whether `search` looks into it.
    pub search: bool,
    /// Whether two records may share its value.
    pub unique: Unique,
    /// Whether stores keep an index on it, for [`crate::Load::Where`] and [`crate::Store::lookup`].
    pub indexed: bool,
    /// Whether callers may filter and order by it. Hidden fields serve use cases only.
    pub public: bool,
    /// What stores keep so that lists that are ordered or filtered by it look at few rows.
    pub listing: Listing,
    /// Whether it says, with others, in which state a row is.
    pub state: State,
}

/// What stores keep for lists of many rows by a field, which may be inside the body. Lists mean the
/// same without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Listing {
    /// Nothing: such a list looks at every row.
    Unkept,
    /// Its order.
    Ordered,
    /// Its order among the rows that have a value, which are few, or nearly all.
    Seldom,
    /// Which rows have a value: texts longer than an index takes.
    Long,
}

/// Whether a field is kept beside the default order, where rows in a state are counted and paged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It is not.
    No,
    /// It is.
    Beside,
    /// It comes first there: a state is looked for among the rows with one value of it.
    Leads,
}

impl Field {
    /// A public field in the column of its own name.
    #[must_use]
    pub const fn column(name: &'static str, kind: FieldKind) -> Self {
        Self {
            name,
            kind,
            source: Source::Column(name),
            search: false,
            unique: Unique::No,
            indexed: false,
            public: true,
            listing: Listing::Unkept,
            state: State::No,
        }
    }

    /// A public text field in the column of its own name.
    #[must_use]
    pub const fn text(name: &'static str) -> Self {
        Self::column(name, FieldKind::Text)
    }

    /// The same of a number.
    #[must_use]
    pub const fn number(name: &'static str) -> Self {
        Self::column(name, FieldKind::Number)
    }

    /// The same of true or false.
    #[must_use]
    pub const fn bool(name: &'static str) -> Self {
        Self::column(name, FieldKind::Bool)
    }

    /// The same of a calendar day.
    #[must_use]
    pub const fn date(name: &'static str) -> Self {
        Self::column(name, FieldKind::Date)
    }

    /// The same of an instant.
    #[must_use]
    pub const fn instant(name: &'static str) -> Self {
        Self::column(name, FieldKind::Instant)
    }

    /// The same of a map of strings.
    #[must_use]
    pub const fn map(name: &'static str) -> Self {
        Self::column(name, FieldKind::Map)
    }

    /// The same of an array of texts.
    #[must_use]
    pub const fn list(name: &'static str) -> Self {
        Self::column(name, FieldKind::List)
    }

    /// The row's id as a public field, called `id`.
    #[must_use]
    pub const fn id() -> Self {
        Self { source: Source::Id, ..Self::column("id", FieldKind::Text) }
    }

    /// A public text field inside the JSON body.
    #[must_use]
    pub const fn body(name: &'static str, path: &'static [&'static str]) -> Self {
        Self { source: Source::Body(path), ..Self::column(name, FieldKind::Text) }
    }

    /// The same field, looked into by `search`.
    #[must_use]
    pub const fn searched(self) -> Self {
        Self { search: true, ..self }
    }

    /// The same field, unique as said; it is indexed by that.
    #[must_use]
    pub const fn unique(self, unique: Unique) -> Self {
        Self { unique, indexed: true, ..self }
    }

    /// The same field, indexed.
    #[must_use]
    pub const fn indexed(self) -> Self {
        Self { indexed: true, ..self }
    }

    /// The same field, of which stores keep `listing`.
    #[must_use]
    pub const fn listed(self, listing: Listing) -> Self {
        Self { listing, ..self }
    }

    /// The same field, kept beside the default order as `state` says.
    #[must_use]
    pub const fn state(self, state: State) -> Self {
        Self { state, ..self }
    }

    /// Whether stores keep anything of it for lists.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        self.listing != Listing::Unkept
    }

    /// Whether rows without a value are listed apart from those with one.
    #[must_use]
    pub fn parts_nulls(&self) -> bool {
        matches!(self.listing, Listing::Seldom | Listing::Long)
    }

    /// The same field, for use cases only: callers can neither filter nor order by it.
    #[must_use]
    pub const fn hidden(self) -> Self {
        Self { public: false, ..self }
    }

    /// The same field under another column's name.
    #[must_use]
    pub const fn in_column(self, column: &'static str) -> Self {
        Self { source: Source::Column(column), ..self }
    }
}

/// A kind of record: its table and its declared fields.
///
/// Every table has, besides its declared columns: `tenant`, `id`, `search`, `body`. Primary key is
/// `(tenant, id)`.
#[derive(Debug)]
pub struct Table {
    /// Name of the table.
    pub name: &'static str,
    /// Its fields, in the order of [`Record::values`]. One of them is `created_at`, an instant.
    pub fields: &'static [Field],
    /// What a store keeps beside a body, computed from that body: a store whose columns an earlier
    /// version declared fills them by it.
    pub refill: Refill,
}

/// How a body's columns are computed again.
///
/// # Errors
/// When the body is not one of the record that the table is for.
pub type Refill = fn(body: &str) -> Result<Refilled, serde_json::Error>;

/// What a store keeps of a record beside its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refilled {
    /// The declared fields' values, in the table's order.
    pub values: Vec<Value>,
    /// What `search` looks through.
    pub search: String,
}

fn refill<A: Record>(body: &str) -> Result<Refilled, serde_json::Error> {
    let record: A = serde_json::from_str(body)?;
    let values = record.values();
    Ok(Refilled { search: record.search_text(&values), values })
}

impl PartialEq for Table {
    /// A table is recognised by its name.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Table {}

impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Table {
    /// The table called `name` of records `A`. Its fields are those of `A`, which
    /// [`record!`](crate::record) declares.
    #[must_use]
    pub const fn new<A: Record>(name: &'static str, fields: &'static [Field]) -> Self {
        Self { name, fields, refill: refill::<A> }
    }

    /// The field called `name`, with its place in [`Record::values`].
    #[must_use]
    pub fn field(&self, name: &str) -> Option<(usize, &'static Field)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// The column of the indexed text field called `name`: the only sort of field that rows are
    /// looked up, or held, by.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is none: a mistake in the program.
    pub fn indexed_text(&self, name: &str) -> Result<&'static str, StoreError> {
        let field = self.field(name).map(|(_, field)| field);
        let indexed = |field: &&Field| field.indexed && field.kind == FieldKind::Text;
        match field.filter(indexed).map(|field| field.source) {
            Some(Source::Column(column)) => Ok(column),
            _ => {
                let reason = format!("{} has no indexed text field {name}", self.name);
                Err(StoreError::Unavailable(reason))
            }
        }
    }

    /// Whether records of this table can be in the trash: whether it declares `deleted_at`.
    #[must_use]
    pub fn has_trash(&self) -> bool {
        self.field("deleted_at").is_some()
    }

    /// The fields that have a column of their own: place in [`Record::values`], field, column.
    pub fn columns(&self) -> impl Iterator<Item = (usize, &'static Field, &'static str)> {
        self.fields.iter().enumerate().filter_map(|(place, field)| match field.source {
            Source::Column(column) => Some((place, field, column)),
            Source::Id | Source::Body(_) => None,
        })
    }
}

/// A type that stores keep.
pub trait Record: Serialize + DeserializeOwned + Clone + Send + 'static {
    /// The table it is kept in.
    fn table(&self) -> &'static Table;

    /// Its id, unique within its tenant.
    fn id(&self) -> String;

    /// Whose it is.
    fn tenant(&self) -> Tenant;

    /// The values of the declared fields, in the order of [`Table::fields`].
    fn values(&self) -> Vec<Value>;

    /// Whether it is in the trash.
    fn is_trashed(&self) -> bool {
        false
    }

    /// The bytes that its account is charged for, of which `own` are in its row: those of a file
    /// come to them.
    fn charged_bytes(&self, own: i64) -> i64 {
        own
    }

    /// The value of the field called `name`; null when it is not declared.
    fn value(&self, name: &str) -> Value {
        let place = self.table().field(name).map(|(place, _)| place);
        place.and_then(|place| self.values().into_iter().nth(place)).unwrap_or(Value::Null)
    }

    /// What `search` looks through: the searched ones of `values`, which are the record's own,
    /// folded, apart from each other.
    fn search_text(&self, values: &[Value]) -> String {
        let searched = self.table().fields.iter().zip(values).filter(|(field, _)| field.search);
        let texts = searched.filter_map(|(_, value)| value.as_text());
        texts.map(|text| racun_kernel::text::fold(&text)).collect::<Vec<_>>().join("\u{1f}")
    }
}
