//! Files: PDF/A-3b, tagged, and the same each time.
//!
//! veraPDF, the validator of PDF/A, judges where it is installed. Everywhere else the library
//! refuses what PDF/A-3b does not take, and these tests look at what it wrote, by its bytes and by
//! poppler's: conformance, colours, tags, fonts, language, dates and id (ADR 0026).

use std::process::Command;

use racun_paper::{Paper, Template};
use racun_typeset::Typesetter;

use crate::sample::{act, invoice};
use crate::tools::{fonts, objections, properties};
use crate::{TYPESETTER, set};

fn count(file: &[u8], part: &str) -> usize {
    file.windows(part.len()).filter(|window| *window == part.as_bytes()).count()
}

/// What each file says of itself; `day` is the document's.
fn check_bytes(file: &[u8], day: &str, what: &str) {
    assert!(file.starts_with(b"%PDF-1.7"));
    assert!(file.trim_ascii_end().ends_with(b"%%EOF"));
    for part in [
        "<pdfaid:part>3</pdfaid:part>",
        "<pdfaid:conformance>B</pdfaid:conformance>",
        &format!("<xmp:CreateDate>{day}T00:00:00"),
        "/OutputIntent",
        "/ToUnicode",
        "/StructTreeRoot",
    ] {
        assert!(count(file, part) >= 1, "{what}: {part}");
    }
    assert_eq!(count(file, "/JavaScript"), 0);
}

#[test]
fn a_file_says_that_it_is_pdf_a_3b_tagged_and_of_the_documents_day() {
    for template in Template::ALL {
        let file = set(&invoice(template, 1));
        check_bytes(&file, "2026-11-20", template.name());
        let limit = if template.is_receipt() { 120_000 } else { 160_000 };
        assert!(file.len() < limit, "{template:?}: {} bytes", file.len());
    }
}

#[test]
fn a_text_says_that_it_is_pdf_a_3b_and_tagged_and_is_of_no_day() {
    check_bytes(&TYPESETTER.text(&act()).unwrap(), "2000-01-01", "the act");
}

/// What readers find in a file: its properties, its tags, and every font.
fn check_reading(file: &[u8], title: &str, tags: &[&str], what: &str) -> String {
    let [properties, structure] = properties(file);
    let says = |name: &str, value: &str| {
        let mut lines = properties.lines().filter_map(|line| line.split_once(':'));
        lines.any(|(found, said)| found == name && said.trim().starts_with(value))
    };
    for (name, value) in [
        ("Title", title),
        ("Tagged", "yes"),
        ("Metadata Stream", "yes"),
        ("Form", "none"),
        ("JavaScript", "no"),
        ("Encrypted", "no"),
        ("PDF version", "1.7"),
    ] {
        assert!(says(name, value), "{what}: {name} {value} in\n{properties}");
    }
    for tag in tags {
        let is_there = structure.lines().any(|line| line.trim().starts_with(tag));
        assert!(is_there, "{what}: {tag} in\n{structure}");
    }
    let fonts = fonts(file);
    assert!(!fonts.is_empty(), "{what}");
    for font in fonts {
        let is_whole = font.contains(" yes yes yes ");
        assert!(is_whole, "{what}: embedded, in part, with letters: {font}");
    }
    properties
}

#[test]
fn readers_find_tags_and_every_font_in_the_file_and_nothing_that_runs() {
    for template in Template::ALL {
        let file = set(&invoice(template, 3));
        let tags = ["H1", "Table", "TH", "TD", "Figure"];
        let properties = check_reading(&file, "Račun PP1-EN1-2026-17", &tags, template.name());
        let author = properties.lines().find_map(|line| line.strip_prefix("Author:"));
        assert_eq!(author.map(str::trim), Some("Podjetje za vse d.o.o."), "{template:?}");
    }
}

#[test]
fn readers_find_tags_and_every_font_in_a_text() {
    let file = TYPESETTER.text(&act()).unwrap();
    check_reading(&file, "Interni akt", &["H1", "H2", "Table", "TH", "TD", "P"], "the act");
}

#[test]
fn a_validator_has_nothing_against_a_file_where_there_is_one() {
    for template in Template::ALL {
        let Some(objections) = objections(&set(&invoice(template, 40))) else { return };
        assert_eq!(objections, "", "{template:?}");
    }
    let Some(objections) = objections(&TYPESETTER.text(&act()).unwrap()) else { return };
    assert_eq!(objections, "", "the act");
}

/// Names the file that a child of the test below writes.
const CHILD: &str = "RACUN_TYPESET_CHILD";

fn document() -> Paper {
    invoice(Template::Fashion, 20)
}

/// A document and an act, one after the other.
fn both(typesetter: &Typesetter) -> Vec<u8> {
    let document = typesetter.paper(&document()).unwrap();
    [document, typesetter.text(&act()).unwrap()].concat()
}

#[test]
fn the_same_document_is_the_same_file_after_a_restart() {
    if let Some(path) = std::env::var_os(CHILD) {
        std::fs::write(path, both(&TYPESETTER)).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("child.pdf");
    let name = "files::the_same_document_is_the_same_file_after_a_restart";
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--exact", name]).env(CHILD, &path).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let other = Typesetter::new().unwrap();
    let files: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| both(&other))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let child = std::fs::read(path).unwrap();
    assert!(files.iter().all(|file| *file == child), "bytes differ");
    let mut paper = document();
    paper.number = Some("2026-18".to_owned());
    assert_ne!(set(&paper), set(&document()));
    let mut other = act();
    other.title = "Interni akt 2".to_owned();
    assert_ne!(TYPESETTER.text(&other).unwrap(), TYPESETTER.text(&act()).unwrap());
}
