//! What this process knows of budgets: what accounts had left when it looked, and what requests
//! under way reserved of that.
//!
//! A request begins when there is room for its body. What it stores is charged where its units are
//! decided, and refused where less is left. With that it reserves what may follow in any case: an
//! authority's answer, its kept answer. At its end, what it reserved and did not use is left again.
//! So requests at the same time see each other, and an account exceeds its budget by no more than
//! what follows the one unit for which there was room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use racun_kernel::id::AccountId;
use racun_store::StoreError;
use time::{Duration, OffsetDateTime};

use racun_background::budget::Budget;

/// Bytes that a request may store beside what its body or its unit tells, such as messages of an
/// authority.
pub(super) const OVERHEAD: i64 = 32 * 1024;
/// Bytes that a request stores after a unit, at most: the next one stores no more than that one,
/// and a document has 512 KiB, in its row and in the log.
const MOST_FOLLOWING: i64 = 1024 * 1024;
/// Bytes that a request may store beyond what it reserved: where less is left, requests look before
/// they begin, so that none is refused later for what is long deleted.
const MARGIN: i64 = 2 * 1024 * 1024;
/// How long what was left is believed.
const VALID_FOR: Duration = Duration::minutes(1);
/// Bytes that are believed to be left at most: other processes do not see each other's requests.
const MOST_BELIEVED: i64 = 32 * 1024 * 1024;
/// A look believes one of so many parts of the budget at most.
const PARTS: i64 = 4;
/// Accounts that are remembered at most.
const REMEMBERED: usize = 10_000;

/// What is known of all accounts. A clone shares everything with its original.
#[derive(Clone, Default)]
pub struct Reserves(Arc<Mutex<HashMap<AccountId, AccountReserve>>>);

/// What is known of an account.
#[derive(Debug, Default)]
struct AccountReserve {
    left: Option<Left>,
    /// What the requests under way may store.
    reserved: i64,
    /// What all requests so far were to store. It tells which ones came while another one looked.
    so_far: i64,
    /// Requests under way.
    under_way: usize,
}

/// What there was at the last look.
#[derive(Debug, Clone, Copy)]
struct Left {
    /// Bytes, without those that are reserved.
    bytes: i64,
    /// The same, at the look.
    at_first: i64,
    seen: Budget,
    until: OffsetDateTime,
}

/// What was reserved when a request looked at what is used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    reserved: i64,
    so_far: i64,
}

/// The bytes that one request may store, until it is dropped.
pub(super) struct Reserved {
    reserves: Reserves,
    account: AccountId,
    /// Whether the answer is kept, which is charged to nothing.
    keeps_answer: bool,
    own: Mutex<Own>,
}

#[derive(Debug, Default)]
struct Own {
    reserved: i64,
    /// What its units stored.
    used: i64,
}

/// A request that is to begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub account: AccountId,
    /// Bytes of its body.
    pub body: i64,
    /// What it reserves before its units tell what they store.
    pub cost: i64,
    /// Whether its answer is kept.
    pub keeps_answer: bool,
}

impl Reserves {
    /// Reserves what `wanted` costs, when its account is known to have so much left; otherwise what
    /// is reserved before the store is asked.
    pub(super) fn spend(&self, wanted: Wanted, now: OffsetDateTime) -> Result<Reserved, Seen> {
        let mut all = self.known();
        if all.len() >= REMEMBERED {
            all.retain(|_, known| known.under_way > 0);
        }
        let known = all.entry(wanted.account).or_default();
        match known.left {
            Some(left) if left.is_enough(wanted.body.max(wanted.cost), now) => {
                Ok(self.reserve(known, wanted))
            }
            _ => Err(Seen { reserved: known.reserved, so_far: known.so_far }),
        }
    }

    /// Reserves what `wanted` costs, when `found` leaves room for that and its body: who looked had
    /// `seen` what was reserved.
    ///
    /// # Errors
    /// [`StoreError::OverBudget`].
    pub(super) fn look(
        &self,
        wanted: Wanted,
        found: Budget,
        seen: Seen,
        now: OffsetDateTime,
    ) -> Result<Reserved, StoreError> {
        let mut all = self.known();
        let known = all.entry(wanted.account).or_default();
        // Those that were under way when it looked, and those that came since, may have written
        // what `found` lacks, also when they have ended.
        let others = known.so_far - seen.so_far + seen.reserved;
        let bytes = found.limit.saturating_sub(found.used).saturating_sub(others);
        known.left = Some(Left { bytes, at_first: bytes, seen: found, until: now + VALID_FOR });
        if bytes <= 0 || bytes < wanted.body.max(wanted.cost) {
            return Err(found.exceeded());
        }
        Ok(self.reserve(known, wanted))
    }

