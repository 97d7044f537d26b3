//! Texts in the letters of the file, cut to the schema's lengths.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;
use racun_kernel::text::{fold, is_unseen};

/// In which letters the file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Windows-1252, as the authority's own file and schema are: letters that it lacks are written
    /// with others.
    #[default]
    Windows1252,
    /// UTF-8, for other readers.
    Utf8,
}

impl Encoding {
    /// Its name in the declaration of the file, and in the interface.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Windows1252 => "windows-1252",
            Self::Utf8 => "utf-8",
        }
    }

    /// The encoding called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Windows1252, Self::Utf8].into_iter().find(|own| own.name() == name)
    }

    /// The bytes of `text`.
    pub(super) fn bytes(self, text: &str) -> Cow<'_, [u8]> {
        match self {
            Self::Utf8 => Cow::Borrowed(text.as_bytes()),
            Self::Windows1252 => WINDOWS_1252.encode(text).0,
        }
    }

    /// `text` in one line of at most `max` characters that the file has: blanks at the ends and
    /// characters without a shape are gone, and other letters stand for those that it lacks.
    pub(super) fn line(self, text: &str, max: usize) -> String {
        let mut line = String::with_capacity(text.len().min(max * 4));
        let mut count = 0;
        let mut put = |sign: char, count: &mut usize| {
            if *count < max {
                line.push(sign);
                *count += 1;
            }
        };
        let mut is_after_blank = true;
        for sign in text.chars() {
            if sign.is_whitespace() || sign.is_control() {
                if !is_after_blank {
                    put(' ', &mut count);
                }
                is_after_blank = true;
                continue;
            }
            if is_unseen(sign) {
                continue;
            }
            is_after_blank = false;
            if self.has(sign) {
                put(sign, &mut count);
            } else {
                spelt(sign).chars().for_each(|own| put(own, &mut count));
            }
        }
        line.truncate(line.trim_end().len());
        line
    }

    fn has(self, sign: char) -> bool {
        sign.is_ascii()
            || self == Self::Utf8
            || !WINDOWS_1252.encode(sign.encode_utf8(&mut [0; 4])).2
    }
}

/// `sign` in letters of Windows-1252: without its accents, Greek and Cyrillic letter by letter, and
/// a question mark for others.
fn spelt(sign: char) -> String {
    let folded = fold(sign.encode_utf8(&mut [0; 4]));
    let latin: String = folded.chars().map(latin).collect();
    if !sign.is_uppercase() {
        return latin;
    }
    let mut letters = latin.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A small letter without accents, in Latin letters.
fn latin(letter: char) -> Cow<'static, str> {
    if letter.is_ascii() {
        return Cow::Owned(letter.to_string());
    }
    let known = SPELLING.iter().find(|(from, _)| *from == letter);
    Cow::Borrowed(known.map_or("?", |(_, spelt)| spelt))
}

/// Greek by ISO 843, Cyrillic as passports write it.
const SPELLING: [(char, &str); 61] = [
    ('α', "a"),
    ('β', "v"),
    ('γ', "g"),
    ('δ', "d"),
    ('ε', "e"),
    ('ζ', "z"),
    ('η', "i"),
    ('θ', "th"),
    ('ι', "i"),
    ('κ', "k"),
    ('λ', "l"),
    ('μ', "m"),
    ('ν', "n"),
    ('ξ', "x"),
    ('ο', "o"),
    ('π', "p"),
    ('ρ', "r"),
    ('σ', "s"),
    ('τ', "t"),
    ('υ', "y"),
    ('φ', "f"),
    ('χ', "ch"),
    ('ψ', "ps"),
    ('ω', "o"),
    ('а', "a"),
    ('б', "b"),
    ('в', "v"),
    ('г', "g"),
    ('д', "d"),
    ('е', "e"),
    ('ж', "zh"),
    ('з', "z"),
    ('и', "i"),
    ('к', "k"),
    ('л', "l"),
    ('м', "m"),
    ('н', "n"),
    ('о', "o"),
    ('п', "p"),
    ('р', "r"),
    ('с', "s"),
    ('т', "t"),
    ('у', "u"),
    ('ф', "f"),
    ('х', "kh"),
    ('ц', "ts"),
    ('ч', "ch"),
    ('ш', "sh"),
    ('щ', "shch"),
    ('ъ', "a"),
    ('ы', "y"),
    ('ь', ""),
    ('э', "e"),
    ('ю', "yu"),
    ('я', "ya"),
    ('ђ', "dj"),
    ('ј', "j"),
    ('љ', "lj"),
    ('њ', "nj"),
    ('ћ', "c"),
    ('џ', "dz"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_the_file_lacks_are_written_with_others() {
        for (text, windows, utf8) in [
            ("Conceição 12 €", "Conceição 12 €", "Conceição 12 €"),
            ("Čačak, Đurđa Žižek", "Cacak, Durda Žižek", "Čačak, Đurđa Žižek"),
            ("ΑΘΗΝΑ Юлия", "AThINA Yuliya", "ΑΘΗΝΑ Юлия"),
            ("日本", "??", "日本"),
            ("  a\n\tb \u{200b}c\u{7}  ", "a b c", "a b c"),
            ("\u{feff}", "", ""),
        ] {
            assert_eq!(Encoding::Windows1252.line(text, 50), windows, "{text:?}");
            assert_eq!(Encoding::Utf8.line(text, 50), utf8, "{text:?}");
        }
    }

    #[test]
    fn texts_are_cut_to_their_length_in_characters() {
        for encoding in [Encoding::Windows1252, Encoding::Utf8] {
            assert_eq!(encoding.line("ação e mais", 5), "ação");
            assert_eq!(encoding.line("ação", 3), "açã");
        }
        assert_eq!(Encoding::Windows1252.line("Щука", 3), "Shc");
    }

    #[test]
    fn each_letter_of_the_table_can_be_written_and_is_no_letter_of_the_encoding() {
        for (letter, spelt) in SPELLING {
            assert!(spelt.is_ascii() && !Encoding::Windows1252.has(letter) || letter == 'μ');
        }
    }
}
