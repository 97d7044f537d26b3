//! Recovery codes: for a user whose app is lost.

use data_encoding::BASE32_NOPAD;
use racun_kernel::Stamp;

use crate::Digest;

/// How many a user has.
const CODES: usize = 10;
/// Characters of one: 100 bits, so that a fast digest is enough.
const CHARS: usize = 20;
/// Characters between two hyphens.
const GROUP: usize = 5;

/// New codes as they are shown, `abcde-fghij-klmno-pqrst`, each with what is kept of it.
pub(super) fn new_codes(stamp: &Stamp) -> Vec<(String, Digest)> {
    let one = || {
        let mut code = BASE32_NOPAD.encode(&stamp.secret()).to_lowercase();
        code.truncate(CHARS);
        let groups: Vec<String> =
            (0..CHARS / GROUP).map(|n| code[n * GROUP..(n + 1) * GROUP].to_owned()).collect();
        (groups.join("-"), Digest::of(&code))
    };
    (0..CODES).map(|_| one()).collect()
}

/// What would be kept of `text`, a code without hyphens; `None` where it is no code.
pub(super) fn read(text: &str) -> Option<Digest> {
    let text = text.to_ascii_lowercase();
    let is_plain = text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'2'..=b'7'));
    (text.len() == CHARS && is_plain).then(|| Digest::of(&text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use racun_store::testing::stamp;
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn codes_differ_and_are_read_as_they_are_shown() {
        let codes = new_codes(&stamp(OffsetDateTime::UNIX_EPOCH));
        let shown: BTreeSet<_> = codes.iter().map(|(shown, _)| shown).collect();
        assert_eq!(shown.len(), CODES);
        for (shown, kept) in &codes {
            assert_eq!(shown.len(), 23, "{shown}");
            assert_eq!(read(&shown.replace('-', "")).as_ref(), Some(kept));
            assert_eq!(read(&shown.replace('-', "").to_uppercase()).as_ref(), Some(kept));
        }
        for text in ["", "123456", "abcdefghijabcdefghi1", "abcdefghijabcdefghijk"] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
