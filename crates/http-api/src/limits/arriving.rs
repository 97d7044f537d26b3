//! How many bytes of JSON bodies are in memory while they arrive.
//!
//! A body is in memory until it is parsed, and its sender decides how long it takes to arrive. All
//! bodies share one room, of which an account, a token and an address each have a part, and of
//! which a part is kept for small bodies. When the room is full, a body that still arrives from the
//! address with the most of it makes room for one from an address with less: who sends slowly from
//! some addresses does not keep out the others.
//!
//! Small bodies have parts of their own, a quarter as large, beside those of long ones: long bodies
//! of an account or an address, however slow, keep out no small ones. When such a part is full, its
//! oldest body that still arrives makes room, for a small body comes in one piece unless its sender
//! is slow. A body that grows long counts among the long ones from then on.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::error::{ApiError, Kind};

const MIB: usize = 1024 * 1024;

/// Bytes that a small body has at most.
pub(crate) const SMALL_BODY: usize = 16 * 1024;
/// The part of small bodies is so many times smaller than that of long ones.
const SMALL_PART: usize = 4;
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
    /// Bytes of the long bodies of one account.
    part: usize,
    taken: LazyLock<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    long: Parts,
    small: Parts,
    next: u64,
    /// Those that have bytes, in the order in which they began.
    bodies: BTreeMap<u64, Holding>,
}

/// The bytes of all bodies of one size, long or small.
#[derive(Debug, Default)]
struct Parts {
    by_sender: HashMap<String, usize>,
    by_address: HashMap<String, usize>,
}

/// Whose bodies share a part.
#[derive(Debug, Clone, Copy)]
enum Whose {
    Sender,
    Address,
}

/// What one body has of a room.
#[derive(Debug)]
struct Holding {
    sender: String,
    address: String,
    bytes: usize,
    /// Whether it is still arriving, and can make room for another one.
    is_arriving: bool,
    /// Tells that it made room.
    dismissed: Arc<Notify>,
}

/// The place of one body in a room, until it is dropped.
#[derive(Debug)]
pub(crate) struct Arriving {
    room: &'static BodyRoom,
    number: u64,
    dismissed: Arc<Notify>,
}

impl BodyRoom {
    /// A room of `total` bytes, of which `reserved` are for bodies of at most 16 KiB, and `part`
    /// for the long bodies of one account. A single body of an account may be longer than its part.
    #[must_use]
    pub const fn new(total: usize, reserved: usize, part: usize) -> Self {
        Self { total, reserved, part, taken: LazyLock::new(Mutex::default) }
    }

    /// No bytes yet, of a body that `sender` sends (a key of an account, a token or an address)
    /// from `address`.
    pub(crate) fn enter(&'static self, sender: String, address: String) -> Arriving {
        let (mut taken, dismissed) = (self.taken(), Arc::<Notify>::default());
        let number = taken.next;
        taken.next += 1;
        let told = Arc::clone(&dismissed);
        let holding = Holding { sender, address, bytes: 0, is_arriving: true, dismissed: told };
        taken.bodies.insert(number, holding);
        Arriving { room: self, number, dismissed }
    }

    /// Bytes that are taken now.
    #[must_use]
    pub fn taken_bytes(&self) -> usize {
        self.taken().all
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the body `number` have `after` bytes, when there are so many.
    fn grow(&self, number: u64, after: usize) -> bool {
        let mut taken = self.taken();
        let Some(body) = taken.bodies.get(&number) else { return false };
        let (address, before) = (body.address.clone(), body.bytes);
        let (free, part) = match is_small(after) {
            true => (self.total, self.part / SMALL_PART),
            false => (self.total.saturating_sub(self.reserved), self.part),
        };
        if after > free {
            return false;
        }
        for (whose, part) in
            [(Whose::Sender, part), (Whose::Address, part.saturating_mul(ACCOUNTS))]
        {
            while !taken.fits(number, after, whose, part) {
                let slow = is_small(after).then(|| taken.oldest_small(number, whose)).flatten();
                let Some(slow) = slow else { return false };
                taken.dismiss(slow);
            }
        }
        let own = taken.of_address(&address).saturating_sub(before).saturating_add(after);
        while taken.all - before > free - after {
            let Some(other) = taken.most_crowded(&address, own) else { return false };
            taken.dismiss(other);
        }
        taken.set(number, after);
        true
    }
}

/// Whether a body of `bytes` is a small one.
const fn is_small(bytes: usize) -> bool {
    bytes <= SMALL_BODY
}

impl Parts {
    const fn of(&self, whose: Whose) -> &HashMap<String, usize> {
        match whose {
            Whose::Sender => &self.by_sender,
            Whose::Address => &self.by_address,
        }
    }

