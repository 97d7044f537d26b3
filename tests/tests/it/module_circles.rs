//! Modules of a crate build upon each other in one direction: no two of them need each other.

#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};

/// Crates in which modules still need each other: how many of them, and why. None may be added.
const KNOWN: [(&str, usize, &str); 12] = [
    ("access", 22, "a record is declared beside its use cases, which need each other's records"),
    ("billing", 5, EVENTS),
    ("catalog", 9, EVENTS),
    ("documents", 10, "what a document has is declared beside it, and knows it"),
    ("fiscal", 11, EVENTS),
    ("orders", 5, EVENTS),
    ("portugal", 5, EVENTS),
    ("pos", 7, EVENTS),
    ("settlement", 2, "a settlement changes the ledger that it is a view of"),
    ("store", 8, "the contract that stores are tested by is a part of the port"),
    ("store-postgres", 8, "sets of rows are made of what a group has decided"),
    ("store-sqlite", 4, "a scan and the statement that begins it"),
];
const EVENTS: &str = "events name the tables of their records, and records name their events";

#[test]
fn modules_of_a_crate_build_upon_each_other_in_one_direction() {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() >= KNOWN.len(), "{folders:?}");
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let arrows = arrows(&folder.join("src"));
        let circle = in_circles(&arrows);
        let known = KNOWN.iter().find(|(known, ..)| *known == name);
        let (_, most, reason) = known.unwrap_or(&("", 0, "no module may need one that needs it"));
        let between: Vec<_> = arrows
            .iter()
            .filter(|((from, to), _)| circle.contains(from) && circle.contains(to))
            .collect();
        assert!(circle.len() <= *most, "{name}: {reason}\n{circle:?}\n{between:#?}");
        assert!(
            known.is_none() || !circle.is_empty(),
            "{name} has no circle: take it off the list"
        );
    }
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

/// Which top-level module of the crate at `src` names which other one, with a file that does.
type Arrows = BTreeMap<(String, String), String>;

fn arrows(src: &Path) -> Arrows {
    let root = tokens(&src.join("lib.rs"));
    let modules = modules(root.clone());
    let exported = exported(root, &modules);
    let mut arrows = Arrows::new();
    for file in files(src) {
        let place = file.strip_prefix(src).unwrap().with_extension("");
        let mut path: Vec<String> =
            place.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        if path.last().unwrap() == "mod" {
            path.pop();
        }
        let own = path[0].clone();
        for name in named_of_root(tokens(&file), path.len()) {
            let target = if modules.contains(&name) { Some(&name) } else { exported.get(&name) };
            if let Some(target) = target.filter(|target| **target != own) {
                let arrow = (own.clone(), target.clone());
                arrows.entry(arrow).or_insert_with(|| place.display().to_string());
            }
        }
    }
    arrows
}

/// The sources below `src` that are modules of the crate, but for its tests.
fn files(src: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(src).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name == "tests" || name == "lib" {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

fn tokens(file: &Path) -> TokenStream {
    fs::read_to_string(file).unwrap().parse().unwrap()
}

/// The modules that a root with these `tokens` declares.
fn modules(tokens: TokenStream) -> BTreeSet<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let declared = tokens.windows(3).filter_map(|three| match three {
        [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(end)] => {
            (word == "mod" && end.as_char() == ';').then(|| name.to_string())
        }
        _ => None,
    });
    declared.collect()
}

/// The names that a root with these `tokens` hands on, and the module that each is of.
fn exported(tokens: TokenStream, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut exported = BTreeMap::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        if !matches!(&token, TokenTree::Ident(word) if word == "use") {
            continue;
        }
        let path = tokens.by_ref();
        let path =
            path.take_while(|token| !matches!(token, TokenTree::Punct(p) if p.as_char() == ';'));
        let mut words = words(path.collect()).into_iter();
        let Some(module) = words.next().filter(|module| modules.contains(module)) else { continue };
        exported.extend(words.map(|name| (name, module.clone())));
    }
    exported
}

