//! What a text is made of.

/// A text for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Its title, which is its first line too.
    pub title: String,
    /// Its language: `sl-SI`.
    pub language: String,
    /// What follows the title.
    pub blocks: Vec<Block>,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Paragraph(String),
    /// A table.
    Table(Table),
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The columns: their names, and how wide they are in relation to each other.
    pub columns: Vec<(String, u8)>,
    /// The rows, of as many cells as there are columns; cells that are missing are empty.
    pub rows: Vec<Vec<String>>,
}

impl Block {
    /// A heading.
    #[must_use]
    pub fn heading(text: impl Into<String>) -> Self {
        Self::Heading(text.into())
    }

    /// A paragraph.
    #[must_use]
    pub fn paragraph(text: impl Into<String>) -> Self {
        Self::Paragraph(text.into())
    }
}

/// `text` without what neither format can hold: control characters. Line ends and tabs are blanks.
pub fn plain(text: &str) -> String {
    let kept = text.chars().filter_map(|c| match c {
        '\n' | '\r' | '\t' => Some(' '),
        '\u{fffe}' | '\u{ffff}' => None,
        c if c.is_control() => None,
        c => Some(c),
    });
    kept.collect()
}