    /// Counts `after` bytes of `body` and no longer `before`.
    fn count(&mut self, body: &Holding, before: usize, after: usize) {
        for (of, whose) in
            [(&mut self.by_sender, &body.sender), (&mut self.by_address, &body.address)]
        {
            match of.get(whose).copied().unwrap_or_default() - before + after {
                0 => of.remove(whose),
                left => of.insert(whose.clone(), left),
            };
        }
    }
}

impl Holding {
    fn whose(&self, whose: Whose) -> &str {
        match whose {
            Whose::Sender => &self.sender,
            Whose::Address => &self.address,
        }
    }
}

impl Taken {
    /// The bytes of bodies of the size of one of `bytes`.
    const fn parts(&self, bytes: usize) -> &Parts {
        if is_small(bytes) { &self.small } else { &self.long }
    }

    /// The bytes of all bodies from `address`.
    fn of_address(&self, address: &str) -> usize {
        let of = |parts: &Parts| parts.by_address.get(address).copied().unwrap_or_default();
        of(&self.long).saturating_add(of(&self.small))
    }

    /// Whether the body `number` may have `after` bytes beside those of its size in the `part` of
    /// its sender or address; one body always may.
    fn fits(&self, number: u64, after: usize, whose: Whose, part: usize) -> bool {
        let Some(body) = self.bodies.get(&number) else { return false };
        let all = self.parts(after).of(whose).get(body.whose(whose)).copied().unwrap_or_default();
        let own = if is_small(body.bytes) == is_small(after) { body.bytes } else { 0 };
        let others = all - own;
        others == 0 || others.saturating_add(after) <= part
    }

    /// The oldest small body that still arrives, of the sender or address of the body `number` and
    /// not that one.
    fn oldest_small(&self, number: u64, whose: Whose) -> Option<u64> {
        let own = self.bodies.get(&number)?.whose(whose);
        let slow = self.bodies.iter().find(|(other, body)| {
            let has_bytes = body.bytes > 0 && is_small(body.bytes);
            **other != number && body.is_arriving && has_bytes && body.whose(whose) == own
        });
        slow.map(|(other, _)| *other)
    }

    /// The oldest body that still arrives from the address that has the most bytes, at least as
    /// many as `own`, which `address` will have.
    fn most_crowded(&self, address: &str, own: usize) -> Option<u64> {
        let arriving = self
            .bodies
            .iter()
            .filter(|(_, body)| body.is_arriving && body.bytes > 0 && body.address != address);
        let crowds = arriving.map(|(number, body)| (self.of_address(&body.address), *number));
        let crowds = crowds.filter(|(all, _)| *all >= own);
        let most = crowds.max_by_key(|(all, number)| (*all, std::cmp::Reverse(*number)));
        most.map(|(_, number)| number)
    }

    /// Takes its bytes from the body `number`, and tells it.
    fn dismiss(&mut self, number: u64) {
        self.set(number, 0);
        if let Some(body) = self.bodies.remove(&number) {
            body.dismissed.notify_one();
        }
    }

