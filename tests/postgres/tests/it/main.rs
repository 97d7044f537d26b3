//! The harness's own tests: clusters, and databases on them.

mod clusters;
mod databases;
mod support;
