//! A room that requests share, of which an account, a token and an address each have a part.
//!
//! What a request takes of it (bytes of a body, a place of a form, bytes of an answer) it has until
//! it ends, and its client decides how long that takes. When the room is full, one that is still
//! under way from the address with the most of it makes room for one from an address with less: who
//! is slow from some addresses does not keep out the others.
//!
//! What is small may have parts of its own, a quarter as large, beside those of what is long: long
//! bodies of an account or an address, however slow, keep out no small ones. When such a part is
//! full, its oldest body that is still under way makes room, for a small body comes in one piece
//! unless its sender is slow. A body that grows long counts among the long ones from then on.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// The part of what is small is so many times smaller than that of what is long.
const SMALL_PART: usize = 4;

/// How much of a room there is, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct Shares {
    /// In all.
    pub total: usize,
    /// What of it only small ones get.
    pub reserved: usize,
    /// The part of the long ones of one account, or of a token or an address without one. A single
    /// one may have more.
    pub of_sender: usize,
    /// The part of the long ones of one address: an office or a proxy has many accounts.
    pub of_address: usize,
    /// What a small one has at most; with 0 there are none.
    pub small: usize,
}

/// A room that requests share.
#[derive(Debug)]
pub struct Room {
    shares: Shares,
    taken: LazyLock<Mutex<Taken>>,
    /// Tells those who wait that something was given back.
    freed: Notify,
}

/// Why a request gets nothing more of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// Its account or its address has its part.
    Part,
    /// All is taken, or what it had went to another one.
    Room,
}

/// What is taken of a room.
#[derive(Debug, Default)]
struct Taken {
    all: usize,
    long: Parts,
    small: Parts,
    next: u64,
    /// Those that have something, in the order in which they began.
    holders: BTreeMap<u64, Holding>,
}

/// A room under its lock.
struct Locked<'a> {
    shares: &'a Shares,
    taken: MutexGuard<'a, Taken>,
}

/// What all of one size have, long or small.
#[derive(Debug, Default)]
struct Parts {
    by_sender: HashMap<String, usize>,
    by_address: HashMap<String, usize>,
}

/// Whose requests share a part.
#[derive(Debug, Clone, Copy)]
enum Whose {
    Sender,
    Address,
}

/// Who takes of a room: the sender (a key of an account, a token or an address) and the address.
#[derive(Debug, Clone)]
pub(crate) struct Guest {
    pub sender: String,
    pub address: String,
}

/// What one request has of a room.
#[derive(Debug)]
struct Holding {
    guest: Guest,
    size: usize,
    /// Whether it can make room for another one.
    can_go: bool,
    /// Tells that it made room.
    dismissed: Arc<Notify>,
}

/// What one request has of a room, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    room: &'static Room,
    number: u64,
    dismissed: Arc<Notify>,
}

impl Room {
    /// A room of these shares.
    #[must_use]
    pub const fn new(shares: Shares) -> Self {
        Self { shares, taken: LazyLock::new(Mutex::default), freed: Notify::const_new() }
    }

    /// Nothing yet, of `guest`.
    pub(crate) fn enter(&'static self, guest: Guest) -> Share {
        let (mut taken, dismissed) = (self.lock().taken, Arc::<Notify>::default());
        let number = taken.next;
        taken.next += 1;
        let told = Arc::clone(&dismissed);
        let holding = Holding { guest, size: 0, can_go: true, dismissed: told };
        taken.holders.insert(number, holding);
        Share { room: self, number, dismissed }
    }

    /// What is taken now.
    #[must_use]
    pub fn taken_size(&self) -> usize {
        self.lock().taken.all
    }

    fn lock(&self) -> Locked<'_> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { shares: &self.shares, taken }
    }

    /// Lets the holder `number` have `after`, when there is so much.
    fn grow(&self, number: u64, after: usize) -> Result<(), Full> {
        let mut room = self.lock();
        let holder = room.taken.holders.get(&number).ok_or(Full::Room)?;
        let (address, before) = (holder.guest.address.clone(), holder.size);
        if after <= before {
            room.set(number, after);
            drop(room);
            self.freed.notify_waiters();
            return Ok(());
        }
        let Shares { total, reserved, of_sender, of_address, .. } = self.shares;
        let is_small = self.shares.is_small(after);
        let (free, divisor) = match is_small {
            true => (total, SMALL_PART),
            false => (total.saturating_sub(reserved), 1),
        };
        if after > free {
            return Err(Full::Room);
        }
        for (whose, part) in [(Whose::Sender, of_sender), (Whose::Address, of_address)] {
            while !room.fits(number, after, whose, part / divisor) {
                let slow = is_small.then(|| room.oldest_small(number, whose)).flatten();
                room.dismiss(slow.ok_or(Full::Part)?);
            }
        }
        let own = room.taken.of_address(&address).saturating_sub(before).saturating_add(after);
        while room.taken.all - before > free - after {
            let other = room.taken.most_crowded(&address, own).ok_or(Full::Room)?;
            room.dismiss(other);
        }
        room.set(number, after);
        Ok(())
    }
}

impl Shares {
    /// Whether what has `size` is a small one.
    const fn is_small(&self, size: usize) -> bool {
        size <= self.small
    }
}

impl Parts {
    const fn of(&self, whose: Whose) -> &HashMap<String, usize> {
        match whose {
            Whose::Sender => &self.by_sender,
            Whose::Address => &self.by_address,
        }
    }

