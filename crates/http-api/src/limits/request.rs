//! How much a request may take, and the rooms of the process that it takes of.

use std::time::Duration;

use super::room::{Room, Shares};

const MIB: usize = 1024 * 1024;

/// Bytes that a small body has at most.
pub(crate) const SMALL_BODY: usize = 16 * 1024;

/// Bytes of JSON bodies. A body is in memory until it is parsed.
static BODIES: Room = Room::new(Shares {
    total: 48 * MIB,
    reserved: 8 * MIB,
    of_sender: 4 * MIB,
    of_address: 16 * MIB,
    small: SMALL_BODY,
});

/// Forms that arrive at one moment.
static FORMS: Room =
    Room::new(Shares { total: 64, reserved: 0, of_sender: 8, of_address: 16, small: 0 });

/// Bytes of large answers. An answer is in memory until the last byte of it is written.
static ANSWERS: Room = Room::new(Shares {
    total: 128 * MIB,
    reserved: 0,
    of_sender: 16 * MIB,
    of_address: 32 * MIB,
    small: 0,
});

/// How much a request may take.
#[derive(Debug, Clone, Copy)]
pub struct RequestLimits {
    /// Until the whole body has arrived.
    pub body_time: Duration,
    /// Until the answer.
    pub request_time: Duration,
    /// For all trials of a refused body; the answer tells the issues found by then.
    pub trial_time: Duration,
    /// Lists, files and uploads of one token that are under way at once, until their answers are
    /// written.
    pub heavy_per_token: usize,
    /// For how long one more waits for one of them to end.
    pub heavy_patience: Duration,
    /// The room of JSON bodies while they arrive.
    pub bodies: &'static Room,
    /// The places of forms while they arrive.
    pub forms: &'static Room,
    /// The room of large answers until they are written.
    pub answers: &'static Room,
}

impl RequestLimits {
    /// Nesting that a JSON body may have.
    pub const MAX_JSON_DEPTH: usize = 127;
}

impl Default for RequestLimits {
    /// 15, 30 and 2 seconds; 4 heavy requests, and a second for one more; the process's rooms.
    fn default() -> Self {
        Self {
            body_time: Duration::from_secs(15),
            request_time: Duration::from_secs(30),
            trial_time: Duration::from_secs(2),
            heavy_per_token: 4,
            heavy_patience: Duration::from_secs(1),
            bodies: &BODIES,
            forms: &FORMS,
            answers: &ANSWERS,
        }
    }
}
