//! Waiting for other processes.

use std::time::{Duration, Instant};

/// Lets some time pass between two looks at a process or file that cannot notify us.
#[expect(
    clippy::disallowed_methods,
    reason = "a starting or stopping server gives nothing to wait on; only test support sleeps"
)]
pub(crate) fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// Looks every few milliseconds until `done` says so; whether it did within `limit`.
pub(crate) fn until(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while !done() {
        if Instant::now() >= deadline {
            return false;
        }
        pause(Duration::from_millis(20));
    }
    true
}
