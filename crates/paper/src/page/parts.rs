//! The parts of the model as HTML.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::html::{Html, escape};
use super::style::table_class;
use crate::drawing::svg;
use crate::model::{
    Align, Block, Code, Column, ColumnKey, Display, Emphasis, Fact, Paper, Picture, Row, State,
    Symbol, Table, TableKey, Total,
};

/// The document, from the logo to the footer.
pub(super) fn article(paper: &Paper, html: &mut Html) {
    html.open("article", &[]);
    html.open("header", &[]);
    if let Some(logo) = &paper.logo {
        picture(logo, "logo", html);
    }
    heading(paper, html);
    for banner in &paper.banners {
        html.element("p", &[("class", &format!("state {}", class(banner.state)))], &banner.text);
    }
    html.open("div", &[("class", "sides")]);
    block(&paper.issuer, html);
    if let Some(customer) = &paper.customer {
        block(customer, html);
    }
    facts(&paper.facts, html);
    html.close("div");
    html.close("header");
    table(&paper.lines, &paper.title, html);
    totals(&paper.totals, html);
    let tables = [&paper.taxes, &paper.advances, &paper.payments, &paper.converted];
    for one in tables.into_iter().flatten() {
        table(one, "", html);
    }
    for clause in &paper.clauses {
        html.element("p", &[("class", "text")], clause);
    }
    payment(paper, html);
    for note in &paper.notes {
        html.open("section", &[]);
        html.element("h2", &[], &note.label);
        html.element("p", &[("class", "text")], &note.text);
        html.close("section");
    }
    if let Some(signature) = &paper.signature {
        html.open("section", &[]);
        if let Some(of_hand) = &signature.picture {
            picture(of_hand, "signature", html);
        }
        if let Some(text) = &signature.text {
            html.element("p", &[("class", "text")], text);
        }
        html.close("section");
    }
    for marks in &paper.marks {
        html.open("section", &[]);
        facts(&marks.facts, html);
        for sentence in &marks.sentences {
            html.element("p", &[], sentence);
        }
        marks.code.iter().for_each(|of_marks| code(of_marks, html));
        html.close("section");
    }
    if let Some(footer) = &paper.footer {
        html.open("footer", &[]);
        html.element("p", &[("class", "text")], footer);
        html.close("footer");
    }
    html.close("article");
}

fn heading(paper: &Paper, html: &mut Html) {
    let number = paper.number.as_deref().map(escape).unwrap_or_default();
    html.markup(&format!("<h1>{} <span>{number}</span></h1>\n", escape(&paper.title)));
}

const fn class(state: State) -> &'static str {
    match state {
        State::Draft => "draft",
        State::Void => "void",
        State::Test => "test",
        State::Paid => "paid",
        State::Overdue => "overdue",
        State::Expired => "expired",
        State::Accepted => "accepted",
        State::Rejected => "rejected",
    }
}

pub(super) fn picture(picture: &Picture, class: &str, html: &mut Html) {
    let known = ["image/png", "image/jpeg", "image/webp", "image/gif"];
    let Some(media_type) = known.into_iter().find(|known| *known == picture.media_type) else {
        return;
    };
    let source = format!("data:{media_type};base64,{}", STANDARD.encode(&picture.bytes));
    html.void("img", &[("class", class), ("alt", &picture.alt), ("src", &source)]);
}

fn block(block: &Block, html: &mut Html) {
    html.open("div", &[]);
    html.element("p", &[("class", "label")], &block.label);
    html.open("address", &[]);
    if !block.name.is_empty() {
        html.element("p", &[("class", "name")], &block.name);
    }
    for line in &block.address {
        html.element("div", &[], line);
    }
    html.close("address");
    facts(&block.facts, html);
    html.close("div");
}

fn facts(facts: &[Fact], html: &mut Html) {
    if facts.is_empty() {
        return;
    }
    html.open("dl", &[]);
    for fact in facts {
        html.element("dt", &[], &fact.label);
        html.element("dd", &[("class", "text")], &fact.text);
    }
    html.close("dl");
}

/// A table whose rows are blocks on narrow screens: roles keep their meaning.
fn table(table: &Table, label: &str, html: &mut Html) {
    let mut attributes = vec![("role", "table")];
    attributes.extend(table_class(letters(table)).map(|class| ("class", class)));
    match &table.label {
        Some(label) => {
            html.open("table", &attributes);
            html.element("caption", &[], label);
        }
        None => {
            attributes.push(("aria-label", label));
            html.open("table", &attributes);
        }
    }
    html.open("thead", &[("role", "rowgroup")]);
    html.open("tr", &[("role", "row")]);
    for column in &table.columns {
        let class = if column.align == Align::End { "end" } else { "start" };
        let attributes = [("role", "columnheader"), ("scope", "col"), ("class", class)];
        html.element("th", &attributes, &column.label);
    }
    html.close("tr");
    html.close("thead");
    html.open("tbody", &[("role", "rowgroup")]);
    table.rows.iter().for_each(|one| row(table, one, html));
    html.close("tbody");
    html.close("table");
}

