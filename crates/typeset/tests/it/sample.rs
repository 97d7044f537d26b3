//! Documents for the tests.

use racun_paper::{
    Align, Banner, Block, Code, CodeKind, Column, ColumnKey, Display, Emphasis, Fact, Marks, Note,
    PageWords, Paper, PaperKind, Payment, Picture, Row, Signature, State, Symbol, Table, TableKey,
    Template, Total,
};
use racun_render::{Block as Part, Table as TextTable, Text};
use time::macros::date;

fn fact(key: &'static str, label: &str, text: &str) -> Fact {
    Fact { key, label: label.to_owned(), text: text.to_owned() }
}

fn column(key: ColumnKey, label: &str, align: Align) -> Column {
    Column { key, label: label.to_owned(), align }
}

fn total(key: &'static str, label: &str, text: &str, emphasis: Emphasis) -> Total {
    Total { key, label: label.to_owned(), text: text.to_owned(), emphasis }
}

/// A line of an invoice.
pub fn line(number: usize, name: &str, description: Option<&str>) -> Row {
    let cells = [&number.to_string(), name, "2 kos", "1.234,50 €", "10 %", "22 %", "2.222,10 €"];
    Row::Cells {
        cells: cells.map(str::to_owned).to_vec(),
        description: description.map(str::to_owned),
        carried: Some(format!("{number}.222,10 €")),
    }
}

/// A UPN QR code, as long as they come.
pub fn upn() -> Code {
    let mut payload = b"UPNQR\n\n\n\n\nJanez Novak\nLepa ulica 1\n1000 Ljubljana\n".to_vec();
    payload.extend(b"00000012345\n\n\nGDSV\nPla\xe8ilo ra\xe8una 2026-17\n20.12.2026\n");
    payload.extend(b"SI56020170014356205\nSI00225268-32526-222\nPodjetje d.o.o.\nUlica 1\n");
    payload.extend(b"2000 Maribor\n198\n");
    Code {
        kind: CodeKind::UpnQr,
        symbol: Symbol::Qr { version: Some(15), eci: Some(4) },
        payload,
        label: "UPN QR".to_owned(),
        display: Display::CodeOnly,
        slip: Vec::new(),
        width_mm: (30, 36),
    }
}

/// An EPC QR code.
pub fn epc() -> Code {
    let payload = "BCD\n002\n1\nSCT\n\nPodjetje Žaba d.o.o.\nSI56020170014356205\nEUR2710.96\n\n\
                   RF18539007547034\n\n";
    Code {
        kind: CodeKind::EpcQr,
        symbol: Symbol::Qr { version: None, eci: None },
        payload: payload.as_bytes().to_vec(),
        label: "EPC QR".to_owned(),
        display: Display::CodeOnly,
        slip: Vec::new(),
        width_mm: (25, 35),
    }
}

/// A HUB3 code.
pub fn hub3() -> Code {
    let text = "HRVHUB30\nEUR\n000000000012355\nPETAR KOLARIĆ\nVELIKA ULICA 2\n10000 ZAGREB\n\
                TVRTKA d.o.o.\nULICA 1\n10000 ZAGREB\nHR1210010051863000160\nHR01\n\
                7269-68949637676\nCOST\nTroškovi za 1. mjesec\n";
    Code {
        kind: CodeKind::Hub3,
        symbol: Symbol::Pdf417 { error_level: 4, max_columns: 9 },
        payload: text.as_bytes().to_vec(),
        label: "HUB3".to_owned(),
        display: Display::CodeOnly,
        slip: Vec::new(),
        width_mm: (58, 72),
    }
}

/// The code of a fiscalized receipt.
pub fn fiscal() -> Code {
    Code {
        kind: CodeKind::Fiscal,
        symbol: Symbol::Qr { version: None, eci: None },
        payload: b"259225268389247474742378957423789574237895742378957423123456".to_vec(),
        label: "FURS".to_owned(),
        display: Display::CodeOnly,
        slip: Vec::new(),
        width_mm: (20, 30),
    }
}

