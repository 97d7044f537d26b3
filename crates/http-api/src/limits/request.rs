//! How much a request may take.

use std::time::Duration;

use super::room::Room;
use super::rooms::{ANSWERS, BODIES, FORMS};

/// How much a request may take.
#[derive(Debug, Clone, Copy)]
pub struct RequestLimits {
    /// Until the whole body has arrived.
    pub body_time: Duration,
    /// Until the answer.
    pub request_time: Duration,
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
    /// 15 seconds, 30 seconds; 4 heavy requests, and a second for one more; the process's rooms.
    fn default() -> Self {
        Self {
            body_time: Duration::from_secs(15),
            request_time: Duration::from_secs(30),
            heavy_per_token: 4,
            heavy_patience: Duration::from_secs(1),
            bodies: &BODIES,
            forms: &FORMS,
            answers: &ANSWERS,
        }
    }
}
