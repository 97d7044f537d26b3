//! Judges and readers that are Python packages. Where they are missing, what they would judge is
//! left out, but not where `CI` is set: there it fails. `.ci/judges` installs them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prints the codes of pictures.
const READ: &str = include_str!("read_codes.py");

/// A Python that can import `modules`, with commas between them. `None` where there is none, with a
/// line that says so and that `what` is left out.
///
/// # Panics
/// Where there is none and `CI` is set: a green run that left judges out would prove less than it
/// says.
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
        let missing = format!("{what}; python3 lacks one of {modules}, see .ci/judges");
        assert!(!is_ci(std::env::var_os("CI")), "MISSING: {missing}; without CI it is left out");
        eprintln!("LEFT OUT: {missing}");
    }
    python
}

/// Whether this value of `CI` says that a machine reads the outcome, and no one what was left out.
fn is_ci(value: Option<OsString>) -> bool {
    value.is_some_and(|value| !["", "0", "false"].iter().any(|none| value == *none))
}

/// The codes of the pictures in `folder` (PGM), as zxing-cpp reads them: `QRCode` or `PDF417`, and
/// their bytes. `None` without zxing-cpp for Python.
///
/// # Panics
/// When the folder cannot be read, or the reader fails; as [`python_with`] does.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_may_be_missing_outside_ci() {
        for (value, expected) in [
            (None, false),
            (Some(""), false),
            (Some("0"), false),
            (Some("false"), false),
            (Some("true"), true),
            (Some("1"), true),
        ] {
            assert_eq!(is_ci(value.map(OsString::from)), expected, "{value:?}");
        }
    }
}