    /// Lets the body `number` have `after` bytes, among those of its size.
    fn set(&mut self, number: u64, after: usize) {
        let Some(body) = self.bodies.get_mut(&number) else { return };
        let before = std::mem::replace(&mut body.bytes, after);
        self.all = self.all - before + after;
        for (parts, is_small_part) in [(&mut self.small, true), (&mut self.long, false)] {
            let counted = |bytes| if is_small(bytes) == is_small_part { bytes } else { 0 };
            parts.count(body, counted(before), counted(after));
        }
    }
}

impl Arriving {
    /// Takes as many bytes as make `bytes` in all.
    ///
    /// # Errors
    /// 429 when there are not so many, or when those that it had went to another body.
    pub(crate) fn grow(&self, bytes: usize) -> Result<(), ApiError> {
        if self.room.grow(self.number, bytes) { Ok(()) } else { Err(no_room()) }
    }

    /// Ends when its bytes went to another body: with the error of that.
    pub(crate) fn dismissed(&self) -> impl Future<Output = ApiError> + use<> {
        let dismissed = Arc::clone(&self.dismissed);
        async move {
            dismissed.notified().await;
            no_room()
        }
    }

    /// Keeps its bytes from now on: the body has arrived.
    ///
    /// # Errors
    /// 429 when they went to another body.
    pub(crate) fn has_arrived(&self) -> Result<(), ApiError> {
        let mut taken = self.room.taken();
        let body = taken.bodies.get_mut(&self.number).ok_or_else(no_room)?;
        body.is_arriving = false;
        Ok(())
    }
}

fn no_room() -> ApiError {
    let message = "too many long bodies are arriving; wait for the answers to those that you sent, \
                   then send this one again";
    ApiError::new(Kind::TooManyRequests, message).retry_after(1)
}

impl Drop for Arriving {
    fn drop(&mut self) {
        let mut taken = self.room.taken();
        taken.set(self.number, 0);
        taken.bodies.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn room(total: usize, reserved: usize, part: usize) -> &'static BodyRoom {
        Box::leak(Box::new(BodyRoom::new(total, reserved, part)))
    }

    fn of(room: &'static BodyRoom, account: &str) -> Arriving {
        room.enter(account.to_owned(), "an address".to_owned())
    }

    fn from(room: &'static BodyRoom, address: &str) -> Arriving {
        room.enter(format!("somebody at {address}"), address.to_owned())
    }

    #[test]
    fn an_account_has_a_part_and_one_body_always_fits_in_it() {
        let room = room(100 * MIB, 0, MIB);
        let first = of(room, "ana");
        first.grow(2 * MIB).unwrap();
        let second = of(room, "ana");
        let refused = second.grow(SMALL_BODY + 1).unwrap_err();
        assert_eq!(refused.code(), "rate_limit_exceeded");
        of(room, "bor").grow(MIB).unwrap();
        first.grow(MIB / 2).unwrap();
        second.grow(MIB / 2).unwrap();
        assert!(second.grow(MIB / 2 + 1).is_err());
        // An address has four parts.
        let others = ["c", "d", "e"].map(|account| of(room, account));
        assert!(others.iter().all(|body| body.grow(MIB).is_ok()));
        assert!(of(room, "f").grow(SMALL_BODY + 1).is_err());
        room.enter("f".to_owned(), "elsewhere".to_owned()).grow(MIB).unwrap();
        drop((first, second, others));
        assert_empty(room);
    }

    fn assert_empty(room: &BodyRoom) {
        let taken = room.taken();
        let is_empty = [&taken.long, &taken.small]
            .iter()
            .all(|parts| parts.by_sender.is_empty() && parts.by_address.is_empty());
        assert!(taken.all == 0 && is_empty && taken.bodies.is_empty(), "{taken:?}");
    }

