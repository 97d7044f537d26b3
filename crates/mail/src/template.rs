//! Variables in braces, and their values.

use std::collections::BTreeMap;

use racun_kernel::Issue;

/// What variables stand for, by name: `document_number`, `bank_account.iban`. A variable that
/// exists and has no value stands for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<&'static str, Value>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    /// Shown as it stands.
    Plain(String),
    /// A template: its marks are marks, its variables are filled.
    Text(String),
}

impl Values {
    /// Lets `name` stand for `value`, or for nothing.
    pub fn set(&mut self, name: &'static str, value: Option<impl Into<String>>) {
        self.0.insert(name, Value::Plain(value.map(Into::into).unwrap_or_default()));
    }

    /// Lets `name` stand for a text that is a template, too. Inside of a text, names of texts stand
    /// for nothing.
    pub fn set_text(&mut self, name: &'static str, text: Option<impl Into<String>>) {
        self.0.insert(name, Value::Text(text.map(Into::into).unwrap_or_default()));
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

/// `template` in pieces. Braces around anything else than a known variable are text: a mistake
/// shows in the mail, and loses nothing. A value that ends in a full stop, such as `d.o.o.`, ends
/// its sentence, too.
pub(crate) fn pieces<'a>(template: &'a str, values: &'a Values) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    add_pieces(&mut pieces, template, values, true);
    let mut has_stop = false;
    for piece in &mut pieces {
        if let Piece::Text(text) = piece
            && has_stop
        {
            *text = text.strip_prefix('.').unwrap_or(text);
        }
        has_stop = matches!(piece, Piece::Value(value) if value.ends_with('.'));
    }
    pieces
}

/// Adds those of `template`; texts among `values` have pieces of their own, in their place.
fn add_pieces<'a>(
    pieces: &mut Vec<Piece<'a>>,
    template: &'a str,
    values: &'a Values,
    has_texts: bool,
) {
    let (mut text_from, mut look_from) = (0, 0);
    while let Some(open) = template[look_from..].find('{').map(|at| at + look_from) {
        look_from = open + 1;
        let Some(name) = variable_at(&template[look_from..]) else { continue };
        let Some(value) = values.0.get(name) else { continue };
        if text_from < open {
            pieces.push(Piece::Text(&template[text_from..open]));
        }
        match value {
            Value::Plain(value) => pieces.push(Piece::Value(value)),
            Value::Text(text) if has_texts => add_pieces(pieces, text, values, false),
            Value::Text(_) => {}
        }
        look_from += name.len() + 1;
        text_from = look_from;
    }
    if text_from < template.len() {
        pieces.push(Piece::Text(&template[text_from..]));
    }
}

/// The name that `rest`, what stands behind an opening brace, begins with.
fn variable_at(rest: &str) -> Option<&str> {
    let sane = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'.';
    let length = rest.bytes().take_while(|b| sane(*b)).count();
    rest[length..].starts_with('}').then(|| &rest[..length])
}

/// The variables of mails (contract 17). Which of them stand for something hangs on what a mail is
/// about.
pub const VARIABLES: [&str; 36] = [
    "entity_name",
    "entity_email",
    "entity_address",
    "entity_post_code",
    "entity_city",
    "entity_country",
    "entity_tax_number",
    "entity_company_number",
    "entity_starting_capital",
    "unit_name",
    "document_number",
    "document_date",
    "document_due_date",
    "document_valid_until",
    "document_total",
    "document_currency",
    "customer_name",
    "customer_email",
    "invoice_list",
    "payment_instructions",
    "total_amount",
    "overdue_count",
    "bank_account",
    "bank_account.iban",
    "bank_account.bank_name",
    "bank_account.bic",
    "bank_account.account_number",
    "iban",
    "bic",
    "bank_name",
    "account_number",
    "routing_number",
    "sort_code",
    "current_date",
    "current_year",
    "invoice_link",
];

