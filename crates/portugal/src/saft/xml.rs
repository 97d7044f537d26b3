//! Elements.

use std::fmt::Write as _;

use racun_kernel::Decimal;
use racun_kernel::calendar::format_date;
use time::Date;

use super::Encoding;
use crate::WallTime;
use crate::amounts::figure_text;

/// Adds `text` to `to` so that XML reads it back.
pub(crate) fn escape(text: &str, to: &mut String) {
    for sign in text.chars() {
        match sign {
            '&' => to.push_str("&amp;"),
            '<' => to.push_str("&lt;"),
            '>' => to.push_str("&gt;"),
            other => to.push(other),
        }
    }
}

/// Elements that are put together, until they are written.
#[derive(Debug)]
pub(super) struct Xml {
    pub text: String,
    pub encoding: Encoding,
}

impl Xml {
    pub fn new(encoding: Encoding) -> Self {
        Self { text: String::with_capacity(4096), encoding }
    }

    pub fn open(&mut self, name: &str) {
        self.text.push('<');
        self.text.push_str(name);
        self.text.push('>');
    }

    pub fn close(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    /// The element `name` with what `content` puts into it.
    pub fn within(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.open(name);
        content(self);
        self.close(name);
    }

    /// The element `name` with a text that holds nothing to escape: codes and numbers.
    pub fn plain(&mut self, name: &str, text: &str) {
        self.open(name);
        self.text.push_str(text);
        self.close(name);
    }

    /// The element `name` with a text of people, in one line of at most `max` characters; `missing`
    /// where nothing is left of it.
    pub fn line(&mut self, name: &str, text: &str, max: usize, missing: &str) {
        let line = self.encoding.line(text, max);
        self.open(name);
        escape(if line.is_empty() { missing } else { &line }, &mut self.text);
        self.close(name);
    }

    /// The same where the text may be missing, and the element with it.
    pub fn some_line(&mut self, name: &str, text: Option<&str>, max: usize) {
        let line = text.map(|text| self.encoding.line(text, max));
        if let Some(line) = line.filter(|line| !line.is_empty()) {
            self.open(name);
            escape(&line, &mut self.text);
            self.close(name);
        }
    }

    /// An amount or a quantity with the decimals that it has, two at least.
    pub fn figure(&mut self, name: &str, figure: &Decimal) {
        self.plain(name, &figure_text(figure));
    }

    pub fn date(&mut self, name: &str, date: Date) {
        self.plain(name, &format_date(date));
    }

    pub fn time(&mut self, name: &str, time: WallTime) {
        self.open(name);
        // Nothing can fail: the text is in memory.
        let _ = write!(self.text, "{time}");
        self.close(name);
    }
}