/// A picture of 40 by 20 pixels.
pub fn picture() -> Picture {
    let mut file = std::io::Cursor::new(Vec::new());
    let picture = image::RgbaImage::from_pixel(40, 20, image::Rgba([20, 90, 160, 200]));
    picture.write_to(&mut file, image::ImageFormat::Png).unwrap();
    Picture {
        bytes: file.into_inner(),
        media_type: "image/png".to_owned(),
        scale_percent: 80,
        alt: "Logotip".to_owned(),
    }
}

/// An invoice with everything that a document may have.
pub fn invoice(template: Template, lines: usize) -> Paper {
    let columns = vec![
        column(ColumnKey::Position, "#", Align::Start),
        column(ColumnKey::Name, "Opis", Align::Start),
        column(ColumnKey::Quantity, "Količina", Align::End),
        column(ColumnKey::Price, "Cena", Align::End),
        column(ColumnKey::Discount, "Popust", Align::End),
        column(ColumnKey::TaxRate, "DDV", Align::End),
        column(ColumnKey::Net, "Znesek brez DDV", Align::End),
    ];
    let names = ["Svetovanje", "Izdelava spletne trgovine z vzdrževanjem", "Čiščenje žlebov"];
    let mut rows = vec![Row::Heading {
        name: "Storitve".to_owned(),
        description: Some("Po pogodbi 12/2026".to_owned()),
    }];
    rows.extend((1..=lines).map(|number| {
        let described = number % 4 == 0;
        let text = "Delo na naročnikovi lokaciji, z vsemi stroški prevoza in priprave opreme.";
        line(number, names[number % names.len()], described.then_some(text))
    }));
    let taxes = Table {
        key: TableKey::Taxes,
        label: Some("Rekapitulacija DDV".to_owned()),
        columns: vec![
            column(ColumnKey::TaxRate, "Stopnja", Align::Start),
            column(ColumnKey::Net, "Osnova", Align::End),
            column(ColumnKey::Tax, "DDV", Align::End),
            column(ColumnKey::Gross, "Skupaj", Align::End),
        ],
        rows: vec![Row::Cells {
            cells: ["DDV 22 %", "2.222,10 €", "488,86 €", "2.710,96 €"].map(str::to_owned).to_vec(),
            description: None,
            carried: None,
        }],
    };
    let mut slip = upn();
    slip.display = Display::FullSlip;
    slip.slip = vec![
        fact("payer", "Plačnik", "Janez Novak, Lepa ulica 1, 1000 Ljubljana"),
        fact("amount", "Znesek", "***2.710,96 EUR"),
        fact("purpose", "Namen plačila", "Plačilo računa 2026-17"),
        fact("iban", "IBAN prejemnika", "SI56 0201 7001 4356 205"),
        fact("reference", "Referenca", "SI00 225268-32526-222"),
        fact("payee", "Prejemnik", "Podjetje d.o.o., Ulica 1, 2000 Maribor"),
    ];
    Paper {
        kind: PaperKind::Invoice,
        language: "sl",
        locale: "sl-SI",
        template,
        primary_color: None,
        logo: Some(picture()),
        title: "Račun".to_owned(),
        number: Some("PP1-EN1-2026-17".to_owned()),
        date: date!(2026 - 11 - 20),
        banners: vec![Banner { state: State::Overdue, text: "Rok plačila je potekel".to_owned() }],
        issuer: Block {
            label: "Izdajatelj".to_owned(),
            name: "Podjetje za vse d.o.o.".to_owned(),
            address: ["Ulica talcev 1", "2000 Maribor", "Slovenija"].map(str::to_owned).to_vec(),
            facts: vec![
                fact("tax_number", "ID za DDV", "SI12345678"),
                fact("company_number", "Matična številka", "1234567000"),
                fact("email", "E-pošta", "racunovodstvo@podjetje-za-vse.example"),
            ],
        },
        customer: Some(Block {
            label: "Prejemnik".to_owned(),
            name: "Žan Čehovin s.p.".to_owned(),
            address: ["Šmartinska cesta 152", "1000 Ljubljana"].map(str::to_owned).to_vec(),
            facts: vec![fact("tax_number", "Davčna številka", "87654321")],
        }),
        facts: vec![
            fact("date", "Datum izdaje", "20. 11. 2026"),
            fact("date_service", "Datum opravljanja storitve", "1. 11. 2026 – 20. 11. 2026"),
            fact("date_due", "Rok plačila", "20. 12. 2026"),
            fact("reference", "Naročilo", "N-2026/8841"),
        ],
        lines: Table { key: TableKey::Lines, label: None, columns, rows },
        carried_label: Some("Prenos".to_owned()),
        totals: vec![
            total("total", "Skupaj brez DDV", "2.222,10 €", Emphasis::Plain),
            total("tax", "DDV 22 %", "488,86 €", Emphasis::Plain),
            total("total_with_tax", "Skupaj", "2.710,96 €", Emphasis::Strong),
            total("total_due", "Za plačilo", "2.710,96 €", Emphasis::Main),
        ],
        taxes: Some(taxes),
        advances: None,
        payments: None,
        converted: None,
        clauses: vec!["Obrnjena davčna obveznost po 76.a členu ZDDV-1.".to_owned()],
        payment: Some(Payment {
            label: "Podatki za plačilo".to_owned(),
            facts: vec![
                fact("amount", "Znesek", "2.710,96 €"),
                fact("iban", "IBAN", "SI56 0201 7001 4356 205"),
                fact("bank", "Banka", "Nova banka d.d."),
                fact("reference", "Referenca", "SI00 225268-32526-222"),
            ],
            codes: vec![upn()],
        }),
        notes: vec![
            Note {
                key: "note",
                label: "Opomba".to_owned(),
                text: "Hvala za zaupanje.\nVeselimo se nadaljnjega sodelovanja.".to_owned(),
            },
            Note {
                key: "payment_terms",
                label: "Plačilni pogoji".to_owned(),
                text: "Plačilo v 30 dneh.".to_owned(),
            },
        ],
        signature: Some(Signature {
            text: Some("Ana Kovač\ndirektorica".to_owned()),
            picture: Some(picture()),
        }),
        marks: vec![Marks {
            key: "furs",
            facts: vec![
                fact("zoi", "ZOI", "c5a1f2b3d4e5f60718293a4b5c6d7e8f"),
                fact("eor", "EOR", "8ce3e2c5-6a5b-4b2e-9df9-1b8f7cf7a2b1"),
            ],
            sentences: Vec::new(),
            on_each_page: None,
            code: Some(fiscal()),
        }],
        footer: Some("Podjetje za vse d.o.o., vpisano pri sodišču v Mariboru.".to_owned()),
        page_words: PageWords { page: "Stran".to_owned(), of: "od".to_owned() },
    }
}

/// An invoice as most are: without pictures and codes.
pub fn plain_invoice(template: Template, lines: usize) -> Paper {
    let mut paper = invoice(template, lines);
    paper.logo = None;
    paper.signature = None;
    paper.marks.clear();
    if let Some(payment) = &mut paper.payment {
        payment.codes.clear();
    }
    paper
}

/// An act with a long text and with tables, letters and markup that do not come in most.
pub fn act() -> Text {
    let long = (0..1_500).map(|n| format!("beseda{n}")).collect::<Vec<_>>().join(" ");
    let table = TextTable {
        columns: vec![("Oznaka".to_owned(), 1), ("Naslov & opis".to_owned(), 3)],
        rows: vec![
            vec!["A1".to_owned(), "Čopova <ulica> \"1\"\u{0}\u{b}, Žužemberk".to_owned()],
            vec!["B".to_owned()],
            vec!["y".repeat(4_000), "konec".to_owned()],
        ],
    };
    let blocks =
        vec![Part::heading("1. Šifrant #strong[ni]"), Part::Table(table), Part::paragraph(&*long)];
    Text { title: "Interni akt".to_owned(), language: "sl-SI".to_owned(), blocks }
}