/// Accepts a text whose variables there are all: braces around a word are meant as one. Braces
/// around anything else are text.
///
/// # Errors
/// `unknown_placeholder`, with the name and the nearest one that there is, for the first that there
/// is not.
pub fn check_variables(template: &str) -> Result<(), Issue> {
    let unknown = template.match_indices('{').find_map(|(open, _)| {
        let rest = &template[open + 1..];
        // A name has no brace in it: each text between two braces is looked at once.
        let (name, end) = rest.split_at(rest.find(['{', '}'])?);
        let name = end.starts_with('}').then_some(name)?;
        let is_meant = name.trim().starts_with(|c: char| c.is_ascii_alphabetic())
            && name.trim().bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
        (is_meant && !VARIABLES.contains(&name)).then_some(name)
    });
    let Some(name) = unknown else { return Ok(()) };
    let wanted = name.trim().to_ascii_lowercase();
    let nearest = VARIABLES.iter().min_by_key(|known| distance(known, &wanted));
    let nearest = nearest.filter(|known| distance(known, &wanted) <= 1 + wanted.len() / 3);
    let advice = nearest.map(|known| format!("did you mean {{{known}}}? ")).unwrap_or_default();
    let message = format!("there is no {{{name}}}: {advice}there are {}", VARIABLES.join(", "));
    Err(Issue::new("unknown_placeholder", message))
}

/// How many letters have to be added, taken away or changed to make one of the other (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = n + 1;
        for (m, same) in other.iter().enumerate() {
            let changed = before + usize::from(letter != *same);
            before = row[m + 1];
            row[m + 1] = changed.min(row[m] + 1).min(before + 1);
        }
    }
    row.last().copied().unwrap_or_default()
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

/// Characters of a name that users chose, in a mail to a stranger.
const NAME_CHARS: usize = 60;

/// A name that people chose, as a mail to strangers may show it: short, and without anything that a
/// mail program makes a link of.
#[must_use]
pub fn defused(name: &str) -> String {
    let mut text = String::new();
    let mut rest = name.chars().map(|c| if c.is_control() { ' ' } else { c }).peekable();
    while let Some(c) = rest.next() {
        match c {
            // `https://host/path` and `a@host` become words.
            ':' | '/' | '\\' | '@' => text.push(' '),
            // `host.example` becomes two sentences; `d. o. o.` is read as well as `d.o.o.`.
            '.' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}' => {
                text.push('.');
                if rest.peek().is_some_and(|next| next.is_alphanumeric()) {
                    text.push(' ');
                }
            }
            c => text.push(c),
        }
    }
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= NAME_CHARS {
        return words;
    }
    let short: String = words.chars().take(NAME_CHARS - 1).collect();
    format!("{}…", short.trim_end())
}

/// The same for a header of a mail: one line of at most `max` characters, without control
/// characters, whatever the values hold.
#[must_use]
pub fn fill_line(template: &str, values: &Values, max: usize) -> String {
    let filled = fill(template, values);
    let spaced = filled.chars().map(|c| if c.is_control() { ' ' } else { c });
    spaced.take(max).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_full_stop_ends_its_sentence() {
        let of = |name: &str| {
            let mut values = Values::default();
            values.set("entity_name", Some(name));
            fill("Work for {entity_name}. And {entity_name}, again.", &values)
        };
        assert_eq!(of("Klas d.o.o."), "Work for Klas d.o.o. And Klas d.o.o., again.");
        assert_eq!(of("Klas"), "Work for Klas. And Klas, again.");
    }

    #[test]
    fn a_name_is_no_link_in_a_mail_to_strangers() {
        for (name, shown) in [
            ("Pekarna Klas d.o.o.", "Pekarna Klas d. o. o."),
            ("Ana & Bor GmbH", "Ana & Bor GmbH"),
            (
                "PayPal - your account is locked, open https://evil.example/login now",
                "PayPal - your account is locked, open https evil. example l…",
            ),
            ("www.evil.example", "www. evil. example"),
            ("me@evil.example\r\nBcc: x", "me evil. example Bcc x"),
            ("evil\u{3002}example", "evil. example"),
        ] {
            assert_eq!(defused(name), shown);
        }
        assert_eq!(defused(&"n".repeat(255)).chars().count(), NAME_CHARS);
    }
}
