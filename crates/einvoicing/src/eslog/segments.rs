//! Groups and elements of e-SLOG in their order.

use std::fmt::Display;

use quick_xml::escape::escape;

/// The file while it is written.
pub struct Segments(String);

impl Segments {
    /// A file whose one outermost element is `root`, which may have attributes behind its name.
    pub fn document(root: &str, inside: impl FnOnce(&mut Self)) -> String {
        let mut xml = Self("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned());
        xml.group(root, inside);
        xml.0.push('\n');
        xml.0
    }

    /// An element with others inside. `name` may have attributes behind it.
    pub fn group(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        let (bare, _) = name.split_once(' ').unwrap_or((name, ""));
        self.0.extend(["<", name, ">"]);
        inside(self);
        self.0.extend(["</", bare, ">"]);
    }

    /// An element with a value.
    pub fn leaf(&mut self, name: &str, value: impl Display) {
        let text = value.to_string();
        self.0.extend(["<", name, ">", &*escape(text.as_str()), "</", name, ">"]);
    }

    /// An element with a value, when there is one.
    pub fn some(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.leaf(name, value);
        }
    }

    /// `name`, `name_2` and so on, each with a part of a text.
    pub fn parts(&mut self, name: &str, parts: &[String]) {
        for (n, part) in parts.iter().enumerate() {
            let name = if n == 0 { name.to_owned() } else { format!("{name}_{}", n + 1) };
            self.leaf(&name, part);
        }
    }

    /// `S_DTM`: a day by its qualifier of UNTDID 2005.
    pub fn day(&mut self, qualifier: &str, day: Option<impl Display>) {
        let Some(day) = day else { return };
        self.group("S_DTM", |xml| {
            xml.group("C_C507", |xml| {
                xml.leaf("D_2005", qualifier);
                xml.leaf("D_2380", day);
            });
        });
    }

    /// `S_FTX`: a text by its qualifier of UNTDID 4451, in as many segments as it needs.
    pub fn text(&mut self, qualifier: &str, code: Option<&str>, text: Option<&str>) {
        let parts = split(text.unwrap_or_default(), 512);
        let mut segments: Vec<&[String]> = parts.chunks(5).collect();
        if segments.is_empty() && code.is_some() {
            segments.push(&[]);
        }
        for segment in segments {
            self.group("S_FTX", |xml| {
                xml.leaf("D_4451", qualifier);
                if let Some(code) = code {
                    xml.group("C_C107", |xml| xml.leaf("D_4441", code));
                }
                if !segment.is_empty() {
                    xml.group("C_C108", |xml| xml.parts("D_4440", segment));
                }
            });
        }
    }

    /// `S_RFF`: a reference by its qualifier of UNTDID 1153.
    pub fn reference(&mut self, qualifier: &str, text: impl Display) {
        self.group("S_RFF", |xml| {
            xml.group("C_C506", |xml| {
                xml.leaf("D_1153", qualifier);
                xml.leaf("D_1154", text);
            });
        });
    }

    /// `S_MOA`: money by its qualifier of UNTDID 5025.
    pub fn money(&mut self, qualifier: &str, amount: impl Display) {
        self.group("S_MOA", |xml| {
            xml.group("C_C516", |xml| {
                xml.leaf("D_5025", qualifier);
                xml.leaf("D_5004", amount);
            });
        });
    }

    /// `S_TAX`: VAT by category and rate. e-SLOG states a rate of 0 where EN 16931 has none.
    pub fn tax(&mut self, category: &str, rate: Option<impl Display>) {
        self.group("S_TAX", |xml| {
            xml.leaf("D_5283", "7");
            xml.group("C_C241", |xml| xml.leaf("D_5153", "VAT"));
            xml.group("C_C243", |xml| match rate {
                Some(rate) => xml.leaf("D_5278", rate),
                None => xml.leaf("D_5278", "0"),
            });
            xml.leaf("D_5305", category);
        });
    }
}

/// `text` in parts of at most `most` characters, of which none is blank; broken at blanks where
/// that is possible.
pub fn split(text: &str, most: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.char_indices().nth(most).map_or(rest.len(), |(place, _)| place);
        let (head, tail) = rest.split_at(end);
        let at_blank = head.rfind(char::is_whitespace).filter(|_| !tail.is_empty());
        let is_word_end = tail.starts_with(char::is_whitespace);
        let end = at_blank.filter(|place| *place > 0 && !is_word_end).unwrap_or(end);
        let (head, tail) = rest.split_at(end);
        parts.push(head.trim_end().to_owned());
        rest = tail.trim_start();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_at_blanks_where_they_have_some() {
        for (text, parts) in [
            ("", [].as_slice()),
            ("abc", &["abc"]),
            ("abcdef", &["abcde", "f"]),
            ("abcde fg", &["abcde", "fg"]),
            ("ab cdefg", &["ab", "cdefg"]),
            ("žščćđ x", &["žščćđ", "x"]),
        ] {
            assert_eq!(split(text, 5), parts, "{text}");
        }
    }
}
