//! The one port through which anything is stored, and its language: records and their tables, list
//! queries, figures over rows, units of work, the log.
//!
//! | Module       | Owns                                                                      |
//! | ------------ | ------------------------------------------------------------------------- |
//! | `port`       | the port: find, list, tally and transact with a pure decision             |
//! | `context`    | the store, who acts where, and when: what use cases take                  |
//! | `record`     | how a type declares its stored fields                                     |
//! | `declared`   | `record!`: fields and their values in one declaration                     |
//! | `value`      | the scalars that lists filter and order by                                |
//! | `sorting`    | numbers as text that sorts as they do                                     |
//! | `query`      | the list language: filters, order, cursors                                |
//! | `evaluate`   | the reference meaning of that language, in plain Rust                     |
//! | `tally`      | figures over rows, grouped, and their reference meaning                   |
//! | `log`        | what happened: declared events, the entries that every store keeps        |
//! | `walk`       | going through all rows of a table                                         |
//! | `decorator`  | stores that wrap another one and do some of the port differently          |
//! | `read_cache` | a read cache for adapters that see every write                            |
//! | `rate`       | the port that counts requests, where processes share a database           |
//! | `length`     | how long something is as JSON                                             |
//! | `testing`    | the contract that every store must pass (feature `testing`)               |
//!
//! **Invariants.** Nothing here reads a clock, makes an id or waits. A transaction never crosses
//! the port: a decision does, and a decision is not async. Stores mean the same: lists answer what
//! [`evaluate`] answers, figures what [`evaluate_tally`] answers.

mod context;
mod declared;
mod decorator;
mod evaluate;
mod length;
pub mod log;
mod port;
mod query;
mod rate;
pub mod read_cache;
mod record;
pub mod sorting;
mod tally;
#[cfg(feature = "testing")]
pub mod testing;
mod value;
mod walk;

pub use context::{Actor, Context};
pub use declared::Declared;
pub use decorator::StoreDecorator;
pub use evaluate::evaluate;
pub use length::json_length;
pub use log::{ACTIVITIES, Activity, ActorType, Entry, EventKind, Logged, Receivers};
pub use port::{
    BYTES, Decision, Event, Fullness, Held, Inner, LOOKUP_LIMIT, Load, Loaded, Look, Many, Number,
    One, Probe, Put, PutKind, Read, Refusal, Row, Rows, Series, Store, StoreError, Stored,
    TransactError, Unit, UnitBuilder, Writes,
};
pub use query::{
    Clause, Cursor, Direction, ListQuery, Operator, Order, Page, PageSize, Pagination, RawQuery,
};
#[doc(hidden)]
pub use racun_kernel::Tenant;
pub use rate::{Bucket, RATE_WINDOW_SECONDS, RateLimits, Taken};
pub use record::{
    Field, FieldKind, Listing, Record, Refill, Refilled, Source, State, Table, Unique,
};
pub use tally::{
    Condition, CountedRow, Counter, Extremes, Figure, JsonPath, Part, Projection, Tally, TallyRow,
    Within, evaluate_tally,
};
pub use value::Value;
pub use walk::Walk;
