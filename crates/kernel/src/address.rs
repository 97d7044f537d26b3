//! E-mail addresses: which ones are accepted, and which ones are the same.
//!
//! Two people must not have addresses that readers take for the same one. Beyond ASCII each word of
//! an address is therefore of one script (Unicode Technical Standard 39, 5.2, level "highly
//! restrictive"), has letters of the general security profile alone, which leaves out what is not
//! seen and what is another width or form of a letter, and does not look as a whole like ASCII
//! (section 4). A domain is also as UTS 46 maps it. Letters of all living scripts stay.

use idna::AsciiDenyList;
use idna::uts46::{Hyphens, Uts46};
use unicode_normalization::UnicodeNormalization as _;
use unicode_security::confusable_detection::skeleton;
use unicode_security::{
    GeneralSecurityProfile as _, RestrictionLevel, RestrictionLevelDetection as _,
};

use crate::Issue;
use crate::text::lower;

/// Characters that an e-mail address has at most.
const MAX_ADDRESS_CHARS: usize = 255;
/// Characters before the at sign: RFC 5321, 4.5.3.1.1.
const MAX_LOCAL_CHARS: usize = 64;

/// Accepts `text` when it is formed like an e-mail address and like no other one. Whether it exists
/// is not known. Letters that are typed as a letter and a mark are accepted as one.
///
/// # Errors
/// What is wrong with it.
pub fn check_address(text: &str) -> Result<(), Issue> {
    if text.chars().count() > MAX_ADDRESS_CHARS {
        return Err(Issue::new("too_long", format!("at most {MAX_ADDRESS_CHARS} characters")));
    }
    let refused = || Issue::new("invalid_email", "expected an address such as ana@example.com");
    let composed: String = text.nfc().collect();
    let (local, domain) = composed.split_once('@').ok_or_else(refused)?;
    if !(local_is_formed(local) && domain_is_formed(domain)) {
        return Err(refused());
    }
    local.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric()).try_for_each(check_word)?;
    let shown = shown_domain(domain).ok_or_else(|| look_alike(domain))?;
    if !domain.is_ascii() && shown != lower(domain) {
        return Err(look_alike(domain));
    }
    shown.split('.').try_for_each(check_word)
}

/// `address` as addresses are compared: in small letters, with composed letters, and with the
/// letters that an encoded domain (`xn--…`) stands for. Text that is no address is folded, too.
#[must_use]
pub fn fold_address(address: &str) -> String {
    let folded: String = lower(address).nfc().collect();
    match folded.split_once('@') {
        Some((local, domain)) if is_encoded(domain) => {
            let shown = shown_domain(domain).unwrap_or_else(|| domain.to_owned());
            format!("{local}@{shown}")
        }
        _ => folded,
    }
}

fn local_is_formed(local: &str) -> bool {
    let plain = |c: char| {
        !c.is_control() && !c.is_whitespace() && !matches!(c, '@' | '<' | '>' | ',' | ';' | '"')
    };
    (1..=MAX_LOCAL_CHARS).contains(&local.chars().count())
        && local.chars().all(plain)
        && !local.starts_with('.')
        && !local.ends_with('.')
}

fn domain_is_formed(domain: &str) -> bool {
    // A mark that composes with no letter belongs to the letter before it, as in Devanagari.
    let is_of_a_label =
        |c: char| c.is_alphanumeric() || c == '-' || (!c.is_ascii() && c.identifier_allowed());
    let label_is_formed = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(is_of_a_label)
    };
    domain.contains('.') && domain.split('.').all(label_is_formed)
}

