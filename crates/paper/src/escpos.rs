//! The model as bytes for a receipt printer that speaks ESC/POS.
//!
//! Source of the commands: the reference of Epson's printers, which others follow. Codes are sent
//! as pictures, for printers make neither the version nor the character set that a UPN QR needs. A
//! logo is given as dots, for this crate decodes no pictures.

use encoding_rs::{Encoding, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1257};

use crate::drawing::{Modules, modules, pdf417_width};
use crate::model::{Code, ColumnKey, Emphasis, Fact, Paper, Row, Symbol, Table};

/// The pages of letters that printers have, by the number of `ESC t`.
static PAGES: [(u8, &Encoding); 4] =
    [(45, WINDOWS_1250), (16, WINDOWS_1252), (46, WINDOWS_1251), (51, WINDOWS_1257)];

const RESET: &[u8] = b"\x1b@";
const LEFT: &[u8] = b"\x1ba\x00";
const CENTER: &[u8] = b"\x1ba\x01";
const BOLD: &[u8] = b"\x1bE\x01";
const PLAIN: &[u8] = b"\x1bE\x00";
/// Feeds the paper to the knife, and cuts it.
const CUT: &[u8] = b"\x1dV\x42\x00";
/// Dots of a millimetre.
const DOTS: usize = 8;
/// Dots of the narrowest bar of a bar code, at least.
const DOTS_OF_A_BAR: usize = 2;

/// How wide the paper is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Roll {
    /// 80 mm: 48 letters, 576 dots.
    #[default]
    Wide,
    /// 58 mm: 32 letters, 384 dots.
    Narrow,
}

impl Roll {
    const fn letters(self) -> usize {
        match self {
            Self::Wide => 48,
            Self::Narrow => 32,
        }
    }

    const fn dots(self) -> usize {
        match self {
            Self::Wide => 576,
            Self::Narrow => 384,
        }
    }

    /// Dots across and down that a logo may take, as on a roll that is set as PDF: seven tenths of
    /// the paper and 20 mm, at so many percent of that.
    #[must_use]
    pub fn logo_dots(self, scale_percent: u8) -> (u32, u32) {
        let across = match self {
            Self::Wide => 403,
            Self::Narrow => 268,
        };
        let part = |whole: u32| whole * u32::from(scale_percent) / 100;
        (part(across), part(160))
    }
}

struct Printer {
    roll: Roll,
    bytes: Vec<u8>,
    page: u8,
}

impl Printer {
    fn new(roll: Roll) -> Self {
        let mut printer = Self { roll, bytes: RESET.to_vec(), page: 0 };
        printer.turn_to(PAGES[0].0);
        printer
    }

    fn command(&mut self, command: &[u8]) {
        self.bytes.extend_from_slice(command);
    }

    fn turn_to(&mut self, page: u8) {
        if self.page != page {
            self.page = page;
            self.command(&[0x1b, b't', page]);
        }
    }

    /// The letters of `text`, none of which is a command: control characters are left out.
    fn letters(&mut self, text: &str) {
        for sign in text.chars() {
            match sign {
                ' '..='~' => self.bytes.extend(u8::try_from(sign)),
                '\u{a0}' | '\u{202f}' => self.bytes.push(b' '),
                sign if sign.is_control() => {}
                sign => self.letter(sign),
            }
        }
    }

