//! What we write is valid by the official rules, and our rules judge as they do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use racun_einvoicing::{Facts, Specification, Syntax, write};
use racun_store::testing::Random;

use crate::documents::random;
use crate::judge::judge;

/// Random documents that are judged, each in all of [`FORMATS`].
const DOCUMENTS: usize = 400;

/// Of those, how many have lines of several VAT categories at least.
const MIXED: usize = 100;

/// Each specification with each syntax that it takes, and the official rules for it.
const FORMATS: [(&str, Specification, Syntax); 5] = [
    ("xrechnung", Specification::XRechnung, Syntax::Ubl),
    ("xrechnung", Specification::XRechnung, Syntax::Cii),
    ("facturx", Specification::En16931, Syntax::Cii),
    ("en16931", Specification::En16931, Syntax::Ubl),
    ("peppol", Specification::Peppol, Syntax::Ubl),
];

/// The VAT categories of the lines, as the file says them: BT-151.
fn categories(facts: &Facts) -> BTreeSet<String> {
    let Ok(written) = write(facts, Specification::En16931, Syntax::Ubl) else {
        return BTreeSet::new();
    };
    let lines = written.xml.split("<cac:ClassifiedTaxCategory>").skip(1);
    let code = |line: &str| {
        let (_, rest) = line.split_once("<cbc:ID>")?;
        Some(rest.split_once('<')?.0.to_owned())
    };
    lines.filter_map(code).collect()
}

#[test]
fn random_documents_are_valid_by_the_official_rules() {
    let folder = tempfile::tempdir().unwrap();
    let mut choices = Random::new(16931);
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    let mut mixed: BTreeMap<BTreeSet<String>, usize> = BTreeMap::new();
    for n in 0..DOCUMENTS {
        let facts = random(&mut choices, n);
        let categories = categories(&facts);
        if categories.len() > 1 {
            *mixed.entry(categories).or_default() += 1;
        }
        for (rules, specification, syntax) in FORMATS {
            let written = write(&facts, specification, syntax).unwrap_or_else(|verdict| {
                let errors: Vec<String> = verdict.errors().map(ToString::to_string).collect();
                panic!("{specification:?} {facts:#?}\n{}", errors.join("\n"))
            });
            let file = folder.path().join(format!("{n}-{specification:?}-{syntax:?}.xml"));
            fs::write(&file, written.xml).unwrap();
            files.push((rules, file));
        }
    }
    println!("documents with several VAT categories: {mixed:?}");
    assert!(mixed.values().sum::<usize>() >= MIXED, "{mixed:?}");
    for pair in [["E", "S"], ["AE", "S"], ["AE", "K"], ["S", "Z"]] {
        let pair = BTreeSet::from(pair.map(str::to_owned));
        assert!(mixed.get(&pair).is_some_and(|count| *count >= 10), "{pair:?} of {mixed:?}");
    }
    let Some(said) = judge(&files) else { return };
    let mut wrong = Vec::new();
    for (file, said) in &said {
        for one in said.iter().filter(|one| one.level == "fatal") {
            let name = file.file_name().unwrap().display();
            wrong.push(format!("{name}: {} {}", one.rule, one.text));
        }
    }
    assert!(wrong.is_empty(), "{} of {DOCUMENTS}:\n{}", wrong.len(), wrong.join("\n"));
}
