//! Texts cut and spelled so that a code can carry them.

use racun_kernel::text::fold;

/// `text` on one line, at most `max` characters, without blanks at its ends.
pub(super) fn cut(text: &str, max: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let cut: String = words.join(" ").chars().take(max).collect();
    cut.trim_end().to_owned()
}

/// As [`cut`], in the letters of ISO 8859-2: others without their accents, or a question mark.
pub(super) fn cut_latin_2(text: &str, max: usize) -> String {
    let spelled: String = text.chars().map(spell).collect();
    cut(&spelled, max)
}

fn spell(sign: char) -> String {
    if sign.is_whitespace() || latin_2(sign).is_some() {
        return sign.to_string();
    }
    match sign {
        '–' | '—' | '−' => return "-".to_owned(),
        '’' | '‘' => return "'".to_owned(),
        '“' | '”' | '„' => return "\"".to_owned(),
        '€' => return "EUR".to_owned(),
        _ => {}
    }
    let folded = fold(&sign.to_string());
    if folded.is_empty() || !folded.chars().all(|sign| latin_2(sign).is_some()) {
        return "?".to_owned();
    }
    if sign.is_uppercase() { folded.to_uppercase() } else { folded }
}

/// `text` in ISO 8859-2; `None` when it has other letters.
pub(super) fn to_latin_2(text: &str) -> Option<Vec<u8>> {
    text.chars().map(latin_2).collect()
}

/// The upper half of ISO 8859-2, from 0xA0. Source: ISO/IEC 8859-2:1999.
const UPPER: &str = "\u{a0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{ad}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß\
                     ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙";

fn latin_2(sign: char) -> Option<u8> {
    if sign.is_ascii() {
        return u8::try_from(sign).ok().filter(|byte| *byte == b'\n' || !byte.is_ascii_control());
    }
    let place = UPPER.chars().position(|upper| upper == sign)?;
    u8::try_from(place + 0xa0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_character_set_or_their_kin() {
        assert_eq!(UPPER.chars().count(), 96);
        assert_eq!(cut_latin_2("  Čučo\tŠñŁ — Ж\u{202e} ", 20), "Čučo ŠnŁ - ??");
        assert_eq!(to_latin_2("Čž"), Some(vec![0xc8, 0xbe]));
        assert_eq!(to_latin_2("Ж"), None);
        assert_eq!(cut("abc def", 4), "abc");
    }
}
