//! The rules of the code's shape: who may depend on whom, and what no file may hold.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::pure_crates::PURE;

/// A longer file holds more than one thing.
const MOST_LINES: usize = 500;

/// As rustfmt has it, which breaks neither comments nor texts.
const MOST_COLUMNS: usize = 100;

/// The crates that know a technology. None may know another.
const ADAPTERS: &[&str] = &[
    "racun-authorities",
    "racun-gateways",
    "racun-http-api",
    "racun-spreadsheet",
    "racun-store-postgres",
    "racun-store-sqlite",
    "racun-typeset",
];

/// Technologies, and the crates that may name them.
const KNOWN_BY: &[(&str, &[&str])] = &[
    ("actix-http", &["racun-http-api"]),
    ("actix-multipart", &["racun-http-api"]),
    ("actix-server", &["racun-http-api"]),
    ("actix-service", &["racun-http-api"]),
    ("actix-web", &["racun-http-api"]),
    ("diesel", &["racun-store-postgres"]),
    ("diesel-async", &["racun-store-postgres"]),
    ("diesel_migrations", &["racun-store-postgres"]),
    ("tokio-postgres", &["racun-store-postgres", "racun-test-postgres"]),
    ("rusqlite", &["racun-store-sqlite"]),
    // The server answers `/metrics` with it, apart from the interface.
    (
        "hyper",
        &[
            "racun-authorities",
            "racun-authority-simulator",
            "racun-card-simulator",
            "racun-identity-simulator",
            "racun-network-simulator",
            "racun-server",
        ],
    ),
    ("hickory-resolver", &["racun-gateways"]),
    ("hyper-rustls", &["racun-authorities"]),
    ("jsonwebtoken", &["racun-gateways"]),
    ("lettre", &["racun-gateways"]),
    ("object_store", &["racun-gateways"]),
    ("reqwest", &["racun-gateways", "racun-server", "racun-tests"]),
    ("rust_xlsxwriter", &["racun-spreadsheet"]),
    ("typst", &["racun-typeset"]),
    ("typst-layout", &["racun-typeset"]),
    ("typst-pdf", &["racun-typeset"]),
    ("rxing", &["racun-paper"]),
    ("en16931", &["racun-einvoicing"]),
    ("en16931-formats", &["racun-einvoicing"]),
    // The program's key in Portugal signs by it, as no library does any more.
    ("crypto-bigint", &["racun-authorities"]),
    ("chrono", &[]),
    ("openssl", &[]),
    // The terms of EN 16931 are made of it; nothing is calculated there.
    ("rust_decimal", &["racun-einvoicing"]),
];

#[test]
fn pure_crates_use_only_what_is_listed() {
    let packages = packages();
    for (name, listed) in PURE {
        let package = packages.iter().find(|package| package.name == *name);
        let package = package.unwrap_or_else(|| panic!("there is no crate {name}"));
        let used: BTreeSet<&str> = package.uses(&[NORMAL, BUILD]).collect();
        let listed: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(used, listed, "{name} (left) does not use what is listed (right)");
    }
}

#[test]
fn adapters_never_depend_on_each_other() {
    for package in packages().iter().filter(|package| ADAPTERS.contains(&&*package.name)) {
        let other = package.uses(&[NORMAL, BUILD]).find(|name| ADAPTERS.contains(name));
        assert_eq!(other, None, "{} depends on another adapter", package.name);
    }
}

#[test]
fn each_crate_is_a_domain_an_adapter_or_an_app() {
    let known = PURE.iter().map(|(name, _)| *name).chain(ADAPTERS.iter().copied());
    let apps = [
        "racun-authority-simulator",
        "racun-card-simulator",
        "racun-identity-simulator",
        "racun-network-simulator",
        "racun-server",
    ];
    let known: BTreeSet<&str> = known.chain(apps).chain(["racun-tests"]).collect();
    for package in packages().iter().filter(|package| package.name != "racun-test-postgres") {
        assert!(known.contains(&*package.name), "{} is on no list of this test", package.name);
    }
}

#[test]
fn a_technology_is_known_by_its_adapter_only() {
    for package in packages() {
        for name in package.uses(&[NORMAL, BUILD, DEVELOPMENT]) {
            let Some((_, by)) = KNOWN_BY.iter().find(|(technology, _)| *technology == name) else {
                continue;
            };
            assert!(by.contains(&&*package.name), "{} must not use {name}", package.name);
        }
    }
}