    fn letter(&mut self, sign: char) {
        let text = sign.to_string();
        let byte = |encoding: &'static Encoding| {
            let (bytes, _, has_failed) = encoding.encode(&text);
            match &*bytes {
                [byte] if !has_failed && *byte >= 0x80 => Some(*byte),
                _ => None,
            }
        };
        let current = self.page;
        let now = PAGES.iter().filter(|(page, _)| *page == current);
        let others = PAGES.iter().filter(|(page, _)| *page != current);
        let mut found = now.chain(others).filter_map(|(page, of)| Some((*page, byte(of)?)));
        match found.next() {
            Some((page, byte)) => {
                self.turn_to(page);
                self.bytes.push(byte);
            }
            None => self.bytes.push(b'?'),
        }
    }

    fn line(&mut self, text: &str) {
        for line in text.lines() {
            for part in wrapped(line, self.roll.letters()) {
                self.letters(&part);
                self.bytes.push(b'\n');
            }
        }
    }

    /// `left` and `right` at the ends of a line, or on two when there is no room.
    fn sides(&mut self, left: &str, right: &str) {
        let (width, taken) = (self.roll.letters(), left.chars().count() + right.chars().count());
        if taken < width {
            self.line(&format!("{left}{}{right}", " ".repeat(width - taken)));
            return;
        }
        self.line(left);
        for part in wrapped(right, width) {
            let blanks = width.saturating_sub(part.chars().count());
            self.line(&format!("{}{part}", " ".repeat(blanks)));
        }
    }

    fn rule(&mut self) {
        self.line(&"-".repeat(self.roll.letters()));
    }

    fn facts(&mut self, facts: &[Fact]) {
        for fact in facts {
            self.sides(&format!("{}:", fact.label), &fact.text);
        }
    }

    /// A code as a picture, in the middle.
    fn code(&mut self, code: &Code) {
        let Ok(drawn) = modules(fitted(code.symbol, self.roll.dots()), &code.payload) else {
            return;
        };
        let (least, most) = code.width_mm;
        let width = width(&drawn, (least.into(), most.into()), self.roll.dots());
        self.command(CENTER);
        self.bytes.push(b'\n');
        self.picture(&drawn, width);
        self.line(&code.label);
        self.command(LEFT);
    }

    /// Modules as dots, `width` in a row, by `GS v 0`.
    fn picture(&mut self, drawn: &Modules, width: usize) {
        let rows = drawn.dark.len() / drawn.width.max(1);
        let height = rows * drawn.row * width / drawn.width.max(1);
        let across = width.div_ceil(8);
        let pair = |number: usize| {
            [number % 256, number / 256 % 256].map(|half| u8::try_from(half).unwrap_or(u8::MAX))
        };
        self.command(b"\x1dv0\x00");
        self.bytes.extend(pair(across));
        self.bytes.extend(pair(height));
        for y in 0..height {
            let row = y * rows / height;
            for byte in 0..across {
                let bit = |bit: usize| {
                    let x = byte * 8 + bit;
                    let column = x * drawn.width / width;
                    let is_dark = drawn.dark.get(row * drawn.width + column) == Some(&true);
                    u8::from(x < width && is_dark) << (7 - bit)
                };
                self.bytes.push((0..8).map(bit).sum());
            }
        }
        self.bytes.push(b'\n');
    }
}

/// `symbol` with as many columns as there is room for, of `dots`: bars of less than
/// [`DOTS_OF_A_BAR`] dots run into each other on thermal paper.
fn fitted(symbol: Symbol, dots: usize) -> Symbol {
    match symbol {
        Symbol::Qr { .. } => symbol,
        Symbol::Pdf417 { error_level, max_columns } => {
            let fits = |columns: &u8| pdf417_width(*columns) * DOTS_OF_A_BAR <= dots;
            let columns = (1..=max_columns).rev().find(fits).unwrap_or(1);
            Symbol::Pdf417 { error_level, max_columns: columns }
        }
    }
}

/// Dots of the width of a code: of a bar code a whole number for each module, for scanners tell
/// its bars apart by their widths; of a QR code one between `least` and `most` millimetres, which
/// is a whole number for each module where there is one.
fn width(drawn: &Modules, (least, most): (usize, usize), paper: usize) -> usize {
    let across = drawn.width.max(1);
    if drawn.row > 1 {
        return (paper.min(most * DOTS) / drawn.width_with_quiet().max(1)).max(1) * across;
    }
    let wanted = ((least + most) * DOTS / 2).min(paper);
    let of_module = (wanted + across / 2) / across;
    let even = of_module.max(1) * across;
    if (least * DOTS..=most * DOTS).contains(&even) && even <= paper { even } else { wanted }
}

/// `text` in lines of `width` letters, broken at blanks where there are some.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while rest.len() > width {
        let blank = rest[..=width].iter().rposition(|sign| *sign == ' ').filter(|at| *at > 0);
        let at = blank.unwrap_or(width);
        lines.push(rest[..at].iter().collect::<String>().trim_end().to_owned());
        rest.drain(..at + usize::from(blank.is_some()));
    }
    lines.push(rest.into_iter().collect());
    lines
}

