//! E-mail addresses and other short texts: what is accepted.

use racun_kernel::text::{check, turns_direction};
use racun_kernel::{Issue, Issues};
pub(crate) use racun_kernel::{check_address as check_email, fold_address as fold_email};

/// Characters that a person's, company's or key's name has at most.
pub(crate) const MAX_NAME_CHARS: usize = 255;

/// Whether `c` can change how the text around it reads: a control character, or one that turns the
/// direction of what follows.
fn hides(c: char) -> bool {
    c.is_control() || turns_direction(c)
}

/// Accepts a name: not blank, at most 255 characters, none of which hides or turns others.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_name(text: &str) -> Result<(), Issues> {
    if text.trim().is_empty() {
        return Err(Issue::new("too_short", "at least one character").into());
    }
    if text.contains(hides) {
        let message = "a name has neither control characters nor marks that turn its direction";
        return Err(Issue::new("invalid_value", message).into());
    }
    check(text, MAX_NAME_CHARS).map_err(Issues::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_accepted_by_their_form() {
        let long = format!("{}@{}.com", "a".repeat(64), "b".repeat(255 - 69));
        for text in ["ana@example.com", "a.b+c@x.co", "žiga@žar.si", "o'neil@a-b.ie", &long] {
            assert_eq!(check_email(text), Ok(()), "{text}");
        }
        let too_long = format!("{}@{}.com", "a".repeat(64), "b".repeat(256 - 69));
        let local_too_long = format!("{}@example.com", "a".repeat(65));
        for text in [
            "",
            "ana",
            "@example.com",
            "ana@",
            "ana@example",
            "ana@@example.com",
            "a b@example.com",
            "ana@exam ple.com",
            "ana@.com",
            "ana@example.",
            "ana@-a.com",
            "ana@a-.com",
            ".a@b.com",
            "a.@b.com",
            "a\u{0}@b.com",
            "<ana@example.com>",
            "a@b.com,c@d.com",
            &too_long,
            &local_too_long,
        ] {
            assert!(check_email(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_is_not_blank_and_has_a_limit() {
        assert!(check_name("Žar").is_ok() && check_name(&"ž".repeat(255)).is_ok());
        for text in ["", "  ", "a\0b", "a\nb", "a\u{202e}b", "\u{2066}a", &"ž".repeat(256)] {
            assert!(check_name(text).is_err(), "{text:?}");
        }
    }
}
