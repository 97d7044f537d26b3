//! Plans, periods and subscriptions: tables and laws.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod catalogue;
mod charges;
mod collecting;
mod laws;
mod limits;
mod stores;
mod subscriptions;
mod world;
