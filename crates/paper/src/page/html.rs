//! Writing HTML: what is not markup of this crate is escaped.

/// HTML as it is written.
#[derive(Debug, Default)]
pub(super) struct Html {
    /// What is written so far.
    pub text: String,
}

impl Html {
    fn start(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.text.push('<');
        self.text.push_str(name);
        for (attribute, value) in attributes {
            self.text.push(' ');
            self.text.push_str(attribute);
            self.text.push_str("=\"");
            self.text.push_str(&escape(value));
            self.text.push('"');
        }
        self.text.push('>');
    }

    /// Begins an element.
    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.text.push('\n');
    }

    /// Ends an element.
    pub fn close(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push_str(">\n");
    }

    /// An element with a text in it.
    pub fn element(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.start(name, attributes);
        self.text.push_str(&escape(text));
        self.close(name);
    }

    /// An element without content.
    pub fn void(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.text.push('\n');
    }

    /// Markup that this crate made, as it is.
    pub fn markup(&mut self, markup: &str) {
        self.text.push_str(markup);
    }
}

/// `text` escaped for HTML, in values of attributes, too.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            sign => html.push(sign),
        }
    }
    html
}
