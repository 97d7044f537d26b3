//! Text: what of it is accepted, and how lists compare it.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization as _;

use crate::{Issue, Issues};

/// The locales in which texts can be translated.
pub const LOCALES: [&str; 18] = [
    "en-US", "de-DE", "it-IT", "fr-FR", "es-ES", "sl-SI", "pt-PT", "nl-NL", "pl-PL", "hr-HR",
    "sv-SE", "fi-FI", "et-EE", "bg-BG", "cs-CZ", "sk-SK", "nb-NO", "is-IS",
];

/// The languages of [`LOCALES`], in the same order, by their ISO 639-1 codes.
pub const LANGUAGES: [&str; 18] = [
    "en", "de", "it", "fr", "es", "sl", "pt", "nl", "pl", "hr", "sv", "fi", "et", "bg", "cs", "sk",
    "nb", "is",
];

/// Accepts text of at most `max` characters, none of them NUL, which no store keeps.
///
/// # Errors
/// `too_long` or `invalid_value`.
pub fn check(text: &str, max: usize) -> Result<(), Issue> {
    if text.chars().count() > max {
        return Err(Issue::new("too_long", format!("at most {max} characters")));
    }
    if text.contains('\0') {
        return Err(Issue::new("invalid_value", "text cannot hold a NUL character"));
    }
    Ok(())
}

/// Notes what is wrong with the text of `field`, when there is one, by the rules of [`check`].
pub fn check_field(issues: &mut Issues, field: &str, text: Option<&str>, max: usize) {
    if let Some(Err(issue)) = text.map(|text| check(text, max)) {
        issues.push(issue.at(field));
    }
}

/// Accepts texts by locale: each locale one of [`LOCALES`], each text by the rules of [`check`].
///
/// # Errors
/// One issue for each locale and each text that is wrong.
pub fn check_localized(texts: &BTreeMap<String, String>, max: usize) -> Result<(), Issues> {
    let mut issues = Issues::default();
    for (locale, text) in texts {
        if !LOCALES.contains(&locale.as_str()) {
            let message = format!("no such locale; there are {}", LOCALES.join(", "));
            issues.push(Issue::new("unknown_locale", message).at(locale.as_str()));
        }
        check_field(&mut issues, locale, Some(text), max);
    }
    issues.into_result(())
}

/// `text` in groups of four characters, as IBANs and RF references are printed.
#[must_use]
pub fn in_fours(text: &str) -> String {
    let signs: Vec<char> = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let groups: Vec<String> = signs.chunks(4).map(|group| group.iter().collect()).collect();
    groups.join(" ")
}

/// `text` in small letters, each character by itself: as addresses of e-mail are compared, in which
/// accents make another address.
#[must_use]
pub fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).collect()
}

/// `text` as `contains` and `search` compare it: without the difference between capitals and small
/// letters, in every script, and without accents, so that `ziga` finds Žiga.
///
/// Each character is lowered by itself, and a final sigma counts as any other sigma, so that a part
/// of a word matches the word. What has accents is decomposed (Unicode's NFD) and loses the marks
/// of the block U+0300 to U+036F. Letters with a stroke and ligatures, which do not decompose, are
/// spelt as they are typed where a keyboard lacks them. The PostgreSQL function `racun_bare` gives
/// the same answers. Folded text folds to itself.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let decomposed = text.chars().flat_map(char::to_lowercase).nfd();
    let mut folded = String::with_capacity(text.len());
    for letter in decomposed.filter(|letter| !MARKS.contains(letter)) {
        match LETTERS.iter().find(|(from, _)| *from == letter) {
            Some((_, spelt)) => folded.push_str(spelt),
            None => folded.push(letter),
        }
    }
    folded
}

