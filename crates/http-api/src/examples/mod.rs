//! What each operation may be sent, by its id, as JSON: the description shows it, and a body that is
//! read again takes usual values from it. A test sends all of them.

/// The text of the examples.
pub(crate) const REQUESTS: &str = include_str!("requests.json");
