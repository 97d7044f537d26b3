//! What other programs read on the pages of a PDF.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use racun_test_postgres::{codes_of_pictures, program};

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
    let codes = codes(pdf)?.into_iter().filter(|(kind, _)| kind == "QRCode");
    Some(codes.map(|(_, bytes)| String::from_utf8(bytes).expect("text")).collect())
}

/// The codes on the pages of `pdf`, as zxing-cpp reads them: `QRCode` or `PDF417`, and their bytes.
/// `None` without zxing-cpp for Python, which is said in one line.
///
/// # Panics
/// When `pdf` has no pages.
#[must_use]
pub fn codes(pdf: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), pdf);
    let pages = folder.path().join("page");
    output(program("pdftoppm").args(["-r", "300", "-gray"]).arg(file).arg(&pages));
    codes_of_pictures(folder.path())
}

/// The codes of the pictures that a receipt printer prints for `escpos`, as zxing-cpp reads them;
/// otherwise as [`codes`].
///
/// # Panics
/// When a picture is cut off.
#[must_use]
pub fn pictures_codes(escpos: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    /// `GS v 0` in its normal size: bytes of a row and rows follow, and then the dots.
    const PICTURE: &[u8] = b"\x1dv0\x00";
    /// White dots around it: what the paper leaves.
    const QUIET: usize = 16;
    let folder = tempfile::tempdir().expect("a folder");
    let starts = (0..escpos.len()).filter(|at| escpos[*at..].starts_with(PICTURE));
    for (number, at) in starts.enumerate() {
        let head = &escpos[at + PICTURE.len()..];
        let pair = |n: usize| usize::from(head[n]) + 256 * usize::from(head[n + 1]);
        let (across, down) = (pair(0), pair(2));
        let (width, height) = (8 * across + 2 * QUIET, down + 2 * QUIET);
        let mut pixels = vec![255; width * height];
        for (n, byte) in head[4..4 + across * down].iter().enumerate() {
            let begin = (QUIET + n / across) * width + QUIET + 8 * (n % across);
            for bit in (0..8).filter(|bit| byte & (0x80 >> bit) != 0) {
                pixels[begin + bit] = 0;
            }
        }
        let picture = [format!("P5\n{width} {height}\n255\n").into_bytes(), pixels].concat();
        fs::write(folder.path().join(format!("{number}.pgm")), picture).expect("a file");
    }
    codes_of_pictures(folder.path())
}

fn written(folder: &Path, pdf: &[u8]) -> PathBuf {
    let file = folder.join("paper.pdf");
    fs::write(&file, pdf).expect("a file");
    file
}

/// What a program prints, which succeeds.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