/// Whether a label of `domain` stands for other letters than it shows.
fn is_encoded(domain: &str) -> bool {
    domain
        .split('.')
        .any(|label| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--")))
}

/// `domain` in small letters, as people are shown it; `None` where UTS 46 knows no such domain.
fn shown_domain(domain: &str) -> Option<String> {
    if domain.is_ascii() && !is_encoded(domain) {
        return Some(domain.to_ascii_lowercase());
    }
    let (shown, known) =
        Uts46::new().to_unicode(domain.as_bytes(), AsciiDenyList::URL, Hyphens::CheckFirstLast);
    // Shown letters that a mapping changes were not allowed in what was encoded.
    known.ok().map(|()| lower(&shown).nfc().collect())
}

/// Accepts a part of an address that readers take for nothing else.
fn check_word(word: &str) -> Result<(), Issue> {
    if word.is_ascii() {
        return Ok(());
    }
    let reads_as_ascii = |word: &str| skeleton(word).all(|c| c.is_ascii());
    let is_of_one_script = word.check_restriction_level(RestrictionLevel::HighlyRestrictive);
    if is_of_one_script && !reads_as_ascii(word) && !reads_as_ascii(&lower(word)) {
        return Ok(());
    }
    Err(look_alike(word))
}

fn look_alike(word: &str) -> Issue {
    // Escaped, for the letters themselves show nothing wrong.
    let shown: String = word.chars().take(80).collect();
    let message = format!(
        "{} has letters that are not seen, or that look like others; write it with the letters \
         of one script",
        shown.escape_default()
    );
    Issue::new("invalid_email", message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Characters that are not seen, or that turn the text around.
    const HIDDEN: &str = "\u{ad}\u{34f}\u{61c}\u{200b}\u{200c}\u{200d}\u{200e}\u{202a}\
        \u{202e}\u{2060}\u{2066}\u{feff}\u{fe0f}\u{e0041}";

    /// What an address is refused for, or none.
    fn code(text: &str) -> Option<&'static str> {
        check_address(text).err().map(|issue| issue.code)
    }

    #[test]
    fn letters_of_all_scripts_are_accepted() {
        for text in [
            "ana@example.com",
            "a.b+c@x.co",
            "o'neil@a-b.ie",
            "Ana_1@Example.COM",
            "žiga@žar.si",
            "ŽIGA@ŽAR.SI",
            "z\u{30c}iga@example.com",
            "øystein.åsnes@blåbær.no",
            "straße@straße.de",
            "đurđa@tvrđava.hr",
            "іван.петренко@україна.укр",
            "дмитрий+shop@пример.рф",
            "ελληνικά@παράδειγμα.gr",
            "山田.太郎@例え.jp",
            "田中abc@example.jp",
            "संपर्क@डाटामेल.भारत",
            "ana@xn--ar-1va.si",
            "ana@XN--AR-1VA.si",
        ] {
            assert_eq!(code(text), None, "{text}: {:?}", check_address(text));
        }
    }

    #[test]
    fn addresses_that_look_like_others_are_refused() {
        for text in [
            "in\u{200b}@t.example",
            "in\u{200d}fo@t.example",
            "in\u{ad}fo@t.example",
            "info@t.exa\u{200b}mple",
            "\u{202e}ofni@t.example",
            "in@\u{ff54}.example",
            "\u{ff49}n@t.example",
            "\u{131}n@t.example",
            "\u{2160}n@t.example",
            "𝐢nfo@t.example",
            "ⓘnfo@t.example",
            // Cyrillic between Latin letters, and alone.
            "p\u{430}ypal@t.example",
            "info@p\u{430}ypal.com",
            "info@\u{430}\u{440}\u{440}\u{4cf}\u{435}.com",
            "\u{441}\u{435}\u{43e}@t.example",
            "\u{391}\u{39d}\u{391}@t.example",
            // The same, encoded.
            "info@xn--80ak6aa92e.com",
            "info@xn--pypal-4ve.com",
            "info@xn--999999999.com",
            // A full stop of another script.
            "info@example\u{3002}com",
        ] {
            assert_eq!(code(text), Some("invalid_email"), "{}", text.escape_unicode());
        }
    }

    #[test]
    fn equal_addresses_fold_to_the_same_text() {
        for (one, other) in [
            ("Ana@Example.COM", "ana@example.com"),
            ("z\u{30c}iga@z\u{30c}ar.si", "ŽIGA@žar.si"),
            ("ana@xn--ar-1va.si", "ana@žar.si"),
            ("ana@XN--AR-1VA.SI", "ana@ŽAR.si"),
        ] {
            assert_eq!(fold_address(one), fold_address(other));
        }
        assert_ne!(fold_address("ana@zar.si"), fold_address("ana@žar.si"));
        assert_eq!(fold_address("xn--ar-1va"), "xn--ar-1va", "no address");
    }

    /// An address of ASCII letters, as it is accepted.
    fn plain() -> impl Strategy<Value = (String, String)> {
        ("[a-z][a-z0-9]{0,9}([.+_-][a-z0-9]{1,5})?", "[a-z][a-z0-9]{0,9}\\.(com|example|si)")
    }

    proptest! {
        #[test]
        fn any_text_is_judged_and_folds_to_itself(text in "\\PC{0,20}@?\\PC{0,20}") {
            let folded = fold_address(&text);
            if check_address(&text).is_ok() {
                prop_assert_eq!(fold_address(&folded), folded.clone());
                prop_assert_eq!(check_address(&folded), Ok(()));
            }
        }

        #[test]
        fn invisible_characters_are_refused_everywhere(
            (local, domain) in plain(),
            hidden in prop::sample::select(HIDDEN.chars().collect::<Vec<_>>()),
            place in any::<prop::sample::Index>(),
        ) {
            let address = format!("{local}@{domain}");
            prop_assert_eq!(check_address(&address), Ok(()));
            let mut changed = address.clone();
            changed.insert(place.index(address.len() + 1), hidden);
            prop_assert!(check_address(&changed).is_err(), "{}", changed.escape_unicode());
        }

        #[test]
        fn a_letter_of_another_width_or_script_is_refused_wherever_it_is(
            (local, domain) in plain(),
            place in any::<prop::sample::Index>(),
            is_wide in any::<bool>(),
        ) {
            let address = format!("{local}@{domain}");
            let other = |c: char| match (is_wide, c) {
                (true, 'a'..='z') => char::from_u32(u32::from(c) - 0x61 + 0xff41),
                (false, 'a') => Some('\u{430}'),
                (false, 'c') => Some('\u{441}'),
                (false, 'e') => Some('\u{435}'),
                (false, 'i') => Some('\u{456}'),
                (false, 'o') => Some('\u{3bf}'),
                (false, 'p') => Some('\u{440}'),
                (false, 's') => Some('\u{455}'),
                _ => None,
            };
            let letters: Vec<_> = address.char_indices()
                .filter_map(|(at, c)| Some((at, other(c)?))).collect();
            prop_assume!(!letters.is_empty());
            let (at, letter) = letters[place.index(letters.len())];
            let mut changed = address.clone();
            changed.replace_range(at..=at, &letter.to_string());
            prop_assert!(check_address(&changed).is_err(), "{}", changed.escape_unicode());
        }
    }
}
