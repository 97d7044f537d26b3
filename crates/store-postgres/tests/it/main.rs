//! The store on a real PostgreSQL.

mod contract;
mod fence;
mod groups;
mod lists;
mod log;
mod schema;
mod support;
