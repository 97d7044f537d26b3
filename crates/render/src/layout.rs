//! Which words stand where on which page.

use crate::fonts::Ruler;
use crate::text::plain;
use crate::{Block, Table, Text};

/// Width of a page, in points: A4.
pub const WIDTH: i16 = 595;
/// Height of a page.
pub const HEIGHT: i16 = 842;
/// From the paper's edge to the text: two centimetres.
pub const MARGIN: i16 = 57;
/// The lowest line of text.
const BOTTOM: i16 = HEIGHT - MARGIN;
/// Between the columns of a table.
const GUTTER: i16 = 8;

/// How a text is set.
#[derive(Clone, Copy)]
struct Style {
    size: i16,
    is_bold: bool,
    /// From line to line.
    leading: i16,
    /// Before it.
    above: i16,
}

const TITLE: Style = Style { size: 15, is_bold: true, leading: 20, above: 0 };
const HEADING: Style = Style { size: 11, is_bold: true, leading: 15, above: 14 };
const BODY: Style = Style { size: 10, is_bold: false, leading: 14, above: 6 };
const NAMES: Style = Style { size: 9, is_bold: true, leading: 12, above: 6 };
const CELLS: Style = Style { size: 9, is_bold: false, leading: 12, above: 3 };

/// Something on a page. `y` is the line that letters stand on, from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Words in one line.
    Words {
        /// From the left.
        x: i16,
        /// From the top.
        y: i16,
        /// Size of the letters.
        size: i16,
        /// Whether they are bold.
        is_bold: bool,
        /// The words.
        words: String,
    },
    /// A line from margin to margin.
    Line {
        /// From the top.
        y: i16,
    },
}

/// The pages of `text`, each with its number.
pub fn pages(text: &Text, ruler: &Ruler) -> Vec<Vec<Mark>> {
    let mut sheet = Sheet { ruler, pages: vec![Vec::new()], y: MARGIN };
    sheet.lines(&text.title, TITLE);
    for block in &text.blocks {
        match block {
            Block::Heading(text) => sheet.heading(text),
            Block::Paragraph(text) => sheet.lines(text, BODY),
            Block::Table(table) => sheet.table(table),
        }
    }
    let count = sheet.pages.len();
    for (number, page) in sheet.pages.iter_mut().enumerate() {
        let words = format!("{} / {count}", number + 1);
        page.push(Mark::Words { x: MARGIN, y: HEIGHT - 30, size: 8, is_bold: false, words });
    }
    sheet.pages
}

/// A column of a table on paper.
struct Column {
    x: i16,
    width: i16,
}

struct Sheet<'a> {
    ruler: &'a Ruler,
    pages: Vec<Vec<Mark>>,
    /// Where the last line ended.
    y: i16,
}

impl Sheet<'_> {
    fn mark(&mut self, mark: Mark) {
        if let Some(page) = self.pages.last_mut() {
            page.push(mark);
        }
    }

    /// Goes on with a new page unless there is room for so much.
    fn room(&mut self, points: i16) {
        if self.y + points > BOTTOM && self.y > MARGIN {
            self.pages.push(Vec::new());
            self.y = MARGIN;
        }
    }

    /// A heading stays with two lines of what follows.
    fn heading(&mut self, text: &str) {
        self.room(HEADING.above + HEADING.leading + 2 * BODY.leading + BODY.above);
        self.lines(text, HEADING);
    }

    fn lines(&mut self, text: &str, style: Style) {
        self.y += style.above;
        for words in wrap(self.ruler, text, style, WIDTH - 2 * MARGIN) {
            self.room(style.leading);
            self.y += style.leading;
            self.words(MARGIN, words, style);
        }
    }

    fn words(&mut self, x: i16, words: String, style: Style) {
        let Style { size, is_bold, .. } = style;
        self.mark(Mark::Words { x, y: self.y, size, is_bold, words });
    }

    fn table(&mut self, table: &Table) {
        let columns = columns(table);
        let names: Vec<String> = table.columns.iter().map(|(name, _)| name.clone()).collect();
        // Names stay with the first row.
        self.room(NAMES.above + 2 * NAMES.leading + CELLS.above + CELLS.leading);
        self.row(&columns, &names, NAMES);
        for row in &table.rows {
            self.row(&columns, row, CELLS);
        }
        self.y += CELLS.above;
    }

    /// A row, which goes on over pages when it is higher than one.
    fn row(&mut self, columns: &[Column], row: &[String], style: Style) {
        let wrapped = columns.iter().zip(row);
        let cells: Vec<Vec<String>> =
            wrapped.map(|(column, cell)| wrap(self.ruler, cell, style, column.width)).collect();
        let count = cells.iter().map(Vec::len).max().unwrap_or_default();
        let height = i16::try_from(count).unwrap_or(i16::MAX).saturating_mul(style.leading);
        if height < BOTTOM - MARGIN {
            self.room(style.above + height);
        }
        self.y += style.above;
        for line in 0..count {
            self.room(style.leading);
            self.y += style.leading;
            for (column, cell) in columns.iter().zip(&cells) {
                if let Some(words) = cell.get(line) {
                    self.words(column.x, words.clone(), style);
                }
            }
        }
        self.y += 3;
        self.mark(Mark::Line { y: self.y });
    }
}

