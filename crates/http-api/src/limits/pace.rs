//! How much of the process one entity's statistics may take: all that they need for a while, and
//! then a tenth of the time, so that they slow nothing of another's.
//!
//! An answer's time is a debt, which a tenth of the time that passes pays off. Who owes more than
//! [`CREDIT`] waits until it does not, and so do further questions of that entity: one is answered
//! at a time. Beside many other requests there is no credit, and an answer is owed twice. Who reads
//! many records page by page then also pauses between them, for what is owed is known only behind
//! the last one.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::ready;
use std::time::Duration;

use racun_kernel::id::EntityId;
use tokio::time::{Instant, sleep};

use crate::error::{ApiError, Kind};
use crate::places::Slots;

/// What may be owed: a page with 25 questions over 100,000 documents.
const CREDIT: Duration = Duration::from_secs(2);
/// One part of so many of the time pays debts off.
const SHARE: u32 = 10;
/// A request waits for its turn so long at most.
const PATIENCE: Duration = Duration::from_secs(10);
/// Work that takes longer without a pause makes one in a busy process.
const SLICE: Duration = Duration::from_millis(5);
/// A pause is so many times as long as the work before it.
const PAUSE: u32 = 3;
/// The pauses of one request together: a request has half a minute for all.
const MOST_PAUSES: Duration = Duration::from_secs(10);
/// With more answers to other requests in a second, the process is busy.
const MOST_BESIDE: u128 = 50;
/// With more entities than these, those that owe nothing are forgotten.
const MOST_KEPT: usize = 1_000;

/// The entities whose question is being answered.
static TURNS: Slots<EntityId> = Slots::new();
/// How many requests this process has answered.
static ANSWERS: AtomicU64 = AtomicU64::new(0);
/// What entities owe.
static DEBTS: Mutex<Option<HashMap<EntityId, Debt>>> = Mutex::new(None);

/// What an entity owed at a time.
#[derive(Debug, Clone, Copy)]
struct Debt {
    owed: Duration,
    at: Instant,
}

impl Debt {
    const fn none(now: Instant) -> Self {
        Self { owed: Duration::ZERO, at: now }
    }

    /// The same at `now`, which is later.
    fn at(self, now: Instant) -> Self {
        let paid = now.saturating_duration_since(self.at) / SHARE;
        Self { owed: self.owed.saturating_sub(paid), at: now }
    }

    /// The same after an answer that `took` so long. Beside others that is beyond the credit, and
    /// counts twice, for it takes more of them than its time: what they had in the processor's
    /// caches, and on PostgreSQL a second process.
    fn after(self, took: Duration, is_busy: bool) -> Self {
        match is_busy {
            true => Self { owed: self.owed.max(CREDIT) + 2 * took, ..self },
            false => Self { owed: self.owed + took, ..self },
        }
    }

    /// How long it takes until no more than the credit is owed.
    fn wait(self) -> Duration {
        self.owed.saturating_sub(CREDIT) * SHARE
    }
}

fn debts() -> MutexGuard<'static, Option<HashMap<EntityId, Debt>>> {
    // No code that can panic runs under the lock.
    DEBTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `entity` owes now.
fn owed_by(entity: EntityId) -> Debt {
    let now = Instant::now();
    let known = debts().as_ref().and_then(|all| all.get(&entity).copied());
    known.unwrap_or_else(|| Debt::none(now)).at(now)
}

/// Counts an answer, to whatever request.
pub(crate) fn count_answer() {
    ANSWERS.fetch_add(1, Ordering::Relaxed);
}

/// Whether `answers` within `took` are those of a busy process.
fn is_busy(answers: u64, took: Duration) -> bool {
    u128::from(answers) * 1_000 > MOST_BESIDE * took.as_millis()
}

/// Adds what an answer took, in a process that was busy or not.
fn owe(entity: EntityId, took: Duration, is_busy: bool) {
    let now = Instant::now();
    let mut debts = debts();
    let all = debts.get_or_insert_default();
    if all.len() >= MOST_KEPT {
        all.retain(|_, debt| !debt.at(now).owed.is_zero());
    }
    let debt = all.entry(entity).or_insert_with(|| Debt::none(now));
    *debt = debt.at(now).after(took, is_busy);
}

/// Does `work` of `entity` when it is its turn.
///
/// # Errors
/// When that is not within 10 seconds, with when to come again; what the work answers.
pub(crate) async fn paced<T>(
    entity: EntityId,
    work: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    let came = Instant::now();
    let turn = tokio::time::timeout(PATIENCE, TURNS.take(entity, 1)).await;
    let wait = owed_by(entity).wait();
    let Ok(_turn) = turn else { return Err(too_much(wait)) };
    refuse_late(came.elapsed(), wait)?;
    sleep(wait).await;
    let (began, answers) = (Instant::now(), ANSWERS.load(Ordering::Relaxed));
    let beside = || ANSWERS.load(Ordering::Relaxed).wrapping_sub(answers);
    let (done, paused) = with_pauses(work, |took| is_busy(beside(), took)).await;
    let took = began.elapsed();
    owe(entity, took.saturating_sub(paused), is_busy(beside(), took));
    done
}