#[test]
fn every_crate_takes_the_lints_and_the_licence_of_the_workspace() {
    for package in packages() {
        let manifest = fs::read_to_string(&package.manifest).unwrap();
        assert!(manifest.contains("[lints]\nworkspace = true"), "{}: lints", package.name);
        assert!(manifest.contains("license.workspace = true"), "{}: licence", package.name);
    }
}

#[test]
fn each_parser_of_strangers_bytes_has_the_run_that_the_docs_name() {
    let docs = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let (_, list) = docs.split_once("### What reads bytes of strangers").unwrap();
    let (list, _) = list.split_once("\n## ").unwrap();
    let sources: String =
        rust_files().iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let rows: Vec<&str> = list.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
    assert!(rows.len() >= 8, "{rows:?}");
    for row in rows {
        let runs = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let names = runs.split('`').filter_map(|name| name.rsplit_once("::"));
        let names: Vec<&str> = names.map(|(_, name)| name).collect();
        assert!(!names.is_empty(), "{row}");
        for name in names {
            assert!(sources.contains(&format!("fn {name}(")), "{name} of {row}");
        }
    }
}

#[test]
fn no_file_is_too_long_to_hold_one_thing() {
    for file in rust_files() {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines", file.display());
    }
}

#[test]
fn a_module_with_a_folder_is_the_mod_file_in_it() {
    for file in rust_files() {
        let place = place(&file);
        let is_beside = file.with_extension("").is_dir();
        assert!(!is_beside, "move {place} to mod.rs in its folder");
    }
}

#[test]
fn no_line_is_too_wide() {
    for file in rust_files() {
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let columns = line.chars().count();
            assert!(columns <= MOST_COLUMNS, "{}:{}: {columns}", place(&file), number + 1);
        }
    }
}

#[test]
fn each_package_has_one_test_binary() {
    for Package { name, test_binaries, .. } in packages() {
        let is_one = test_binaries.len() <= 1;
        assert!(is_one, "{name} links {test_binaries:?}: make them modules of `tests/it`");
    }
}

/// A library without tests or examples would be compiled once more, and read by rustdoc, for none.
#[test]
fn libraries_are_tested_for_what_they_hold() {
    let sources = rust_files();
    for Package { name, manifest, library, .. } in packages() {
        let Some(library) = library else { continue };
        let folder = manifest.with_file_name("src");
        let (mut has_tests, mut has_examples) = (false, false);
        for file in sources.iter().filter(|file| file.starts_with(&folder)) {
            let source = fs::read_to_string(file).unwrap();
            has_tests |= source.contains("#[cfg(test)]");
            has_examples |= has_example(&source);
        }
        assert_eq!(library.test, has_tests, "`test` of [lib] of {name} (left)");
        assert_eq!(library.doctest, has_examples, "`doctest` of [lib] of {name} (left)");
    }
}

/// Whether the docs of `source`, or the README that is tested with them, hold code to run: a block
/// that is not said to be text.
fn has_example(source: &str) -> bool {
    if source.contains("#![cfg_attr(doctest, ") {
        return true;
    }
    let mut starts = source.lines().filter_map(words_of_fence).step_by(2);
    starts.any(|language| language != "text")
}

/// What stands behind the fence that this line of docs is; none for any other line.
fn words_of_fence(line: &str) -> Option<&str> {
    let docs = line.trim_start().strip_prefix("//")?.strip_prefix(['/', '!'])?;
    docs.trim_start().strip_prefix("```")
}

