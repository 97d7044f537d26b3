//! Connections, and that each of them ends.
//!
//! actix-http bounds the first head of a connection and how long it idles. Beyond that a connection
//! is bounded here: how many an address may have, when a later head must be there, how long an
//! answer may take to be written, and how much is read of a body that no handler wanted.
//!
//! | Module     | Owns                                                       |
//! | ---------- | ---------------------------------------------------------- |
//! | `registry` | how many connections there are, and which one has to go    |
//! | `progress` | what a connection is doing, told by the application        |
//! | `refusal`  | answers to what is no request, and to a connection too many |
//! | `stream`   | the socket, which fails when its connection takes too long |
//! | `exchange` | from a request to the last byte of its answer              |
//! | `serve`    | the server that is put together of these                   |

mod exchange;
mod progress;
mod refusal;
mod registry;
mod serve;
mod stream;

use std::time::Duration;

pub(crate) use exchange::watch;
pub(crate) use refusal::{Refusals, broken_off};
pub(crate) use serve::server;

use crate::limits::Network;

/// How many connections there may be, and how long each may take for what.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// From one address (IPv6: from one /64).
    pub per_address: usize,
    /// In all.
    pub total: usize,
    /// Sockets beside those: accepted and not looked at yet, refused, or closed in a moment. Beyond
    /// them nothing is accepted.
    pub passing: usize,
    /// Addresses that may have any number: proxies, behind which all clients are.
    pub proxies: Vec<Network>,
    /// Until a request's head has arrived.
    pub head_time: Duration,
    /// For how long an idle connection stays open.
    pub keep_alive: Duration,
    /// For how long the rest of an unread body is drained after the answer. More than half a
    /// second, for actix-http looks at its clock no more often.
    pub drain_time: Duration,
    /// For how long the socket may keep an answer waiting, to which every 64 KiB that it takes add
    /// a second.
    pub write_time: Duration,
}

impl Default for ConnectionLimits {
    /// 512 of an address, 10,000 in all, and as many in passing; 5, 75, 2 and 30 seconds.
    fn default() -> Self {
        Self {
            per_address: 512,
            total: 10_000,
            passing: 10_000,
            proxies: Vec::new(),
            head_time: Duration::from_secs(5),
            keep_alive: Duration::from_secs(75),
            drain_time: Duration::from_secs(2),
            write_time: Duration::from_secs(30),
        }
    }
}
