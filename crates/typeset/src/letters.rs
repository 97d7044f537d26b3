//! Which characters reach the paper.

use racun_kernel::text::is_unseen;
use serde_json::Value;

use crate::world::Workshop;

/// What is shown in place of a character that no font has.
const UNKNOWN: char = '\u{fffd}';

/// Makes all texts in `value` ones that can be printed.
pub(crate) fn make_printable(value: &mut Value, workshop: &Workshop, plain: bool) {
    match value {
        Value::String(text) => {
            if !text.is_ascii() || text.contains(|c: char| c.is_ascii_control()) {
                *text = printable(text, workshop, plain);
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|v| make_printable(v, workshop, plain)),
        Value::Object(all) => all.values_mut().for_each(|v| make_printable(v, workshop, plain)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `text` with characters that can be printed. When `plain`, only with letters that stand alone.
fn printable(text: &str, workshop: &Workshop, plain: bool) -> String {
    let shown = text.chars().filter(|c| !is_without_shape(*c)).map(|c| match c {
        '\t' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        c if workshop.has(c) && !is_private(c) && !(plain && is_joined(c)) => c,
        '\n' => '\n',
        _ => UNKNOWN,
    });
    shown.collect()
}

/// Controls, and characters that join, part or turn others.
fn is_without_shape(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t' | '\r')) || is_unseen(c)
}

/// Characters whose meaning is each maker's own; PDF/A does not want them.
const fn is_private(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// Characters outside Latin, Greek, Cyrillic and signs: their shapes hang on their neighbours.
const fn is_joined(c: char) -> bool {
    !matches!(
        c,
        '\0'..='\u{2af}' | '\u{370}'..='\u{481}' | '\u{48a}'..='\u{52f}' | '\u{1e00}'..='\u{1fff}'
            | '\u{2010}'..='\u{2027}' | '\u{202f}'..='\u{205f}' | '\u{20a0}'..='\u{20bf}'
            | '\u{2100}'..='\u{22ff}'
    )
}
