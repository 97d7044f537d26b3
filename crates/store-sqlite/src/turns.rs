//! A fair queue of reads: tenants take turns, so that one with many long reads delays another by no
//! more than the reads under way.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

/// What waits, in the order of turns.
pub(crate) struct Turns<T> {
    state: Mutex<State<T>>,
    /// Woken when something came, ended, or was closed.
    changed: Condvar,
    /// Places of what waits; callers beyond them wait for one.
    places: Semaphore,
    /// Of one tenant run at once.
    most_of_one: usize,
}

struct State<T> {
    waiting: HashMap<Arc<str>, VecDeque<T>>,
    /// Who has something that waits, the next one first.
    order: VecDeque<Arc<str>>,
    running: HashMap<Arc<str>, usize>,
    is_closed: bool,
}

/// What is to be run now, and whose it is.
pub(crate) struct Turn<T> {
    pub what: T,
    pub whose: Arc<str>,
}

impl<T> Turns<T> {
    /// For `places` that wait; of each tenant `most_of_one` run at once.
    pub(crate) fn new(places: usize, most_of_one: usize) -> Self {
        let state = State {
            waiting: HashMap::new(),
            order: VecDeque::new(),
            running: HashMap::new(),
            is_closed: false,
        };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Self { state, changed, places: Semaphore::new(places), most_of_one }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `what` of `whose` wait for its turn.
    pub(crate) async fn push(&self, whose: &str, what: T) {
        if let Ok(place) = self.places.acquire().await {
            place.forget();
        }
        let whose: Arc<str> = whose.into();
        let mut state = self.state();
        let queue = state.waiting.entry(Arc::clone(&whose)).or_default();
        queue.push_back(what);
        if queue.len() == 1 {
            state.order.push_back(whose);
        }
        drop(state);
        self.changed.notify_one();
    }

    /// What is next; waits for it. `None` when it is closed and all has been run.
    pub(crate) fn next(&self) -> Option<Turn<T>> {
        let mut state = self.state();
        loop {
            if let Some(turn) = state.take(self.most_of_one) {
                drop(state);
                self.places.add_permits(1);
                return Some(turn);
            }
            if state.is_closed && state.order.is_empty() {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What was run for `whose` has ended.
    pub(crate) fn end(&self, whose: &Arc<str>) {
        let mut state = self.state();
        if let Some(count) = state.running.get_mut(whose) {
            *count -= 1;
            if *count == 0 {
                state.running.remove(whose);
            }
        }
        drop(state);
        // A reader that skipped this tenant may take its next read, and all may have to end.
        self.changed.notify_all();
    }

    /// Nothing comes any more.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }
}

impl<T> State<T> {
    fn take(&mut self, most_of_one: usize) -> Option<Turn<T>> {
        let may = |whose: &Arc<str>| self.running.get(whose).is_none_or(|n| *n < most_of_one);
        let place = self.order.iter().position(may)?;
        let whose = self.order.remove(place)?;
        let queue = self.waiting.get_mut(&whose)?;
        let what = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&whose);
        } else {
            self.order.push_back(Arc::clone(&whose));
        }
        *self.running.entry(Arc::clone(&whose)).or_default() += 1;
        Some(Turn { what, whose })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tenants_take_turns_and_none_has_all_threads() {
        let turns = Turns::new(100, 2);
        for n in 0..10 {
            turns.push("greedy", n).await;
        }
        turns.push("modest", 100).await;
        turns.push("other", 200).await;
        let next = || turns.next().map(|turn| (turn.what, turn.whose)).unwrap();
        let first = next();
        assert_eq!(first.0, 0);
        assert_eq!(next().0, 100, "the last caller does not wait for ten");
        assert_eq!(next().0, 200);
        assert_eq!(next().0, 1);
        turns.push("modest", 101).await;
        assert_eq!(next().0, 101, "two of one tenant are under way");
        turns.end(&first.1);
        assert_eq!(next().0, 2);
    }

    #[tokio::test]
    async fn waiting_reads_run_before_the_end_and_are_bounded() {
        let turns = Arc::new(Turns::new(2, 1));
        turns.push("a", 1).await;
        turns.push("a", 2).await;
        let third = tokio::spawn({
            let turns = Arc::clone(&turns);
            async move { turns.push("b", 3).await }
        });
        tokio::task::yield_now().await;
        assert!(!third.is_finished(), "there are two places");
        let mut ran = Vec::new();
        let first = turns.next().unwrap();
        ran.push(first.what);
        third.await.unwrap();
        turns.close();
        turns.end(&first.whose);
        while let Some(turn) = turns.next() {
            ran.push(turn.what);
            turns.end(&turn.whose);
        }
        assert_eq!(ran, [1, 2, 3]);
        assert!(turns.state().running.is_empty() && turns.state().waiting.is_empty());
    }
}
