//! The use cases of `racun-access` on a store in memory.

#![expect(clippy::unwrap_used, reason = "the helpers of tests fail as tests do")]

mod entering;
mod entities;
mod invitations;
mod keys;
mod people;
mod secrets;
mod sessions;
mod test_clocks;
mod world;
