//! The few marks that a text may use, headings, lists, emphasis and links: as HTML, and as plain
//! text without marks.
//!
//! HTML in a text is shown as it is written, never interpreted. Values of variables hold no marks.

use crate::template::{Piece, Values, pieces};

/// Encloses the place of a value while marks are read. Texts lose these characters.
const MARK: char = '\u{e000}';

/// `template`, filled with `values`, as the body of an HTML document.
///
/// Blank lines part paragraphs, line ends stay. `# ` to `### ` begins a heading, `- ` or `* ` an
/// item of a list; `**bold**`, `*italic*`, `[text](url)`; addresses of the web become links. Links
/// lead to `http:`, `https:` and `mailto:` only.
#[must_use]
pub fn to_html(template: &str, values: &Values) -> String {
    let (marked, values) = marked(template, values);
    let mut page = Page { html: String::new(), values, is_plain: false, looked_through: 0 };
    page.blocks(&marked);
    page.html
}

/// `template`, filled with `values`, as plain text: its marks are left out, a link is its text and
/// its address.
#[must_use]
pub fn to_plain(template: &str, values: &Values) -> String {
    let (marked, values) = marked(template, values);
    let mut page = Page { html: String::new(), values, is_plain: true, looked_through: 0 };
    page.lines(&marked);
    page.html
}

/// `template` with places for its values, and these.
fn marked<'a>(template: &'a str, values: &'a Values) -> (String, Vec<&'a str>) {
    let mut marked = String::with_capacity(template.len());
    let mut kept = Vec::new();
    for piece in pieces(template, values) {
        match piece {
            Piece::Text(text) => marked.extend(text.chars().filter(|c| *c != MARK)),
            Piece::Value(value) => {
                marked.push_str(&format!("{MARK}{}{MARK}", kept.len()));
                kept.push(value);
            }
        }
    }
    (marked.replace("\r\n", "\n"), kept)
}

struct Page<'a> {
    /// What is written so far: HTML, or plain text.
    html: String,
    values: Vec<&'a str>,
    is_plain: bool,
    /// Bytes that were looked through for marks.
    looked_through: usize,
}

