//! What messages are made of, and their text as JSON and as XML.
//!
//! Both authorities name an ordered sequence of fields; FURS takes the same sequence as JSON and as
//! XML. So a message is put together once, and written in either form.

use racun_kernel::{Currency, Decimal};
use time::OffsetDateTime;
use time::format_description::BorrowedFormatItem;

/// The value of a field.
pub(crate) enum FieldValue {
    /// A text; a string in JSON.
    Text(String),
    /// Digits; a number in JSON.
    Number(String),
    /// Yes or no.
    Flag(bool),
    /// Fields inside.
    Fields(Fields),
    /// The field several times; an array in JSON.
    Repeated(Vec<FieldValue>),
}

/// Named fields in the order in which they are written.
#[derive(Default)]
pub(crate) struct Fields(Vec<(&'static str, FieldValue)>);

impl Fields {
    /// The same with one more field.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, content: FieldValue) -> Self {
        self.0.push((name, content));
        self
    }

    /// The same with one more field when there is something to say.
    #[must_use]
    pub(crate) fn with_some(self, name: &'static str, content: Option<FieldValue>) -> Self {
        match content {
            Some(content) => self.with(name, content),
            None => self,
        }
    }

    /// The same with a text.
    #[must_use]
    pub(crate) fn text(self, name: &'static str, text: impl Into<String>) -> Self {
        self.with(name, FieldValue::Text(text.into()))
    }

    /// The same with `digits` as a number, which has no leading zeros in JSON.
    #[must_use]
    pub(crate) fn whole(self, name: &'static str, digits: &str) -> Self {
        let significant = digits.trim_start_matches('0');
        let digits = if significant.is_empty() { "0" } else { significant };
        self.with(name, FieldValue::Number(digits.to_owned()))
    }

    /// The same with an amount.
    #[must_use]
    pub(crate) fn amount(self, name: &'static str, amount: &Decimal) -> Self {
        self.with(name, FieldValue::Number(amount_text(amount)))
    }

    /// The same with an amount when there is one.
    #[must_use]
    pub(crate) fn some_amount(self, name: &'static str, amount: Option<&Decimal>) -> Self {
        match amount {
            Some(amount) => self.amount(name, amount),
            None => self,
        }
    }

    /// The same with fields inside a field.
    #[must_use]
    pub(crate) fn fields(self, name: &'static str, fields: Self) -> Self {
        self.with(name, FieldValue::Fields(fields))
    }

    /// The same with a field that comes once for each of `entries`; without it when there are none.
    #[must_use]
    pub(crate) fn repeated(
        self,
        name: &'static str,
        entries: impl IntoIterator<Item = Self>,
    ) -> Self {
        let entries: Vec<FieldValue> = entries.into_iter().map(FieldValue::Fields).collect();
        if entries.is_empty() { self } else { self.with(name, FieldValue::Repeated(entries)) }
    }

    /// A JSON object without blanks.
    pub(crate) fn json(&self) -> String {
        let mut text = String::new();
        write_object(&mut text, self);
        text
    }

    /// An XML element of canonical form: `start` opens it, with namespaces and attributes in
    /// canonical order, `end` is its qualified name, and `prefix` that of all inside.
    pub(crate) fn xml(&self, start: &str, end: &str, prefix: &str) -> String {
        let mut text = format!("<{start}>");
        write_elements(&mut text, self, prefix);
        text.push_str(&format!("</{end}>"));
        text
    }
}

fn write_object(text: &mut String, fields: &Fields) {
    text.push('{');
    for (n, (name, content)) in fields.0.iter().enumerate() {
        if n > 0 {
            text.push(',');
        }
        text.push_str(&format!("\"{name}\":"));
        write_value(text, content);
    }
    text.push('}');
}

fn write_value(text: &mut String, content: &FieldValue) {
    match content {
        FieldValue::Text(value) => {
            text.push_str(&serde_json::Value::from(value.as_str()).to_string())
        }
        FieldValue::Number(digits) => text.push_str(digits),
        FieldValue::Flag(flag) => text.push_str(if *flag { "true" } else { "false" }),
        FieldValue::Fields(fields) => write_object(text, fields),
        FieldValue::Repeated(entries) => {
            text.push('[');
            for (n, entry) in entries.iter().enumerate() {
                if n > 0 {
                    text.push(',');
                }
                write_value(text, entry);
            }
            text.push(']');
        }
    }
}

fn write_elements(text: &mut String, fields: &Fields, prefix: &str) {
    for (name, content) in &fields.0 {
        write_element(text, name, content, prefix);
    }
}

fn write_element(text: &mut String, name: &str, content: &FieldValue, prefix: &str) {
    if let FieldValue::Repeated(entries) = content {
        for entry in entries {
            write_element(text, name, entry, prefix);
        }
        return;
    }
    text.push_str(&format!("<{prefix}:{name}>"));
    match content {
        FieldValue::Text(value) => write_escaped(text, value),
        FieldValue::Number(digits) => text.push_str(digits),
        FieldValue::Flag(flag) => text.push_str(if *flag { "true" } else { "false" }),
        FieldValue::Fields(fields) => write_elements(text, fields, prefix),
        FieldValue::Repeated(_) => {}
    }
    text.push_str(&format!("</{prefix}:{name}>"));
}

/// Text as canonical XML 1.0 writes it inside an element. Characters that XML does not know are
/// left out; checks of input let none of them through.
fn write_escaped(text: &mut String, value: &str) {
    for character in value.chars().filter(|character| is_known_to_xml(*character)) {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '\r' => text.push_str("&#xD;"),
            other => text.push(other),
        }
    }
}

