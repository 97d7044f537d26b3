//! The point of sale: tables, tabs, the invoices that they become, and the takings of a day.
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
//! | `closings`  | a day's takings, frozen                 |
//!
//! **Invariants.** What a command names is looked up, then one unit holds the tab and decides; an
//! invoice of tabs is written in the commit that takes the lines off them. All figures of a report
//! are asked in one question.

mod closing;
pub mod closings;
mod gather;
mod invoicing;
mod moving;
mod orders;
pub mod tables;
pub mod tabs;
pub mod takings;

pub use closing::close;
pub use invoicing::{TabOrder, invoice};
pub use moving::{MoveOrder, move_lines};
pub use orders::TabView;

/// More rows than an entity has: these lists have no pages.
const ALL_ROWS: usize = 1 << 31;
