//! White labels: plans, features, limits, usage, subscriptions.
//!
//! **Invariants.** Pure: no I/O, no clock, no randomness.
