//! Files: PDF/A-3b, tagged, and the same each time.
//!
//! No validator of PDF/A runs here. The library refuses what PDF/A-3b does not take, and these
//! tests look at what it wrote: conformance, tags, embedded fonts, language, dates and id.

use std::process::Command;

use racun_paper::{Paper, Template};
use racun_typeset::Typesetter;

use crate::sample::invoice;
use crate::set;

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
