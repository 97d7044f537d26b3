//! Counts requests for all processes. Requests that arrive at the same moment share a statement.

use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool};
use futures_util::FutureExt as _;
use racun_store::{Bucket, RateLimits, StoreError, Taken};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::batcher::Batcher;
use crate::error::{of_pool, unavailable};
use crate::pool::Connections;
use crate::statement::{Bind, Statement};
use crate::{PgStore, no_answer};

/// A request that is to be counted, and the caller that waits for it.
pub(crate) struct Request {
    buckets: Vec<Bucket>,
    caller: oneshot::Sender<Result<Taken, StoreError>>,
}

/// Requests that are counted together, in one batcher: all of them have the same key.
pub(crate) type Counting = Batcher<(), Request>;

/// The batcher in which requests are counted.
pub(crate) fn counting(runtime: Handle, connections: Connections) -> Counting {
    Batcher::new(runtime, move |(), requests: Vec<Request>| {
        let connections = connections.clone();
        async move {
            let counted = count(&connections, &requests).await;
            for (number, request) in (0..).zip(requests) {
                let taken = counted
                    .as_ref()
                    .map_err(StoreError::clone)
                    .and_then(|counted| counted.get(&number).cloned().ok_or_else(no_answer));
                // Sending fails when the caller was dropped.
                let _: Result<(), _> = request.caller.send(taken);
            }
        }
        .boxed()
    })
}

#[async_trait]
impl RateLimits for PgStore {
    async fn take(&self, buckets: &[Bucket]) -> Result<Taken, StoreError> {
        let (caller, answer) = oneshot::channel();
        self.counting.enter((), Request { buckets: buckets.to_vec(), caller });
        answer.await.unwrap_or_else(|_| Err(no_answer()))
    }
}

/// One bucket of one request, counted.
#[derive(QueryableByName)]
#[diesel(check_for_backend(diesel::pg::Pg))]
struct TakenRow {
    #[diesel(sql_type = BigInt)]
    request: i64,
    #[diesel(sql_type = Bool)]
    granted: bool,
    #[diesel(sql_type = BigInt)]
    used: i64,
    #[diesel(sql_type = BigInt)]
    ends_at: i64,
    #[diesel(sql_type = BigInt)]
    seconds_left: i64,
}

/// What became of each of `requests`, by its place.
async fn count(
    connections: &Connections,
    requests: &[Request],
) -> Result<BTreeMap<i64, Taken>, StoreError> {
    let write_set = (0..)
        .zip(requests)
        .flat_map(|(number, request)| request.buckets.iter().map(move |bucket| (number, bucket)));
    let (mut numbers, mut keys, mut limits) = (Vec::new(), Vec::new(), Vec::new());
    for (number, bucket) in write_set {
        numbers.push(number);
        keys.push(Some(bucket.key.clone()));
        limits.push(i64::from(bucket.limit));
    }
    let statement = Statement::new(
        "SELECT request, granted, used, ends_at, seconds_left FROM racun_take($1, $2, $3)",
    )
    .bind(Bind::Ints(numbers))
    .bind(Bind::Texts(keys))
    .bind(Bind::Ints(limits));
    let connection = connections.get().await.map_err(of_pool)?;
    let rows =
        statement.rows::<TakenRow>(&connection).await.map_err(|error| unavailable(&error))?;
    let mut counted: BTreeMap<i64, Taken> = BTreeMap::new();
    for row in rows {
        let whole = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
        let taken = counted.entry(row.request).or_insert_with(|| Taken {
            is_granted: row.granted,
            used: Vec::new(),
            ends_at: row.ends_at,
            seconds_left: whole(row.seconds_left).max(1),
        });
        taken.used.push(whole(row.used));
    }
    Ok(counted)
}