impl Paper {
    /// The document as bytes for a receipt printer, under `logo` where there is one: dots of at
    /// most [`Roll::logo_dots`]. Pictures of signatures are left out; all texts are there.
    #[must_use]
    pub fn escpos(&self, roll: Roll, logo: Option<&Modules>) -> Vec<u8> {
        let mut to = Printer::new(roll);
        to.command(CENTER);
        if let Some(logo) = logo.filter(|logo| (1..=roll.dots()).contains(&logo.width)) {
            to.picture(logo, logo.width);
        }
        to.command(BOLD);
        to.line(&self.issuer.name);
        to.command(PLAIN);
        self.issuer.address.iter().for_each(|line| to.line(line));
        for fact in &self.issuer.facts {
            to.line(&format!("{}: {}", fact.label, fact.text));
        }
        to.bytes.push(b'\n');
        to.command(BOLD);
        to.line(format!("{} {}", self.title, self.number.as_deref().unwrap_or_default()).trim());
        self.banners.iter().for_each(|banner| to.line(&banner.text));
        to.command(PLAIN);
        to.command(LEFT);
        to.facts(&self.facts);
        if let Some(customer) = &self.customer {
            to.rule();
            to.line(&format!("{}: {}", customer.label, customer.name));
            customer.address.iter().for_each(|line| to.line(line));
            to.facts(&customer.facts);
        }
        to.rule();
        lines(&self.lines, &mut to);
        to.rule();
        for total in &self.totals {
            let is_bold = total.emphasis != Emphasis::Plain;
            to.command(if is_bold { BOLD } else { PLAIN });
            to.sides(&total.label, &total.text);
        }
        to.command(PLAIN);
        let tables = [&self.taxes, &self.advances, &self.payments, &self.converted];
        for one in tables.into_iter().flatten() {
            to.rule();
            table(one, &mut to);
        }
        self.clauses.iter().for_each(|clause| to.line(clause));
        for note in &self.notes {
            to.rule();
            to.line(&format!("{}: {}", note.label, note.text));
        }
        if let Some(payment) = &self.payment {
            to.rule();
            to.line(&payment.label);
            to.facts(&payment.facts);
            for code in &payment.codes {
                to.code(code);
                to.facts(&code.slip);
            }
        }
        for marks in &self.marks {
            to.rule();
            to.facts(&marks.facts);
            marks.sentences.iter().for_each(|sentence| to.line(sentence));
            marks.code.iter().for_each(|code| to.code(code));
        }
        for text in self.signature.iter().filter_map(|signature| signature.text.as_ref()) {
            to.line(text);
        }
        to.command(CENTER);
        self.footer.iter().for_each(|footer| to.line(footer));
        to.command(CUT);
        to.bytes
    }
}

/// Lines: the name, then what is reckoned, with the amount at the end.
fn lines(table: &Table, to: &mut Printer) {
    for row in &table.rows {
        match row {
            Row::Heading { name, description } => {
                to.command(BOLD);
                to.line(name);
                to.command(PLAIN);
                description.iter().for_each(|more| to.line(more));
            }
            Row::Cells { cells, description, .. } => {
                let mut reckoned = Vec::new();
                let mut amount = "";
                for (column, cell) in table.columns.iter().zip(cells) {
                    match column.key {
                        ColumnKey::Name => to.line(cell),
                        ColumnKey::Position => {}
                        ColumnKey::Net | ColumnKey::Gross => amount = cell,
                        ColumnKey::Discount if !cell.is_empty() => {
                            reckoned.push(format!("-{cell}"));
                        }
                        ColumnKey::Price => reckoned.push(format!("x {cell}")),
                        _ if !cell.is_empty() => reckoned.push(cell.clone()),
                        _ => {}
                    }
                }
                description.iter().for_each(|more| to.line(more));
                to.sides(&format!("  {}", reckoned.join(" ")), amount);
            }
        }
    }
}

/// Other tables: each row's first texts on the left, its last on the right.
fn table(table: &Table, to: &mut Printer) {
    table.label.iter().for_each(|label| to.line(label));
    for row in &table.rows {
        let Row::Cells { cells, .. } = row else { continue };
        let cells: Vec<String> = cells
            .iter()
            .filter(|cell| !cell.is_empty())
            .map(|cell| cell.replace('\n', ", "))
            .collect();
        if let Some((last, before)) = cells.split_last() {
            to.sides(&before.join("  "), last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_all_pages_are_printed_and_commands_in_texts_are_not() {
        let mut printer = Printer::new(Roll::Wide);
        let head = printer.bytes.len();
        printer.letters("a\u{1b}@\u{1d}V\u{0}Čñ€Ж\u{202e}\u{4e2d}");
        let expected = [
            b"a@V".as_slice(),
            &[0xc8],
            &[0x1b, b't', 16],
            &[0xf1],
            &[0x80],
            &[0x1b, b't', 46],
            &[0xc6],
            b"??",
        ];
        assert_eq!(printer.bytes[head..], expected.concat());
    }

    #[test]
    fn texts_are_broken_at_blanks_and_where_there_are_none() {
        assert_eq!(wrapped("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrapped("aaaaaaa", 3), ["aaa", "aaa", "a"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}