    #[test]
    fn a_part_is_kept_for_small_bodies() {
        let room = room(2 * MIB, MIB, 10 * MIB);
        let long = of(room, "ana");
        long.grow(MIB).unwrap();
        assert!(long.grow(MIB + 1).is_err());
        assert!(of(room, "bor").grow(SMALL_BODY + 1).is_err());
        let small: Vec<_> = (0..MIB / SMALL_BODY).map(|_| of(room, "bor")).collect();
        assert!(small.iter().all(|body| body.grow(SMALL_BODY).is_ok()));
        assert!(of(room, "bor").grow(1).is_err());
        drop(long);
        of(room, "bor").grow(SMALL_BODY).unwrap();
    }

    #[test]
    fn long_bodies_of_an_account_and_an_address_keep_out_no_small_ones() {
        let room = room(100 * MIB, 0, MIB);
        let of_address: Vec<_> = ["a", "b", "c", "d"].map(|account| of(room, account)).into();
        assert!(of_address.iter().all(|body| body.grow(MIB).is_ok()));
        for account in ["a", "e"] {
            assert!(of(room, account).grow(SMALL_BODY + 1).is_err());
            of(room, account).grow(SMALL_BODY).unwrap();
        }
        // One that grows long counts among the long ones.
        let growing = of(room, "a");
        growing.grow(SMALL_BODY).unwrap();
        assert!(growing.grow(SMALL_BODY + 1).is_err());
        drop(of_address);
        growing.grow(SMALL_BODY + 1).unwrap();
        assert!(room.taken().small.by_sender.is_empty());
        assert!(of(room, "a").grow(MIB).is_err());
        drop(growing);
        assert_empty(room);
    }

    #[test]
    fn slow_small_bodies_make_room_for_small_ones_of_their_account_or_address() {
        let room = room(100 * MIB, 0, 16 * SMALL_BODY);
        let held: Vec<_> = (0..4).map(|_| of(room, "a")).collect();
        assert!(held.iter().all(|body| body.grow(SMALL_BODY).is_ok()));
        held[0].has_arrived().unwrap();
        of(room, "a").grow(10).unwrap();
        assert!(held[1].dismissed().now_or_never().is_some(), "the oldest that still arrives");
        assert!(held[1].grow(SMALL_BODY).is_err());
        assert!([0, 2, 3].iter().all(|n| held[*n].dismissed().now_or_never().is_none()));
        held[2].has_arrived().unwrap();
        held[3].has_arrived().unwrap();
        let last = of(room, "a");
        last.grow(SMALL_BODY).unwrap();
        last.has_arrived().unwrap();
        assert!(of(room, "a").grow(1).is_err(), "all of them have arrived");
        // Of an address, too.
        let others: Vec<_> =
            (0..12).map(|n: usize| of(room, &format!("other {}", n / 4))).collect();
        assert!(others.iter().all(|body| body.grow(SMALL_BODY).is_ok()));
        of(room, "z").grow(SMALL_BODY).unwrap();
        assert!(others[0].dismissed().now_or_never().is_some());
        drop((held, last, others));
        assert_empty(room);
    }

    #[test]
    fn whoever_has_the_most_makes_room_for_whoever_has_less() {
        let room = room(8 * MIB, 0, 4 * MIB);
        let held: Vec<_> =
            ["b", "a", "a", "a", "b", "a", "c", "a"].map(|address| from(room, address)).into();
        assert!(held.iter().all(|body| body.grow(MIB).is_ok() || body.number == 7));
        let seventh = from(room, "d");
        seventh.grow(MIB).unwrap();
        assert!(held.iter().all(|body| body.dismissed().now_or_never().is_none()), "one was free");

        held[1].has_arrived().unwrap();
        let guest = from(room, "e");
        guest.grow(MIB).unwrap();
        // The oldest one of the crowd that had not arrived went.
        assert!(held[2].dismissed().now_or_never().is_some());
        assert!(held[2].grow(1).is_err() && held[2].has_arrived().is_err());
        assert_eq!(room.taken_bytes(), 8 * MIB);
        // Nobody makes room for an address that would have more.
        assert!(guest.grow(4 * MIB).is_err());
        assert_eq!(room.taken_bytes(), 8 * MIB);
        drop((held, seventh, guest));
        assert_empty(room);
    }
}
