//! Elements, put together as text.

use quick_xml::escape::escape;
use racun_kernel::Decimal;
use racun_kernel::calendar::format_date;
use time::Date;

use crate::amounts::amount_text;
use crate::facts::Findings;

/// A document that is being written.
#[derive(Debug)]
pub struct Xml(String);

impl Xml {
    /// A document in UTF-8 without an element.
    pub fn new() -> Self {
        Self("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned())
    }

    /// A comment. Two hyphens in a row would end it, so that one of them is left out.
    pub fn comment(&mut self, text: &str) {
        self.0.push_str("<!-- ");
        let mut before = ' ';
        for sign in text.chars().filter_map(sign_of_xml) {
            if sign != '-' || before != '-' {
                self.0.push(sign);
            }
            before = sign;
        }
        self.0.push_str(" -->\n");
    }

    /// What was found, a comment for each sort, with all its documents.
    pub fn findings(&mut self, what: &str, findings: &Findings) {
        for finding in findings.iter() {
            let numbers = finding.documents.iter().map(|named| &*named.number);
            self.finding(what, finding.code, finding.message, numbers);
        }
    }

    /// A comment on the documents with these numbers, or on all when there are none.
    pub fn finding<'a>(
        &mut self,
        what: &str,
        code: &str,
        message: &str,
        numbers: impl Iterator<Item = &'a str>,
    ) {
        let list = numbers.collect::<Vec<_>>().join(", ");
        let list = if list.is_empty() { list } else { format!(": {list}") };
        self.comment(&format!("{what} ({code}): {message}{list}"));
    }

    /// The element `name` with what `content` writes into it.
    pub fn within(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.under(name, "", content);
    }

    /// The same in the namespace `space`, unless that is empty; elements inside are in it, too.
    pub fn under(&mut self, name: &str, space: &str, content: impl FnOnce(&mut Self)) {
        self.0.push('<');
        self.0.push_str(name);
        if !space.is_empty() {
            self.0.push_str(" xmlns=\"");
            self.0.push_str(space);
            self.0.push('"');
        }
        self.0.push('>');
        content(self);
        self.close(name);
    }

    fn close(&mut self, name: &str) {
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push_str(">\n");
    }

    /// The element `name` with `text` in one line. Signs that XML does not hold are left out.
    pub fn text(&mut self, name: &str, text: &str) {
        let kept: String = text.chars().filter_map(sign_of_xml).collect();
        self.0.push('<');
        self.0.push_str(name);
        self.0.push('>');
        self.0.push_str(&escape(&*kept));
        self.close(name);
    }

    /// The same with at most `max` characters, and no element where nothing is left of the text.
    pub fn short(&mut self, name: &str, text: &str, max: usize) {
        let cut = cut(text, max);
        if !cut.is_empty() {
            self.text(name, &cut);
        }
    }

    /// The element `name` with an amount of two decimals.
    pub fn amount(&mut self, name: &str, amount: &Decimal) {
        self.text(name, &amount_text(amount));
    }

    /// The element `name` with a date.
    pub fn date(&mut self, name: &str, date: Date) {
        self.text(name, &format_date(date));
    }

    /// The whole document.
    pub fn finish(self) -> String {
        self.0
    }
}

/// `sign` as XML 1.0 holds it in a line; `None` for what it does not hold.
fn sign_of_xml(sign: char) -> Option<char> {
    match sign {
        '\t' | '\n' | '\r' => Some(' '),
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => None,
        other => Some(other),
    }
}

/// The first `max` characters of `text`, in one line and without blanks around it.
pub fn cut(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(max).collect();
    cut.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_every_document() {
        let mut found = Findings::default();
        let numbers: Vec<String> = (1..=101).map(|n| format!("2026-{n:03}")).collect();
        for number in &numbers {
            found.note(("voided", "voided documents are not posted"), number, number);
        }
        found.say(("form_not_in_use", "of another time"));
        let mut xml = Xml::new();
        xml.findings("left out", &found);
        let text = xml.finish();
        let list = numbers.join(", ");
        let said = format!("<!-- left out (voided): voided documents are not posted: {list} -->");
        assert!(text.contains(&said), "{text}");
        assert!(text.contains("<!-- left out (form_not_in_use): of another time -->"), "{text}");
    }

    #[test]
    fn texts_are_escaped_cut_and_rid_of_signs_that_xml_lacks() {
        let mut xml = Xml::new();
        xml.within("a", |xml| {
            xml.text("b", "1 < 2 & \u{8}\"x\"\n");
            xml.short("c", "  one   two  ", 5);
            xml.short("d", " \t ", 5);
            xml.amount("e", &"-2.5".parse().unwrap());
        });
        let text = xml.finish();
        let (_, body) = text.split_once("?>\n").unwrap();
        let read = roxmltree::Document::parse(&text).unwrap();
        let of = |name| {
            let mut nodes = read.descendants();
            nodes.find(|node| node.has_tag_name(name)).and_then(|node| node.text())
        };
        assert_eq!(of("b"), Some("1 < 2 & \"x\" "), "{body}");
        assert_eq!((of("c"), of("d"), of("e")), (Some("one t"), None, Some("-2.50")));
    }
}
