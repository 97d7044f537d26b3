//! How long texts are, in letters and on paper: templates make room by that.
//!
//! They could count by themselves, but each call of a function takes typst some microseconds, and
//! this takes several for each cell of a table. That a text is a line alone, typst finds out only
//! by setting it.

use serde_json::{Map, Value};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::world::Workshop;

/// Says in `data` how long texts are.
///
/// What has a `label` gets `label_letters`, and `label_word` for the longest word of it. Columns of
/// tables get `letters` for the longest line in them, and `word` for the longest word. Rows whose
/// texts may each be a line alone get `name_width`, that of the text in the column `name` or in the
/// first column; all other columns get `width` for the widest text in such rows. Widths are
/// thousandths of the size of letters. The whole gets `has_composed_letters`: whether a letter is
/// several characters, as one with its marks apart.
pub(crate) fn measure(data: &mut Value, workshop: &Workshop) {
    let has_composed_letters = measure_all(data, workshop);
    if let Some(data) = data.as_object_mut() {
        data.insert("has_composed_letters".to_owned(), Value::from(has_composed_letters));
    }
}

fn measure_all(data: &mut Value, workshop: &Workshop) -> bool {
    match data {
        Value::Array(all) => measure_each(all.iter_mut(), workshop),
        Value::Object(all) => {
            let any = measure_each(all.values_mut(), workshop);
            measure_columns(all);
            measure_lines(all, workshop);
            if let Some(Value::String(label)) = all.get("label") {
                let (letters, word) = longest(label);
                all.insert("label_letters".to_owned(), Value::from(letters));
                all.insert("label_word".to_owned(), Value::from(word));
            }
            any
        }
        Value::String(text) => letters(text) < text.chars().count(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn measure_each<'a>(all: impl Iterator<Item = &'a mut Value>, workshop: &Workshop) -> bool {
    let mut any = false;
    for value in all {
        any |= measure_all(value, workshop);
    }
    any
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

fn measure_lines(table: &mut Map<String, Value>, workshop: &Workshop) {
    let Some(columns) = table.get("columns").and_then(Value::as_array) else { return };
    let name = columns.iter().position(|column| column["key"] == "name").unwrap_or(0);
    let mut widest = vec![0; columns.len()];
    let rows = table.get_mut("rows").and_then(Value::as_array_mut);
    for row in rows.into_iter().flatten().filter_map(Value::as_object_mut) {
        let widths = if row.get("description").is_none_or(Value::is_null) {
            widths(row.get("cells"), workshop)
        } else {
            None
        };
        let of_name = widths.as_ref().and_then(|widths| widths.get(name).copied());
        row.insert("name_width".to_owned(), Value::from(of_name));
        for (widest, width) in widest.iter_mut().zip(widths.into_iter().flatten()) {
            *widest = width.max(*widest);
        }
    }
    let columns = table.get_mut("columns").and_then(Value::as_array_mut);
    for (place, (column, widest)) in columns.into_iter().flatten().zip(widest).enumerate() {
        if let Some(column) = column.as_object_mut().filter(|_| place != name) {
            column.insert("width".to_owned(), Value::from(widest));
        }
    }
}

/// How wide each of `cells` is, as a line alone; `None` when one has several lines.
fn widths(cells: Option<&Value>, workshop: &Workshop) -> Option<Vec<u64>> {
    let width = |text: &Value| {
        let text = text.as_str()?;
        let is_line = !text.contains('\n');
        is_line.then(|| text.chars().map(|c| u64::from(workshop.width(c))).sum())
    };
    cells?.as_array()?.iter().map(width).collect()
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
        let workshop = Workshop::new().unwrap();
        measure(&mut data, &workshop);
        let fact = &data["facts"][0];
        assert_eq!((&fact["label_letters"], &fact["label_word"]), (&json!(12), &json!(6)));
        let columns = &data["lines"]["columns"];
        let lengths =
            [0, 1, 2].map(|n| (columns[n]["letters"].clone(), columns[n]["word"].clone()));
        assert_eq!(lengths, [(12, 6), (14, 9), (0, 0)].map(|(l, w)| (json!(l), json!(w))));
        assert_eq!(longest("C\u{30c}as"), (3, 3));
        let rows = &data["lines"]["rows"];
        let of_name = "Prevoz".chars().map(|c| workshop.width(c)).sum::<u32>();
        let widths = [0, 1, 2].map(|n| rows[n]["name_width"].clone());
        assert_eq!(widths, [json!(null), json!(null), json!(of_name)], "two are no line alone");
        assert_eq!((&columns[0]["width"], &columns[2]["width"]), (&json!(null), &json!(0)));
        assert!(columns[1]["width"].as_u64() > Some(1_000), "{columns}");
        assert_eq!(data["has_composed_letters"], json!(true));
    }
}
