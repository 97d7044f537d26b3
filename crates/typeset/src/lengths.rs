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
/// What has a `label` gets `label_letters`, `label_word` for the longest word of it, and
/// `label_width`, in the regular font of each family `label_widths`; `text_width` for its `text`.
/// Columns of tables get `letters` for the longest line in them, and `word` for the longest word.
/// Rows get `has_lines`: whether a text in them has several lines, that of the column `name`, or of
/// the first column without one, left out. Where that text may be a line alone, too, they get
/// `name_width`. Without `has_lines` they get `name_words` and `description_words`, too: the widths
/// of a blank and then of what stands between blanks, each in the regular font of each family; none
/// for texts that may break elsewhere. All other columns get `width` for the widest text in rows
/// without `has_lines`. Widths are thousandths of the size of letters. The whole gets
/// `has_composed_letters`: whether a letter is several characters, as one with its marks apart.
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
                let widest = width(label, workshop);
                let widths = line_widths(label, workshop);
                let text = all.get("text").and_then(Value::as_str);
                let of_text = text.and_then(|text| width(text, workshop));
                all.extend([
                    ("label_letters".to_owned(), Value::from(letters)),
                    ("label_word".to_owned(), Value::from(word)),
                    ("label_width".to_owned(), Value::from(widest)),
                    ("label_widths".to_owned(), Value::from(widths)),
                    ("text_width".to_owned(), Value::from(of_text)),
                ]);
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
        let Some(cells) = row.get("cells").and_then(Value::as_array) else { continue };
        let widths: Vec<_> = cells.iter().map(|text| width(text.as_str()?, workshop)).collect();
        let mut others = widths.iter().enumerate().filter(|(place, _)| *place != name);
        let has_lines = others.any(|(_, width)| width.is_none());
        let mut of_name = None;
        if !has_lines {
            if row.get("description").is_none_or(Value::is_null) {
                of_name = widths.get(name).copied().flatten();
            }
            for (widest, width) in widest.iter_mut().zip(widths) {
                *widest = width.unwrap_or_default().max(*widest);
            }
            let texts =
                [("name_words", cells.get(name)), ("description_words", row.get("description"))];
            let all = texts.map(|(key, text)| (key, words(text.and_then(Value::as_str), workshop)));
            row.extend(all.map(|(key, words)| (key.to_owned(), Value::from(words))));
        }
        row.insert("has_lines".to_owned(), Value::from(has_lines));
        row.insert("name_width".to_owned(), Value::from(of_name));
    }
    let columns = table.get_mut("columns").and_then(Value::as_array_mut);
    for (place, (column, widest)) in columns.into_iter().flatten().zip(widest).enumerate() {
        if let Some(column) = column.as_object_mut().filter(|_| place != name) {
            column.insert("width".to_owned(), Value::from(widest));
        }
    }
}

/// How wide `text` is as a line alone; `None` when it has several lines.
fn width(text: &str, workshop: &Workshop) -> Option<u64> {
    let is_line = !text.contains('\n');
    is_line.then(|| text.chars().map(|c| u64::from(workshop.width(c))).sum())
}

/// The same in the regular font of each family; `None` for characters that others stand in for,
/// too.
fn line_widths(text: &str, workshop: &Workshop) -> Option<Vec<u32>> {
    text.chars().try_fold(vec![0; 3], |mut sums, c| {
        let widths = workshop.each_width(c)?;
        sums.iter_mut().zip(widths).for_each(|(sum, width)| *sum += width);
        Some(sums)
    })
}

/// Letters that a word may have before templates let it break anywhere.
const LONGEST_WORD: usize = 24;

/// How wide the words of `text` are, of a blank first; nothing when it may break elsewhere, is
/// long, or has characters that others stand in for.
fn words(text: Option<&str>, workshop: &Workshop) -> Vec<Vec<u32>> {
    let text = text.unwrap_or_default();
    if text.is_empty() || text.len() > 400 || !text.split(' ').all(is_unbreakable) {
        return Vec::new();
    }
    let all = std::iter::once(" ").chain(text.split(' '));
    all.map(|word| line_widths(word, workshop)).collect::<Option<_>>().unwrap_or_default()
}

/// Whether no line ends within `word` by Unicode's rules (UAX 14): letters and figures, with marks
/// before them, between them and behind them that stay with these.
fn is_unbreakable(word: &str) -> bool {
    let word = word.strip_prefix('(').unwrap_or(word);
    let core = word.trim_end_matches([',', '.', ';', ':', ')', '%']);
    let is_whole = |c: char| c.is_alphanumeric() || matches!(c, ',' | '.' | '\'');
    core.starts_with(char::is_alphanumeric)
        && core.chars().all(is_whole)
        && word.chars().count() <= LONGEST_WORD
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

    #[test]
    fn words_that_may_break_have_no_widths() {
        for word in ["dobava", "vrat,", "(bela)", "1.207,50", "22%", "L'été", "Щука;", "d.o.o."]
        {
            assert!(is_unbreakable(word), "{word}");
        }
        let long = "x".repeat(LONGEST_WORD + 1);
        for word in ["", "a-b", "a/b", "—", "%", "a)b", "\u{200b}", &long] {
            assert!(!is_unbreakable(word), "{word}");
        }
        let workshop = Workshop::new().unwrap();
        let found = words(Some("ena dve"), &workshop);
        let [blank, one, two] =
            [" ", "ena", "dve"].map(|text| line_widths(text, &workshop).unwrap());
        assert_eq!(found, [blank, one, two]);
        let none = [None, Some(""), Some("ena  dve"), Some("ena\ndve"), Some("東京")];
        for text in none {
            assert_eq!(words(text, &workshop), Vec::<Vec<u32>>::new(), "{text:?}");
        }
    }
}
