//! The rows of the tables: lines, as they are priced, discounted and translated, and what
//! everything is in the issuer's currency.

use std::collections::BTreeMap;

use racun_documents::calculation::{Discount, DiscountKind};
use racun_documents::{Content, Document, DocumentKind, LineKind, Localized, NewLine, Stage};
use racun_kernel::{Currency, DocumentId, ExchangeRate};
use racun_paper::{ColumnKey, Paper, Row, Table};
use time::macros::date;
use ulid::Ulid;

use crate::sample::{TODAY, content, decimal, draft, issued, line, paper, source};

/// The texts of all rows; of a heading its name alone.
fn cells(table: &Table) -> Vec<Vec<String>> {
    let plain = |text: &String| text.replace('\u{a0}', " ");
    let row = |row: &Row| match row {
        Row::Heading { name, .. } => vec![plain(name)],
        Row::Cells { cells, .. } => cells.iter().map(plain).collect(),
    };
    table.rows.iter().map(row).collect()
}

fn column(paper: &Paper, key: ColumnKey) -> Option<&str> {
    let mut columns = paper.lines.columns.iter();
    columns.find(|column| column.key == key).map(|column| column.label.as_str())
}

/// The texts of `key` on all lines.
fn of_column(paper: &Paper, key: ColumnKey) -> Vec<String> {
    let place = paper.lines.columns.iter().position(|column| column.key == key);
    let place = place.expect("the column");
    let lines = cells(&paper.lines).into_iter().filter(|cells| cells.len() > 1);
    lines.map(|cells| cells[place].clone()).collect()
}

/// A document in dollars, of which one is 0.9137 euros.
fn in_dollars(kind: DocumentKind, hide_prices: bool) -> Document {
    let exchange = ExchangeRate {
        rate: decimal("0.9137"),
        source: "ecb".to_owned(),
        date: TODAY,
        quote_currency: Currency::EUR,
    };
    let currency = "USD".parse().expect("a currency");
    let content = Content { currency, exchange_rate: Some(exchange), hide_prices, ..content() };
    let lines = vec![line("Svetovanje", "2", "50", "22"), line("Moka", "1", "9.99", "9.5")];
    issued(draft(kind, content, lines))
}

#[test]
fn totals_in_another_currency_are_said_in_the_issuers_too() {
    let dollars = paper(&in_dollars(DocumentKind::Invoice, false));
    let converted = dollars.converted.as_ref().unwrap();
    assert_eq!(converted.label.as_deref(), Some("V valuti izdajatelja"));
    // Each figure is converted and rounded by itself: 100 and 22, 9.99 and 0.95.
    let expected = [
        ["22 %", "91,37 €", "20,10 €", ""],
        ["9,5 %", "9,13 €", "0,87 €", ""],
        ["Skupaj", "100,50 €", "", "121,47 €"],
    ];
    assert_eq!(cells(converted), expected);
    let due = dollars.totals.last().unwrap();
    assert_eq!(due.text, "132,94\u{a0}$", "what is to be paid is in the document's currency");
    assert_eq!(paper(&crate::sample::invoice()).converted, None, "euros are not converted");
}

#[test]
fn hidden_prices_are_hidden_in_the_issuers_currency_too() {
    assert!(paper(&in_dollars(DocumentKind::DeliveryNote, false)).converted.is_some());
    let hidden = paper(&in_dollars(DocumentKind::DeliveryNote, true));
    assert_eq!(hidden.converted, None);
    let shows = |text: &&str| text.contains(['€', '$']) || text.contains("91,37");
    assert_eq!(hidden.texts().into_iter().find(shows), None);
}

