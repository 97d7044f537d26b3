//! SQL text with bound values, and how diesel sends it: the one place that knows diesel's traits.

use diesel::deserialize::FromSqlRow;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Bool, Date, Nullable, Text, Timestamptz, Untyped};
use diesel::{QueryResult, QueryableByName};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryFutureExt, TryStreamExt as _};

/// A value or values beside the SQL text.
///
/// Numbers, maps and lists travel as text and are cast by the statement, so that nothing here can
/// fail on its way out: a pipelined COMMIT must not overtake a statement that was never sent.
#[derive(Debug)]
pub(crate) enum Bind {
    Text(Option<String>),
    Texts(Vec<Option<String>>),
    Int(i64),
    Ints(Vec<i64>),
    Bool(Option<bool>),
    Bools(Vec<Option<bool>>),
    Date(Option<time::Date>),
    Dates(Vec<Option<time::Date>>),
    Instant(Option<time::OffsetDateTime>),
    Instants(Vec<Option<time::OffsetDateTime>>),
}

impl From<&str> for Bind {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl<T: Into<String>> FromIterator<T> for Bind {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        Self::Texts(texts.into_iter().map(|text| Some(text.into())).collect())
    }
}

/// SQL text that grows together with its values. The text comes from declarations, never from a
/// caller.
#[derive(Debug)]
pub(crate) struct Statement {
    sql: String,
    binds: Vec<Bind>,
    prepared: bool,
}

impl Statement {
    pub(crate) fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), binds: Vec::new(), prepared: true }
    }

    /// Adds SQL text.
    pub(crate) fn push(&mut self, sql: &str) {
        self.sql.push_str(sql);
    }

    /// Adds a value to the statement and answers its placeholder for [`Statement::push`].
    pub(crate) fn value(&mut self, bind: impl Into<Bind>) -> String {
        self.binds.push(bind.into());
        format!("${}", self.binds.len())
    }

    /// Adds the value of the placeholder that the text names next.
    pub(crate) fn bind(mut self, bind: impl Into<Bind>) -> Self {
        self.binds.push(bind.into());
        self
    }

    /// Keeps the statement out of the connection's prepared ones: for texts of which a caller can
    /// make as many as he likes.
    pub(crate) fn unprepared(self) -> Self {
        Self { prepared: false, ..self }
    }

    /// The rows it answers.
    ///
    /// The connection is shared, so that several statements can be under way: they are sent in the
    /// order in which their futures are first polled.
    pub(crate) fn rows<'a, R>(
        self,
        connection: &'a AsyncPgConnection,
    ) -> BoxFuture<'a, QueryResult<Vec<R>>>
    where
        R: FromSqlRow<Untyped, Pg> + QueryableByName<Pg> + Send + 'static,
    {
        async move { self.load::<R>(&mut &*connection).await }.boxed()
    }

    /// The rows it answers, until `reads_on` says of a row that it is the last. The connection
    /// throws away those behind it.
    pub(crate) fn rows_until<'a, R>(
        self,
        connection: &'a AsyncPgConnection,
        mut reads_on: impl FnMut(&R) -> bool + Send + 'a,
    ) -> BoxFuture<'a, QueryResult<Vec<R>>>
    where
        R: FromSqlRow<Untyped, Pg> + QueryableByName<Pg> + Send + 'static,
    {
        async move {
            let mut shared = &*connection;
            let mut rows = self.load_stream::<R>(&mut shared).await?;
            let mut found = Vec::new();
            while let Some(row) = rows.try_next().await? {
                let goes_on = reads_on(&row);
                found.push(row);
                if !goes_on {
                    break;
                }
            }
            Ok(found)
        }
        .boxed()
    }

    /// The ids that it answers, if any.
    pub(crate) fn ids(
        self,
        connection: &AsyncPgConnection,
    ) -> BoxFuture<'_, QueryResult<Vec<String>>> {
        let rows = self.rows::<IdRow>(connection);
        rows.map_ok(|rows| rows.into_iter().map(|row| row.id).collect()).boxed()
    }

    /// Runs it and answers how many rows it changed.
    pub(crate) fn run(self, connection: &AsyncPgConnection) -> BoxFuture<'_, QueryResult<usize>> {
        async move { self.execute(&mut &*connection).await }.boxed()
    }
}

/// Runs fixed text that may hold several statements and has no values.
pub(crate) fn batch<'a>(
    connection: &'a AsyncPgConnection,
    sql: &'a str,
) -> BoxFuture<'a, QueryResult<()>> {
    async move { (&mut &*connection).batch_execute(sql).await }.boxed()
}

