//! How much was acknowledged: when a test kills a server is decided by work, not by a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long work may stand still before a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A count that clients raise and a test waits for.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// One more is acknowledged.
    pub fn one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until `count` are acknowledged.
    ///
    /// # Panics
    /// When nothing is acknowledged for two minutes.
    pub async fn reaches(&self, count: u64) {
        let (mut before, mut since) = (0, Instant::now());
        loop {
            let now = self.0.load(Ordering::Relaxed);
            if now >= count {
                return;
            }
            if now > before {
                (before, since) = (now, Instant::now());
            }
            assert!(since.elapsed() < PATIENCE, "{now} of {count} were acknowledged");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
