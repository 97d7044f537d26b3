//! Consumers of the log: each entry is handled once by each consumer, in any number of processes.
//!
//! A consumer's offset is a row of the directory. What a batch of entries leads to and the new
//! offset are written in one unit, which locks the offset and writes nothing when another process
//! moved it.

use std::future::Future;

use async_trait::async_trait;
use racun_kernel::{Stamp, Tenant};
use racun_store::{Entry, Field, Put, Store, StoreError, Writes};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

racun_store::record! {
    /// Where [`ConsumerOffset`]s are kept.
    pub static LOG_READERS: ConsumerOffset = "log_readers";
    |offset|
    id: offset.name,
    tenant: Tenant::directory(),
    fields: {
        Field::id() => offset.name,
        Field::instant("created_at") => offset.created_at,
        Field::instant("updated_at") => offset.updated_at,
    }
}

/// How far a consumer has read the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsumerOffset {
    /// The consumer's name, which is the row's id.
    pub name: String,
    /// The position of the last entry that was read; 0 before the first one.
    pub position: i64,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it read last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// A consumer of the log.
#[async_trait]
pub trait LogConsumer: Send + Sync {
    /// Its name: the id of its offset.
    fn name(&self) -> &'static str;

    /// The rows to write for these entries, each entry once. It may query the store.
    async fn handle(&self, entries: Vec<Entry>) -> Result<Vec<Put>, StoreError>;
}

/// What a step of a consumer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It read entries.
    Read {
        /// How many.
        count: usize,
        /// Whether it left entries that were there, or may have.
        has_more: bool,
    },
    /// There is nothing new.
    Nothing,
    /// Another process read the same entries at the same time.
    Overtaken,
}

/// Entries that are handled at once: what their records looked like is in memory then, up to half a
/// megabyte each.
const AT_ONCE: usize = 200;
/// Bytes of rows after which a step writes what it has, rather than to handle more entries.
const ENOUGH: usize = 512 * 1024;

/// Reads at most `limit` entries of the log behind the offset of the consumer `name`, asks `handle`
/// for the rows that follow from them, some entries at a time, and writes these rows together with
/// the new offset. Each step is a commit, so it goes on while few rows follow.
///
/// `handle` runs outside of the unit, so it may query the store; its rows are written only if no
/// other process moved the offset since. A new consumer begins at the start of the log.
///
/// # Errors
/// The store's failure, or that of `handle`. The offset is then unchanged.
pub async fn read<F>(
    store: &dyn Store,
    name: &str,
    limit: usize,
    stamp: &Stamp,
    mut handle: impl FnMut(Vec<Entry>) -> F,
) -> Result<Step, StoreError>
where
    F: Future<Output = Result<Vec<Put>, StoreError>>,
{
    let tenant = Tenant::directory();
    let seen: Option<ConsumerOffset> = store.get(&LOG_READERS, &tenant, name).await?;
    let position = seen.as_ref().map_or(0, |reader| reader.position);
    let batch = store.events_after(position, limit).await?;
    let (mut made, mut bytes, mut count) = (Vec::new(), 0, 0);
    for some in batch.chunks(AT_ONCE) {
        if bytes >= ENOUGH {
            break;
        }
        let puts = handle(some.to_vec()).await?;
        bytes += puts.iter().map(|put| put.body.len()).sum::<usize>();
        made.extend(puts);
        count += some.len();
    }
    let Some(last) = batch[..count].last().map(|entry| entry.position) else {
        return Ok(Step::Nothing);
    };
    let has_more = count < batch.len() || batch.len() == limit;
    let (name, now) = (name.to_owned(), stamp.now());
    let mut unit = store.unit(tenant);
    let reader = unit.hold(&LOG_READERS, &name);
    let written = unit.decide(move |held| {
        let before: Option<ConsumerOffset> = held.find(reader)?;
        if before.as_ref().map_or(0, |reader| reader.position) != position {
            return Ok((Step::Overtaken, Writes::default()));
        }
        let created_at = before.as_ref().map_or(now, |reader| reader.created_at);
        let after = ConsumerOffset { name, position: last, created_at, updated_at: now };
        let writes = Writes::default().put(Put::write(before.as_ref(), &after)).puts(made);
        Ok((Step::Read { count, has_more }, writes))
    });
    match written.await {
        // Two processes began to read at one moment.
        Err(StoreError::Duplicate { table, .. }) if table == LOG_READERS.name => {
            Ok(Step::Overtaken)
        }
        written => written,
    }
}