impl QueryFragment<Pg> for Statement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        if !self.prepared {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql(&self.sql);
        for bind in &self.binds {
            match bind {
                Bind::Text(v) => out.push_bind_param_value_only::<Nullable<Text>, _>(v)?,
                Bind::Texts(v) => out.push_bind_param_value_only::<Array<Nullable<Text>>, _>(v)?,
                Bind::Int(v) => out.push_bind_param_value_only::<BigInt, _>(v)?,
                Bind::Ints(v) => out.push_bind_param_value_only::<Array<BigInt>, _>(v)?,
                Bind::Bool(v) => out.push_bind_param_value_only::<Nullable<Bool>, _>(v)?,
                Bind::Bools(v) => out.push_bind_param_value_only::<Array<Nullable<Bool>>, _>(v)?,
                Bind::Date(v) => out.push_bind_param_value_only::<Nullable<Date>, _>(v)?,
                Bind::Dates(v) => out.push_bind_param_value_only::<Array<Nullable<Date>>, _>(v)?,
                Bind::Instant(v) => {
                    out.push_bind_param_value_only::<Nullable<Timestamptz>, _>(v)?;
                }
                Bind::Instants(v) => {
                    out.push_bind_param_value_only::<Array<Nullable<Timestamptz>>, _>(v)?;
                }
            }
        }
        Ok(())
    }
}

impl QueryId for Statement {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Statement {
    type SqlType = Untyped;
}

/// A row of a page.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct PageRow {
    /// Which part of the walk it is in.
    #[diesel(sql_type = BigInt)]
    pub(crate) stretch: i64,
    #[diesel(sql_type = Text)]
    pub(crate) id: String,
    #[diesel(sql_type = Text)]
    pub(crate) body: String,
}

/// An entry of the log.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct EntryRow {
    #[diesel(sql_type = BigInt)]
    pub(crate) position: i64,
    #[diesel(sql_type = Text)]
    pub(crate) id: String,
    #[diesel(sql_type = Text)]
    pub(crate) body: String,
}

/// What the record of an entry looked like.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct SnapshotRow {
    #[diesel(sql_type = BigInt)]
    pub(crate) position: i64,
    #[diesel(sql_type = Text)]
    pub(crate) snapshot: String,
}

/// A row that a unit holds.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct HeldRow {
    #[diesel(sql_type = Text)]
    pub(crate) id: String,
    /// The value by which it was found, if it was.
    #[diesel(sql_type = Nullable<Text>)]
    pub(crate) key: Option<String>,
    #[diesel(sql_type = Text)]
    pub(crate) body: String,
}

/// An id alone.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct IdRow {
    #[diesel(sql_type = Text)]
    pub(crate) id: String,
}

/// One number.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct NumberRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(crate) number: Option<i64>,
}

/// An epoch of the lease.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct EpochRow {
    #[diesel(sql_type = BigInt)]
    pub(crate) epoch: i64,
    #[diesel(sql_type = Text)]
    pub(crate) state: String,
}

/// The server's time.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct ClockRow {
    #[diesel(sql_type = Timestamptz)]
    pub(crate) now: time::OffsetDateTime,
}

/// A series and its last number, if one was used.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct SeriesRow {
    #[diesel(sql_type = Text)]
    pub(crate) key: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(crate) last: Option<i64>,
}

/// A group of a tally.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct GroupRow {
    /// Which tally it is of.
    #[diesel(sql_type = BigInt)]
    pub(crate) tally: i64,
    /// Numbers as text.
    #[diesel(sql_type = Array<Nullable<Text>>)]
    pub(crate) by: Vec<Option<String>>,
    /// Numbers as text.
    #[diesel(sql_type = Array<Text>)]
    pub(crate) figures: Vec<String>,
    /// The least and the greatest value of one after the other, as `by`.
    #[diesel(sql_type = Array<Nullable<Text>>)]
    pub(crate) extremes: Vec<Option<String>>,
}

/// A column or an index of a table, as the database describes it.
#[derive(Debug, QueryableByName)]
#[diesel(check_for_backend(Pg))]
pub(crate) struct PartRow {
    #[diesel(sql_type = Text)]
    pub(crate) owner: String,
    #[diesel(sql_type = Text)]
    pub(crate) part: String,
    #[diesel(sql_type = Text)]
    pub(crate) kind: String,
}