#[test]
fn no_test_measures_or_waits_for_a_time() {
    // Put together here, so that this file does not hold them. Polls have a deadline and pause for
    // milliseconds.
    let clocks = [
        [".elap", "sed()"].concat(),
        ["Instant::now()", " -"].concat(),
        ["sleep(Duration::from", "_secs"].concat(),
        ["timeout(Duration::from", "_secs"].concat(),
        ["_time: Duration::from", "_secs"].concat(),
    ];
    // The dripping server pauses for longer than any caller waits. VIES is measured by a clock that
    // stands still.
    let known = ["crates/authorities/tests/it/server.rs", "crates/gateways/tests/it/vies.rs"];
    for file in rust_files() {
        let place = place(&file);
        if !place.contains("/tests/") || known.contains(&&*place) {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        for clock in &clocks {
            assert!(!source.contains(clock), "{place} has {clock}: count, or give it a clock");
        }
    }
}

/// Names all types of serde's data model to a macro, and reads no value.
const ALL_TYPES: &str = "apps/server/src/settings/names.rs";

#[test]
fn no_source_counts_in_binary_fractions_or_leaves_work_for_later() {
    // Put together here, so that this file does not hold them.
    let words = [["f", "32"].concat(), ["f", "64"].concat()];
    let marks =
        [["todo", "!"].concat(), ["unimplemented", "!"].concat(), ["#[", "ignore"].concat()];
    for file in rust_files() {
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let place = format!("{}:{}", file.display(), number + 1);
            let in_words = |word: &&String| {
                code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == **word)
            };
            let counts = words.iter().find(in_words).filter(|_| !file.ends_with(ALL_TYPES));
            assert_eq!(counts, None, "{place}");
            assert_eq!(marks.iter().find(|mark| code.contains(mark.as_str())), None, "{place}");
        }
    }
}

/// What reads rows by their place in a unit, or runs a use case beside `Call`; and the only sources
/// that may: the unit of work itself with the stores behind it, and `Call`.
const BY_HAND: &[(&str, &str, &[&str])] = &[
    ("crates/", "Load::", UNIT_OF_WORK),
    ("crates/", "Loaded", UNIT_OF_WORK),
    ("crates/", "loaded.rows", UNIT_OF_WORK),
    ("crates/", ".split_off(", UNIT_OF_WORK),
    ("crates/http-api/src/", "|services: Services|", &[]),
    ("crates/http-api/src/", "process.run(", &["crates/http-api/src/call.rs"]),
];

const UNIT_OF_WORK: &[&str] =
    &["crates/store/src/", "crates/store-sqlite/src/", "crates/store-postgres/src/"];

