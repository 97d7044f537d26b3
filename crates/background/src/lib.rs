//! What runs around use cases, of whatever area: work after a commit, consumers of the log, keys of
//! requests that are sent again, and bounds of storage.
//!
//! | Module        | Owns                                                                  |
//! | ------------- | --------------------------------------------------------------------- |
//! | `activities`  | the log as an entity's members read it                                |
//! | `budget`      | how many bytes an account stores, and may                             |
//! | `clock`       | the clock that work in the background is given                        |
//! | `consumer`    | consumers of the log: each handles each entry once                    |
//! | `idempotency` | requests that are sent again, carried out once                        |
//! | `jobs`        | what is to be done after a commit, by leases and attempts             |
//! | `log_window`  | a cache of the entries that were read last, for all consumers         |
//! | `request_log` | the log of requests to entities                                       |
//!
//! **Invariants.** No area is known here: areas name the kinds of their jobs and bring the
//! handlers. A job is put in the commit that causes it, and ends in the commit of what it does,
//! where that is a write.

pub mod activities;
pub mod budget;
pub mod clock;
pub mod consumer;
pub mod idempotency;
pub mod jobs;
pub mod log_window;
pub mod request_log;