/// All words of `tokens`.
fn words(tokens: TokenStream) -> Vec<String> {
    let of = |token| match token {
        TokenTree::Ident(word) => vec![word.to_string()],
        TokenTree::Group(group) => words(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => Vec::new(),
    };
    tokens.into_iter().flat_map(of).collect()
}

/// What a module that is `depth` below the root names of the root: by `crate::` or by as many
/// `super::`. What is there for tests only does not count.
fn named_of_root(tokens: TokenStream, depth: usize) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut supers = 0;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' && is_of_tests(&mut tokens) => {
                let is_end = |token: &TokenTree| match token {
                    TokenTree::Punct(mark) => mark.as_char() == ';',
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    _ => false,
                };
                tokens.by_ref().find(is_end);
            }
            TokenTree::Ident(word) if word == "crate" && is_path(&mut tokens) => {
                names.extend(firsts(&mut tokens));
            }
            TokenTree::Ident(word) if word == "super" && is_path(&mut tokens) => {
                supers += 1;
                if supers == depth {
                    names.extend(firsts(&mut tokens));
                }
                continue;
            }
            TokenTree::Group(group) => names.extend(named_of_root(group.stream(), depth)),
            _ => {}
        }
        supers = 0;
    }
    names
}

type Rest = Peekable<token_stream::IntoIter>;

/// Takes `[cfg(test)]`, where that is next.
fn is_of_tests(tokens: &mut Rest) -> bool {
    let is = |token: &TokenTree| token.to_string().replace(' ', "") == "[cfg(test)]";
    tokens.next_if(is).is_some()
}

/// Takes `::`, where that is next.
fn is_path(tokens: &mut Rest) -> bool {
    let mut is = || tokens.next_if(|token| token.to_string() == ":").is_some();
    is() && is()
}

/// The first words of the paths that are next: of one, or of those in braces.
fn firsts(tokens: &mut Rest) -> Vec<String> {
    match tokens.peek() {
        Some(TokenTree::Ident(word)) => vec![word.to_string()],
        Some(TokenTree::Group(group)) => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let paths = inner.split(|token| token.to_string() == ",");
            paths.filter_map(|path| path.first()).map(ToString::to_string).collect()
        }
        _ => Vec::new(),
    }
}

/// The modules that need one that needs them.
fn in_circles(arrows: &Arrows) -> BTreeSet<String> {
    let reached = |from: &str| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(module) = next.pop() {
            let targets = arrows.keys().filter(|(from, _)| *from == module);
            for (_, target) in targets {
                if reached.insert(target.clone()) {
                    next.push(target.clone());
                }
            }
        }
        reached
    };
    let modules: BTreeSet<&String> = arrows.keys().map(|(from, _)| from).collect();
    modules.into_iter().filter(|module| reached(module).contains(*module)).cloned().collect()
}

#[test]
fn paths_to_the_root_are_found_in_each_form() {
    let source = "
        use crate::{one::A, two::{B, C}};
        use super::super::three::D;
        use super::near::E;
        #[cfg(test)]
        use crate::tested::F;
        fn f() { crate::four::g(super::super::five(\"crate::text\")); }
        // crate::comment
        #[cfg(test)]
        mod tests { use crate::tested::G; }
        macro_rules! m { () => { $crate::six::H }; }
    ";
    let found = named_of_root(source.parse().unwrap(), 2);
    let expected = ["five", "four", "one", "six", "three", "two"].map(str::to_owned);
    assert_eq!(found, BTreeSet::from(expected));
}

#[test]
fn a_circle_of_any_length_is_found_and_what_only_leads_to_it_is_not() {
    let arrows = |list: &[(&str, &str)]| -> Arrows {
        let arrow = |(a, b): &(&str, &str)| (((*a).to_owned(), (*b).to_owned()), String::new());
        list.iter().map(arrow).collect()
    };
    let circle = in_circles(&arrows(&[("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")]));
    assert_eq!(circle, BTreeSet::from(["b".to_owned(), "c".to_owned()]));
    assert!(in_circles(&arrows(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
}
