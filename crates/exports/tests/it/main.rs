//! CSV and archives, read back by foreign readers; the table of words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod archive;

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use racun_exports::{
    Cell, Column, ColumnKind, Csv, CsvStyle, Sheet, SheetWriter as _, WORDS, word,
};
use racun_kernel::text::LANGUAGES;
use time::macros::{date, datetime};

#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written(style: CsvStyle, rows: &[Vec<Cell>]) -> Vec<u8> {
    let bytes = Bytes::default();
    let mut csv = Box::new(Csv::new(Box::new(bytes.clone()), style));
    let column = |_| Column { heading: "=H".to_owned(), kind: ColumnKind::Text };
    let columns = (0..rows[0].len()).map(column).collect();
    csv.begin(&Sheet { name: "S".to_owned(), columns }).unwrap();
    rows.iter().for_each(|row| csv.row(row).unwrap());
    csv.finish().unwrap();
    bytes.0.lock().unwrap().clone()
}

/// What Python's module `csv` reads: rows by lines, cells by a sign that no text has.
fn read(bytes: &[u8], delimiter: &str) -> Vec<Vec<String>> {
    let program = r#"
import csv, io, sys
text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
rows = csv.reader(text, delimiter=sys.argv[1], strict=True)
sys.stdout.buffer.write("\x1e".join("\x1f".join(row) for row in rows).encode())
"#;
    let mut python = Command::new("python3")
        .args(["-c", program, delimiter])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.split('\u{1e}').map(|row| row.split('\u{1f}').map(str::to_owned).collect()).collect()
}

fn row() -> Vec<Cell> {
    vec![
        "Žaga; \"d.o.o.\", nova\r\nvrsta".into(),
        Cell::Number("-1234.50".parse().unwrap()),
        Cell::Whole(-7),
        date!(2026 - 02 - 28).into(),
        datetime!(2026-07-02 00:59:58 +3).into(),
        Cell::Empty,
    ]
}

#[test]
fn a_foreign_reader_reads_what_was_written_in_each_style() {
    for (locale, delimiter, amount) in [
        ("sl-SI", ";", "-1234,5"),
        ("hr-HR", ";", "-1234,5"),
        ("de-DE", ";", "-1234,5"),
        ("pt-PT", ";", "-1234,5"),
        ("en-US", ",", "-1234.5"),
        ("it-IT", ",", "-1234.5"),
    ] {
        for mark in [true, false] {
            let bytes = written(CsvStyle::of(locale, mark), &[row()]);
            assert_eq!(bytes.starts_with("\u{feff}".as_bytes()), mark, "{locale}");
            assert!(bytes.ends_with(b"\r\n"));
            let rows = read(&bytes, delimiter);
            let text = "Žaga; \"d.o.o.\", nova\r\nvrsta";
            let instant = "2026-07-01T21:59:58.000Z";
            assert_eq!(rows[1], [text, amount, "-7", "2026-02-28", instant, ""], "{locale}");
            assert_eq!(rows.len(), 2);
        }
    }
}

#[test]
fn no_text_is_a_formula() {
    let dangerous = [
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-2+3",
        "@SUM(A1:A2)",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1",
        "\u{a0}=1",
        "＝1",
        "＋1",
        "－1",
        "＠1",
        "=\"\";\"=1\"",
        "=1\",\"=2",
    ];
    for semicolons in [true, false] {
        let style = CsvStyle { semicolons, byte_order_mark: false };
        let rows: Vec<Vec<Cell>> = dangerous.iter().map(|text| vec![(*text).into()]).collect();
        let rows = read(&written(style, &rows), if semicolons { ";" } else { "," });
        assert_eq!(rows[0], ["'=H"], "nor is a heading");
        for (row, text) in rows[1..].iter().zip(dangerous) {
            assert_eq!(row[..], [format!("'{text}")]);
        }
        assert_eq!(rows.len(), dangerous.len() + 1);
    }
    let harmless = ["Žaga", "a=b", "1-2", "", "<script>", "#{x}", "'x"];
    let rows: Vec<Vec<Cell>> =
        harmless.iter().map(|text| vec![(*text).into(), "x".into()]).collect();
    let style = CsvStyle { semicolons: false, byte_order_mark: false };
    for (row, text) in read(&written(style, &rows), ",")[1..].iter().zip(harmless) {
        assert_eq!(row[0], text);
    }
}

#[test]
fn each_word_is_there_in_each_language() {
    let mut lines = WORDS.lines();
    let head: Vec<&str> = lines.next().unwrap().split('\t').collect();
    assert_eq!(head[1..], LANGUAGES);
    let mut keys = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split('\t').collect();
        assert_eq!(words.len(), LANGUAGES.len() + 1, "{line}");
        assert!(words.iter().all(|word| !word.trim().is_empty()), "{line}");
        assert!(words.iter().all(|word| word.trim() == *word), "{line}");
        keys.push(words[0]);
    }
    let distinct: std::collections::BTreeSet<&str> = keys.iter().copied().collect();
    assert_eq!(distinct.len(), keys.len(), "a key is there twice");
    assert_eq!(word("invoices", "sl-SI"), "Računi");
    assert_eq!(word("invoices", "bg"), "Фактури");
    assert_eq!(word("invoices", "tlh"), "Invoices");
    assert_eq!(word("no such word", "sl"), "no such word");
}
