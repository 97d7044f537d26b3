//! A fair queue of reads: tenants take turns, so that one with many long reads delays another by no
//! more than the reads under way.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use tokio::sync::Semaphore;

/// What waits, in the order of turns.
pub(crate) struct Turns<T> {
    state: Mutex<State<T>>,
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
    /// Threads that sleep. The last one is woken first: its connection's cache is the warmest.
    idle: Vec<Thread>,
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
            idle: Vec::new(),
            is_closed: false,
        };
        Self { state: Mutex::new(state), places: Semaphore::new(places), most_of_one }
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
        let woken = state.idle.pop();
        drop(state);
        if let Some(thread) = woken {
            thread.unpark();
        }
    }

    /// Ends what was run for `ended`, and answers what is next; waits for it. `None` when it is
    /// closed and all has been run.
    ///
    /// An end lets one more read run, and the thread that ends one takes the next, so no other is
    /// woken for it. Woken after each read, they would wait for the lock and find nothing.
    pub(crate) fn next(&self, ended: Option<&Arc<str>>) -> Option<Turn<T>> {
        let mut state = self.state();
        if let Some(whose) = ended {
            state.end(whose);
        }
        loop {
            if let Some(turn) = state.take(self.most_of_one) {
                drop(state);
                self.places.add_permits(1);
                return Some(turn);
            }
            if state.is_closed && state.order.is_empty() {
                // Others may sleep until reads that were skipped are run: this thread ran them.
                state.wake_all();
                return None;
            }
            let thread = thread::current();
            let id = thread.id();
            state.idle.push(thread);
            drop(state);
            thread::park();
            state = self.state();
            // A thread may wake without having been woken.
            state.idle.retain(|idle| idle.id() != id);
        }
    }

    /// Nothing comes any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.wake_all();
    }
}

impl<T> State<T> {
    fn end(&mut self, whose: &Arc<str>) {
        if let Some(count) = self.running.get_mut(whose) {
            *count -= 1;
            if *count == 0 {
                self.running.remove(whose);
            }
        }
    }

    fn wake_all(&mut self) {
        self.idle.drain(..).for_each(|thread| thread.unpark());
    }

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
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::mpsc::channel;

    use proptest::prelude::*;

    use super::*;

    #[tokio::test]
    async fn tenants_take_turns_and_none_has_all_threads() {
        let turns = Turns::new(100, 2);
        for n in 0..10 {
            turns.push("greedy", n).await;
        }
        turns.push("modest", 100).await;
        turns.push("other", 200).await;
        let next = |ended| turns.next(ended).map(|turn| (turn.what, turn.whose)).unwrap();
        let first = next(None);
        assert_eq!(first.0, 0);
        assert_eq!(next(None).0, 100, "the last caller does not wait for ten");
        assert_eq!(next(None).0, 200);
        assert_eq!(next(None).0, 1);
        turns.push("modest", 101).await;
        assert_eq!(next(None).0, 101, "two of one tenant are under way");
        assert_eq!(next(Some(&first.1)).0, 2);
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
        let mut next = turns.next(None);
        third.await.unwrap();
        turns.close();
        while let Some(turn) = next {
            ran.push(turn.what);
            next = turns.next(Some(&turn.whose));
        }
        assert_eq!(ran, [1, 2, 3]);
        assert!(turns.state().running.is_empty() && turns.state().waiting.is_empty());
    }

    /// Runs what is there until `turns` is closed, and tells of each read, whose it was and how
    /// many of its tenant ran at once.
    fn run_all(turns: &Turns<usize>, running: &[AtomicUsize], tell: impl Fn(usize, usize)) {
        let mut next = turns.next(None);
        while let Some(turn) = next {
            let tenant: usize = turn.whose.parse().unwrap();
            let at_once = running[tenant].fetch_add(1, SeqCst) + 1;
            thread::yield_now();
            running[tenant].fetch_sub(1, SeqCst);
            tell(turn.what, at_once);
            next = turns.next(Some(&turn.whose));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// No read is left while a thread sleeps that may run it: each batch is pushed only when
        /// all of the one before has run, so a wake-up that got lost would leave it waiting for
        /// ever. The last one is on its way when the queue is closed.
        #[test]
        fn each_read_runs_once_and_all_threads_end(
            batches in prop::collection::vec(prop::collection::vec(0_usize..3, 1..12), 1..40),
            threads in 1_usize..5,
            most_of_one in 1_usize..4,
        ) {
            let turns = Turns::new(8, most_of_one);
            let running = [const { AtomicUsize::new(0) }; 3];
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let (sender, ran) = channel();
            let mut told = Vec::new();
            thread::scope(|scope| {
                for _ in 0..threads {
                    let (sender, turns, running) = (sender.clone(), &turns, &running);
                    scope.spawn(move || {
                        let tell = |what, at_once| sender.send((what, at_once)).unwrap();
                        run_all(turns, running, tell);
                    });
                }
                let mut number = 0;
                for batch in &batches {
                    told.extend(ran.iter().take(number - told.len()));
                    for tenant in batch {
                        runtime.block_on(turns.push(&tenant.to_string(), number));
                        number += 1;
                    }
                }
                turns.close();
            });
            drop(sender);
            told.extend(ran);
            prop_assert!(told.iter().all(|(_, at_once)| *at_once <= most_of_one));
            let mut numbers: Vec<_> = told.into_iter().map(|(what, _)| what).collect();
            numbers.sort_unstable();
            prop_assert!(numbers.into_iter().eq(0..batches.iter().map(Vec::len).sum()));
        }
    }
}
