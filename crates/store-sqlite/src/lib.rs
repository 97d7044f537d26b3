//! Racun's store on SQLite: the embedded default, one file in the data folder, or none at all.
//!
//! Generic: a record costs a declaration ([`racun_store::Table`]), not a schema. What is not here:
//! any knowledge of what the records are.
//!
//! | Module        | Owns                                                             |
//! | ------------- | ---------------------------------------------------------------- |
//! | `connection`  | the file, its lock, a connection's settings and SQL functions    |
//! | `declaration` | what a declared table may look like                              |
//! | `schema`      | tables and indexes made from the declarations, and their version |
//! | `upgrade`     | a file of an earlier version brought up to this one              |
//! | `aside`       | the copy of the file that is kept before that                    |
//! | `encoding`    | values as SQLite keeps them, in the same order                   |
//! | `sql`         | statements whose values are bound, never spliced                 |
//! | `select`      | lists: filters, orders and cursors as SQL                        |
//! | `column`      | values of one field of many rows as bytes that compare as they do |
//! | `columns`     | listed fields kept apart from their rows, and how they follow them |
//! | `scan`        | lists that are found in these                                    |
//! | `tally`       | the rows of a tally                                              |
//! | `read`        | the statements of the other reads                                |
//! | `unit`        | one unit: load, decide, write                                    |
//! | `writer`      | the thread that commits waiting units in groups                  |
//! | `settling`    | when listed fields follow their rows                             |
//! | `readers`     | the threads that answer reads                                    |
//! | `error`       | why a store does not open, and what SQLite's errors mean         |
//!
//! **Invariants.** One process per file, and in it one thread that writes. An answered unit is on
//! disk. No decimal is ever a SQLite number. Only names out of static declarations become SQL.

mod aside;
mod column;
mod columns;
mod connection;
mod declaration;
mod encoding;
mod error;
mod forgetting;
mod read;
mod readers;
mod scan;
mod schema;
mod select;
mod settling;
mod sql;
mod store;
mod tally;
mod turns;
mod unit;
mod upgrade;
mod writer;

pub use error::OpenError;
pub use store::{Options, SqliteStore};
