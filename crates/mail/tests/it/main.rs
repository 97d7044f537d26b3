//! What mails are made of, and how often they are sent.

#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

mod addresses;
mod formats;
mod templates;
mod windows;
mod words;
