//! Pseudo-random choices that a seed repeats.

/// SplitMix64: small, and the same on every machine.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The choices of `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound` - 1.
    ///
    /// # Panics
    /// Never on a machine of 64 bits.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("no list here is that long").max(1);
        usize::try_from(self.next() % bound).expect("it is below a usize")
    }

    /// True in `percent` of all cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// What `make` answers in most cases, nothing in the others.
    pub fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.chance(20) { None } else { Some(make(self)) }
    }
}
