//! A circuit breaker: no calls to an authority that does not answer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// So many failures in a row end the calls.
const FAILURES: u32 = 5;
/// The time without calls. Then one call tries.
const REST: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy)]
enum State {
    /// Calls go through; so many failed since one succeeded.
    Closed(u32),
    /// No calls until then.
    Open(Instant),
    /// One call tries.
    Trying,
}

/// Lets calls through while they succeed.
#[derive(Debug)]
pub(crate) struct Circuit(Mutex<State>);

/// A call that was let through.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    circuit: &'a Circuit,
    tries: bool,
    is_settled: bool,
}

impl Circuit {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(State::Closed(0)))
    }

    /// Whether no call would be let through now.
    pub(crate) fn rests(&self) -> bool {
        match *self.lock() {
            State::Closed(_) => false,
            State::Open(until) => Instant::now() < until,
            State::Trying => true,
        }
    }

    /// Lets a call through, or not.
    pub(crate) fn call(&self) -> Option<Call<'_>> {
        let mut state = self.lock();
        let tries = match *state {
            State::Closed(_) => false,
            State::Open(until) if Instant::now() >= until => {
                *state = State::Trying;
                true
            }
            State::Open(_) | State::Trying => return None,
        };
        Some(Call { circuit: self, tries, is_settled: false })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call<'_> {
    /// Says how the call ended.
    pub(crate) fn settle(mut self, is_success: bool) {
        self.is_settled = true;
        let mut state = self.circuit.lock();
        *state = match *state {
            _ if is_success => State::Closed(0),
            State::Closed(failures) if failures + 1 < FAILURES => State::Closed(failures + 1),
            State::Closed(_) => State::Open(Instant::now() + REST),
            State::Trying if self.tries => State::Open(Instant::now() + REST),
            // A call from before; it says nothing new.
            other @ (State::Open(_) | State::Trying) => other,
        };
    }
}

impl Drop for Call<'_> {
    /// A call that was given up says nothing, but lets another one try.
    fn drop(&mut self) {
        if self.tries && !self.is_settled {
            *self.circuit.lock() = State::Open(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Circuit, FAILURES, REST};
    use std::time::Duration;

    fn fail(circuit: &Circuit, times: u32) {
        for _ in 0..times {
            circuit.call().unwrap().settle(false);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_open_it_and_one_success_closes_it() {
        let circuit = Circuit::new();
        fail(&circuit, FAILURES - 1);
        circuit.call().unwrap().settle(true);
        fail(&circuit, FAILURES);
        assert!(circuit.call().is_none());

        tokio::time::advance(REST).await;
        let trying = circuit.call().unwrap();
        assert!(circuit.call().is_none(), "one tries, and no other");
        trying.settle(true);
        fail(&circuit, FAILURES - 1);
        assert!(circuit.call().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_try_opens_it_again_and_one_given_up_lets_another_try() {
        let circuit = Circuit::new();
        let old = circuit.call().unwrap();
        fail(&circuit, FAILURES);
        tokio::time::advance(REST).await;
        circuit.call().unwrap().settle(false);
        tokio::time::advance(REST - Duration::from_millis(1)).await;
        old.settle(false);
        assert!(circuit.call().is_none());
        tokio::time::advance(Duration::from_millis(1)).await;
        drop(circuit.call().unwrap());
        assert!(circuit.call().is_some());
    }
}
