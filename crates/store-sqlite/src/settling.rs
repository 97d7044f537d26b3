//! Merges fresh rows into segments: after a commit, on the writing thread, a few rows at a time.

use std::collections::HashMap;

use racun_store::Table;
use rusqlite::Connection;

use crate::columns::{self, Owner};

/// A table and a tenant, one row of which was written.
pub(crate) type Noted = (&'static Table, String);

/// The most segments that are rewritten after one commit: the next one waits for them.
const AT_ONCE: usize = 4;

/// How many fresh rows there are.
pub(crate) struct Settling {
    fresh: HashMap<(&'static str, String), usize>,
    size: usize,
}

impl Settling {
    /// What waits in the file, whose segments have `size` rows.
    pub(crate) fn of(
        connection: &Connection,
        tables: &[&'static Table],
        size: usize,
    ) -> rusqlite::Result<Self> {
        let waiting = columns::waiting(connection)?.into_iter();
        let fresh = waiting.filter_map(|(name, tenant, count)| {
            let table = tables.iter().find(|table| table.name == name)?;
            Some(((table.name, tenant), count))
        });
        Ok(Self { fresh: fresh.collect(), size })
    }

    /// Counts what was written, and puts rows into segments where there are enough of them.
    pub(crate) fn after(&mut self, connection: &mut Connection, noted: Vec<Noted>) {
        for (table, tenant) in noted {
            let count = self.fresh.entry((table.name, tenant.clone())).or_default();
            *count += 1;
            if *count < self.size / 2 {
                continue;
            }
            let owner = Owner { table, tenant: &tenant };
            match columns::settle(connection, owner, self.size, AT_ONCE) {
                // What is left is counted from half of a segment's half, so that it is not looked
                // at after each commit.
                Ok(left) => *count = left.min(self.size / 4),
                // The rows stay fresh, which is as true.
                Err(error) => {
                    *count = 0;
                    tracing::warn!(%error, table = table.name, "segments were not written");
                }
            }
        }
    }
}
