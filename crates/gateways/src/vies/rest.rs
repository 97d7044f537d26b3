//! Not calling for a while who does not answer: who makes documents shall not wait for each.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// So many failures in a row end the calls.
const FAILURES: u32 = 3;
/// How long no call is made. The next failure then begins another rest.
const REST: Duration = Duration::from_secs(30);

/// Failures in a row, and until when no call is made.
#[derive(Debug, Default)]
pub(super) struct Rest(Mutex<(u32, Option<Instant>)>);

impl Rest {
    /// Whether no call may be made now.
    pub fn is_on(&self) -> bool {
        self.lock().1.is_some_and(|until| Instant::now() < until)
    }

    /// Says that a call had an answer.
    pub fn answered(&self) {
        *self.lock() = (0, None);
    }

    /// Says that a call had none.
    pub fn failed(&self) {
        let mut state = self.lock();
        let failures = state.0.saturating_add(1);
        let until = (failures >= FAILURES).then(|| Instant::now() + REST);
        *state = (failures, until.or(state.1));
    }

    fn lock(&self) -> MutexGuard<'_, (u32, Option<Instant>)> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_begin_a_rest_and_an_answer_ends_the_count() {
        let rest = Rest::default();
        for _ in 1..FAILURES {
            rest.failed();
        }
        rest.answered();
        for _ in 1..FAILURES {
            rest.failed();
        }
        assert!(!rest.is_on());
        rest.failed();
        assert!(rest.is_on());
        tokio::time::advance(REST).await;
        assert!(!rest.is_on());
        rest.failed();
        assert!(rest.is_on(), "one more is enough");
    }
}