    fn reserve(&self, known: &mut AccountReserve, wanted: Wanted) -> Reserved {
        let Wanted { account, cost, keeps_answer, .. } = wanted;
        let mut own = Own::default();
        known.under_way += 1;
        known.take(&mut own, cost);
        Reserved { reserves: self.clone(), account, keeps_answer, own: Mutex::new(own) }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<AccountId, AccountReserve>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Left {
    /// Whether a request of `bytes` may begin without a look.
    fn is_enough(&self, bytes: i64, now: OffsetDateTime) -> bool {
        let believed = MOST_BELIEVED.min(self.seen.limit / PARTS);
        let taken = self.at_first.saturating_sub(self.bytes);
        now < self.until
            && self.bytes >= bytes.saturating_add(MARGIN)
            && taken.saturating_add(bytes) <= believed
    }
}

impl AccountReserve {
    /// Reserves `bytes` more for a request.
    fn take(&mut self, own: &mut Own, bytes: i64) {
        own.reserved = own.reserved.saturating_add(bytes);
        self.reserved = self.reserved.saturating_add(bytes);
        self.so_far = self.so_far.saturating_add(bytes);
        if let Some(left) = &mut self.left {
            left.bytes = left.bytes.saturating_sub(bytes);
        }
    }

    /// Charges `bytes` that a unit is about to store to a request.
    fn charge(&mut self, own: &mut Own, bytes: i64) -> Result<(), StoreError> {
        let held = own.reserved.saturating_sub(own.used);
        let left = self.left.map_or(0, |left| left.bytes.max(0));
        if bytes > 0 && bytes > held.saturating_add(left) {
            let seen = self.left.map(|left| left.seen).unwrap_or_default();
            return Err(seen.exceeded());
        }
        own.used = own.used.saturating_add(bytes);
        // So much is kept for what follows this, such as an authority's answer and what the log
        // says about that, and the answer that is kept.
        let following = bytes.clamp(0, MOST_FOLLOWING).saturating_add(OVERHEAD);
        let wanted = own.used.saturating_add(following);
        let more = wanted.saturating_sub(own.reserved);
        if bytes > 0 && left > 0 && more > 0 {
            self.take(own, more);
        }
        Ok(())
    }
}

impl Reserved {
    /// Charges `bytes` that a unit of the request is about to store.
    ///
    /// # Errors
    /// [`StoreError::OverBudget`] when neither so much is reserved nor left.
    pub(super) fn charge(&self, bytes: i64) -> Result<(), StoreError> {
        let (mut own, mut all) = (self.own(), self.reserves.known());
        // Accounts with requests under way are remembered.
        all.entry(self.account).or_default().charge(&mut own, bytes)
    }

    /// Takes back what was charged for a unit that was not committed.
    pub(super) fn give_back(&self, bytes: i64) {
        let mut own = self.own();
        own.used = own.used.saturating_sub(bytes);
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let (own, mut all) = (self.own(), self.reserves.known());
        let Some(known) = all.get_mut(&self.account) else { return };
        known.reserved = known.reserved.saturating_sub(own.reserved);
        known.under_way = known.under_way.saturating_sub(1);
        if let Some(left) = known.left.as_mut().filter(|_| !self.keeps_answer) {
            let unused = own.reserved.saturating_sub(own.used);
            left.bytes = left.bytes.saturating_add(unused);
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-23 08:00 UTC);
    const KIB: i64 = 1_024;

    fn of_body(body: i64) -> Wanted {
        let account = AccountId::new(1_u128.into());
        Wanted { account, body, cost: 0, keeps_answer: false }
    }

    /// Begins a request of `body` bytes in an account of a megabyte that stores `used`.
    fn begin(reserves: &Reserves, body: i64, used: i64) -> Result<Reserved, StoreError> {
        let wanted = of_body(body);
        let found = Budget { used, limit: KIB * KIB };
        match reserves.spend(wanted, NOW) {
            Ok(reserved) => Ok(reserved),
            Err(seen) => reserves.look(wanted, found, seen, NOW),
        }
    }

    #[test]
    fn requests_that_tell_little_are_charged_for_what_they_store() {
        let reserves = Reserves::default();
        let all: Vec<_> = (0..20).map(|_| begin(&reserves, 1, 0).unwrap()).collect();
        // Each stores 100 KiB; as much again is kept for what follows, beside 32 KiB.
        let stored = all.iter().filter(|request| request.charge(100 * KIB).is_ok()).count();
        assert_eq!(stored, 4);
        let following = all.iter().filter(|request| request.charge(100 * KIB).is_ok()).count();
        assert_eq!(following, 4, "what is reserved is granted");
        let refused = begin(&reserves, 1, 500 * KIB).err();
        assert_eq!(refused, Some(Budget { used: 500 * KIB, limit: KIB * KIB }.exceeded()));
        drop(all);
        let next = begin(&reserves, 1, 800 * KIB).unwrap();
        assert!(next.charge(225 * KIB).is_err());
        // What is removed makes room, and what was not committed is free.
        next.charge(-10 * KIB).unwrap();
        next.charge(230 * KIB).unwrap();
        next.give_back(230 * KIB);
        next.charge(230 * KIB).unwrap();
        drop(next);
        let after = begin(&reserves, 1, 1_020 * KIB).unwrap();
        assert!(after.charge(5 * KIB).is_err());
        after.charge(4 * KIB).unwrap();
    }

    #[test]
    fn requests_during_a_look_are_counted_even_when_they_ended() {
        let reserves = Reserves::default();
        let seen = reserves.spend(of_body(600 * KIB), NOW).err().unwrap();
        let other = begin(&reserves, 600 * KIB, 0).unwrap();
        other.charge(600 * KIB).unwrap();
        drop(other);
        let found = Budget { used: 0, limit: KIB * KIB };
        assert!(reserves.look(of_body(600 * KIB), found, seen, NOW).is_err());
        begin(&reserves, 400 * KIB, 600 * KIB).unwrap();
    }

    #[test]
    fn a_part_of_the_rest_is_trusted_for_a_while() {
        let left = |bytes| {
            let seen = Budget { used: 0, limit: 100 * MARGIN };
            Left { bytes, at_first: 100 * MARGIN, seen, until: NOW + VALID_FOR }
        };
        assert!(left(90 * MARGIN).is_enough(MARGIN, NOW));
        assert!(!left(90 * MARGIN).is_enough(MARGIN, NOW + VALID_FOR));
        let most = 100 * MARGIN - MOST_BELIEVED;
        assert!(left(most + 1).is_enough(1, NOW));
        assert!(!left(most).is_enough(1, NOW));
        let near = Left { at_first: MARGIN, ..left(MARGIN) };
        assert!(near.is_enough(0, NOW) && !near.is_enough(1, NOW));
    }
}
