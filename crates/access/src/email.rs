//! E-mail addresses and other short texts: what is accepted.

use racun_kernel::text::{check, fold};
use racun_kernel::{Issue, Issues};

/// Characters that an e-mail address has at most.
const MAX_EMAIL_CHARS: usize = 255;
/// Characters before the at sign: RFC 5321, 4.5.3.1.1.
const MAX_LOCAL_CHARS: usize = 64;
/// Characters that a person's, company's or key's name has at most.
pub(crate) const MAX_NAME_CHARS: usize = 255;

/// Accepts `text` when it is formed like an e-mail address. Whether it exists is not known.
///
/// # Errors
/// What is wrong with it.
pub fn check_email(text: &str) -> Result<(), Issue> {
    if text.chars().count() > MAX_EMAIL_CHARS {
        return Err(Issue::new("too_long", format!("at most {MAX_EMAIL_CHARS} characters")));
    }
    let refused = || Issue::new("invalid_email", "expected an address such as ana@example.com");
    let (local, domain) = text.split_once('@').ok_or_else(refused)?;
    let plain = |c: char| {
        !c.is_control() && !c.is_whitespace() && !matches!(c, '@' | '<' | '>' | ',' | ';' | '"')
    };
    let local_is_sane = !local.is_empty()
        && local.chars().count() <= MAX_LOCAL_CHARS
        && local.chars().all(plain)
        && !local.starts_with('.')
        && !local.ends_with('.');
    let label_is_sane = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let domain_is_sane = domain.contains('.') && domain.split('.').all(label_is_sane);
    if local_is_sane && domain_is_sane { Ok(()) } else { Err(refused()) }
}

/// `email` as addresses are compared.
pub(crate) fn fold_email(email: &str) -> String {
    fold(email)
}

/// Accepts a name: not blank, at most 255 characters.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_name(text: &str) -> Result<(), Issues> {
    if text.trim().is_empty() {
        return Err(Issue::new("too_short", "at least one character").into());
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
        for text in ["", "  ", "a\0b", &"ž".repeat(256)] {
            assert!(check_name(text).is_err(), "{text:?}");
        }
    }
}
