//! The interface as its callers see it, on the embedded store in memory.

mod access;
mod answers;
mod bodies;
mod catalog;
mod description;
mod entities;
mod harness;
mod routes;
mod server;
