//! The mark that a taxpayer's key leaves on a document.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A taxpayer's mark: the ZOI of Slovenia, the ZKI of Croatia. 32 lower-case hexadecimal digits.
///
/// Two documents may have the same mark, for what is signed is not told apart by separators: it is
/// no key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark(String);

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
