//! Whether a store found its disk full, and when it looks again.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long what was seen of a full disk is believed: looking writes some megabytes.
const VALID_FOR: Duration = Duration::from_secs(2);

/// Whether a store refused a write because its disk was full, and no look since has found room.
#[derive(Debug, Default)]
pub struct Fullness(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    is_full: bool,
    /// Writes that were refused so far.
    refused: u64,
    looked_at: Option<Instant>,
}

/// What is to be done to know whether the disk is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Nothing: no write was refused.
    HasRoom,
    /// Nothing: it was full a moment ago.
    IsFull,
    /// Write [`Fullness::PROBE`] bytes that need new pages, and tell [`Fullness::found_room`].
    Probe(Probe),
}

/// A look that began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe(u64);

impl Fullness {
    /// Bytes that are written to look for room: more than a request writes, which stores a document
    /// of 512 KiB, what the log says about it, and its answer.
    pub const PROBE: usize = 4 * 1024 * 1024;

    /// Notes that a write was refused.
    pub fn refuse(&self) {
        let mut state = self.state();
        state.is_full = true;
        state.refused += 1;
        state.looked_at = None;
    }

    /// What is to be done at `now` to know whether the disk is full.
    pub fn look(&self, now: Instant) -> Look {
        let mut state = self.state();
        if !state.is_full {
            return Look::HasRoom;
        }
        if state.looked_at.is_some_and(|at| now.duration_since(at) < VALID_FOR) {
            return Look::IsFull;
        }
        state.looked_at = Some(now);
        Look::Probe(Probe(state.refused))
    }

    /// Notes that `probe` found room, unless a write was refused since it began.
    pub fn found_room(&self, Probe(refused): Probe) {
        let mut state = self.state();
        if state.refused == refused {
            state.is_full = false;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_stays_known_until_a_look_finds_room() {
        let (fullness, now) = (Fullness::default(), Instant::now());
        assert_eq!(fullness.look(now), Look::HasRoom);
        fullness.refuse();
        let Look::Probe(first) = fullness.look(now) else { panic!("it looks") };
        assert_eq!(fullness.look(now + VALID_FOR / 2), Look::IsFull);
        let Look::Probe(second) = fullness.look(now + VALID_FOR) else { panic!("it looks again") };
        fullness.refuse();
        fullness.found_room(first);
        fullness.found_room(second);
        let Look::Probe(third) = fullness.look(now + VALID_FOR) else { panic!("refused since") };
        fullness.found_room(third);
        assert_eq!(fullness.look(now), Look::HasRoom);
    }
}
