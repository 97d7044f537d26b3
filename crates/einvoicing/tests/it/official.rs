//! What we write is valid by the official rules, and our rules judge as they do.

use std::fs;
use std::path::PathBuf;

use racun_einvoicing::{Specification, Syntax, write};
use racun_store::testing::Random;

use crate::documents::random;
use crate::judge::judge;

/// Random documents that are judged, each in all of [`FORMATS`].
const DOCUMENTS: usize = 400;

/// Each specification with each syntax that it takes, and the official rules for it.
const FORMATS: [(&str, Specification, Syntax); 5] = [
    ("xrechnung", Specification::XRechnung, Syntax::Ubl),
    ("xrechnung", Specification::XRechnung, Syntax::Cii),
    ("facturx", Specification::En16931, Syntax::Cii),
    ("en16931", Specification::En16931, Syntax::Ubl),
    ("peppol", Specification::Peppol, Syntax::Ubl),
];

#[test]
fn random_documents_are_valid_by_the_official_rules() {
    let folder = tempfile::tempdir().unwrap();
    let mut choices = Random::new(16931);
    let mut files: Vec<(&str, PathBuf)> = Vec::new();
    for n in 0..DOCUMENTS {
        let facts = random(&mut choices, n);
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