/// An advance invoice of two rates that comes to 143.90 with tax.
fn advance(id: u128, number: &str) -> Document {
    let content = Content { date: date!(2026 - 11 - 02), ..content() };
    let lines = vec![line("Svetovanje", "2", "50", "22"), line("Moka", "1", "20", "9.5")];
    let mut advance = issued(draft(DocumentKind::AdvanceInvoice, content, lines));
    advance.id = DocumentId::new(DocumentKind::AdvanceInvoice, Ulid(id));
    let Stage::Issued(issued) = &mut advance.stage else { panic!("not issued") };
    issued.number = number.to_owned();
    advance
}

#[test]
fn advances_are_said_with_the_tax_that_they_bore_rate_by_rate() {
    use ColumnKey::{Date, Gross, Net, Reference, Tax, TaxRate};
    let invoice = lines_of(vec![line("Svetovanje", "20", "50", "22")]);
    assert_eq!(paper(&invoice).advances, None);
    let (invoice, _) = invoice.with_advance(advance(7, "AR-7"), &decimal("143.9"));
    let (invoice, _) = invoice.with_advance(advance(8, "AR\u{202e}-8"), &decimal("14.39"));
    let advances = paper(&invoice).advances.expect("the advances");
    let columns: Vec<ColumnKey> = advances.columns.iter().map(|column| column.key).collect();
    assert_eq!(columns, [Reference, Date, TaxRate, Net, Tax, Gross]);
    let rates = "22 %\n9,5 %";
    let expected = [
        ["AR-7", "2. 11. 2026", rates, "100,00 €\n20,00 €", "22,00 €\n1,90 €", "143,90 €"],
        ["AR-8", "2. 11. 2026", rates, "10,00 €\n2,00 €", "2,20 €\n0,19 €", "14,39 €"],
    ];
    assert_eq!(cells(&advances), expected);
    let delivered = |hide_prices: bool| {
        let content = Content { hide_prices, ..content() };
        let lines = vec![line("Svetovanje", "20", "50", "22")];
        let mut note = issued(draft(DocumentKind::DeliveryNote, content, lines));
        note.advances_applied.clone_from(&invoice.advances_applied);
        paper(&note).advances
    };
    assert!(delivered(false).is_some() && delivered(true).is_none());
}

fn off(value: &str, kind: DiscountKind) -> Discount {
    Discount { value: decimal(value), kind }
}

fn in_language(locale: &str, text: &str) -> Option<Localized> {
    Some(BTreeMap::from([(locale.to_owned(), text.to_owned())]))
}

fn lines_of(lines: Vec<NewLine>) -> Document {
    issued(draft(DocumentKind::Invoice, content(), lines))
}

/// A line whose price is with tax.
fn gross(price: &str) -> NewLine {
    let price = Some(decimal(price));
    NewLine { price: None, gross_price: price, ..line("Kruh", "1", "0", "22") }
}

#[test]
fn a_heading_is_over_all_columns_and_is_no_position() {
    let heading = |name: &str| NewLine {
        kind: Some(LineKind::Separator),
        name: Some(name.to_owned()),
        description: Some("Po pogodbi\n12/2026".to_owned()),
        ..NewLine::default()
    };
    let lines = vec![
        heading("Storitve"),
        line("Svetovanje", "2", "50", "22"),
        heading("Blago"),
        line("Moka", "1", "10", "22"),
    ];
    let paper = paper(&lines_of(lines));
    let names: Vec<String> = cells(&paper.lines).into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(names, ["Storitve", "1", "Blago", "2"]);
    let Row::Heading { description, .. } = &paper.lines.rows[0] else { panic!("no heading") };
    assert_eq!(description.as_deref(), Some("Po pogodbi\n12/2026"));
    let carried = |row: &Row| match row {
        Row::Heading { .. } => None,
        Row::Cells { carried, .. } => carried.clone(),
    };
    let carried: Vec<String> = paper.lines.rows.iter().filter_map(carried).collect();
    assert_eq!(carried, ["100,00\u{a0}€", "110,00\u{a0}€"], "headings carry nothing");
}

