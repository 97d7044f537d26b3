//! Files: PDF/A-3b, tagged, and the same each time.
//!
//! veraPDF, the validator of PDF/A, judges where it is installed. Everywhere else the library
//! refuses what PDF/A-3b does not take, and these tests look at what it wrote, by its bytes and by
//! poppler's: conformance, colours, tags, fonts, language, dates and id (ADR 0026).

use std::process::Command;

use racun_paper::{Paper, Template};
use racun_typeset::Typesetter;

use crate::sample::invoice;
use crate::set;
use crate::tools::{fonts, objections, properties};

fn count(file: &[u8], part: &str) -> usize {
    file.windows(part.len()).filter(|window| *window == part.as_bytes()).count()
}

#[test]
fn a_file_says_that_it_is_pdf_a_3b_tagged_and_of_the_documents_day() {
    for template in Template::ALL {
        let file = set(&invoice(template, 1));
        assert!(file.starts_with(b"%PDF-1.7"));
        assert!(file.trim_ascii_end().ends_with(b"%%EOF"));
        for part in [
            "<pdfaid:part>3</pdfaid:part>",
            "<pdfaid:conformance>B</pdfaid:conformance>",
            "<xmp:CreateDate>2026-11-20T00:00:00",
            "/OutputIntent",
            "/ToUnicode",
        ] {
            assert!(count(&file, part) >= 1, "{template:?}: {part}");
        }
        assert!(count(&file, "/StructTreeRoot") >= 1, "{template:?}");
        assert_eq!(count(&file, "/JavaScript"), 0);
        let limit = if template.is_receipt() { 120_000 } else { 160_000 };
        assert!(file.len() < limit, "{template:?}: {} bytes", file.len());
    }
}

#[test]
fn readers_find_tags_and_every_font_in_the_file_and_nothing_that_runs() {
    for template in Template::ALL {
        let file = set(&invoice(template, 3));
        let [properties, structure] = properties(&file);
        let says = |name: &str, value: &str| {
            let mut lines = properties.lines().filter_map(|line| line.split_once(':'));
            lines.any(|(found, said)| found == name && said.trim().starts_with(value))
        };
        for (name, value) in [
            ("Title", "Račun PP1-EN1-2026-17"),
            ("Author", "Podjetje za vse d.o.o."),
            ("Tagged", "yes"),
            ("Metadata Stream", "yes"),
            ("Form", "none"),
            ("JavaScript", "no"),
            ("Encrypted", "no"),
            ("PDF version", "1.7"),
        ] {
            assert!(says(name, value), "{template:?}: {name} {value} in\n{properties}");
        }
        for tag in ["H1", "Table", "TH", "TD", "Figure"] {
            let is_there = structure.lines().any(|line| line.trim().starts_with(tag));
            assert!(is_there, "{template:?}: {tag} in\n{structure}");
        }
        let fonts = fonts(&file);
        assert!(!fonts.is_empty(), "{template:?}");
        for font in fonts {
            let is_whole = font.contains(" yes yes yes ");
            assert!(is_whole, "{template:?}: embedded, in part, with letters: {font}");
        }
    }
}

#[test]
fn a_validator_has_nothing_against_a_file_where_there_is_one() {
    for template in Template::ALL {
        let Some(objections) = objections(&set(&invoice(template, 40))) else { return };
        assert_eq!(objections, "", "{template:?}");
    }
}

/// Names the file that a child of the test below writes.
const CHILD: &str = "RACUN_TYPESET_CHILD";

fn document() -> Paper {
    invoice(Template::Fashion, 20)
}

#[test]
fn the_same_document_is_the_same_file_after_a_restart() {
    if let Some(path) = std::env::var_os(CHILD) {
        std::fs::write(path, set(&document())).unwrap();
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
        let threads: Vec<_> =
            (0..2).map(|_| scope.spawn(|| other.paper(&document()).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let child = std::fs::read(path).unwrap();
    assert!(files.iter().all(|file| *file == child), "bytes differ");
    let mut paper = document();
    paper.number = Some("2026-18".to_owned());
    assert_ne!(set(&paper), child);
}
