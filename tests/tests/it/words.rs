//! The words of comments, docs and names.

use std::fs;
use std::path::Path;

use crate::architecture::{place, root, rust_files};

/// Words for which the field has others: the actor's name, the time, the standard noun.
const UNUSUAL: [&str; 9] = [
    "nobody",
    "whoever",
    "is told",
    "anew",
    "lately",
    "all the same",
    "comes of",
    "stands in",
    "meanwhile",
];

#[test]
fn comments_docs_and_names_of_functions_use_usual_words() {
    let holds = |line: &str, word: &str| {
        let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        line.match_indices(word).any(|(start, _)| {
            let (before, after) = (&line[..start], &line[start + word.len()..]);
            is_end(before.chars().next_back()) && is_end(after.chars().next())
        })
    };
    let check = |file: &Path, number: usize, text: &str| {
        let text = text.to_lowercase();
        let found = UNUSUAL.iter().find(|word| holds(&text, word));
        assert_eq!(found, None, "{}:{}: say who or when", place(file), number + 1);
    };
    for file in rust_files() {
        let source = fs::read_to_string(&file).unwrap();
        for (number, line) in source.lines().enumerate() {
            if let Some(comment) = line.trim_start().strip_prefix("//") {
                check(&file, number, comment);
            } else if let Some((_, name)) = line.split_once("fn ") {
                let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next();
                check(&file, number, &name.unwrap_or_default().replace('_', " "));
            }
        }
    }
    let docs = [root().join("docs"), root().join("docs/adr")];
    for entry in docs.iter().flat_map(|folder| fs::read_dir(folder).unwrap()) {
        let file = entry.unwrap().path();
        // Made from the catalogue of errors, whose texts are the interface's.
        let is_made = file.ends_with("docs/errors.md");
        if is_made || file.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            check(&file, number, line);
        }
    }
}

/// Types that had a private word, and what the field calls them.
const TYPES: [(&str, &str); 18] = [
    ("Act", "a context"),
    ("Books", "a ledger or a register"),
    ("Doubt", "what is not confirmed"),
    ("Entered", "a cache of authorizations"),
    ("Following", "a cause and its consequences"),
    ("Foresight", "a prefetch"),
    ("Known", "what is known, by its own name"),
    ("Lane", "a lock"),
    ("Layer", "a decorator"),
    ("Office", "an authority"),
    ("Outside", "a service or a port"),
    ("Recent", "a cache"),
    ("Savings", "catalogue writes"),
    ("Shape", "allowed properties"),
    ("Shown", "a state or a body"),
    ("Touched", "a write set"),
    ("Wish", "an option"),
    ("Wishes", "options"),
];

/// Names of functions, modules and variables that had one.
const NAMES: [(&str, &str); 6] = [
    ("foresight", "prefetch"),
    ("lane", "lock"),
    ("savings", "catalogue"),
    ("touched", "write_set"),
    ("wish", "option"),
    ("wishes", "options"),
];

/// This file, which holds them.
const OWN: &str = "tests/tests/it/words.rs";

/// The names in a line of `code`, each with the word before it.
fn with_word_before(code: &str) -> Vec<(&str, &str)> {
    let is_end = |c: char| !c.is_alphanumeric() && c != '_';
    let words = code.split(is_end).filter(|word| !word.is_empty() && *word != "mut");
    let words: Vec<&str> = words.collect();
    words.windows(2).map(|two| (two[0], two[1])).collect()
}

/// What the field calls what a line of `code` declares by a private word.
fn better_word(code: &str, is_source: bool) -> Option<&'static str> {
    let better = |(keyword, name): (&str, &str)| {
        let list: &[(&str, &str)] = match keyword {
            "struct" | "enum" | "trait" | "type" if is_source => &TYPES,
            "fn" | "mod" | "let" | "const" | "static" => &NAMES,
            _ => &[],
        };
        list.iter().find(|(word, _)| *word == name).map(|(_, better)| *better)
    };
    with_word_before(code).into_iter().find_map(better)
}

#[test]
fn types_functions_and_variables_have_the_words_of_the_field() {
    for file in rust_files().iter().filter(|file| !file.ends_with(OWN)) {
        let place = place(file);
        let is_source = place.contains("/src/");
        for (number, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let better = better_word(code, is_source);
            assert_eq!(better, None, "{place}:{}: the field has this word", number + 1);
        }
    }
}

#[test]
fn a_private_word_is_found_where_it_is_declared() {
    for (code, better) in [
        ("pub(crate) struct Office {", Some("an authority")),
        ("pub enum OfficeHours {", None),
        ("use crate::office::Office;", None),
        ("    let mut savings = Vec::new();", Some("catalogue")),
        ("fn wishes(&self) -> Wishes {", Some("options")),
        ("savings.push(one);", None),
    ] {
        assert_eq!(better_word(code, true), better, "{code}");
    }
    assert_eq!(better_word("struct Books {", false), None);
}
