//! Real PostgreSQL for tests and benchmarks, thrown away afterwards; and other programs they need.
//!
//! [`database`] gives a test a database of its own. All test processes of one run share one
//! cluster, which the first of them starts (or one server that the caller names in
//! `RACUN_TEST_DATABASE_URL`), and every database is a copy of a template that was migrated once.
//!
//! [`Cluster`] is a whole server for one caller, which it may kill and restart: for crash drills
//! and benchmarks.
//!
//! [`program()`] gives a test one of the programs that judge what Racun writes, and
//! [`python_with`] a Python with the judges that are packages of it.
//!
//! Nothing is left behind: each cluster has a supervisor, a shell loop that stops the server and
//! removes its folder about a minute after its last user has gone, however that user ended. Only
//! a few bytes of bookkeeping (a lock, the address of the last cluster) stay in the temp folder.
//!
//! The clusters trust every local user (`initdb -A trust`, on a loopback port). They hold test
//! data only, but on a machine shared with people you do not trust, set
//! `RACUN_TEST_DATABASE_URL` to a server with passwords instead.

mod account;
mod binaries;
mod cluster;
mod database;
mod home;
mod names;
mod program;
mod python;
mod settings;
mod shared;
mod sql;
mod state;
mod supervision;
mod waiting;

pub use cluster::{Cluster, Durability};
pub use database::{Database, database};
pub use program::program;
pub use python::{codes_of_pictures, python_with};
