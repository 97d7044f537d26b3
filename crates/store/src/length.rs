//! How long something is as JSON.

use std::io::{self, Write};

use serde::Serialize;

/// Bytes of `value` as JSON without spaces, which is nowhere put together.
#[must_use]
pub fn json_length<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut count = Count(0);
    // Nothing can fail: records are plain data with string keys.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_length_of_the_text() {
        for value in [serde_json::json!({ "a": ["ž\n", 1.5, null] }), serde_json::json!("")] {
            assert_eq!(json_length(&value), value.to_string().len());
        }
    }
}
