//! Variables in braces, and their values.

use std::collections::BTreeMap;

/// What variables stand for, by name: `document_number`, `bank_account.iban`. A variable that exists
/// and has no value stands for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<&'static str, String>);

impl Values {
    /// Lets `name` stand for `value`, or for nothing.
    pub fn set(&mut self, name: &'static str, value: Option<impl Into<String>>) {
        self.0.insert(name, value.map(Into::into).unwrap_or_default());
    }

    /// What `name` stands for; `None` when there is no such variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }
}

/// A piece of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text as it stands.
    Text(&'a str),
    /// What a known variable stands for.
    Value(&'a str),
}

/// `template` in pieces. Braces around anything else than a known variable are text: a mistake shows
/// to whoever reads the mail, and loses nothing.
pub(crate) fn pieces<'a>(template: &'a str, values: &'a Values) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let (mut text_from, mut look_from) = (0, 0);
    while let Some(open) = template[look_from..].find('{').map(|at| at + look_from) {
        look_from = open + 1;
        let Some(name) = variable_at(&template[look_from..]) else { continue };
        let Some(value) = values.get(name) else { continue };
        if text_from < open {
            pieces.push(Piece::Text(&template[text_from..open]));
        }
        pieces.push(Piece::Value(value));
        look_from += name.len() + 1;
        text_from = look_from;
    }
    if text_from < template.len() {
        pieces.push(Piece::Text(&template[text_from..]));
    }
    pieces
}

/// The name that `rest`, what stands behind an opening brace, begins with.
fn variable_at(rest: &str) -> Option<&str> {
    let sane = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'.';
    let length = rest.bytes().take_while(|b| sane(*b)).count();
    rest[length..].starts_with('}').then(|| &rest[..length])
}

/// Whether `template` uses the variable `name`.
#[must_use]
pub fn uses(template: &str, name: &str) -> bool {
    template.contains(&format!("{{{name}}}"))
}

/// `template` with the values of its variables, read once: braces in a value stay.
#[must_use]
pub fn fill(template: &str, values: &Values) -> String {
    let text = |piece| match piece {
        Piece::Text(text) | Piece::Value(text) => text,
    };
    pieces(template, values).into_iter().map(text).collect()
}

/// The same for a header of a mail: one line of at most `max` characters, without control characters,
/// whatever the values hold.
#[must_use]
pub fn fill_line(template: &str, values: &Values, max: usize) -> String {
    let filled = fill(template, values);
    let spaced = filled.chars().map(|c| if c.is_control() { ' ' } else { c });
    spaced.take(max).collect::<String>().trim().to_owned()
}
