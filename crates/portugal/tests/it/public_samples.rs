//! Samples that others made and judged: AT's demonstration file with edits that must fail, and
//! files, codes and numbers that are right, or break the rule in their name.

use std::collections::BTreeSet;
use std::fs;

use encoding_rs::WINDOWS_1252;
use racun_portugal::saft::Encoding;
use racun_portugal::{Atcud, Number, read_qr};
use serde_json::Value;

use crate::key::Key;
use crate::saft_judge::{UNNAMED, assert_asserted, faults, is_valid, read_file};
use crate::world::{group, read, text, vectors};

/// Name and contents of the samples of `kind`, `valid` or `invalid`, keys aside.
fn samples(kind: &str, verdict: &str) -> Vec<(String, String)> {
    let folder = vectors().join("public").join(kind).join(verdict);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<(String, String)> = files
        .filter(|path| path.extension().is_some_and(|ending| ending != "pem"))
        .map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap()))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{kind} {verdict}");
    found
}

/// What is wrong with a file of another program, whose key lies beside it.
fn faults_of(name: &str, file: &str) -> Vec<String> {
    let key = Key::public(&fs::read_to_string(format!("{name}.pub.pem")).unwrap());
    let mut found = faults(file, Some(&key));
    found.retain(|fault| !fault.ends_with(UNNAMED));
    found
}

#[test]
fn files_of_others_are_judged_as_they_are_named() {
    for (name, file) in samples("saft-pt", "valid") {
        assert!(is_valid(file.as_bytes()), "{name}");
        assert_asserted(&[file.as_bytes()]);
        assert_eq!(faults_of(&name, &file), [""; 0], "{name}");
    }
    for (name, file) in samples("saft-pt", "invalid") {
        let (fits, found) = (is_valid(file.as_bytes()), faults_of(&name, &file));
        assert!(!fits || !found.is_empty(), "{name} is taken");
        let expected = match name.rsplit("__").next().unwrap() {
            "SAFT-HASH.xml" => "signature does not fit",
            "SAFT-COUNT.xml" => "entries of SalesInvoices",
            "SAFT-CUSTOMER.xml" => "rows of CustomerID",
            "SAFT-TAX.xml" => "rows of Tax",
            _ => continue,
        };
        assert!(found.iter().any(|fault| fault.contains(expected)), "{name}: {found:?}");
    }
}

#[test]
fn codes_of_others_are_read_or_refused_as_they_are_named() {
    for (name, payload) in samples("pt-qr", "valid") {
        assert!(read_qr(payload.trim_end()).is_ok(), "{name}");
    }
    for (name, payload) in samples("pt-qr", "invalid") {
        let refused = read_qr(payload.trim_end()).unwrap_err().to_string();
        let field = match name.rsplit("__").next().unwrap() {
            "PT-ATCUD-SEQ.txt" => "H",
            "QR-AMT.txt" => "O",
            other => other.strip_prefix("QR-").unwrap().trim_end_matches(".txt"),
        };
        assert!(refused.contains(field), "{name}: {refused}");
    }
}

#[test]
fn unique_codes_of_others_are_read_or_refused_as_they_are_named() {
    let fits = |line: &str| {
        let (code, number) = line.split_once('\t').unwrap_or((line, ""));
        let code = code.strip_prefix("ATCUD:").unwrap_or(code).parse::<Atcud>();
        let number = number.parse::<Number>();
        code.is_ok_and(|code| number.map_or(!line.contains('\t'), |number| code.is_of(&number)))
    };
    for (verdict, expected) in [("valid", true), ("invalid", false)] {
        for (name, file) in samples("atcud", verdict) {
            for line in file.lines().filter(|line| !line.is_empty()) {
                assert_eq!(fits(line), expected, "{name}: {line}");
            }
        }
    }
}

/// `base` with the edits of `case`, from the last to the first.
fn edited(base: &str, case: &Value) -> String {
    let mut lines: Vec<String> = base.split('\n').map(str::to_owned).collect();
    let edits = case["edits"].as_array().unwrap();
    let texts = |edit: &Value, name: &str| {
        let texts = edit[name].as_array().unwrap().iter();
        texts.map(|own| own.as_str().unwrap().to_owned()).collect::<Vec<String>>()
    };
    for edit in edits.iter().rev() {
        let from = usize::try_from(edit["from_line"].as_u64().unwrap()).unwrap() - 1;
        let gone = texts(edit, "delete");
        let there: Vec<&str> =
            lines[from..from + gone.len()].iter().map(|line| line.trim_end()).collect();
        assert!(there.iter().zip(&gone).all(|(there, gone)| *there == gone.trim_end()), "{edit}");
        lines.splice(from..from + gone.len(), texts(edit, "insert"));
    }
    lines.join("\n")
}

#[test]
fn the_demonstration_file_fails_with_each_edit_that_must_fail() {
    let file = fs::read(vectors().join("samples/at_demo_599999999.xml")).unwrap();
    assert!(is_valid(&file));
    let base = read_file(&file, Encoding::Windows1252);
    let key = Key::read("at_demo");
    let before: BTreeSet<String> = faults(&base, Some(&key)).into_iter().collect();
    let cases = read("samples/at_demo_mutations.json");
    for case in group(&cases, "cases") {
        let (id, expected) = (text(case, "id"), text(case, "expected"));
        let wrong = edited(&base, case);
        let (bytes, _, unknown) = WINDOWS_1252.encode(&wrong);
        assert!(!unknown && wrong != base, "{id}");
        assert_eq!(is_valid(&bytes), expected == "hash", "{id}: {}", text(case, "why"));
        let after: BTreeSet<String> = faults(&wrong, Some(&key)).into_iter().collect();
        assert!(!(&after - &before).is_empty(), "{id}: {}", text(case, "why"));
    }
}
