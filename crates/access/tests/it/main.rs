//! The use cases of `racun-access` on a store in memory.

#![expect(clippy::unwrap_used, reason = "the helpers of tests fail as tests do")]

mod clocked;
mod consent;
mod entering;
mod entities;
mod identities;
mod invitations;
mod keys;
mod logins;
mod operator_tokens;
mod operators;
mod people;
mod races;
mod second_factors;
mod secrets;
mod sessions;
mod switching;
mod test_clocks;
mod till;
mod world;
