//! What mails are made of, and how often they are sent.

mod addresses;
mod formats;
mod templates;
mod windows;
mod words;
