//! Session settings that are pipelined in front of a statement, without a round trip of their own:
//! the tenants for row-level security, and how the statement is planned.
//!
//! The planner decides by statistics, which a young table does not have and which speak of the
//! average tenant. But this program knows better: all its statements go through an index that was
//! made for them, but for lists with filters, whose best plan depends on the filter.

use crate::statement::{Bind, Statement};

/// How the statements that follow are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Planning {
    /// Once for all values, through an index.
    Indexed,
    /// The same, in the order of that index: a tenant's rows are not sorted for a page of ten, and
    /// groups are hashed.
    Ordered,
    /// Each time, for the values at hand, by statistics.
    Free,
    /// The same, where the text of every row is looked through, which workers share at once.
    Texts,
}

/// Every tenant, as the row-level security understands it; for reading only.
pub(crate) const ALL_TENANTS: &str = "*";

/// Lets the statements that follow reach the rows of `tenants`, parted by commas, or read those of
/// [`ALL_TENANTS`], until something else is said. Every statement says it itself, so none depends
/// on an earlier one.
pub(crate) fn reach(tenants: &str, planning: Planning) -> Statement {
    say(tenants, planning, false, "")
}

/// The same until the transaction ends. Answers the time.
pub(crate) fn reach_until_committed(tenants: &str) -> Statement {
    say(tenants, Planning::Indexed, true, "")
}

/// The same, for a transaction that begins and is to write in `epoch`: see [`crate::lease`].
pub(crate) fn begin_in(epoch: i64, tenants: &str) -> Statement {
    say(tenants, Planning::Indexed, true, ", racun_write_in($7)").bind(Bind::Int(epoch))
}

fn say(tenants: &str, planning: Planning, until_committed: bool, further: &str) -> Statement {
    // The start of parallel workers takes as long as counting half a million entries of an index,
    // and a page needs none: with them, one ordered by a boolean sorted all rows of an index of
    // another order.
    let (cache, sort, scan, parallel) = match planning {
        Planning::Indexed => ("force_generic_plan", "on", "off", "1000000"),
        Planning::Ordered => ("force_generic_plan", "off", "off", "1000000"),
        Planning::Free => ("auto", "on", "on", "30000"),
        Planning::Texts => ("auto", "on", "on", "100"),
    };
    Statement::new(format!(
        "SELECT set_config('racun.tenants', $1, $2) AS id, set_config('plan_cache_mode', $3, $2), \
         set_config('enable_sort', $4, $2), set_config('enable_seqscan', $5, $2), \
         set_config('parallel_setup_cost', $6, $2), clock_timestamp() AS now{further}"
    ))
    .bind(tenants)
    .bind(Bind::Bool(Some(until_committed)))
    .bind(cache)
    .bind(sort)
    .bind(scan)
    .bind(parallel)
}
