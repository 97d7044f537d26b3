//! What other programs read on the pages of a PDF.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use racun_test_postgres::program;

/// Prints the codes of pictures; the tests of typesetting read theirs with it, too.
const READ: &str = include_str!("../../crates/typeset/tests/it/read_codes.py");

/// The text of `pdf`, as `pdftotext` reads it, line by line.
///
/// # Panics
/// When that fails.
#[must_use]
pub fn pdf_text(pdf: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), pdf);
    output(program("pdftotext").arg("-layout").arg(file).arg("-"))
}

/// What the QR codes of `pdf` say, as zxing-cpp reads them. `None` without zxing-cpp for Python,
/// which is said in one line.
///
/// # Panics
/// When `pdf` has no pages, or a code is no text.
#[must_use]
pub fn qr_codes(pdf: &[u8]) -> Option<Vec<String>> {
    let Some(python) = python() else {
        eprintln!("codes: NOT READ BACK, for zxing-cpp is missing: pip install zxing-cpp");
        return None;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), pdf);
    let pages = folder.path().join("page");
    output(program("pdftoppm").args(["-r", "300", "-gray"]).arg(file).arg(&pages));
    let files = fs::read_dir(folder.path()).expect("the folder");
    let files = files.map(|entry| entry.expect("a file").path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "pgm");
    let read = output(Command::new(python).args(["-c", READ]).args(files.filter(is_page)));
    let codes = read.lines().filter_map(|line| line.strip_prefix("QRCode\t"));
    Some(codes.map(|hex| String::from_utf8(bytes(hex)).expect("text")).collect())
}

/// A Python that has zxing-cpp.
fn python() -> Option<&'static str> {
    let is_able = |python: &&str| {
        let mut check = Command::new(python);
        check.args(["-c", "import zxingcpp"]).stderr(Stdio::null());
        check.status().is_ok_and(|status| status.success())
    };
    ["python3", "/usr/bin/python3"].into_iter().find(is_able)
}

fn written(folder: &Path, pdf: &[u8]) -> PathBuf {
    let file = folder.join("paper.pdf");
    fs::write(&file, pdf).expect("a file");
    file
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2).filter_map(|pair| str::from_utf8(pair).ok());
    digits.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal digits")).collect()
}

/// What a program prints, which succeeds.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
