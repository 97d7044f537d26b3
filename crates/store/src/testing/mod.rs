//! For tests only, and unstable: stamps that repeat, and the contract that every store must pass.

mod amendments;
pub mod contract;
mod counts;
mod declarations;
mod join;
mod lists;
mod log;
mod random;
mod random_samples;
mod sample;
mod series;
mod tallies;
mod units;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use time::OffsetDateTime;

pub use declarations::assert_stored_as_declared;
pub use random::Random;

use crate::Actor;
use racun_kernel::id::{AccountId, EntityId};
use racun_kernel::{Entropy, Environment, Principal, Role, Scope, Stamp};

/// Counts instead of being random: two runs of a test see the same ids.
#[derive(Debug, Default)]
struct Counting(AtomicU64);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        let count = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        bytes.fill(0);
        for (byte, value) in bytes.iter_mut().zip(count) {
            *byte = value;
        }
    }
}

/// A stamp of `now` whose ids and secrets count from zero.
#[must_use]
pub fn stamp(now: OffsetDateTime) -> Stamp {
    Stamp::new(now, Arc::new(Counting::default()))
}

/// What `principal` does at `stamp` in a sandbox `entity` as an admin.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "a test lets itself into its own tenant")]
pub fn actor(entity: EntityId, principal: Principal, stamp: Stamp) -> Actor {
    let account = AccountId::new(1_u128.into());
    let scope = Scope::grant(account, entity, Environment::Sandbox, principal, Role::Admin);
    Actor::new(scope, stamp)
}
