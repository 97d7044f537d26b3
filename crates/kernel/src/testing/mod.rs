//! For tests only, and unstable: stamps that repeat, and the contract that every store must pass.

mod amendments;
pub mod contract;
mod counts;
mod join;
mod lists;
mod log;
mod random;
mod random_samples;
mod sample;
mod series;
mod tallies;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use time::OffsetDateTime;

pub use random::Random;

use crate::{Entropy, Stamp};

/// Counts instead of being random: two runs of a test see the same ids.
#[derive(Debug, Default)]
struct Counting(AtomicU64);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        let count = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        bytes.fill(0);
        for (byte, value) in bytes.iter_mut().zip(count) {
            *byte = value;
        }
    }
}

/// A stamp of `now` whose ids and secrets count from zero.
#[must_use]
pub fn stamp(now: OffsetDateTime) -> Stamp {
    Stamp::new(now, Arc::new(Counting::default()))
}
