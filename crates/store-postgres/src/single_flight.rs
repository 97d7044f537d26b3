//! Single flight: equal reads at the same moment share one round trip.
//!
//! Devices of one shop ask for the same list, and every request of one key for the same account's
//! entities. A caller's answer is of a read that began after the caller asked.

use std::hash::Hash;

use diesel_async::AsyncPgConnection;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use racun_kernel::Tenant;
use racun_store::{ListQuery, Read, Rows, StoreError, Stored, Table, Tally, TallyRow};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::batcher::Batcher;
use crate::error::of_pool;
use crate::pool::Connections;
use crate::{lookup_batch, no_answer, read, tally};

/// A read. Equal reads share an answer.
pub(crate) trait ReadQuery: Clone + Eq + Hash + Send + Sync + 'static {
    /// What is read.
    type Output: Clone + Send + 'static;

    /// Reads it.
    fn read<'a>(
        &'a self,
        connection: &'a AsyncPgConnection,
    ) -> BoxFuture<'a, Result<Self::Output, StoreError>>;
}

type Sender<Q> = oneshot::Sender<Result<<Q as ReadQuery>::Output, StoreError>>;

/// Callers, by what they read.
pub(crate) struct SingleFlight<Q: ReadQuery>(Batcher<Q, Sender<Q>>);

impl<Q: ReadQuery> SingleFlight<Q> {
    pub(crate) fn new(runtime: Handle, connections: Connections) -> Self {
        Self(Batcher::new(runtime, move |question: Q, askers: Vec<Sender<Q>>| {
            let connections = connections.clone();
            async move {
                let answer = match connections.get().await {
                    Ok(connection) => question.read(&connection).await,
                    Err(error) => Err(of_pool(error)),
                };
                for asker in askers {
                    // The receiver is gone when the caller was dropped.
                    let _: Result<(), _> = asker.send(answer.clone());
                }
            }
            .boxed()
        }))
    }

    /// The answer to `question`.
    pub(crate) async fn ask(&self, question: Q) -> Result<Q::Output, StoreError> {
        let (sender, answer) = oneshot::channel();
        self.0.pass(question, sender).await;
        answer.await.unwrap_or_else(|_| Err(no_answer()))
    }
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PageOf {
    pub(crate) table: &'static Table,
    pub(crate) tenant: Tenant,
    pub(crate) query: ListQuery,
}

impl ReadQuery for PageOf {
    type Output = (Vec<Stored>, i64);

    fn read<'a>(
        &'a self,
        connection: &'a AsyncPgConnection,
    ) -> BoxFuture<'a, Result<Self::Output, StoreError>> {
        read::list(connection, self.table, &self.tenant, &self.query).boxed()
    }
}

/// The figures of a report.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FiguresOf {
    pub(crate) tenant: Tenant,
    pub(crate) tallies: Vec<Tally>,
}

impl ReadQuery for FiguresOf {
    type Output = Vec<Vec<TallyRow>>;

    fn read<'a>(
        &'a self,
        connection: &'a AsyncPgConnection,
    ) -> BoxFuture<'a, Result<Self::Output, StoreError>> {
        tally::tallies(connection, &self.tenant, &self.tallies).boxed()
    }
}

/// Several reads in one round trip.
impl ReadQuery for Vec<Read> {
    type Output = Vec<Rows>;

    fn read<'a>(
        &'a self,
        connection: &'a AsyncPgConnection,
    ) -> BoxFuture<'a, Result<Self::Output, StoreError>> {
        let answers = self.iter().map(|read| answer(connection, read));
        join_all(answers).map(Ok).boxed()
    }
}

async fn answer(connection: &AsyncPgConnection, read: &Read) -> Rows {
    match read {
        Read::Find(table, tenant, ids) => {
            let question = lookup_batch::LookupKey::ids(table, tenant);
            lookup_batch::one(connection, &question, ids).await.map(|rows| (rows, 0))
        }
        Read::Lookup(table, field, value) => {
            let question = lookup_batch::LookupKey::field(table, field)?;
            let values = std::slice::from_ref(value);
            lookup_batch::one(connection, &question, values).await.map(|rows| (rows, 0))
        }
        Read::List(table, tenant, query) => read::list(connection, table, tenant, query).await,
    }
}
