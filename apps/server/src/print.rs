//! Printing what was asked for.

use std::fmt::Display;
use std::io::Write as _;

/// Prints a line on standard output.
pub fn line(text: impl Display) {
    // The reader may have read enough, as `head` does.
    let _ = writeln!(std::io::stdout(), "{text}");
}