/// Whether `text` can be one line of a message: not blank, at most `max` characters, all of which
/// can be written in XML.
pub(crate) fn is_line(text: &str, max: usize) -> bool {
    let known = |character: char| !character.is_control() && is_known_to_xml(character);
    !text.trim().is_empty() && text.chars().count() <= max && text.chars().all(known)
}

/// Whether `character` is a `Char` of XML 1.0.
const fn is_known_to_xml(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// `amount` in cents: what a message can say.
pub(crate) fn cents(amount: &Decimal) -> Decimal {
    Currency::EUR.round(amount)
}

/// `amount` as marks and messages write it: a point, always two decimals, no plus, no groups.
pub(crate) fn amount_text(amount: &Decimal) -> String {
    cents(amount).padded(2)
}

/// `local`, an instant with the offset of its zone, in a form that always succeeds.
pub(crate) fn time_text(local: OffsetDateTime, form: &[BorrowedFormatItem<'_>]) -> String {
    local.format(form).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_two_decimals() {
        for (amount, expected) in [
            (Decimal::zero(), "0.00"),
            (Decimal::new(5, 2), "0.05"),
            (Decimal::new(667, 1), "66.70"),
            (Decimal::from(100), "100.00"),
            (Decimal::new(-50, 2), "-0.50"),
            (Decimal::new(-1, 3), "0.00"),
            (Decimal::new(-5, 3), "-0.01"),
            (Decimal::new(9_999_999_999_999_999, 2), "99999999999999.99"),
        ] {
            assert_eq!(amount_text(&amount), expected, "{amount}");
        }
    }

    #[test]
    fn text_is_escaped_as_each_form_wants() {
        let fields = Fields::default()
            .text("A", "a<b>&\"c\"'\r\n\u{1}\u{ffff}š")
            .with("B", FieldValue::Text(String::new()))
            .whole("C", "0012")
            .whole("D", "000");
        let xml = fields.xml("r:R", "r:R", "r");
        let expected = "<r:R><r:A>a&lt;b&gt;&amp;\"c\"'&#xD;\nš</r:A><r:B></r:B><r:C>12</r:C>\
                        <r:D>0</r:D></r:R>";
        assert_eq!(xml, expected);
        let json = "{\"A\":\"a<b>&\\\"c\\\"'\\r\\n\\u0001\u{ffff}š\",\"B\":\"\",\"C\":12,\"D\":0}";
        assert_eq!(fields.json(), json);
    }

    #[test]
    fn a_line_is_short_not_blank_and_has_no_control_characters() {
        for (text, expected) in [
            ("SI1", true),
            ("č č", true),
            ("", false),
            (" ", false),
            ("12345", false),
            ("a\n", false),
            ("a\u{1}", false),
            ("a\u{fffe}", false),
        ] {
            assert_eq!(is_line(text, 4), expected, "{text:?}");
        }
    }
}
