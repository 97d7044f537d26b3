//! Lists and tallies: what they mean, and what they read and refuse.

mod lists;
mod projection;
mod strangers;
mod tallies;
