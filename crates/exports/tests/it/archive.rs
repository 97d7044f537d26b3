//! Archives, read back by a foreign reader.

use std::io::Write as _;
use std::process::{Command, Stdio};

use racun_exports::{
    ArchiveFull, ArchiveNames, ArchivePart, MAX_ARCHIVE_BYTES, MAX_ARCHIVE_FILES, archive_end,
};
use time::macros::date;

/// An archive of files in parts of so many.
fn archive(files: &[(String, Vec<u8>)], of_part: usize) -> Vec<u8> {
    let (mut contents, mut directories) = (Vec::new(), Vec::new());
    for some in files.chunks(of_part) {
        let mut part = ArchivePart::behind(u64::try_from(contents.len()).unwrap());
        for (name, file) in some {
            part.add(name, date!(2026 - 11 - 20), file).unwrap();
        }
        let (content, directory) = part.into_bytes();
        contents.extend(content);
        directories.extend(directory);
    }
    let sizes = [contents.len(), directories.len()].map(|bytes| u64::try_from(bytes).unwrap());
    let end = archive_end(u32::try_from(files.len()).unwrap(), sizes[0], sizes[1]).unwrap();
    [contents, directories, end].concat()
}

/// What Python's module `zipfile` reads: names, days and the bytes' numbers, after it has checked
/// every CRC.
fn read(archive: &[u8]) -> Vec<(String, String, Vec<u8>)> {
    let program = r#"
import io, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
for info in archive.infolist():
    day = "%04d-%02d-%02d" % info.date_time[:3]
    sys.stdout.buffer.write(f"{info.filename}\t{day}\t{archive.read(info).hex()}\n".encode())
"#;
    let mut python = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(archive).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let byte = |at: usize, hex: &str| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let line = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        let [name, day, hex] = [(); 3].map(|()| cells.next().unwrap());
        (name, day, (0..hex.len()).step_by(2).map(|at| byte(at, &hex)).collect())
    };
    text.lines().map(line).collect()
}

#[test]
fn an_archive_says_what_its_parts_said_however_they_are_cut() {
    let file = |n: u8| (format!("Račun-Ж-{n}.pdf"), vec![n; usize::from(n) * 40]);
    let files: Vec<_> = (0..20).map(file).collect();
    let whole = archive(&files, 20);
    for of_part in [1, 7, 19] {
        assert_eq!(archive(&files, of_part), whole, "{of_part}");
    }
    let expected: Vec<_> = files
        .iter()
        .map(|(name, file)| (name.clone(), "2026-11-20".to_owned(), file.clone()))
        .collect();
    assert_eq!(read(&whole), expected);
    assert!(read(&archive(&[], 1)).is_empty());
}

#[test]
fn names_are_safe_and_no_two_are_one() {
    let mut names = ArchiveNames::default();
    for (name, taken) in [
        ("Račun 2026-17", "Račun 2026-17.pdf"),
        ("račun 2026-17", "račun 2026-17 (2).pdf"),
        ("Račun 2026/17", "Račun 2026-17 (3).pdf"),
        ("../../etc/passwd", "-..-etc-passwd.pdf"),
        ("C:\\a\u{0}b\u{202e}fdp", "C--a-b-fdp.pdf"),
        ("..", "file.pdf"),
        ("", "file (2).pdf"),
    ] {
        assert_eq!(names.take(name, "pdf"), taken);
    }
    assert_eq!(names.take(&"Š".repeat(500), "pdf"), format!("{}.pdf", "Š".repeat(100)));
}

#[test]
fn names_of_earlier_parts_are_known_again() {
    let (mut names, mut part) = (ArchiveNames::default(), ArchivePart::behind(0));
    for _ in 0..3 {
        part.add(&names.take("Račun 1", "pdf"), date!(1970 - 01 - 01), b"x").unwrap();
    }
    let mut again = ArchiveNames::default();
    again.note(&part.into_bytes().1);
    assert_eq!(again, names);
    assert_eq!(again.take("RAČUN 1", "pdf"), "RAČUN 1 (4).pdf");
    for broken in [&b"PK"[..], &[0xff; 50], &[0; 200]] {
        ArchiveNames::default().note(broken);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut part = ArchivePart::behind(MAX_ARCHIVE_BYTES - 10);
    assert_eq!(part.add("a.pdf", date!(2026 - 11 - 20), b"123456"), Err(ArchiveFull));
    assert!(part.is_empty());
    part.add("a.pdf", date!(2026 - 11 - 20), b"12345").unwrap();
    assert_eq!(archive_end(MAX_ARCHIVE_FILES + 1, 0, 0), Err(ArchiveFull));
}
