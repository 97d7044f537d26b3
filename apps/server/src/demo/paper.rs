//! `racun demo paper`: one of each template, as files to look at.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use racun_delivery::printing::PrintPdf as _;
use racun_kernel::{Currency, Money};
use racun_paper::codes::{self, Side, Transfer};
use racun_paper::{
    Align, Block, Code, CodeKind, Column, ColumnKey, Display, Emphasis, Fact, Language, Marks,
    Note, PageWords, Paper, PaperKind, Payment, Row, Symbol, Table, TableKey, Template, Total,
    Word,
};
use time::macros::date;

use crate::press::Press;
use crate::print;

/// What is sold: name, quantity, price, amount.
const LINES: [[&str; 4]; 5] = [
    ["Svetovanje pri prenovi spletne trgovine", "12 h", "80,00", "960,00"],
    ["Oblikovanje kataloga za pomlad", "1 kos", "1.250,00", "1.250,00"],
    ["Fotografiranje izdelkov", "40 kos", "15,50", "620,00"],
    ["Tisk vabil, obojestransko", "500 kos", "0,42", "210,00"],
    ["Dostava", "1 kos", "12,00", "12,00"],
];
const IBAN: &str = "SI56 0201 7001 4356 205";

/// Writes one of each template into `folder`, or into a folder of its own, and answers which.
///
/// # Errors
/// When a file cannot be set or written.
pub(super) async fn write(folder: Option<&str>) -> anyhow::Result<PathBuf> {
    let folder = folder.map_or_else(|| PathBuf::from("racun-paper"), PathBuf::from);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("folder {} cannot be made", folder.display()))?;
    let press = Press::new()?;
    for template in Template::ALL {
        let file = press.print(sample(template)?).await?;
        write_file(&folder, template, &file)?;
    }
    Ok(folder)
}

fn write_file(folder: &Path, template: Template, file: &[u8]) -> anyhow::Result<()> {
    let path = folder.join(format!("{}.pdf", template.name()));
    std::fs::write(&path, file).with_context(|| format!("{} cannot be written", path.display()))?;
    print::line(path.display());
    Ok(())
}

fn language() -> Language {
    Language::from_code("sl").unwrap_or(Language::ENGLISH)
}

fn word(word: Word) -> String {
    word.text(language()).to_owned()
}

fn fact(label: Word, text: &str) -> Fact {
    Fact { key: label.key(), label: word(label), text: text.to_owned() }
}

fn column(key: ColumnKey, label: Word, align: Align) -> Column {
    Column { key, label: word(label), align }
}

fn total(label: Word, text: &str, emphasis: Emphasis) -> Total {
    Total { key: label.key(), label: word(label), text: text.to_owned(), emphasis }
}

fn row(cells: &[&str], carried: Option<String>) -> Row {
    let cells = cells.iter().map(|&text| text.to_owned()).collect();
    Row::Cells { cells, description: None, carried }
}

fn block(label: Word, name: &str, address: &[&str], tax_number: &str) -> Block {
    Block {
        label: word(label),
        name: name.to_owned(),
        address: address.iter().map(|&line| line.to_owned()).collect(),
        facts: vec![fact(Word::TaxNumber, tax_number)],
    }
}

