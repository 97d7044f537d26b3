//! Judges and readers that are Python packages. Where they are missing, what they would judge is
//! left out; `.ci/judges` installs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prints the codes of pictures.
const READ: &str = include_str!("read_codes.py");

/// A Python that can import `modules`, with commas between them. `None` where there is none, with a
/// line that says so and that `what` is left out.
#[must_use]
pub fn python_with(modules: &str, what: &str) -> Option<&'static str> {
    let is_able = |python: &&str| {
        let mut check = Command::new(python);
        check.args(["-c", &format!("import {modules}")]).stderr(Stdio::null());
        check.status().is_ok_and(|status| status.success())
    };
    // The second has Debian's packages where the first is one of its own.
    let python = ["python3", "/usr/bin/python3"].into_iter().find(is_able);
    if python.is_none() {
        eprintln!("LEFT OUT: {what}; python3 lacks one of {modules}, see .ci/judges");
    }
    python
}

/// The codes of the pictures in `folder` (PGM), as zxing-cpp reads them: `QRCode` or `PDF417`, and
/// their bytes. `None` without zxing-cpp for Python.
///
/// # Panics
/// When the folder cannot be read, or the reader fails.
#[must_use]
pub fn codes_of_pictures(folder: &Path) -> Option<Vec<(String, Vec<u8>)>> {
    let python = python_with("zxingcpp", "reading codes back")?;
    let files = fs::read_dir(folder).expect("the folder");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "pgm"));
    files.sort();
    let read = Command::new(python).args(["-c", READ]).args(files).output().expect("python runs");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let lines = String::from_utf8(read.stdout).expect("text");
    let codes = lines.lines().filter_map(|line| line.split_once('\t'));
    Some(codes.map(|(kind, hex)| (kind.to_owned(), bytes(hex))).collect())
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2).filter_map(|pair| str::from_utf8(pair).ok());
    digits.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal digits")).collect()
}
