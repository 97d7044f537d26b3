//! Texts of others, made fit for paper.

use racun_kernel::text::is_unseen;

/// `text` without what could change more than itself: control characters but line feeds, and
/// characters that are not seen, among them those that turn the direction of writing.
///
/// A tab becomes a blank. Carriage returns go, so that lines end by line feeds alone. The two
/// joiners stay: they shape letters of Persian and of scripts of India, and change nothing else.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\t' => cleaned.push(' '),
            '\n' => cleaned.push('\n'),
            '\u{2028}' | '\u{2029}' => cleaned.push('\n'),
            '\u{200c}' | '\u{200d}' => cleaned.push(sign),
            sign if is_unseen(sign) => {}
            sign if sign.is_control() => {}
            sign => cleaned.push(sign),
        }
    }
    cleaned
}

/// As [`clean`], on one line.
#[must_use]
pub fn line(text: &str) -> String {
    clean(text).replace('\n', " ").trim().to_owned()
}

/// As [`clean`], without blank lines at its ends; `None` when nothing is left.
#[must_use]
pub fn paragraphs(text: Option<&str>) -> Option<String> {
    let cleaned = clean(text?);
    let trimmed = cleaned.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// As [`line`]; `None` when nothing is left.
#[must_use]
pub fn some_line(text: Option<&str>) -> Option<String> {
    text.map(line).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_changes_more_than_itself() {
        assert_eq!(clean("a\u{1b}@\u{0}b\tc\r\nd\u{202e}e\u{2066}"), "a@b c\nde");
        assert_eq!(clean("a\u{ad}\u{200b}\u{feff}\u{200e}b\u{e0041}"), "ab");
        assert_eq!(clean("می\u{200c}خواهم"), "می\u{200c}خواهم");
        assert_eq!(line(" a\nb "), "a b");
        assert_eq!(paragraphs(Some(" \n ")), None);
        assert_eq!(paragraphs(Some("a\n\nb\n")).as_deref(), Some("a\n\nb"));
    }
}
