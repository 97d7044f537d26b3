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

impl Planning {
    const fn name(self) -> &'static str {
        match self {
            Self::Indexed => "indexed",
            Self::Ordered => "ordered",
            Self::Free => "free",
            Self::Texts => "texts",
        }
    }

    /// SQL that makes a connection plan so, for all statements that follow.
    fn settings(self) -> String {
        // The start of parallel workers takes as long as counting half a million entries of an
        // index, and a page needs none: with them, one ordered by a boolean sorted all rows of an
        // index of another order.
        let (cache, sort, scan, parallel) = match self {
            Self::Indexed => ("force_generic_plan", "on", "off", "1000000"),
            Self::Ordered => ("force_generic_plan", "off", "off", "1000000"),
            Self::Free => ("auto", "on", "on", "30000"),
            Self::Texts => ("auto", "on", "on", "100"),
        };
        let all = [
            ("racun.planning", self.name()),
            ("plan_cache_mode", cache),
            ("enable_sort", sort),
            ("enable_seqscan", scan),
            ("parallel_setup_cost", parallel),
        ];
        all.map(|(setting, value)| format!("set_config('{setting}', '{value}', false)"))
            .join(" || ")
    }
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
    say(tenants, Planning::Indexed, true, ", racun_write_in($3)").bind(Bind::Int(epoch))
}

/// How a connection that was just opened plans, for most statements.
pub(crate) fn usual() -> String {
    format!("SELECT {}", Planning::Indexed.settings())
}

fn say(tenants: &str, planning: Planning, until_committed: bool, further: &str) -> Statement {
    // What the connection does already is not said again, for that takes PostgreSQL longer than
    // reading a row. A transaction that is rolled back takes back all of it, its name included.
    Statement::new(format!(
        "SELECT set_config('racun.tenants', $1, $2) AS id, \
         CASE WHEN current_setting('racun.planning', true) IS DISTINCT FROM '{}' THEN {} END, \
         clock_timestamp() AS now{further}",
        planning.name(),
        planning.settings(),
    ))
    .bind(tenants)
    .bind(Bind::Bool(Some(until_committed)))
}
