//! The point of sale: what a command names is looked up, then one unit holds the tab and decides.
//!
//! | Module      | Owns                                    |
//! | ----------- | --------------------------------------- |
//! | `tables`    | tables, at most so many of an entity    |
//! | `tabs`      | every command on a tab, and the lists   |
//! | `closing`   | a tab ends in an invoice of elsewhere   |
//! | `invoicing` | an invoice is made of tabs              |
//! | `moving`    | lines go to another tab                 |
//! | `orders`    | what tabs come to                       |
//! | `gather`    | the reads: items, taxes, the customer   |
//! | `takings`   | the takings of a day                    |
//! | `questions` | what they ask the store for             |
//! | `closings`  | a day's takings, frozen                 |

mod closing;
pub mod closings;
mod gather;
mod invoicing;
mod late;
mod moving;
mod orders;
mod questions;
pub mod tables;
pub mod tabs;
pub mod takings;

use racun_kernel::{Load, Loaded, Record, Scope, Stamp, StoreError, Table};
use racun_pos::Act;

pub use closing::close;
pub use invoicing::{TabOrder, invoice};
pub use moving::{MoveOrder, move_lines};
pub use orders::TabView;

/// More rows than an entity has: these lists have no pages.
const ALL_ROWS: usize = 1 << 31;

/// Who acts on what was `loaded`, and when: by the store's own clock where it has one, so that claims
/// run out at one moment for all processes.
fn act(scope: &Scope, loaded: &Loaded, stamp: &Stamp) -> Act {
    Act::of(scope, stamp.at(loaded.now.unwrap_or_else(|| stamp.now())))
}

/// Holds the row `id` of the scope's entity.
fn load(table: &'static Table, scope: &Scope, id: impl ToString) -> Load {
    Load::One { table, tenant: scope.tenant(), id: id.to_string() }
}

/// The row of the unit's load number `place`, when there is one.
fn read<A: Record>(
    loaded: &Loaded,
    place: usize,
    table: &'static Table,
) -> Result<Option<A>, StoreError> {
    let row = loaded.rows.get(place).and_then(|rows| rows.first());
    row.map(|row| row.read(table)).transpose()
}

/// How many rows the unit's load number `place` found.
fn found(loaded: &Loaded, place: usize) -> usize {
    loaded.rows.get(place).map_or(0, Vec::len)
}
