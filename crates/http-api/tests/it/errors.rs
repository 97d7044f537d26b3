//! The catalogue of codes holds what the sources can answer, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use racun_http_api::error::codes::{CODES, markdown};

/// Files in which functions called `code` answer something else than a code of an error.
const OTHERS: [&str; 2] = ["kernel/src/money.rs", "fiscal/src/fina/text.rs"];

/// What comes before a code's text: the functions that take one first.
const TAKERS: [&str; 7] = [
    "Issue::new(",
    "Refused::new(",
    ".note(",
    "caused_by(",
    "(\"code\".to_owned(), ",
    "\"code\": ",
    " code: ",
];

/// The sources of all crates, without their tests, by path.
fn sources() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    let crates = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = crates.map(|folder| folder.join("src")).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]\nmod ").next().unwrap().to_owned();
                found.push((path, text));
            }
        }
    }
    found
}

/// The text in quotes that `text` begins with, when it could be a code.
fn quoted(text: &str) -> Option<String> {
    let (word, _) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    let is_code = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    is_code(word).then(|| word.to_owned())
}

/// The codes that `source` can answer.
fn codes(path: &Path, source: &str) -> BTreeSet<String> {
    let after = |what: &'static str| source.match_indices(what).map(move |(n, _)| n + what.len());
    let mut found: BTreeSet<String> = TAKERS
        .iter()
        .flat_map(|taker| after(taker))
        .filter_map(|at| quoted(&source[at..]))
        .collect();
    if OTHERS.iter().any(|other| path.ends_with(other)) {
        return found;
    }
    // `fn code(self) -> &'static str`, which is a match; a helper that takes a code first.
    for at in after("fn code(").chain(after("const fn name(self) -> &'static str {\n        match"))
    {
        let is_errors = path.components().any(|part| part.as_os_str() == "error");
        if source[..at].ends_with("match") && !is_errors {
            continue;
        }
        let body = source[at..].split("\n    }\n").next().unwrap_or_default();
        found.extend(body.split("=> ").skip(1).filter_map(quoted));
    }
    for at in after("(code: &'static str") {
        let name = source[..at].rsplit("fn ").next().unwrap_or_default();
        let name = name.split('(').next().unwrap_or_default().to_owned();
        let calls = source.match_indices(&*name).map(|(n, _)| n + name.len() + 1);
        found.extend(calls.filter_map(|at| quoted(source.get(at..).unwrap_or_default())));
    }
    found
}

#[test]
fn the_catalogue_holds_what_can_be_answered_and_nothing_else() {
    let sources = sources();
    let table = |path: &Path| path.to_string_lossy().contains("error/codes");
    let read = sources.iter().filter(|(path, _)| !table(path));
    let answered: BTreeSet<String> =
        read.clone().flat_map(|(path, source)| codes(path, source)).collect();
    assert!(answered.len() > 150, "the sources are not read as they should be");
    let known: BTreeSet<&str> = CODES.iter().copied().flatten().map(|code| code.name).collect();
    let missing: Vec<&String> =
        answered.iter().filter(|code| !known.contains(code.as_str())).collect();
    assert!(missing.is_empty(), "add to error/codes/table.rs: {missing:?}");
    // Some are chosen a line before they are used, so any text is enough.
    let all: String = read.map(|(_, source)| source.as_str()).collect();
    let dead: Vec<&&str> =
        known.iter().filter(|code| !all.contains(&format!("\"{code}\""))).collect();
    assert!(dead.is_empty(), "nothing answers {dead:?}");
}

#[test]
fn each_code_stands_once_in_its_level_with_statuses_and_a_sentence() {
    for level in CODES {
        let names: BTreeSet<&str> = level.iter().map(|code| code.name).collect();
        assert_eq!(names.len(), level.len());
        for code in level {
            assert!(code.statuses.iter().all(|status| (400..600).contains(status)), "{code:?}");
            assert!(!code.statuses.is_empty() && code.meaning.ends_with('.'), "{code:?}");
        }
    }
}

#[test]
fn the_page_of_errors_is_the_catalogue() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let written = fs::read_to_string(page).unwrap_or_default();
    let remedy = "cargo run -p racun-http-api --example errors > docs/errors.md";
    assert!(written == markdown(), "docs/errors.md is not the catalogue; {remedy}");
}
