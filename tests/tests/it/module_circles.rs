//! Modules build upon each other in one direction: no two of them that stand in one folder, or at
//! the root of a crate, need each other. What a module and its parent know of each other is no
//! circle.

#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};

/// Crates, and folders of them, in which modules still need each other: how many of them, and why.
/// None may be added.
const KNOWN: [(&str, usize, &str); 16] = [
    ("access", 22, "a record is declared beside its use cases, which need each other's records"),
    ("access/settings", 2, "translated settings are found by the key of translations"),
    ("billing", 5, EVENTS),
    ("catalog", 9, EVENTS),
    ("documents", 10, "what a document has is declared beside it, and knows it"),
    ("documents/expense", 2, "amounts are a part of the content that they are calculated of"),
    ("documents/recurrence", 4, "what is refused, asked for and due is of the template"),
    ("fiscal", 11, EVENTS),
    ("orders", 5, EVENTS),
    ("portugal", 5, EVENTS),
    ("pos", 7, EVENTS),
    ("settlement", 2, "a settlement changes the ledger that it is a view of"),
    ("store", 9, "the contract that stores are tested by is a part of the port"),
    ("store/port", 2, "a unit of work decides, and is begun by typed access to the store"),
    ("store-postgres", 8, "sets of rows are made of what a group has decided"),
    ("store-sqlite", 4, "a scan and the statement that begins it"),
];
const EVENTS: &str = "events name the tables of their records, and records name their events";

#[test]
fn modules_of_a_crate_build_upon_each_other_in_one_direction() {
    let mut met = BTreeSet::new();
    for folder in crates() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        for (parent, arrows) in Modules::read(&folder.join("src")).arrows() {
            let place = [vec![name.to_owned()], parent].concat().join("/");
            let circle = in_circles(&arrows);
            let known = KNOWN.iter().find(|(known, ..)| *known == place);
            let (_, most, reason) =
                known.unwrap_or(&("", 0, "no module may need one that needs it"));
            let between: Vec<_> = arrows
                .iter()
                .filter(|((from, to), _)| circle.contains(from) && circle.contains(to))
                .collect();
            assert!(circle.len() <= *most, "{place}: {reason}\n{circle:?}\n{between:#?}");
            if !circle.is_empty() {
                met.insert(place);
            }
        }
    }
    for (known, ..) in KNOWN {
        assert!(met.contains(known), "{known} has no circle: take it off the list");
    }
}

/// The folders of all crates and programs.
fn crates() -> Vec<PathBuf> {
    let all = |place: &str| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut found: Vec<PathBuf> =
            fs::read_dir(root.join(place)).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.sort();
        found
    };
    let (libraries, programs) = (all("crates"), all("apps"));
    assert!(libraries.len() >= KNOWN.len() && programs.len() > 1, "{libraries:?} {programs:?}");
    [libraries, programs].concat()
}

/// A path of modules and names, word by word.
type Words = Vec<String>;

/// Which module of a folder names which other one of it, with the module that does.
type Arrows = BTreeMap<(String, String), String>;

/// More names than these do not stand for each other.
const MOST_NAMES: usize = 16;

/// The modules of a crate by their paths below its root, which has an empty one.
struct Modules(BTreeMap<Words, Module>);

/// What a module says.
struct Module {
    /// What the names that it brings in or hands on stand for.
    names: BTreeMap<String, Words>,
    /// The paths out of it, which begin with `crate` or `super`.
    paths: Vec<Words>,
}

impl Module {
    fn of(tokens: TokenStream) -> Self {
        let mut paths = Vec::new();
        add_paths(tokens.clone(), &mut paths);
        Self { names: uses(tokens), paths: paths.into_iter().map(|(_, path)| path).collect() }
    }
}

impl Modules {
    /// Those of the crate at `src`: the library, or the program where there is none.
    fn read(src: &Path) -> Self {
        let (library, program) = (src.join("lib.rs"), src.join("main.rs"));
        let root = if library.exists() { library } else { program };
        let mut all = BTreeMap::from([(Vec::new(), Module::of(tokens(&root)))]);
        for file in files(src) {
            let place = file.strip_prefix(src).unwrap().with_extension("");
            let mut path: Words =
                place.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            if path.last().unwrap() == "mod" {
                path.pop();
            }
            all.insert(path, Module::of(tokens(&file)));
        }
        Self(all)
    }

    /// Which modules name which ones beside them, by the path of their parent.
    fn arrows(&self) -> BTreeMap<Words, Arrows> {
        let mut all: BTreeMap<Words, Arrows> = BTreeMap::new();
        for (own, module) in &self.0 {
            for path in &module.paths {
                let Some(target) = self.target(own, path, MOST_NAMES) else { continue };
                let shared =
                    own.iter().zip(&target).take_while(|(one, other)| one == other).count();
                // One of them is within the other.
                let (Some(from), Some(to)) = (own.get(shared), target.get(shared)) else {
                    continue;
                };
                let below = all.entry(own[..shared].to_vec()).or_default();
                let arrow = below.entry((from.clone(), to.clone()));
                arrow.or_insert_with(|| own.join("::"));
            }
        }
        all
    }