/// An invoice of a Slovenian company, as a customer gets it.
fn sample(template: Template) -> anyhow::Result<Paper> {
    let paper = Paper {
        kind: PaperKind::Invoice,
        language: "sl",
        locale: "sl-SI",
        template,
        primary_color: None,
        logo: None,
        title: word(Word::Invoice),
        number: Some("2026-17".to_owned()),
        date: date!(2026 - 11 - 20),
        banners: Vec::new(),
        issuer: block(
            Word::Issuer,
            "Studio Demo d.o.o.",
            &["Slovenska cesta 1", "1000 Ljubljana"],
            "SI12345678",
        ),
        customer: Some(block(
            Word::Customer,
            "Čevljarstvo Žagar s.p.",
            &["Šmartinska cesta 152", "2000 Maribor"],
            "SI87654321",
        )),
        facts: vec![
            fact(Word::Date, "20. 11. 2026"),
            fact(Word::DateService, "18. 11. 2026"),
            fact(Word::DateDue, "20. 12. 2026"),
        ],
        lines: lines(),
        carried_label: Some(word(Word::Carried)),
        totals: vec![
            total(Word::Net, "3.052,00 €", Emphasis::Plain),
            total(Word::Tax, "671,44 €", Emphasis::Plain),
            total(Word::Total, "3.723,44 €", Emphasis::Strong),
            total(Word::TotalDue, "3.723,44 €", Emphasis::Main),
        ],
        taxes: Some(Table {
            key: TableKey::Taxes,
            label: Some(word(Word::Taxes)),
            columns: vec![
                column(ColumnKey::TaxRate, Word::Rate, Align::Start),
                column(ColumnKey::Net, Word::Net, Align::End),
                column(ColumnKey::Tax, Word::Tax, Align::End),
            ],
            rows: vec![row(&["22 %", "3.052,00 €", "671,44 €"], None)],
        }),
        advances: None,
        payments: None,
        converted: None,
        clauses: Vec::new(),
        payment: Some(Payment {
            label: word(Word::Payment),
            facts: vec![fact(Word::TotalDue, "3.723,44 €"), fact(Word::Iban, IBAN)],
            codes: vec![upn()?],
        }),
        notes: vec![Note {
            key: "note",
            label: word(Word::Note),
            text: "Hvala za zaupanje.".to_owned(),
        }],
        signature: None,
        marks: if template.is_receipt() { vec![mark()] } else { Vec::new() },
        footer: None,
        page_words: PageWords { page: word(Word::Page), of: word(Word::Of) },
    };
    Ok(paper)
}

fn lines() -> Table {
    let sums = ["960,00 €", "2.210,00 €", "2.830,00 €", "3.040,00 €", "3.052,00 €"];
    let rows = LINES.iter().zip(sums).zip(1..).map(|((line, sum), place)| {
        let [name, quantity, price, amount] = line;
        row(&[&place.to_string(), name, quantity, price, "22 %", amount], Some(sum.to_owned()))
    });
    let position = Column { key: ColumnKey::Position, label: "#".to_owned(), align: Align::End };
    Table {
        key: TableKey::Lines,
        label: None,
        columns: vec![
            position,
            column(ColumnKey::Name, Word::Name, Align::Start),
            column(ColumnKey::Quantity, Word::Quantity, Align::End),
            column(ColumnKey::Price, Word::Price, Align::End),
            column(ColumnKey::TaxRate, Word::Tax, Align::End),
            column(ColumnKey::Net, Word::Net, Align::End),
        ],
        rows: rows.collect(),
    }
}

fn upn() -> anyhow::Result<Code> {
    let side = |name: &str, street: &str, town: &str| Side {
        name: name.to_owned(),
        street: street.to_owned(),
        town: town.to_owned(),
    };
    let transfer = Transfer {
        money: Money {
            amount: "3723.44".parse().map_err(|_| anyhow!("an amount that is none"))?,
            currency: Currency::EUR,
        },
        due: Some(date!(2026 - 12 - 20)),
        payer: side("Čevljarstvo Žagar s.p.", "Šmartinska cesta 152", "2000 Maribor"),
        payee: side("Studio Demo d.o.o.", "Slovenska cesta 1", "1000 Ljubljana"),
        iban: IBAN.to_owned(),
        bic: None,
        reference: None,
        purpose: "Račun 2026-17".to_owned(),
        purpose_code: "OTHR".to_owned(),
    };
    let payload = codes::upn(&transfer).context("a payment that no code carries")?;
    Ok(Code {
        kind: CodeKind::UpnQr,
        symbol: Symbol::Qr { version: Some(15), eci: Some(4) },
        payload,
        label: "UPN QR".to_owned(),
        display: Display::CodeOnly,
        slip: Vec::new(),
        width_mm: (30, 36),
    })
}

fn mark() -> Marks {
    let code = Code {
        kind: CodeKind::Fiscal,
        symbol: Symbol::Qr { version: None, eci: None },
        payload: b"257138046591824417560831960124876592371234567826112010301712".to_vec(),
        label: word(Word::CheckCode),
        display: Display::CodeOnly,
        slip: Vec::new(),
        width_mm: (20, 30),
    };
    let text =
        |key, label: &str, text: &str| Fact { key, label: label.to_owned(), text: text.to_owned() };
    Marks {
        key: "furs",
        facts: vec![
            text("zoi", "ZOI", "c1735ed1e30f6c1cb2bd1b5f5d9d3f21"),
            text("eor", "EOR", "8ce3e2c5-6a5b-4b2e-9df9-1b8f7cf7a2b1"),
        ],
        sentences: Vec::new(),
        on_each_page: None,
        code: Some(code),
    }
}
