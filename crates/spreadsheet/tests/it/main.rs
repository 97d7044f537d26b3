//! Workbooks, read back by a foreign reader.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::File;
use std::path::Path;
use std::process::Command;

use racun_exports::{Cell, Column, ColumnKind, Sheet, Spreadsheets as _};
use racun_kernel::Decimal;
use racun_spreadsheet::Xlsx;
use serde_json::{Value, json};
use time::macros::{date, datetime};

/// What Python reads in the workbook of `sheets`.
fn read(xlsx: Xlsx, sheets: &[(Sheet, Vec<Vec<Cell>>)]) -> Value {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut book = xlsx.workbook(Box::new(File::create(file.path()).unwrap()));
    for (sheet, rows) in sheets {
        book.begin(sheet).unwrap();
        rows.iter().for_each(|row| book.row(row).unwrap());
    }
    book.finish().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/read.py");
    let output = Command::new("python3").arg(script).arg(file.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn sheet(name: &str, columns: &[(&str, ColumnKind)]) -> Sheet {
    let column = |(heading, kind): &(&str, ColumnKind)| Column {
        heading: (*heading).to_owned(),
        kind: *kind,
    };
    Sheet { name: name.to_owned(), columns: columns.iter().map(column).collect() }
}

fn number(text: &str) -> Cell {
    Cell::Number(Decimal::computed(text).unwrap())
}

#[test]
fn cells_are_of_their_types_and_keep_their_digits() {
    let columns = [
        ("Številka", ColumnKind::Text),
        ("Datum", ColumnKind::Date),
        ("Kdaj", ColumnKind::Instant),
        ("Znesek", ColumnKind::Amount),
        ("Količina", ColumnKind::Number),
        ("Kosov", ColumnKind::Whole),
    ];
    let rows = vec![
        vec![
            "00017".into(),
            date!(2026 - 02 - 28).into(),
            datetime!(2026-07-01 21:59:58 UTC).into(),
            number("1234.5"),
            number("0.125"),
            Cell::Whole(42),
        ],
        vec![
            "Ž<&>\"ß".into(),
            date!(1900 - 02 - 28).into(),
            datetime!(2026-07-02 00:59:58 +3).into(),
            number("-9999999999999.99"),
            number("12345678901234567.89"),
            Cell::Whole(9_007_199_254_740_993),
        ],
        vec![Cell::Empty, Cell::Empty, Cell::Empty, number("0.1"), number("0.000001"), 0.into()],
    ];
    let read = read(Xlsx::default(), &[(sheet("Računi", &columns), rows)]);
    let rows = read["Računi"].as_array().unwrap();
    let heads: Vec<&Value> = rows[0].as_array().unwrap().iter().map(|cell| &cell[1]).collect();
    assert_eq!(heads, ["Številka", "Datum", "Kdaj", "Znesek", "Količina", "Kosov"]);
    let first = json!([
        ["text", "00017"],
        ["date", "2026-02-28"],
        ["instant", "2026-07-01T21:59:58"],
        ["number", "1234.5"],
        ["number", "0.125"],
        ["number", "42"],
    ]);
    assert_eq!(rows[1], first);
    // Beyond 15 digits, and before March 1900, no number says it: text does.
    let second = json!([
        ["text", "Ž<&>\"ß"],
        ["text", "1900-02-28"],
        ["instant", "2026-07-01T21:59:58"],
        ["number", "-9999999999999.99"],
        ["text", "12345678901234567.89"],
        ["text", "9007199254740993"],
    ]);
    assert_eq!(rows[2], second);
    let third =
        json!([null, null, null, ["number", "0.1"], ["number", "0.000001"], ["number", "0"]]);
    assert_eq!(rows[3], third);
}

#[test]
fn no_text_is_a_formula_and_none_breaks_the_file() {
    let vectors = [
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "=HYPERLINK(\"http://x.example\",\"y\")",
        "http://x.example/",
        "<script>alert(1)</script>",
        "#{evil}",
        "\u{202e}gpj.exe",
        "]]>",
        "_x0041_",
        "'",
        " rob ",
        "a\nb",
    ];
    let rows: Vec<Vec<Cell>> = vectors.iter().map(|text| vec![(*text).into()]).collect();
    let read = read(Xlsx::default(), &[(sheet("S", &[("=1+1", ColumnKind::Text)]), rows)]);
    let rows = read["S"].as_array().unwrap();
    assert_eq!(rows[0], json!([["text", "=1+1"]]));
    for (row, text) in rows[1..].iter().zip(vectors) {
        // A reader undoes an escape that the writer wrote.
        let seen = row[0][1].as_str().unwrap().replace("_x005F_", "_");
        // What turns the direction of writing is left out.
        let text = text.replace('\u{202e}', "");
        assert_eq!((&row[0][0], seen), (&json!("text"), text));
    }
    assert_eq!(rows.len(), vectors.len() + 1);
}

#[test]
fn signs_that_xml_has_not_are_left_out_and_long_texts_cut() {
    let text = format!("a\u{0}b\u{1b}c\u{ffff}d{}", "x".repeat(40_000));
    let read =
        read(Xlsx::default(), &[(sheet("S", &[("T", ColumnKind::Text)]), vec![vec![text.into()]])]);
    let seen = read["S"][1][0][1].as_str().unwrap();
    assert!(seen.starts_with("abcdx"));
    assert_eq!(seen.chars().count(), 32_767);
}

#[test]
fn sheets_keep_their_order_and_a_full_one_goes_on_in_another() {
    let name = "A very long name: of/a [sheet] *?\\ that goes on";
    let many: Vec<Vec<Cell>> = (0..7).map(|n| vec![Cell::Whole(n)]).collect();
    let columns = [("N", ColumnKind::Whole)];
    let sheets = [(sheet(name, &columns), many), (sheet("Sums", &columns), Vec::new())];
    let read = read(Xlsx { max_rows: Some(4) }, &sheets);
    let sheets = read.as_object().unwrap();
    let long = "A very long name ofa sheet  tha";
    let parts =
        [long, "A very long name ofa sheet  (2)", "A very long name ofa sheet  (3)", "Sums"];
    assert_eq!(sheets.len(), 4, "{read}");
    let mut numbers = Vec::new();
    for part in &parts[..3] {
        let rows = sheets[*part].as_array().unwrap();
        assert_eq!(rows[0], json!([["text", "N"]]), "each part has its headings");
        numbers.extend(rows[1..].iter().map(|row| row[0][1].as_str().unwrap().to_owned()));
    }
    assert_eq!(numbers, ["0", "1", "2", "3", "4", "5", "6"]);
    assert_eq!(sheets["Sums"].as_array().unwrap().len(), 1);
}

#[test]
fn a_workbook_without_sheets_can_be_opened() {
    assert_eq!(read(Xlsx::default(), &[]).as_object().unwrap().len(), 1);
}
