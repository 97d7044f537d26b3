//! Texts as XML 1.0 can hold them.

/// Whether XML 1.0 has the character, and it is no mark of a direction or the like.
fn is_writable(sign: char) -> bool {
    !matches!(sign, '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{fffe}' | '\u{ffff}')
}

/// A text of one line, its blanks single; `None` when nothing is left.
pub fn single(text: Option<&str>) -> Option<String> {
    let kept: String =
        text?.chars().filter(|sign| is_writable(*sign) || sign.is_whitespace()).collect();
    let words: Vec<&str> = kept.split_whitespace().collect();
    Some(words.join(" ")).filter(|text| !text.is_empty())
}

/// A text that may have several lines, ended as XML ends them; `None` when nothing is left.
pub fn paragraphs(text: Option<&str>) -> Option<String> {
    let ends = text?.replace("\r\n", "\n").replace('\r', "\n");
    let kept: String = ends.chars().filter(|sign| is_writable(*sign)).collect();
    Some(kept.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_what_xml_cannot_hold() {
        assert_eq!(single(Some(" a\r\n\tb\u{1}c ")).as_deref(), Some("a bc"));
        assert_eq!(single(Some("\u{1}\n ")), None);
        assert_eq!(paragraphs(Some("a\r\nb\u{b}\rc\n\n")).as_deref(), Some("a\nb\nc"));
        assert_eq!(paragraphs(None), None);
    }
}