    /// Counts `after` of `guest` and no longer `before`.
    fn count(&mut self, guest: &Guest, before: usize, after: usize) {
        for (of, whose) in
            [(&mut self.by_sender, &guest.sender), (&mut self.by_address, &guest.address)]
        {
            match of.get(whose).copied().unwrap_or_default() - before + after {
                0 => of.remove(whose),
                left => of.insert(whose.clone(), left),
            };
        }
    }
}

impl Guest {
    fn whose(&self, whose: Whose) -> &str {
        match whose {
            Whose::Sender => &self.sender,
            Whose::Address => &self.address,
        }
    }
}

impl Taken {
    /// What all from `address` have.
    fn of_address(&self, address: &str) -> usize {
        let of = |parts: &Parts| parts.by_address.get(address).copied().unwrap_or_default();
        of(&self.long).saturating_add(of(&self.small))
    }

    /// The oldest that can go, from the address that has the most, at least as much as `own`, which
    /// `address` will have.
    fn most_crowded(&self, address: &str, own: usize) -> Option<u64> {
        let can_go = self.holders.iter().filter(|(_, holder)| {
            holder.can_go && holder.size > 0 && holder.guest.address != address
        });
        let crowds = can_go.map(|(number, one)| (self.of_address(&one.guest.address), *number));
        let crowds = crowds.filter(|(all, _)| *all >= own);
        let most = crowds.max_by_key(|(all, number)| (*all, std::cmp::Reverse(*number)));
        most.map(|(_, number)| number)
    }
}

impl Locked<'_> {
    /// Whether the holder `number` may have `after` beside those of its size in the `part` of its
    /// sender or address; a single one always may.
    fn fits(&self, number: u64, after: usize, whose: Whose, part: usize) -> bool {
        let Some(holder) = self.taken.holders.get(&number) else { return false };
        let is_small = self.shares.is_small(after);
        let parts = if is_small { &self.taken.small } else { &self.taken.long };
        let all = parts.of(whose).get(holder.guest.whose(whose)).copied().unwrap_or_default();
        let own = if self.shares.is_small(holder.size) == is_small { holder.size } else { 0 };
        let others = all - own;
        others == 0 || others.saturating_add(after) <= part
    }

    /// The oldest small one that can go, of the sender or address of the holder `number` and not
    /// that one.
    fn oldest_small(&self, number: u64, whose: Whose) -> Option<u64> {
        let holders = &self.taken.holders;
        let own = holders.get(&number)?.guest.whose(whose);
        let slow = holders.iter().find(|(other, holder)| {
            let is_small = holder.size > 0 && self.shares.is_small(holder.size);
            **other != number && holder.can_go && is_small && holder.guest.whose(whose) == own
        });
        slow.map(|(other, _)| *other)
    }

    /// Takes what the holder `number` has, and tells it.
    fn dismiss(&mut self, number: u64) {
        self.set(number, 0);
        if let Some(holder) = self.taken.holders.remove(&number) {
            holder.dismissed.notify_one();
        }
    }

    /// Lets the holder `number` have `after`, among those of its size.
    fn set(&mut self, number: u64, after: usize) {
        let Taken { all, long, small, holders, .. } = &mut *self.taken;
        let Some(holder) = holders.get_mut(&number) else { return };
        let before = std::mem::replace(&mut holder.size, after);
        *all = *all - before + after;
        for (parts, is_small_part) in [(small, true), (long, false)] {
            let is_of_it = |size| self.shares.is_small(size) == is_small_part;
            let counted = |size| if is_of_it(size) { size } else { 0 };
            parts.count(&holder.guest, counted(before), counted(after));
        }
    }
}

impl Share {
    /// Takes as much as makes `size` in all.
    ///
    /// # Errors
    /// When there is not so much, or when what it had went to another one.
    pub(crate) fn grow(&self, size: usize) -> Result<(), Full> {
        self.room.grow(self.number, size)
    }

    /// The same, when there is so much within `patience`.
    ///
    /// # Errors
    /// Those of [`Share::grow`].
    pub(crate) async fn wait_for(&self, size: usize, patience: Duration) -> Result<(), Full> {
        let mut refused = Full::Room;
        let granted = async {
            loop {
                // Made before the look, it misses nothing that is given back after it.
                let freed = self.room.freed.notified();
                match self.grow(size) {
                    Ok(()) => break,
                    Err(full) => refused = full,
                }
                freed.await;
            }
        };
        let is_granted = tokio::time::timeout(patience, granted).await.is_ok();
        if is_granted { Ok(()) } else { Err(refused) }
    }

    /// Ends when what it had went to another one.
    pub(crate) fn dismissed(&self) -> impl Future<Output = ()> + use<> {
        let dismissed = Arc::clone(&self.dismissed);
        async move { dismissed.notified().await }
    }

    /// Keeps what it has from now on: its client is not waited for any more.
    ///
    /// # Errors
    /// When that went to another one.
    pub(crate) fn stay(&self) -> Result<(), Full> {
        let mut taken = self.room.lock().taken;
        let holder = taken.holders.get_mut(&self.number).ok_or(Full::Room)?;
        holder.can_go = false;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut room = self.room.lock();
        room.set(self.number, 0);
        room.taken.holders.remove(&self.number);
        drop(room);
        self.room.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
