//! The counters of one process.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use racun_store::{Bucket, RATE_WINDOW_SECONDS, Taken};
use time::OffsetDateTime;

/// Buckets of a minute, at most. Later callers share one with all others of the same limit: then
/// too many are refused rather than memory filled.
const MOST: usize = 200_000;

/// Requests by bucket, of the current minute. One lock for all of them, held for less than a
/// microsecond: a request is counted in all its buckets at once, or in none.
#[derive(Default)]
pub(super) struct InProcess(Mutex<Minute>);

#[derive(Default)]
struct Minute {
    number: i64,
    used: HashMap<String, u32>,
}

impl InProcess {
    /// As [`racun_store::RateLimits::take`], at `now`.
    pub(super) fn take(&self, buckets: &[Bucket], now: OffsetDateTime) -> Taken {
        let number = now.unix_timestamp().div_euclid(RATE_WINDOW_SECONDS);
        let ends_at = (number + 1) * RATE_WINDOW_SECONDS;
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if minute.number != number {
            *minute = Minute { number, used: HashMap::new() };
        }
        let keys: Vec<String> = buckets.iter().map(|bucket| minute.place(bucket)).collect();
        let is_granted =
            buckets.iter().zip(&keys).all(|(bucket, key)| minute.used(key) < bucket.limit);
        if is_granted {
            for key in &keys {
                *minute.used.entry(key.clone()).or_default() += 1;
            }
        }
        let used = keys.iter().map(|key| minute.used(key)).collect();
        drop(minute);
        let left = ends_at - now.unix_timestamp();
        let seconds_left = u32::try_from(left).unwrap_or(1).max(1);
        Taken { is_granted, used, ends_at, seconds_left }
    }
}

impl Minute {
    fn used(&self, key: &str) -> u32 {
        self.used.get(key).copied().unwrap_or_default()
    }

    /// Under which key `bucket` is counted.
    fn place(&self, bucket: &Bucket) -> String {
        if self.used.len() < MOST || self.used.contains_key(&bucket.key) {
            return bucket.key.clone();
        }
        format!("others {}", bucket.limit)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use time::macros::datetime;

    use super::*;

    fn bucket(key: &str, limit: u32) -> Bucket {
        Bucket { key: key.to_owned(), limit }
    }

    #[test]
    fn a_bucket_grants_what_it_holds_in_each_minute_of_the_clock() {
        let counters = InProcess::default();
        let mut now = datetime!(2026-11-21 12:00:59.999 UTC);
        let all = [bucket("a", 2)];
        let granted = |now| counters.take(&all, now).is_granted;
        assert_eq!([granted(now), granted(now), granted(now)], [true, true, false]);
        let refused = counters.take(&all, now);
        let ends_at = datetime!(2026-11-21 12:01 UTC).unix_timestamp();
        let expected = Taken { is_granted: false, used: vec![2], ends_at, seconds_left: 1 };
        assert_eq!(refused, expected);
        now += time::Duration::milliseconds(1);
        assert_eq!([granted(now), granted(now), granted(now)], [true, true, false]);
        assert_eq!(counters.take(&all, now).seconds_left, 60);
    }

    #[test]
    fn a_request_refused_by_one_bucket_counts_in_none() {
        let counters = InProcess::default();
        let now = datetime!(2026-11-21 12:00 UTC);
        let (wide, narrow) = (bucket("wide", 3), bucket("narrow", 1));
        let both = [wide.clone(), narrow];
        assert_eq!(counters.take(&both, now).used, [1, 1]);
        let refused = counters.take(&both, now);
        assert_eq!((refused.is_granted, refused.used), (false, vec![1, 1]));
        let alone = [wide];
        assert!(counters.take(&alone, now).is_granted && counters.take(&alone, now).is_granted);
        assert!(!counters.take(&alone, now).is_granted);
    }

    #[test]
    fn threads_that_share_a_bucket_get_exactly_what_it_holds() {
        let counters = Arc::new(InProcess::default());
        let now = datetime!(2026-11-21 12:00 UTC);
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let counters = Arc::clone(&counters);
                std::thread::spawn(move || {
                    let taken = (0..1_000).map(|_| counters.take(&[bucket("a", 850)], now));
                    taken.filter(|taken| taken.is_granted).count()
                })
            })
            .collect();
        let granted: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(granted, 850);
    }

    #[test]
    fn beyond_the_most_buckets_all_others_share_one() {
        let counters = InProcess::default();
        let now = datetime!(2026-11-21 12:00 UTC);
        for number in 0..MOST {
            assert!(counters.take(&[bucket(&number.to_string(), 2)], now).is_granted);
        }
        assert!(counters.take(&[bucket("0", 2)], now).is_granted, "who was there has their own");
        let late = |key| counters.take(&[bucket(key, 2)], now).is_granted;
        assert_eq!([late("x"), late("y"), late("z")], [true, true, false]);
    }
}
