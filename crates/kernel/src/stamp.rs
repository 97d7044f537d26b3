//! Time, ids and randomness as arguments.

use std::ops::RangeInclusive;
use std::sync::Arc;

use time::OffsetDateTime;
use ulid::Ulid;

use crate::calendar::to_millisecond;
use crate::{Id, Kind};

/// The bits in which ULIDs differ that are made beside each other.
const OWN_BITS: u128 = (1 << 48) - 1;

/// Where random bytes come from: the operating system in the app, a counter in tests.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with random ones.
    fn fill(&self, bytes: &mut [u8]);
}

/// The instant of a request, and the source of ids and randomness for what it makes.
///
/// One request, job or test has one stamp: all that it writes bears the same time.
#[derive(Clone)]
pub struct Stamp {
    now: OffsetDateTime,
    entropy: Arc<dyn Entropy>,
}

impl Stamp {
    /// A stamp of `now`, kept to the millisecond.
    #[must_use]
    pub fn new(now: OffsetDateTime, entropy: Arc<dyn Entropy>) -> Self {
        Self { now: to_millisecond(now), entropy }
    }

    /// A stamp of another instant with the same randomness: for what a test clock moves.
    #[must_use]
    pub fn at(&self, now: OffsetDateTime) -> Self {
        Self::new(now, Arc::clone(&self.entropy))
    }

    /// The instant, in UTC, to the millisecond.
    #[must_use]
    pub const fn now(&self) -> OffsetDateTime {
        self.now
    }

    /// A fresh ULID: the stamp's time and 80 fresh random bits.
    #[must_use]
    pub fn ulid(&self) -> Ulid {
        let mut bytes = [0; 16];
        self.entropy.fill(&mut bytes[..10]);
        let millis = self.now.unix_timestamp_nanos() / 1_000_000;
        Ulid::from_parts(u64::try_from(millis).unwrap_or(0), u128::from_le_bytes(bytes))
    }

    /// A ULID that differs from `other` in its last 48 bits, which are fresh: the id of a part
    /// tells where the id of the whole is, see [`ulids_beside`].
    #[must_use]
    pub fn ulid_beside(&self, other: Ulid) -> Ulid {
        let fresh = self.ulid().random() & OWN_BITS;
        Ulid::from_parts(other.timestamp_ms(), other.random() & !OWN_BITS | fresh)
    }

    /// A fresh id.
    #[must_use]
    pub fn id<K: Kind>(&self) -> Id<K> {
        Id::new(self.ulid())
    }

    /// 256 fresh random bits, for keys and tokens.
    #[must_use]
    pub fn secret(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.entropy.fill(&mut bytes);
        bytes
    }
}

/// All ULIDs that [`Stamp::ulid_beside`] may have made of one of them.
#[must_use]
pub fn ulids_beside(ulid: Ulid) -> RangeInclusive<Ulid> {
    let (time, shared) = (ulid.timestamp_ms(), ulid.random() & !OWN_BITS);
    Ulid::from_parts(time, shared)..=Ulid::from_parts(time, shared | OWN_BITS)
}