/// Does `work`, with a pause after each [`SLICE`] where `is_busy` says so of the time since the
/// start. With what it answers comes how long the pauses were.
///
/// A pause begins when the work could go on: what it waited for, as a page from the store, was
/// done for it and counts.
async fn with_pauses<T>(
    work: impl Future<Output = T>,
    is_busy: impl Fn(Duration) -> bool,
) -> (T, Duration) {
    let began = Instant::now();
    let (mut work, mut pause) = (pin!(work), pin!(sleep(Duration::ZERO)));
    // Since when the work goes on, and the pauses so far.
    let (mut since, mut paused) = (began, Duration::ZERO);
    poll_fn(|cx| {
        let now = Instant::now();
        let took = now.saturating_duration_since(since);
        if took >= SLICE && paused < MOST_PAUSES && is_busy(now - began) {
            let length = (took * PAUSE).min(MOST_PAUSES - paused);
            paused += length;
            since = now + length;
            pause.as_mut().reset(since);
        }
        ready!(pause.as_mut().poll(cx));
        work.as_mut().poll(cx).map(|done| (done, paused))
    })
    .await
}

/// Refuses what would wait too long, beside what it `waited`.
fn refuse_late(waited: Duration, wait: Duration) -> Result<(), ApiError> {
    if waited + wait <= PATIENCE { Ok(()) } else { Err(too_much(wait)) }
}

fn too_much(wait: Duration) -> ApiError {
    let message = "this entity's statistics take too much; ask less often, or for fewer records \
                   at once";
    let seconds = u32::try_from(wait.as_secs().max(1)).unwrap_or(u32::MAX);
    ApiError::new(Kind::TooManyRequests, message).retry_after(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn who_asks_without_a_pause_gets_a_tenth_of_the_time() {
        let start = Instant::now();
        let (mut debt, mut now) = (Debt::none(start), start);
        let mut computed = Duration::ZERO;
        for _ in 0..100 {
            debt = debt.at(now);
            now += debt.wait();
            debt = debt.at(now);
            assert_eq!(debt.wait(), Duration::ZERO);
            now += ms(100);
            debt = debt.at(now).after(ms(100), false);
            computed += ms(100);
        }
        let passed = now - start;
        assert_eq!(computed, ms(10_000));
        // Beyond the credit, and the last answer, a tenth.
        assert!(passed >= (computed - CREDIT - ms(200)) * SHARE, "{passed:?}");
        assert!(passed <= (computed - CREDIT) * SHARE, "{passed:?}");
        assert_eq!(debt.at(now + ms(60_000)).owed, Duration::ZERO);
    }

    #[test]
    fn beside_many_other_requests_there_is_no_credit_and_a_twentieth_of_the_time() {
        assert!(is_busy(6, ms(100)) && !is_busy(5, ms(100)));
        assert!(!is_busy(0, ms(0)));
        let start = Instant::now();
        let debt = Debt::none(start).after(ms(100), true);
        assert_eq!(debt.wait(), ms(2_000));
        let debt = debt.at(start + ms(2_000)).after(ms(100), true);
        assert_eq!(debt.wait(), ms(2_000));
        let debt = debt.at(start + ms(60_000)).after(ms(100), false);
        assert_eq!(debt.wait(), Duration::ZERO);
    }

    #[tokio::test]
    async fn an_entity_is_answered_one_question_at_a_time_and_others_at_once() {
        let [one, other]: [EntityId; 2] =
            ["1", "2"].map(|n| format!("ent_0000000000000000000000000{n}").parse().unwrap());
        let (done, held) = tokio::sync::oneshot::channel::<()>();
        let first = tokio::spawn(paced(one, async move {
            held.await.unwrap();
            Ok(1)
        }));
        tokio::task::yield_now().await;
        let second = tokio::spawn(paced(one, async { Ok(2) }));
        assert_eq!(paced(other, async { Ok(3) }).await.unwrap(), 3);
        assert!(!second.is_finished());
        done.send(()).unwrap();
        assert_eq!((first.await.unwrap().unwrap(), second.await.unwrap().unwrap()), (1, 2));
    }

    #[tokio::test]
    async fn who_owes_too_much_learns_when_to_come_again() {
        let greedy: EntityId = "ent_00000000000000000000000003".parse().unwrap();
        owe(greedy, CREDIT + ms(60_000), false);
        // Its turn would be in ten minutes.
        let refused = refuse_late(ms(0), owed_by(greedy).wait()).unwrap_err();
        assert_eq!(refused.code(), "rate_limit_exceeded");
        assert!(refuse_late(ms(9_500), ms(500)).is_ok());
        assert!(refuse_late(ms(9_600), ms(500)).is_err());
    }

    /// Reads so many pages, each of which takes `page` in another thread.
    async fn read(pages: u32, page: Duration) {
        for _ in 0..pages {
            sleep(page).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn long_work_pauses_between_its_parts_in_a_busy_process_alone() {
        let began = Instant::now();
        let ((), paused) = with_pauses(read(100, ms(10)), |_| false).await;
        assert_eq!((paused, began.elapsed()), (ms(0), ms(1_000)));

        let began = Instant::now();
        let ((), paused) = with_pauses(read(100, ms(10)), |_| true).await;
        assert_eq!((paused, began.elapsed()), (ms(3_000), ms(4_000)));

        // Pages that take less go on until they are as much together.
        let ((), paused) = with_pauses(read(4, ms(2)), |_| true).await;
        assert_eq!(paused, ms(3 * 6));
    }

    #[tokio::test(start_paused = true)]
    async fn the_pauses_of_a_request_are_bounded() {
        let began = Instant::now();
        let ((), paused) = with_pauses(read(1_000, ms(10)), |_| true).await;
        assert_eq!((paused, began.elapsed()), (MOST_PAUSES, MOST_PAUSES + ms(10_000)));
    }
}
