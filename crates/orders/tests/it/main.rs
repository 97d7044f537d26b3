//! Orders, integrations, rules, and the webhooks of platforms.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

mod integrations;
mod life;
mod platforms;
mod records;
mod rules;
mod strangers;
mod world;
