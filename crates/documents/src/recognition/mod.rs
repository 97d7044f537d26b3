//! When the revenue of a line is earned, and the cost of an item incurred: an entry for each one
//! whose amount is spread over the days of a service.
//!
//! | Module   | Owns                                                        |
//! | -------- | ----------------------------------------------------------- |
//! | `entry`  | the record                                                  |
//! | `making` | which lines have an entry, and over which days              |
//!
//! **Invariants.** A line has one entry at most, and it is written in the commit that issues,
//! changes or voids its document. What a line is worth stays with the document: entries say when.

mod entry;
mod making;

pub use entry::{RECOGNITION_ENTRIES, RecognitionEntry, RecognitionSide};
pub use making::{RecognitionDefault, changes, ended, redated};