#[test]
fn records_are_read_by_handles_and_use_cases_run_by_calls() {
    for file in rust_files() {
        let place = place(&file);
        if !place.contains("/src/") {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        for (under, mark, known) in BY_HAND {
            let may = known.iter().any(|known| place.starts_with(known));
            let holds = place.starts_with(under) && !may && source.contains(mark);
            assert!(!holds, "{place} has {mark}: hold a handle of the unit, or take a `Call`");
        }
    }
}

/// What calls other machines, and the only sources that may name it: each of them heeds
/// `RACUN__OUTBOUND__LOOPBACK_ONLY`, or calls the process's own server.
const CALLERS: &[(&str, &[&str])] = &[
    (
        "Client::builder(",
        &[
            "crates/gateways/src/caller.rs",
            "crates/gateways/src/courier.rs",
            "crates/gateways/src/files.rs",
            "crates/gateways/src/network/directory.rs",
            "crates/gateways/src/network/provider.rs",
            "crates/gateways/src/vies/client.rs",
            "crates/authorities/src/transport.rs",
            "apps/server/src/demo/player.rs",
        ],
    ),
    // Clients of our own: of VIES and Stripe, which `caller` builds, and of the authority in
    // Portugal, which calls by `Transport`.
    (
        "Client::new(",
        &[
            "apps/server/src/authorities/portugal.rs",
            "crates/gateways/src/stripe/mod.rs",
            "crates/gateways/src/vies/mod.rs",
        ],
    ),
    ("HttpConnector::new(", &["crates/authorities/src/transport.rs"]),
    ("AsyncSmtpTransport", &["crates/gateways/src/mail/smtp.rs"]),
    ("lookup_host", &["crates/gateways/src/egress.rs"]),
    ("to_socket_addrs", &[]),
    // To this machine alone, as the address is looked at.
    (
        "TcpStream::connect",
        &["apps/card-simulator/src/webhook.rs", "apps/network-simulator/src/notice.rs"],
    ),
    ("TokioResolver::", &["crates/gateways/src/network/directory.rs"]),
    ("TcpSocket::new_v", &["apps/authority-simulator/src/server/mod.rs"]),
    ("UdpSocket", &[]),
];

#[test]
fn other_machines_are_called_by_known_sources_only() {
    for file in rust_files() {
        let place = place(&file);
        if !place.contains("/src/") || place.starts_with("tests/") {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        for (caller, known) in CALLERS {
            let is_known = known.contains(&place.as_str()) || !source.contains(caller);
            assert!(is_known, "{place} calls by {caller}: heed the fence, and list it here");
        }
    }
}

/// Where tests start servers and use clients, which could call any address that is named there.
const STARTERS: [&str; 5] =
    ["tests/tests/", "tests/src/", "tests/benches/", "tests/examples/", "apps/server/tests/"];

/// Hosts that are parts of names and are not called.
const NAMES: [&str; 2] = ["json-schema.org", "porezna.gov.hr"];

/// Whether a test may name `host`: this machine, what a test fills in, and what documents name (RFC
/// 2606, RFC 5737).
fn may_be_named(host: &str) -> bool {
    let of_documents = ["example", "example.com", "invalid", "test"];
    let is_of = |end: &str| host == end || host.ends_with(&format!(".{end}"));
    let begins = ["127.", "[::1]", "{", "192.0.2."];
    // A name of one word is none of the internet.
    !host.contains('.')
        || begins.iter().any(|begin| host.starts_with(begin))
        || of_documents.iter().any(|end| is_of(end))
        || NAMES.contains(&host)
}

#[test]
fn tests_name_no_address_of_others() {
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "-._[]{}".contains(c));
    for file in rust_files() {
        let place = place(&file);
        if !STARTERS.iter().any(|folder| place.starts_with(folder)) {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        for (at, _) in source.match_indices("://") {
            let rest = &source[at + 3..];
            let rest = rest.split_once('@').filter(|(user, _)| !user.contains(['"', '/', ' ']));
            let rest = rest.map_or(&source[at + 3..], |(_, host)| host);
            let host = rest.split(ends).next().unwrap_or_default();
            assert!(host.is_empty() || may_be_named(host), "{place} names {host}");
        }
        let is_fenced = !source.contains("LOOPBACK_ONLY\", \"false");
        assert!(is_fenced, "{place} lets a server call other machines");
    }
    for harness in ["tests/src/server.rs", "apps/server/tests/it/process.rs"] {
        let source = fs::read_to_string(root().join(harness)).unwrap();
        assert!(source.contains(r#"("RACUN__OUTBOUND__LOOPBACK_ONLY", "true")"#), "{harness}");
    }
}

/// How cargo names kinds of dependencies; the ordinary one has no name.
const NORMAL: &str = "";
const BUILD: &str = "build";
const DEVELOPMENT: &str = "dev";

/// A package of the workspace.
struct Package {
    name: String,
    manifest: PathBuf,
    dependencies: Vec<(String, String)>,
    test_binaries: Vec<String>,
    library: Option<Library>,
}

/// What `cargo test` does with a library.
struct Library {
    test: bool,
    doctest: bool,
}

impl Package {
    /// The names of the dependencies of these kinds.
    fn uses(&self, kinds: &[&str]) -> impl Iterator<Item = &str> {
        let chosen = move |(_, kind): &&(String, String)| kinds.contains(&kind.as_str());
        self.dependencies.iter().filter(chosen).map(|(name, _)| name.as_str())
    }
}

fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages: Vec<Package> = items(&metadata, "packages").map(package).collect();
    assert!(packages.len() >= PURE.len() + ADAPTERS.len(), "cargo names too few packages");
    packages
}

fn package(value: &Value) -> Package {
    let dependency = |value: &Value| (text(value, "name"), text(value, "kind"));
    Package {
        name: text(value, "name"),
        manifest: text(value, "manifest_path").into(),
        dependencies: items(value, "dependencies").map(dependency).collect(),
        test_binaries: items(value, "targets")
            .filter(|target| items(target, "kind").any(|kind| kind == "test"))
            .map(|target| text(target, "name"))
            .collect(),
        library: items(value, "targets")
            .find(|target| items(target, "kind").any(|kind| kind == "lib"))
            .map(|target| Library {
                test: target["test"].as_bool().unwrap(),
                doctest: target["doctest"].as_bool().unwrap(),
            }),
    }
}

fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value[field].as_array().unwrap().iter()
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

/// The top of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The path of a source from the top.
pub(crate) fn place(file: &Path) -> String {
    file.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
}

/// All sources of the workspace.
pub(crate) fn rust_files() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        ["crates", "apps", "tests"].iter().map(|folder| root().join(folder)).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 50, "only {} Rust files were found", files.len());
    files
}
