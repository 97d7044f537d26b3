//! Snapshots of the log that every reader is past: found by a reader, forgotten by the writer.

use racun_store::Value;
use rusqlite::{Connection, TransactionBehavior, params};
use time::OffsetDateTime;

use crate::encoding;
use crate::schema::{ONCE_AND_FOR_ALL, REWRITABLE};

/// An entry whose snapshot may go: its position, and how many bytes that has.
pub(crate) type Old = (i64, i64);

/// Entries of `tenant` up to `until`, written before `before`, that have a snapshot; `limit` of
/// them at most.
pub(crate) fn old(
    connection: &Connection,
    tenant: &str,
    until: i64,
    before: OffsetDateTime,
    limit: usize,
) -> rusqlite::Result<Vec<Old>> {
    let query = "SELECT position, length(CAST(snapshot AS BLOB)) FROM activities
                 WHERE tenant = ? AND created_at < ? AND position <= ? AND snapshot IS NOT NULL
                 LIMIT ?";
    let before = encoding::cell(&Value::Instant(before));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement
        .query_map(params![tenant, before, until, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Forgets the snapshots of `entries` of `tenant`, and lessens what it stores by their bytes.
/// Answers how many it forgot. Entries may be rewritten within this transaction alone.
pub(crate) fn forget(
    connection: &mut Connection,
    tenant: &str,
    entries: &[Old],
) -> rusqlite::Result<usize> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(REWRITABLE)?;
    let (mut count, mut bytes) = (0, 0);
    {
        let forget = "UPDATE activities SET snapshot = NULL
                      WHERE tenant = ? AND position = ? AND snapshot IS NOT NULL";
        let mut forget = transaction.prepare(forget)?;
        for (position, of_it) in entries {
            if forget.execute(params![tenant, position])? > 0 {
                count += 1;
                bytes += of_it;
            }
        }
    }
    let lessen = "UPDATE racun_counts SET live = live - ? WHERE tenant = ? AND table_name = ?";
    transaction.execute(lessen, params![bytes, tenant, racun_store::BYTES])?;
    transaction.execute_batch(ONCE_AND_FOR_ALL)?;
    transaction.commit()?;
    Ok(count)
}
