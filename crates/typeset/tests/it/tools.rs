//! Programs that are not ours and read what we print.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use racun_test_postgres::{codes_of_pictures, program as command};

/// A file that is gone with the value.
pub struct File(tempfile::NamedTempFile);

impl File {
    /// `bytes` as a file.
    pub fn new(bytes: &[u8]) -> Self {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        Self(file)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

fn output(program: &str, words: &[&str], file: &Path, last: &[&str]) -> Vec<u8> {
    let output = command(program).args(words).arg(file).args(last).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The text of `pdf`, in the order in which it was set.
pub fn text(pdf: &[u8]) -> String {
    let file = File::new(pdf);
    String::from_utf8(output("pdftotext", &["-raw"], file.path(), &["-"])).unwrap()
}

/// The text of `pdf` as programs read it that know nothing of its order: by where letters stand.
pub fn text_as_it_stands(pdf: &[u8]) -> String {
    let file = File::new(pdf);
    String::from_utf8(output("pdftotext", &[], file.path(), &["-"])).unwrap()
}

/// `text` without blanks, line ends and page breaks: lines are broken as they come.
pub fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A word on a page, in thousandths of a point.
#[derive(Debug)]
pub struct Word {
    pub page: usize,
    pub text: String,
    pub left: i64,
    pub top: i64,
    pub right: i64,
    pub bottom: i64,
    /// How high its page is.
    pub page_height: i64,
}

/// All words of `pdf` and where they stand.
pub fn words(pdf: &[u8]) -> Vec<Word> {
    let file = File::new(pdf);
    let boxes = output("pdftotext", &["-bbox"], file.path(), &["-"]);
    let (mut page, mut page_height, mut words) = (0, 0, Vec::new());
    for line in String::from_utf8(boxes).unwrap().lines() {
        let line = line.trim();
        if line.starts_with("<page ") {
            (page, page_height) = (page + 1, thousandths(line, "height"));
        }
        let Some(rest) = line.strip_prefix("<word ") else { continue };
        let number = |name: &str| thousandths(rest, name);
        let (_, text) = rest.split_once('>').unwrap();
        let text = text.strip_suffix("</word>").unwrap_or(text).to_owned();
        words.push(Word {
            page,
            text,
            left: number("xMin"),
            top: number("yMin"),
            right: number("xMax"),
            bottom: number("yMax"),
            page_height,
        });
    }
    words
}

/// The attribute `name` of a tag, in thousandths.
fn thousandths(tag: &str, name: &str) -> i64 {
    let (_, rest) = tag.split_once(&format!("{name}=\"")).unwrap();
    let (text, _) = rest.split_once('"').unwrap();
    let (whole, fraction) = text.split_once('.').unwrap();
    let parts: i64 = format!("{fraction:0<3}")[..3].parse().unwrap();
    let whole_number: i64 = whole.parse().unwrap();
    if whole.starts_with('-') { whole_number * 1000 - parts } else { whole_number * 1000 + parts }
}

/// `pdf` as qpdf takes it apart: its objects one by one, nothing packed.
pub fn unpacked(pdf: &[u8]) -> Vec<u8> {
    let file = File::new(pdf);
    output("qpdf", &["--qdf", "--object-streams=disable"], file.path(), &["-"])
}

/// What `pdfinfo` says of `pdf`: its properties, and the tree of its tags.
pub fn properties(pdf: &[u8]) -> [String; 2] {
    let file = File::new(pdf);
    let words: [&[&str]; 2] = [&[], &["-struct"]];
    words.map(|words| String::from_utf8_lossy(&output("pdfinfo", words, file.path(), &[])).into())
}

/// The fonts of `pdf`, each as `pdffonts` tells it: name, kind, and whether it is embedded, a part
/// of the whole font, and read back as Unicode.
pub fn fonts(pdf: &[u8]) -> Vec<String> {
    let file = File::new(pdf);
    let list = String::from_utf8(output("pdffonts", &[], file.path(), &[])).unwrap();
    list.lines().skip(2).map(str::to_owned).collect()
}

/// What veraPDF, a validator, says against `pdf` as PDF/A-3b. None without that program, which is
/// said in one line.
pub fn objections(pdf: &[u8]) -> Option<String> {
    let file = File::new(pdf);
    let mut command = Command::new("verapdf");
    command.args(["--flavour", "3b", "--format", "text", "--verbose"]).arg(file.path());
    let Ok(output) = command.output() else {
        eprintln!("PDF/A: NOT VALIDATED FROM OUTSIDE, for there is no program verapdf");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(if said.starts_with("PASS") { String::new() } else { said })
}

/// What `pdf` says of itself, as XMP.
pub fn metadata(pdf: &[u8]) -> String {
    let file = File::new(pdf);
    String::from_utf8(output("pdfinfo", &["-meta"], file.path(), &[])).unwrap()
}

/// The files that are attached to `pdf`: their names and bytes.
pub fn attached(pdf: &[u8]) -> Vec<(String, Vec<u8>)> {
    let (file, folder) = (File::new(pdf), tempfile::tempdir().unwrap());
    let words = ["-saveall", "-o", folder.path().to_str().unwrap()];
    output("pdfdetach", &words, file.path(), &[]);
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.map(|path| (name(&path), std::fs::read(path).unwrap())).collect()
}

/// What qpdf finds wrong with the structure of `pdf`: its table of objects, streams and pages.
pub fn structure_faults(pdf: &[u8]) -> String {
    let file = File::new(pdf);
    let output = command("qpdf").arg("--check").arg(file.path()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    if output.status.success() && !said.contains("WARNING") { String::new() } else { said }
}

/// How many pages `pdf` has.
pub fn pages(pdf: &[u8]) -> usize {
    words(pdf).last().map(|word| word.page).unwrap_or_default()
}

/// A page of `pdf` in shades of grey.
pub fn page(pdf: &[u8], number: usize, dpi: u32) -> image::GrayImage {
    let (file, number, dpi) = (File::new(pdf), number.to_string(), dpi.to_string());
    let words = ["-f", &number, "-r", &dpi, "-gray", "-png", "-singlefile"];
    let picture = output("pdftoppm", &words, file.path(), &[]);
    image::load_from_memory(&picture).unwrap().into_luma8()
}

/// A page of `pdf` in its colours.
pub fn page_in_color(pdf: &[u8], number: usize, dpi: u32) -> image::RgbImage {
    let (file, number, dpi) = (File::new(pdf), number.to_string(), dpi.to_string());
    let words = ["-f", &number, "-r", &dpi, "-png", "-singlefile"];
    let picture = output("pdftoppm", &words, file.path(), &[]);
    image::load_from_memory(&picture).unwrap().into_rgb8()
}

/// The codes on the pages of `pdf`: their kinds and their bytes. None without zxing-cpp, which is
/// said in one line.
pub fn codes(pdf: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let (file, folder) = (File::new(pdf), tempfile::tempdir().unwrap());
    let pages = folder.path().join("page");
    output("pdftoppm", &["-r", "300", "-gray"], file.path(), &[pages.to_str().unwrap()]);
    codes_of_pictures(folder.path())
}