    /// The module that declares what `path` names in the module `from`, past at most so many
    /// `names` that stand for it.
    fn target(&self, from: &[String], path: &[String], names: usize) -> Option<Words> {
        let names = names.checked_sub(1)?;
        let mut at = from.to_vec();
        for word in path {
            match word.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => {
                    at.pop();
                }
                _ => {
                    let mut child = at.clone();
                    child.push(word.clone());
                    if self.0.contains_key(&child) {
                        at = child;
                        continue;
                    }
                    match self.0.get(&at).and_then(|module| module.names.get(word)) {
                        Some(named) => at = self.target(&at, named, names)?,
                        None => return Some(at),
                    }
                }
            }
        }
        Some(at)
    }
}

/// The sources below `src` that are modules of the crate, but for its root and its tests.
fn files(src: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(src).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if ["tests", "lib", "main"].contains(&&*name) {
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

/// What `use` brings into a module with these `tokens`, by name.
fn uses(tokens: TokenStream) -> BTreeMap<String, Words> {
    let mut tokens = tokens.into_iter().peekable();
    let mut found = Vec::new();
    while let Some(token) = tokens.next() {
        if matches!(&token, TokenTree::Ident(word) if word == "use") {
            add_leaves(Vec::new(), &mut tokens, &mut found);
        }
    }
    // A macro is handed on under its own name alone.
    found.into_iter().filter(|(name, path)| path.as_slice() != std::slice::from_ref(name)).collect()
}

/// Adds the paths in `tokens` that lead out of their module, each with its last name. What is there
/// for tests only does not count.
fn add_paths(tokens: TokenStream, found: &mut Vec<(String, Words)>) {
    let mut tokens = tokens.into_iter().peekable();
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
            TokenTree::Ident(word)
                if (word == "crate" || word == "super") && is_path(&mut tokens) =>
            {
                add_leaves(vec![word.to_string()], &mut tokens, found);
            }
            TokenTree::Group(group) => add_paths(group.stream(), found),
            _ => {}
        }
    }
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

/// Adds the paths behind `path` that are next, the one or those in braces, each with its name.
fn add_leaves(mut path: Words, tokens: &mut Rest, found: &mut Vec<(String, Words)>) {
    loop {
        match tokens.peek() {
            Some(TokenTree::Ident(word)) => {
                let word = word.to_string();
                tokens.next();
                // Within braces it is what stands before them.
                if word != "self" || path.is_empty() {
                    path.push(word);
                }
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let mut inner = group.stream().into_iter().peekable();
                tokens.next();
                while inner.peek().is_some() {
                    add_leaves(path.clone(), &mut inner, found);
                    // What stands between two of them.
                    inner.next();
                }
                return;
            }
            _ => break,
        }
        if !is_path(tokens) {
            break;
        }
    }
    let is_renamed = tokens.next_if(|token| token.to_string() == "as").is_some();
    let name = if is_renamed { tokens.next().map(|name| name.to_string()) } else { None };
    if let Some(name) = name.or_else(|| path.last().cloned()) {
        found.push((name, path));
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
fn paths_out_of_a_module_are_found_in_each_form() {
    let source = "
        use crate::{one::A, two::{B, C as D, self}};
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
    let mut found = Vec::new();
    add_paths(source.parse().unwrap(), &mut found);
    let found: Vec<(String, String)> =
        found.into_iter().map(|(name, path)| (name, path.join("::"))).collect();
    let expected = [
        ("A", "crate::one::A"),
        ("B", "crate::two::B"),
        ("D", "crate::two::C"),
        ("two", "crate::two"),
        ("D", "super::super::three::D"),
        ("E", "super::near::E"),
        ("g", "crate::four::g"),
        ("five", "super::super::five"),
        ("H", "crate::six::H"),
    ];
    assert_eq!(found, expected.map(|(name, path)| (name.to_owned(), path.to_owned())));
}

#[test]
fn siblings_are_compared_at_every_depth_and_parents_left_out() {
    let sources = [
        ("", "mod a; mod b; pub use a::A;"),
        ("a", "mod x; mod y; pub use x::X; use y::Y; pub struct A;"),
        ("a::x", "use super::A; pub struct X(super::Y);"),
        ("a::y", "use super::X; pub struct Y;"),
        ("b", "use crate::A; use std::fmt; use crate::a::X as Other;"),
        ("c", "use crate::m::macro_of; use crate::b::f;"),
        ("m", "macro_rules! macro_of { () => {}; } pub(crate) use macro_of;"),
    ];
    let module = |(path, source): (&str, &str)| {
        let words = path.split("::").filter(|word| !word.is_empty());
        let path: Words = words.map(str::to_owned).collect();
        (path, Module::of(source.parse().unwrap()))
    };
    let arrows = Modules(BTreeMap::from(sources.map(module))).arrows();
    let said: Vec<(String, String)> = arrows
        .iter()
        .flat_map(|(parent, arrows)| arrows.keys().map(move |arrow| (parent, arrow)))
        .map(|(parent, (from, to))| (parent.join("::"), format!("{from} -> {to}")))
        .collect();
    let expected =
        [("", "b -> a"), ("", "c -> b"), ("", "c -> m"), ("a", "x -> y"), ("a", "y -> x")];
    assert_eq!(said, expected.map(|(parent, arrow)| (parent.to_owned(), arrow.to_owned())));
    let circles: Vec<usize> = arrows.values().map(|arrows| in_circles(arrows).len()).collect();
    assert_eq!(circles, [0, 2]);
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
