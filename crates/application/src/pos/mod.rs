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

pub use closing::close;
pub use invoicing::{TabOrder, invoice};
pub use moving::{MoveOrder, move_lines};
pub use orders::TabView;

/// More rows than an entity has: these lists have no pages.
const ALL_ROWS: usize = 1 << 31;