#[test]
fn discounts_have_a_column_where_a_line_has_one() {
    let none = paper(&lines_of(vec![line("Moka", "1", "10", "22")]));
    assert_eq!(column(&none, ColumnKey::Discount), None);
    let mut first = line("Svetovanje", "2", "50", "22");
    first.discounts = vec![off("10", DiscountKind::Percent), off("5", DiscountKind::Percent)];
    let mut second = line("Moka", "1", "10", "22");
    second.discounts = vec![off("2.5", DiscountKind::Percent), off("1.5", DiscountKind::Amount)];
    let some = paper(&lines_of(vec![first, second, line("Sol", "1", "1", "22")]));
    assert_eq!(column(&some, ColumnKey::Discount), Some("Popust"));
    let shown = of_column(&some, ColumnKey::Discount);
    assert_eq!(shown, ["10 % + 5 %", "2,5 % + 1,50 €", ""]);
    // Each percentage is of the whole line.
    assert_eq!(of_column(&some, ColumnKey::Net), ["85,00", "8,25", "1,00"]);
}

#[test]
fn prices_are_shown_as_they_were_given() {
    let net = || line("Moka", "2", "50", "22");
    let columns = |lines: Vec<NewLine>| {
        let paper = paper(&lines_of(lines));
        let label = |key| column(&paper, key).map(str::to_owned);
        let labels = [ColumnKey::Price, ColumnKey::Net, ColumnKey::Gross].map(label);
        (labels, of_column(&paper, ColumnKey::Price))
    };
    let some = |text: &str| Some(text.to_owned());
    let (price, amount, with_tax) = ("Cena", some("Neto znesek"), some("Znesek z davkom"));
    let (labels, prices) = columns(vec![net(), net()]);
    assert_eq!(labels, [some(price), amount.clone(), None]);
    assert_eq!(prices, ["50,00", "50,00"]);
    let (labels, prices) = columns(vec![gross("12.2"), gross("0.005")]);
    assert_eq!(labels, [some("Cena z davkom"), None, with_tax.clone()]);
    assert_eq!(prices, ["12,20", "0,005"], "no digit of a price is lost");
    let (labels, prices) = columns(vec![net(), gross("12.2")]);
    assert_eq!(labels, [some(price), amount, with_tax], "what each comes to, both ways");
    assert_eq!(prices, ["50,00", "12,20"]);
}

#[test]
fn names_and_texts_are_in_the_language_of_the_document_where_they_are_translated() {
    let mut first = line("Svetovanje", "2", "50", "22");
    first.description = Some("Po pogodbi".to_owned());
    first.translations.name = in_language("de-DE", "Beratung");
    first.translations.description = in_language("de-DE", "Laut Vertrag");
    let second = line("Moka", "1", "10", "22");
    let mut content = content();
    content.texts.tax_clause = Some("DDV ni obračunan".to_owned());
    content.translations.tax_clause = in_language("de-DE", "Steuerfrei");
    let document = issued(draft(DocumentKind::Invoice, content, vec![first, second]));
    let in_language = |language: &str| {
        let paper = Paper::of(&source(&document, language));
        let Row::Cells { description, .. } = &paper.lines.rows[0] else { panic!("no line") };
        let clause = paper.notes.iter().find(|note| note.key == "tax_clause").unwrap();
        let clause = [clause.label.clone(), clause.text.clone()];
        (of_column(&paper, ColumnKey::Name), description.clone().unwrap(), clause)
    };
    let (names, description, clause) = in_language("sl");
    assert_eq!((names, description.as_str()), (owned(["Svetovanje", "Moka"]), "Po pogodbi"));
    assert_eq!(clause, ["Davčna klavzula", "DDV ni obračunan"]);
    let (names, description, clause) = in_language("de");
    assert_eq!((names, description.as_str()), (owned(["Beratung", "Moka"]), "Laut Vertrag"));
    assert_eq!(clause, ["Steuerhinweis", "Steuerfrei"]);
}

fn owned(texts: [&str; 2]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
