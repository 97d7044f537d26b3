//! The store on a real PostgreSQL.

mod contract;
mod endings;
mod errors;
mod fence;
mod groups;
mod lease;
mod lists;
mod log;
mod rate;
mod room;
mod schema;
mod support;
