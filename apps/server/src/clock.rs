//! The clock and the source of randomness: the only place of Racun that has them.

use std::sync::Arc;

use racun_kernel::{Entropy, Stamp};
use ring::rand::{SecureRandom, SystemRandom};
use time::OffsetDateTime;

/// The operating system's randomness.
struct SystemEntropy(SystemRandom);

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        self.0.fill(bytes).expect("without randomness no id and no key can be made");
    }
}

/// What time it is, in UTC.
#[expect(clippy::disallowed_methods, reason = "this is the clock")]
pub fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

/// Where ids and secrets come from.
pub fn entropy() -> Arc<dyn Entropy> {
    Arc::new(SystemEntropy(SystemRandom::new()))
}

/// A stamp of now, for what the process itself makes.
pub fn stamp() -> Stamp {
    Stamp::new(now(), entropy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_stamps_never_make_the_same_secret() {
        assert_ne!(stamp().secret(), stamp().secret());
        assert_ne!(stamp().secret(), [0; 32]);
    }
}