/// About how many letters wide `table` is, where nothing but the names of lines is broken.
fn letters(table: &Table) -> usize {
    let longest = |text: &str| longest_word(text).min(LONG);
    let of_column = |(place, column): (usize, &Column)| {
        if column.key == ColumnKey::Name {
            return LEAST_NAME;
        }
        let cells = table.rows.iter().filter_map(|row| match row {
            Row::Cells { cells, .. } => cells.get(place),
            Row::Heading { .. } => None,
        });
        cells.map(|cell| longest(cell)).fold(longest(&column.label), usize::max)
    };
    table.columns.iter().enumerate().map(of_column).sum()
}

/// Letters that the name of a line has room for, at least.
const LEAST_NAME: usize = 12;
/// Letters from which on a word is broken where there is too little room. No amount has as many.
const LONG: usize = 27;

/// How many letters the longest word of `text` has; a fixed blank is in a word.
fn longest_word(text: &str) -> usize {
    text.split([' ', '\n']).map(|word| word.chars().count()).max().unwrap_or_default()
}

/// How a cell is written: to which side, and where it may be broken.
fn classes(column: &Column, cell: &str) -> String {
    let side = if column.align == Align::End { "end" } else { "start" };
    let is_fixed = matches!(
        column.key,
        ColumnKey::Price
            | ColumnKey::Net
            | ColumnKey::Tax
            | ColumnKey::Gross
            | ColumnKey::Amount
            | ColumnKey::Date
    );
    let breaks = match is_fixed {
        true => " fixed",
        false if longest_word(cell) >= LONG => " long",
        false => "",
    };
    format!("{side}{breaks}")
}

fn row(table: &Table, row: &Row, html: &mut Html) {
    html.open("tr", &[("role", "row")]);
    match row {
        Row::Heading { name, description } => {
            let span = table.columns.len().to_string();
            let head = format!("<th role=\"rowheader\" scope=\"rowgroup\" colspan=\"{span}\">");
            html.markup(&head);
            with_more(name, description.as_deref(), html);
            html.close("th");
        }
        Row::Cells { cells, description, .. } => {
            for (column, cell) in table.columns.iter().zip(cells) {
                let class = classes(column, cell);
                let attributes =
                    [("role", "cell"), ("class", &class), ("data-label", &column.label)];
                if table.key == TableKey::Lines && column.key == ColumnKey::Name {
                    let head = "<th role=\"rowheader\" scope=\"row\">";
                    html.markup(head);
                    with_more(cell, description.as_deref(), html);
                    html.close("th");
                } else {
                    html.element("td", &attributes, cell);
                }
            }
        }
    }
    html.close("tr");
}

fn with_more(name: &str, more: Option<&str>, html: &mut Html) {
    html.markup(&escape(name));
    if let Some(more) = more {
        html.element("span", &[("class", "more text")], more);
    }
}

fn totals(totals: &[Total], html: &mut Html) {
    if totals.is_empty() {
        return;
    }
    html.open("div", &[("class", "totals")]);
    html.open("dl", &[]);
    for total in totals {
        let class = match total.emphasis {
            Emphasis::Plain => "plain",
            Emphasis::Strong => "strong",
            Emphasis::Main => "main-total",
        };
        html.element("dt", &[("class", class)], &total.label);
        html.element("dd", &[("class", class)], &total.text);
    }
    html.close("dl");
    html.close("div");
}

fn payment(paper: &Paper, html: &mut Html) {
    let Some(payment) = &paper.payment else { return };
    html.open("section", &[]);
    html.element("h2", &[], &payment.label);
    html.open("div", &[("class", "pay")]);
    facts(&payment.facts, html);
    payment.codes.iter().for_each(|one| code(one, html));
    html.close("div");
    html.close("section");
}

fn code(code: &Code, html: &mut Html) {
    let Some(drawn) = svg(code) else { return };
    let class = if matches!(code.symbol, Symbol::Pdf417 { .. }) { "wide" } else { "square" };
    html.open("figure", &[("class", class)]);
    let picture = format!("<svg role=\"img\" aria-label=\"{}\"", escape(&code.label));
    html.markup(&drawn.replacen("<svg", &picture, 1));
    html.element("figcaption", &[], &code.label);
    if code.display == Display::FullSlip {
        facts(&code.slip, html);
    }
    html.close("figure");
}