/// Where the columns of a table stand.
fn columns(table: &Table) -> Vec<Column> {
    let all: i16 = table.columns.iter().map(|(_, share)| i16::from(*share)).sum();
    let count = i16::try_from(table.columns.len()).unwrap_or(i16::MAX);
    let room = WIDTH - 2 * MARGIN - GUTTER * (count - 1).max(0);
    let mut x = MARGIN;
    let column = |(_, share): &(String, u8)| {
        let width = room / all.max(1) * i16::from(*share);
        let column = Column { x, width };
        x += width + GUTTER;
        column
    };
    table.columns.iter().map(column).collect()
}

/// The lines of `text` that are at most `width` wide: broken at blanks, and within words that are
/// longer.
fn wrap(ruler: &Ruler, text: &str, style: Style, width: i16) -> Vec<String> {
    let fits = |line: &str| ruler.fits(line, style.is_bold, style.size, width);
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in plain(text).split_whitespace() {
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if fits(&joined) {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            line.push(c);
            if !fits(&line) && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, c.to_string()));
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All words of all pages, in their order; page numbers are left out.
    fn words(pages: &[Vec<Mark>]) -> Vec<String> {
        let marks = pages.iter().flat_map(|page| &page[..page.len() - 1]);
        let words = marks.filter_map(|mark| match mark {
            Mark::Words { words, .. } => Some(words.clone()),
            Mark::Line { .. } => None,
        });
        words.collect()
    }

    fn text(blocks: Vec<Block>) -> Text {
        Text { title: "Naslov".to_owned(), language: "sl-SI".to_owned(), blocks }
    }

    #[test]
    fn no_word_is_lost_or_moved_and_all_stand_within_the_margins() {
        let ruler = Ruler::new().unwrap();
        let long = (0..3_000).map(|n| format!("beseda{n}")).collect::<Vec<_>>().join(" ");
        let set = pages(&text(vec![Block::heading("Glava"), Block::paragraph(&*long)]), &ruler);
        assert!(set.len() > 2, "{} pages", set.len());
        let expected = format!("Naslov Glava {long}");
        assert_eq!(words(&set).join(" "), expected);
        for (number, page) in set.iter().enumerate() {
            let mut last = 0;
            for mark in &page[..page.len() - 1] {
                let Mark::Words { x, y, size, is_bold, words } = mark else { continue };
                assert!((MARGIN..=BOTTOM).contains(y) && *y > last, "{mark:?}");
                assert!(ruler.fits(words, *is_bold, *size, WIDTH - MARGIN - x), "{mark:?}");
                last = *y;
            }
            let Some(Mark::Words { words, .. }) = page.last() else { panic!("no number") };
            assert_eq!(*words, format!("{} / {}", number + 1, set.len()));
        }
    }

    #[test]
    fn a_word_that_is_too_long_goes_on_in_the_next_line() {
        let ruler = Ruler::new().unwrap();
        let word = "Ž".repeat(500);
        let lines = wrap(&ruler, &word, BODY, 100);
        assert!(lines.len() > 10);
        assert_eq!(lines.concat(), word);
        assert_eq!(wrap(&ruler, "a\nb\tc\u{1} \u{0}d", BODY, 400), ["a b c d"]);
        assert_eq!(wrap(&ruler, " \n ", BODY, 400), Vec::<String>::new());
        assert_eq!(wrap(&ruler, "ab", BODY, 1), ["a", "b"], "a letter stands even where none fits");
    }

    #[test]
    fn columns_never_touch_and_rows_go_on_over_pages() {
        let ruler = Ruler::new().unwrap();
        let columns = ["A", "B", "C"].map(|name| (name.to_owned(), 1)).to_vec();
        let cell = "šola ".repeat(60);
        let rows = vec![vec![cell.clone(), cell.clone(), "x".to_owned()]; 30];
        let mut rows = rows;
        rows.push(vec!["y".repeat(20_000), String::new(), "konec".to_owned()]);
        let set = pages(&text(vec![Block::Table(Table { columns, rows })]), &ruler);
        assert!(set.len() > 5);
        let all = words(&set);
        let count = |part: &str| all.iter().flat_map(|words| words.matches(part)).count();
        assert_eq!((count("šola"), count("x"), count("konec"), count("y")), (3_600, 30, 1, 20_000));
        for mark in set.iter().flatten() {
            let Mark::Words { x, y, size, is_bold, words } = mark else { continue };
            let in_table = *size == CELLS.size;
            let width = if in_table { (WIDTH - 2 * MARGIN - 2 * GUTTER) / 3 } else { WIDTH };
            assert!(ruler.fits(words, *is_bold, *size, width), "{x} {y} {words}");
        }
    }
}