/// Whether `c` turns the direction of writing for what follows, so that `gpj.exe` is shown as
/// `exe.jpg`: the characters with the property `Bidi_Control` (Unicode 17, `PropList.txt`; UAX 9,
/// 2).
#[must_use]
pub const fn turns_direction(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Whether `c` is a character without a shape: one that joins, parts, selects or turns others. All
/// of [`turns_direction`] are among them; control characters are not.
///
/// These are the characters with the property `Default_Ignorable_Code_Point` (Unicode 17,
/// `DerivedCoreProperties.txt`), the marks of annotations between lines (U+FFF9 to U+FFFB), and the
/// last two code points of the first plane, which are no characters.
#[must_use]
pub const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{fffe}'..='\u{ffff}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The combining marks that accented letters decompose into.
const MARKS: std::ops::RangeInclusive<char> = '\u{300}'..='\u{36f}';

/// Letters that do not decompose, and how they are spelt without.
const LETTERS: [(char, &str); 12] = [
    ('ς', "σ"),
    ('đ', "d"),
    ('ð', "d"),
    ('ħ', "h"),
    ('ı', "i"),
    ('ł', "l"),
    ('ø', "o"),
    ('ŧ', "t"),
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('þ', "th"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_beyond_ascii_fold() {
        assert_eq!(fold("ΟΔΟΣ ИВАН"), "οδοσ иван");
        assert!(fold("Restavracija ŽAR").contains(&fold("žar")));
    }

    #[test]
    fn lowering_keeps_accents() {
        assert_eq!(lower("Ána@Example.COM"), "ána@example.com");
        assert_ne!(lower("ána@example.com"), lower("ana@example.com"));
    }

    #[test]
    fn accents_and_strokes_are_left_aside() {
        for (text, folded) in [
            ("Žiga Čeh", "ziga ceh"),
            ("ĐURĐA Šaškor", "durda saskor"),
            ("Łódź, Ærø, Œuvre", "lodz, aero, oeuvre"),
            ("Straße STRAẞE", "strasse strasse"),
            ("e\u{301}té É", "ete e"),
            ("İstanbul Işık", "istanbul isik"),
            ("Nguyễn", "nguyen"),
            ("ΆΛΦΑ", "αλφα"),
            ("100 % _ \\", "100 % _ \\"),
        ] {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn folding_is_idempotent() {
        for letter in '\u{1}'..=char::MAX {
            let folded = fold(&letter.to_string());
            assert_eq!(fold(&folded), folded, "{letter:?}");
        }
    }

    #[test]
    fn direction_marks_are_invisible_and_letters_visible() {
        let turning: Vec<char> = ('\0'..=char::MAX).filter(|c| turns_direction(*c)).collect();
        assert_eq!(turning.len(), 12, "as many as Unicode lists: {turning:?}");
        assert!(turning.iter().all(|c| is_unseen(*c)));
        for hidden in "\u{ad}\u{200b}\u{200d}\u{2060}\u{feff}\u{fe0f}\u{e0041}".chars() {
            assert!(is_unseen(hidden) && !turns_direction(hidden), "{hidden:?}");
        }
        let seen = "aŽ ß\u{a0}\u{301}\u{2028}Жש日€\u{fffd}\n\0🦀";
        assert_eq!(seen.chars().find(|c| is_unseen(*c)), None);
    }

    #[test]
    fn a_text_is_counted_in_characters_and_holds_no_nul() {
        for (text, expected) in [
            ("", None),
            ("žžž", None),
            ("a\nb", None),
            ("žžžž", Some("too_long")),
            ("a\0", Some("invalid_value")),
            ("aaa\0", Some("too_long")),
        ] {
            assert_eq!(check(text, 3).err().map(|issue| issue.code), expected, "{text:?}");
        }
        let mut issues = Issues::default();
        check_field(&mut issues, "note", None, 3);
        check_field(&mut issues, "tag", Some("abc"), 3);
        check_field(&mut issues, "name", Some("abcd"), 3);
        assert_eq!(issues.to_string(), "name: at most 3 characters");
    }

    #[test]
    fn languages_are_those_of_the_locales() {
        let of_locales = LOCALES.map(|locale| locale.split_once('-').map(|(language, _)| language));
        assert_eq!(of_locales, LANGUAGES.map(Some));
    }

    #[test]
    fn translations_are_in_known_locales_and_within_their_limit() {
        let texts = |entries: &[(&str, &str)]| {
            let own = |(locale, text): &(&str, &str)| ((*locale).to_owned(), (*text).to_owned());
            check_localized(&entries.iter().map(own).collect(), 3)
        };
        assert_eq!(texts(&LOCALES.map(|locale| (locale, "abc"))), Ok(()));
        let wrong = texts(&[("sl-SI", "abcd"), ("sl", "abcd")]).unwrap_err();
        let wrong: Vec<_> = wrong.iter().map(|issue| (issue.code, issue.path.clone())).collect();
        let at = |locale: &str| vec![crate::Step::Key(locale.to_owned())];
        let expected =
            [("unknown_locale", at("sl")), ("too_long", at("sl")), ("too_long", at("sl-SI"))];
        assert_eq!(wrong, expected);
    }
}
