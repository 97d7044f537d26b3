//! Choices that a seed repeats.

use std::hash::{BuildHasher, RandomState};

/// Chooses; the same seed chooses the same.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The choices of `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A seed that is another in each process: print it, so that a failure can be repeated.
    #[must_use]
    pub fn any_seed() -> u64 {
        // The standard library seeds its hash maps from the operating system.
        RandomState::new().hash_one("seed") >> 32
    }

    /// A number below `end`, which is above zero.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// The next number of the generator SplitMix64 (Steele, Lea, Flood, 2014).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}
