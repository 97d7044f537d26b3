//! How many bytes of JSON bodies are in memory while they arrive.
//!
//! A body is in memory until it is parsed, and its sender decides how long it takes to arrive. All
//! bodies share one room, of which an account, a token and an address each have a part, and of
//! which a part is kept for small bodies.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::error::{ApiError, Kind};

const MIB: usize = 1024 * 1024;

/// Bytes that a small body has at most.
const SMALL: usize = 16 * 1024;
/// How many times more an address may send at once than one account: an office or a proxy has many.
const ACCOUNTS: usize = 4;

/// The room of the process.
pub(crate) static BODIES: BodyRoom = BodyRoom::new(48 * MIB, 8 * MIB, 4 * MIB);

/// A room that JSON bodies share while they arrive.
#[derive(Debug)]
pub struct BodyRoom {
    /// Bytes of all bodies.
    total: usize,
    /// Bytes of them that only small bodies get.
    reserved: usize,
    /// Bytes of one account.
    part: usize,
    taken: LazyLock<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<String, usize>,
}

/// The bytes that one body has of a room, until it is dropped.
#[derive(Debug)]
pub(crate) struct Arriving {
    room: &'static BodyRoom,
    /// Whose bytes they are, each with as many as it may have.
    whose: Vec<(String, usize)>,
    bytes: usize,
}

impl BodyRoom {
    /// A room of `total` bytes, of which `reserved` are for bodies of at most 16 KiB, and `part`
    /// for the bodies of one account. A single body of an account may be longer than its part.
    #[must_use]
    pub const fn new(total: usize, reserved: usize, part: usize) -> Self {
        Self { total, reserved, part, taken: LazyLock::new(Mutex::default) }
    }

    /// No bytes yet, of a body that `sender` sends (a key of an account, a token or an address)
    /// from `address`.
    pub(crate) fn enter(&'static self, sender: String, address: String) -> Arriving {
        let most_of_address = self.part.saturating_mul(ACCOUNTS);
        let whose = match sender == address {
            true => vec![(sender, self.part)],
            false => vec![(sender, self.part), (address, most_of_address)],
        };
        Arriving { room: self, whose, bytes: 0 }
    }

    /// Bytes that are taken now.
    #[must_use]
    pub fn taken_bytes(&self) -> usize {
        self.taken().all
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Whether a body that has `before` bytes may have `after`.
    fn allows(&self, body: &Arriving, after: usize) -> bool {
        let room = body.room;
        let others = self.all - body.bytes;
        let free = match after <= SMALL {
            true => room.total,
            false => room.total.saturating_sub(room.reserved),
        };
        others.saturating_add(after) <= free
            && body.whose.iter().all(|(whose, most)| {
                let others = self.by.get(whose).copied().unwrap_or_default() - body.bytes;
                others == 0 || others.saturating_add(after) <= *most
            })
    }

    fn set(&mut self, body: &mut Arriving, after: usize) {
        self.all = self.all - body.bytes + after;
        for (whose, _) in &body.whose {
            let left = self.by.get(whose).copied().unwrap_or_default() - body.bytes + after;
            match left {
                0 => self.by.remove(whose),
                left => self.by.insert(whose.clone(), left),
            };
        }
        body.bytes = after;
    }
}

impl Arriving {
    /// Takes as many bytes as make `bytes` in all.
    ///
    /// # Errors
    /// 429 when there are not so many.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let mut taken = self.room.taken();
        if !taken.allows(self, bytes) {
            let message = "too many long bodies are arriving; wait for the answers to those that \
                           you sent, then send this one again";
            return Err(ApiError::new(Kind::TooManyRequests, message).retry_after(1));
        }
        taken.set(self, bytes);
        Ok(())
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        self.room.taken().set(self, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(total: usize, reserved: usize, part: usize) -> &'static BodyRoom {
        Box::leak(Box::new(BodyRoom::new(total, reserved, part)))
    }

    fn of(room: &'static BodyRoom, account: &str) -> Arriving {
        room.enter(account.to_owned(), "an address".to_owned())
    }

    #[test]
    fn an_account_has_a_part_and_one_body_always_fits_in_it() {
        let room = room(100 * MIB, 0, MIB);
        let mut first = of(room, "ana");
        first.grow(2 * MIB).unwrap();
        let mut second = of(room, "ana");
        let refused = second.grow(1).unwrap_err();
        assert_eq!(refused.code(), "rate_limit_exceeded");
        of(room, "bor").grow(MIB).unwrap();
        first.grow(MIB / 2).unwrap();
        second.grow(MIB / 2).unwrap();
        assert!(second.grow(MIB / 2 + 1).is_err());
        // An address has four parts.
        let mut others: Vec<_> = ["c", "d", "e"].map(|account| of(room, account)).into();
        assert!(others.iter_mut().all(|body| body.grow(MIB).is_ok()));
        assert!(of(room, "f").grow(1).is_err());
        room.enter("f".to_owned(), "elsewhere".to_owned()).grow(MIB).unwrap();
        drop((first, second, others));
        let taken = room.taken();
        assert!(taken.all == 0 && taken.by.is_empty(), "{taken:?}");
    }

    #[test]
    fn a_part_is_kept_for_small_bodies() {
        let room = room(2 * MIB, MIB, 10 * MIB);
        let mut long = of(room, "ana");
        long.grow(MIB).unwrap();
        assert!(long.grow(MIB + 1).is_err());
        assert!(of(room, "bor").grow(SMALL + 1).is_err());
        let mut small: Vec<_> = (0..MIB / SMALL).map(|_| of(room, "bor")).collect();
        assert!(small.iter_mut().all(|body| body.grow(SMALL).is_ok()));
        assert!(of(room, "bor").grow(1).is_err());
        drop(long);
        of(room, "bor").grow(SMALL).unwrap();
    }
}
