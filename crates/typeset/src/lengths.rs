//! How long texts are, in letters: templates make room by that.
//!
//! They could count by themselves, but each call of a function takes typst some microseconds, and
//! this takes several for each cell of a table.

use serde_json::{Map, Value};
use unicode_segmentation::UnicodeSegmentation as _;

/// Says in `data` how long texts are.
///
/// What has a `label` gets `label_letters`, and `label_word` for the longest word of it. Columns of
/// tables get `letters` for the longest line in them, and `word` for the longest word.
pub(crate) fn measure(data: &mut Value) {
    match data {
        Value::Array(all) => all.iter_mut().for_each(measure),
        Value::Object(all) => {
            measure_columns(all);
            if let Some(Value::String(label)) = all.get("label") {
                let (letters, word) = longest(label);
                all.insert("label_letters".to_owned(), Value::from(letters));
                all.insert("label_word".to_owned(), Value::from(word));
            }
            all.values_mut().for_each(measure);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a text in `data` has a letter that is several characters, as one with its marks apart.
pub(crate) fn has_composed_letters(data: &Value) -> bool {
    match data {
        Value::Array(all) => all.iter().any(has_composed_letters),
        Value::Object(all) => all.values().any(has_composed_letters),
        Value::String(text) => letters(text) < text.chars().count(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn measure_columns(table: &mut Map<String, Value>) {
    let rows = table.get("rows").and_then(Value::as_array);
    let cells = rows.into_iter().flatten().filter_map(|row| row.get("cells")?.as_array());
    let mut found: Vec<(usize, usize)> = Vec::new();
    for cells in cells {
        found.resize(found.len().max(cells.len()), (0, 0));
        for ((letters, word), text) in found.iter_mut().zip(cells) {
            let of_text = longest(text.as_str().unwrap_or_default());
            (*letters, *word) = ((*letters).max(of_text.0), (*word).max(of_text.1));
        }
    }
    let columns = table.get_mut("columns").and_then(Value::as_array_mut);
    for (place, column) in columns.into_iter().flatten().enumerate() {
        let Some(column) = column.as_object_mut() else { continue };
        let (letters, word) = found.get(place).copied().unwrap_or_default();
        column.insert("letters".to_owned(), Value::from(letters));
        column.insert("word".to_owned(), Value::from(word));
    }
}

/// Letters of the longest line of `text`, and of its longest word.
fn longest(text: &str) -> (usize, usize) {
    let of = |parts: &mut dyn Iterator<Item = &str>| parts.map(letters).max().unwrap_or_default();
    (of(&mut text.split('\n')), of(&mut text.split(['\n', ' '])))
}

/// Letters with their marks, as they are seen.
fn letters(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).count() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_and_columns_say_how_long_they_are() {
        let mut data = json!({
            "facts": [{"label": "Datum računa", "text": "1. 2. 2026"}],
            "lines": {
                "columns": [{"label": "Opis"}, {"label": "Cena"}, {"label": "Popust"}],
                "rows": [
                    {"type": "heading", "name": "Storitve in vse drugo"},
                    {"type": "cells", "cells": ["Dve uri dela", "1.234,50 €\n(2.469,00 USD)"]},
                    {"type": "cells", "cells": ["Prevoz", "C\u{30c}as"]},
                ],
            },
        });
        measure(&mut data);
        let fact = &data["facts"][0];
        assert_eq!((&fact["label_letters"], &fact["label_word"]), (&json!(12), &json!(6)));
        let columns = &data["lines"]["columns"];
        let lengths =
            [0, 1, 2].map(|n| (columns[n]["letters"].clone(), columns[n]["word"].clone()));
        assert_eq!(lengths, [(12, 6), (14, 9), (0, 0)].map(|(l, w)| (json!(l), json!(w))));
        assert_eq!(longest("C\u{30c}as"), (3, 3));
        assert!(has_composed_letters(&data));
    }
}
