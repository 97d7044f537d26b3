//! When a delivery is tried, for how long, and what an answer means.

use time::{Duration, OffsetDateTime};

use crate::{Generation, ReceiverResponse, Undelivered};

/// Statuses after which a delivery is not tried again (`interface.md`, Retry policy).
pub const PERMANENT_STATUSES: [u16; 6] = [400, 401, 403, 404, 405, 410];

/// Minutes after the initial request at which the earlier generation tries again.
const EARLIER_MINUTES: [i64; 3] = [2, 4, 8];

/// Seconds that a receiver has to answer, unless something else is said.
const USUAL_TIMEOUT: Duration = Duration::seconds(15);

/// How long each attempt waits, the first after the event, each other after the attempt before it;
/// and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    delays: Vec<Duration>,
    timeout: Duration,
}

impl Default for Schedule {
    /// At once, then after 1, 5, 30 minutes and 2 hours; for 15 seconds.
    fn default() -> Self {
        Self::new([0, 60, 300, 1_800, 7_200].map(Duration::seconds).to_vec())
    }
}

impl Schedule {
    /// A schedule of these delays, one for each attempt; a delivery is tried at least once.
    #[must_use]
    pub fn new(delays: Vec<Duration>) -> Self {
        let delays = if delays.is_empty() { vec![Duration::ZERO] } else { delays };
        Self { delays, timeout: USUAL_TIMEOUT }
    }

    /// The same schedule for a [`Courier`](crate::Courier) who gives up after `timeout`.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// How long a worker's lease on deliveries lasts before another worker takes them: three times
    /// the receiver's time to answer. A worker starts to post in the first half, and records the
    /// outcomes in the time that is left after the last answer. Deliveries of a server that died
    /// are sent again after the lease.
    #[must_use]
    pub fn lease(&self) -> Duration {
        self.timeout * 3
    }

    /// How often an event is tried.
    #[must_use]
    pub fn attempts(&self, generation: Generation) -> u32 {
        let attempts = match generation {
            Generation::Current => self.delays.len(),
            Generation::Earlier => 1 + EARLIER_MINUTES.len(),
        };
        u32::try_from(attempts).unwrap_or(u32::MAX)
    }

    /// When the first attempt at what happened, or was asked for, at `now` is due.
    #[must_use]
    pub fn first_at(&self, generation: Generation, now: OffsetDateTime) -> OffsetDateTime {
        match generation {
            Generation::Current => now + self.delays.first().copied().unwrap_or_default(),
            Generation::Earlier => now,
        }
    }

    /// When the attempt after the `attempt`th is due, which failed at `now`; the first was made at
    /// `first_at`. `None` when that was the last one.
    ///
    /// Delays of the earlier generation count from the initial request.
    #[must_use]
    pub fn next_at(
        &self,
        generation: Generation,
        attempt: u32,
        first_at: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Option<OffsetDateTime> {
        let made = usize::try_from(attempt).unwrap_or(usize::MAX);
        match generation {
            Generation::Current => self.delays.get(made).map(|delay| now + *delay),
            Generation::Earlier => {
                let minutes = EARLIER_MINUTES.get(made.checked_sub(1)?)?;
                Some((first_at + Duration::minutes(*minutes)).max(now))
            }
        }
    }
}

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptVerdict {
    /// The receiver has it.
    Delivered,
    /// The receiver will never take it.
    Refused,
    /// Another attempt may help.
    Failed,
}

/// What `outcome` means to an endpoint of `generation`: 2xx delivers; the statuses of
/// [`PERMANENT_STATUSES`] refuse, which the earlier generation does not know; a redirect is a
/// failure.
#[must_use]
pub fn judge(
    generation: Generation,
    outcome: &Result<ReceiverResponse, Undelivered>,
) -> AttemptVerdict {
    match outcome {
        Ok(answer) if (200..300).contains(&answer.status) => AttemptVerdict::Delivered,
        Ok(answer)
            if generation == Generation::Current && PERMANENT_STATUSES.contains(&answer.status) =>
        {
            AttemptVerdict::Refused
        }
        Ok(_) | Err(Undelivered::Forbidden(_) | Undelivered::Failed(_)) => AttemptVerdict::Failed,
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    /// Seconds after the event at which attempts are made that each take `taking` seconds and fail.
    fn attempts(schedule: &Schedule, generation: Generation, taking: i64) -> Vec<i64> {
        let start = datetime!(2026-11-21 08:00 UTC);
        let first_at = schedule.first_at(generation, start);
        let (mut made, mut at) = (Vec::new(), Some(first_at));
        while let Some(begun) = at {
            made.push((begun - start).whole_seconds());
            let attempt = u32::try_from(made.len()).unwrap();
            let over = begun + Duration::seconds(taking);
            at = schedule.next_at(generation, attempt, first_at, over);
        }
        assert_eq!(made.len(), usize::try_from(schedule.attempts(generation)).unwrap());
        made
    }

    #[test]
    fn attempts_are_made_at_the_times_of_the_interface() {
        let usual = Schedule::default();
        assert_eq!(attempts(&usual, Generation::Current, 0), [0, 60, 360, 2_160, 9_360]);
        assert_eq!(attempts(&usual, Generation::Current, 10), [0, 70, 380, 2_190, 9_400]);
        assert_eq!(attempts(&usual, Generation::Earlier, 0), [0, 120, 240, 480]);
        assert_eq!(attempts(&usual, Generation::Earlier, 10), [0, 120, 240, 480]);
        let short = Schedule::new(vec![Duration::seconds(5), Duration::ZERO]);
        assert_eq!(attempts(&short, Generation::Current, 0), [5, 5]);
        assert_eq!(attempts(&Schedule::new(Vec::new()), Generation::Current, 0), [0]);
    }

    #[test]
    fn leases_last_three_times_as_long_as_a_receiver_has_to_answer() {
        assert_eq!(Schedule::default().lease(), Duration::seconds(45));
        let hasty = Schedule::default().with_timeout(Duration::seconds(1));
        assert_eq!(hasty.lease(), Duration::seconds(3));
        assert_eq!(hasty.attempts(Generation::Current), 5);
    }

    #[test]
    fn every_status_is_judged_as_the_interface_says() {
        for status in 100..600 {
            let (body, took) = (String::new(), std::time::Duration::ZERO);
            let outcome = Ok(ReceiverResponse { status, body, took });
            let (now, earlier) = match status {
                200..300 => (AttemptVerdict::Delivered, AttemptVerdict::Delivered),
                400 | 401 | 403 | 404 | 405 | 410 => {
                    (AttemptVerdict::Refused, AttemptVerdict::Failed)
                }
                _ => (AttemptVerdict::Failed, AttemptVerdict::Failed),
            };
            assert_eq!(judge(Generation::Current, &outcome), now, "{status}");
            assert_eq!(judge(Generation::Earlier, &outcome), earlier, "{status}");
        }
        for reason in [Undelivered::Forbidden(String::new()), Undelivered::Failed(String::new())] {
            assert_eq!(judge(Generation::Current, &Err(reason)), AttemptVerdict::Failed);
        }
    }
}
