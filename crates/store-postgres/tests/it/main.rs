//! The store on a real PostgreSQL.

mod contract;
mod fence;
mod groups;
mod lists;
mod rate;
mod schema;
mod support;