impl Page<'_> {
    /// Writes plain text: the same lines without their marks.
    fn lines(&mut self, text: &str) {
        for (n, line) in text.split('\n').enumerate() {
            if n > 0 {
                self.html.push('\n');
            }
            if let Some((_, title)) = heading(line) {
                self.inline(title, true);
            } else if let Some(text) = item(line) {
                self.html.push_str("- ");
                self.inline(text, true);
            } else {
                self.inline(line, true);
            }
        }
    }

    /// Writes a tag, where there are tags.
    fn tag(&mut self, tag: &str) {
        if !self.is_plain {
            self.html.push_str(tag);
        }
    }

    /// Writes text that is no mark.
    fn text(&mut self, text: &str) {
        if self.is_plain {
            self.html.extend(text.chars().filter(|c| *c != MARK));
        } else {
            escape_into(&mut self.html, text);
        }
    }

    fn blocks(&mut self, text: &str) {
        let mut paragraph: Vec<&str> = Vec::new();
        let mut in_list = false;
        for line in text.lines().chain([""]) {
            let (heading, item) = (heading(line), item(line));
            if (heading.is_some() || item.is_some() || line.trim().is_empty())
                && !paragraph.is_empty()
            {
                self.paragraph(&paragraph);
                paragraph.clear();
            }
            if in_list && item.is_none() {
                self.html.push_str("</ul>\n");
                in_list = false;
            }
            if let Some((level, title)) = heading {
                self.html.push_str(&format!("<h{level}>"));
                self.inline(title, true);
                self.html.push_str(&format!("</h{level}>\n"));
            } else if let Some(text) = item {
                self.html.push_str(if in_list { "<li>" } else { "<ul>\n<li>" });
                in_list = true;
                self.inline(text, true);
                self.html.push_str("</li>\n");
            } else if !line.trim().is_empty() {
                paragraph.push(line);
            }
        }
    }

    fn paragraph(&mut self, lines: &[&str]) {
        self.html.push_str("<p>");
        for (n, line) in lines.iter().enumerate() {
            if n > 0 {
                self.html.push_str("<br>\n");
            }
            self.inline(line.trim_end(), true);
        }
        self.html.push_str("</p>\n");
    }

    /// Writes `text`, one line, with its marks. Inside a link there is no other one.
    fn inline(&mut self, text: &str, may_link: bool) {
        let mut links = Links { text, ..Links::default() };
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let taken = match first {
                // A star behind a digit multiplies.
                '*' if text[..at].ends_with(|c: char| c.is_ascii_digit()) => None,
                '*' => self.emphasis(rest, may_link),
                '[' if may_link => self.link(&mut links, at),
                'h' if may_link => self.bare_link(rest),
                MARK => self.value(rest, may_link),
                _ => None,
            };
            at += taken.unwrap_or_else(|| {
                self.text(&rest[..first.len_utf8()]);
                first.len_utf8()
            });
        }
    }

    /// Writes `**bold**`, `*italic*` or `***both***`; answers how many bytes that took.
    fn emphasis(&mut self, rest: &str, may_link: bool) -> Option<usize> {
        let is_both = rest.starts_with("***") && !rest.starts_with("****");
        let both = || self.marked_by("***", &["em", "strong"], rest, may_link);
        if let Some(taken) = is_both.then(both).flatten() {
            return Some(taken);
        }
        match rest.starts_with("**") {
            true => self.marked_by("**", &["strong"], rest, may_link),
            false => self.marked_by("*", &["em"], rest, may_link),
        }
    }

    /// Writes what stands between `mark`s in `tags`, where `rest` begins with one.
    fn marked_by(
        &mut self,
        mark: &str,
        tags: &[&str],
        rest: &str,
        may_link: bool,
    ) -> Option<usize> {
        let inner = &rest[mark.len()..];
        self.looked_through += inner.find(mark).unwrap_or(inner.len());
        let end = inner.find(mark).filter(|end| *end > 0)?;
        let inner = &inner[..end];
        if inner.starts_with(' ') || inner.ends_with(' ') {
            return None;
        }
        tags.iter().for_each(|tag| self.tag(&format!("<{tag}>")));
        self.inline(inner, may_link);
        tags.iter().rev().for_each(|tag| self.tag(&format!("</{tag}>")));
        Some(end + 2 * mark.len())
    }

    /// Writes `[text](url)`, which begins at `at`.
    fn link(&mut self, links: &mut Links<'_>, at: usize) -> Option<usize> {
        let (middle, end) = self.link_at(links, at)?;
        let url = self.resolved(&links.text[middle + 2..end]);
        self.open_link(&url);
        let begin = self.html.len();
        self.inline(&links.text[at + 1..middle], false);
        self.tag("</a>");
        if self.is_plain && self.html[begin..] != *url {
            self.html.push_str(&format!(" ({url})"));
        }
        Some(end + 1 - at)
    }

    /// Where the address of the link at `at` begins, with `](`, and ends, when a link may lead
    /// there. Nothing is read but once, whether it is a link or not.
    fn link_at(&mut self, links: &mut Links<'_>, at: usize) -> Option<(usize, usize)> {
        let Links { text, middle, end, blemish } = links;
        let looked = &mut self.looked_through;
        let middle = middle.from(text, at, looked, |rest| rest.find("]("))?;
        let address = middle + 2;
        let end = end.from(text, address, looked, |rest| rest.find(')'))?;
        let values = &self.values;
        let blemish = blemish.from(text, address, looked, |rest| first_blemish(rest, values));
        let is_sane = blemish.is_none_or(|blemish| blemish >= end);
        (is_sane && is_safe(&text[address..end], values)).then_some((middle, end))
    }

    /// Writes a bare web address of the text.
    fn bare_link(&mut self, rest: &str) -> Option<usize> {
        if !(rest.starts_with("https://") || rest.starts_with("http://")) {
            return None;
        }
        let is_end = |c: char| c.is_whitespace() || c.is_control() || "<>\"'`*".contains(c);
        let url = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        let url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']']);
        let resolved = self.resolved(url);
        self.open_link(&resolved);
        self.text(&resolved);
        self.tag("</a>");
        Some(url.len())
    }

    /// Writes the value whose place `rest` begins with; one that is an address of the web as a
    /// link.
    fn value(&mut self, rest: &str, may_link: bool) -> Option<usize> {
        let (value, taken) = self.value_at(rest)?;
        let value = value.to_owned();
        let is_url = value.starts_with("https://") || value.starts_with("http://");
        if self.is_plain {
            self.text(&value);
        } else if is_url && may_link && !value.contains(char::is_whitespace) {
            self.open_link(&value);
            escape_into(&mut self.html, &value);
            self.html.push_str("</a>");
        } else {
            for (n, line) in value.lines().enumerate() {
                if n > 0 {
                    self.html.push_str("<br>\n");
                }
                escape_into(&mut self.html, line);
            }
        }
        Some(taken)
    }

    fn value_at(&self, rest: &str) -> Option<(&str, usize)> {
        let inner = rest.strip_prefix(MARK)?;
        let end = inner.find(MARK)?;
        let value = self.values.get(inner[..end].parse::<usize>().ok()?)?;
        Some((value, end + 2 * MARK.len_utf8()))
    }

    /// `text` with its values in their places.
    fn resolved(&mut self, text: &str) -> String {
        self.looked_through += text.len();
        resolved(text, &self.values).collect()
    }

    fn open_link(&mut self, url: &str) {
        if self.is_plain {
            return;
        }
        self.html.push_str("<a href=\"");
        escape_into(&mut self.html, url);
        self.html.push_str("\">");
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (1..=3).contains(&level).then_some((level, title.trim()))
}

fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))
}

/// The ends of the links of a text.
#[derive(Default)]
struct Links<'t> {
    text: &'t str,
    /// `](`
    middle: Next,
    /// `)`
    end: Next,
    /// What no address holds.
    blemish: Next,
}

/// The next of something in a text. It is asked for from places that only grow, so that all
/// questions together look through the text once.
#[derive(Default)]
struct Next(Option<Option<usize>>);

impl Next {
    fn from(
        &mut self,
        text: &str,
        at: usize,
        looked_through: &mut usize,
        find: impl Fn(&str) -> Option<usize>,
    ) -> Option<usize> {
        if let Some(known) = self.0
            && known.is_none_or(|known| known >= at)
        {
            return known;
        }
        let found = find(&text[at..]);
        *looked_through += found.unwrap_or(text.len() - at) + 1;
        let found = found.map(|found| at + found);
        self.0 = Some(found);
        found
    }
}

/// The pieces of `text`, with values in their places, from a place outside of them.
fn resolved<'t>(text: &'t str, values: &'t [&str]) -> impl Iterator<Item = &'t str> {
    text.split(MARK).enumerate().map(move |(n, piece)| match n % 2 {
        0 => piece,
        _ => piece.parse().ok().and_then(|n: usize| values.get(n)).copied().unwrap_or_default(),
    })
}

/// The first place of `text` where there is what no address holds, itself or in a value.
fn first_blemish(text: &str, values: &[&str]) -> Option<usize> {
    let is_blemish = |c: char| c.is_control() || c.is_whitespace();
    let mut at = 0;
    for (n, (written, meant)) in text.split(MARK).zip(resolved(text, values)).enumerate() {
        if let Some(found) = meant.find(is_blemish) {
            return Some(if n % 2 == 0 { at + found } else { at });
        }
        at += written.len() + MARK.len_utf8();
    }
    None
}

/// Whether a link may lead there: by the scheme, which the first values hold or what is before.
fn is_safe(url: &str, values: &[&str]) -> bool {
    let begin: String = resolved(url, values).take(9).flat_map(str::chars).take(8).collect();
    ["https://", "http://", "mailto:"].iter().any(|scheme| begin.starts_with(scheme))
}

fn escape_into(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            MARK => {}
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that are looked through to write `text` as HTML and as plain text.
    fn looked_through(text: &str) -> usize {
        let mut values = Values::default();
        values.set("customer_name", Some("a b"));
        values.set("invoice_link", Some("https://example.com/i"));
        let (marked, values) = marked(text, &values);
        let page = |is_plain| Page {
            html: String::new(),
            values: values.clone(),
            is_plain,
            looked_through: 0,
        };
        let (mut html, mut plain) = (page(false), page(true));
        html.blocks(&marked);
        plain.lines(&marked);
        html.looked_through + plain.looked_through
    }

    #[test]
    fn a_text_is_looked_through_a_few_times_however_many_marks_it_opens() {
        for mark in [
            "[",
            "](",
            "[](",
            "[x](http://a",
            "[x](javascript:",
            "[x]({invoice_link}",
            "[x](http://{customer_name}",
            "*[",
            "**[x](",
            "*",
            "**",
            "***",
            "** *",
            "*a **b",
            "{",
            "{customer_name}",
            "http://",
            "http://)",
            "#",
            "- [",
        ] {
            for end in ["", ")", " )", "{customer_name})", "**"] {
                let text = mark.repeat(20_000 / mark.len()) + end;
                let looked_through = looked_through(&text);
                assert!(looked_through < 30 * text.len(), "{mark} {end}: {looked_through}");
            }
        }
    }
}
