//! Documents as they are in each language: its words, its numbers, its dates.

use racun_kernel::{Currency, Decimal};
use racun_paper::{
    Align, Banner, Column, ColumnKey, Fact, Language, Paper, Row, State, Table, TableKey, Template,
    Word,
};

use crate::sample::invoice;

/// A company with a name of 90 letters, some of them wide.
pub const LONG_NAME: &str =
    "Wohnungsbaugesellschaft für Überseehäfen, Inženiring in Žlebove, Šumijo Đurđe ÅÄÖ Mm d.o.o";

/// An invoice with everything that a document may have, and so many lines, in `language`.
pub fn translated(template: Template, language: Language, lines: usize) -> Paper {
    let mut paper = invoice(template, lines);
    let words = Words(language);
    let date = language.date(paper.date);
    paper.language = language.code();
    paper.locale = language.locale();
    paper.title = words.of(Word::Invoice);
    paper.carried_label = Some(words.of(Word::Carried));
    paper.page_words.page = words.of(Word::Page);
    paper.page_words.of = words.of(Word::Of);
    paper.banners = vec![
        Banner { state: State::Overdue, text: words.of(Word::Overdue) },
        Banner { state: State::Expired, text: words.of(Word::Expired) },
    ];
    paper.issuer.label = words.of(Word::Issuer);
    words.label(&mut paper.issuer.facts);
    if let Some(customer) = &mut paper.customer {
        customer.label = words.of(Word::Customer);
        words.label(&mut customer.facts);
    }
    let more = [Word::ExchangeRate, Word::Operator, Word::LinkedDocument, Word::DateValidTill];
    paper.facts.extend(more.map(|word| fact(&words, word, "2026-00017")));
    words.label(&mut paper.facts);
    for dated in paper.facts.iter_mut().filter(|fact| fact.key.starts_with("date")) {
        dated.text.clone_from(&date);
    }
    words.head(&mut paper.lines);
    for (place, row) in paper.lines.rows.iter_mut().enumerate() {
        let Row::Cells { cells, carried, .. } = row else { continue };
        cells[2] = format!("{} kg", words.number("1234.5"));
        cells[3] = words.number("-1234567.89");
        cells[4] = language.percent(&decimal("12.5"));
        cells[5] = language.percent(&decimal("22"));
        cells[6] = words.number("-1234567.89");
        *carried = Some(words.money(&format!("{place}000.05")));
    }
    let of_total = [Word::Subtotal, Word::Tax, Word::Total, Word::TotalDue];
    for (total, word) in paper.totals.iter_mut().zip(of_total) {
        total.label = words.of(word);
        total.text = words.money("12345678.90");
    }
    paper.taxes = Some(words.taxes(TableKey::Taxes, Word::Taxes));
    paper.converted = Some(words.taxes(TableKey::Converted, Word::Converted));
    paper.advances = Some(words.advances(&date));
    paper.payments = Some(words.payments(&date));
    paper.clauses = vec![words.of(Word::ReverseCharge)];
    if let Some(payment) = &mut paper.payment {
        payment.label = words.of(Word::Payment);
        words.label(&mut payment.facts);
        payment.facts.push(fact(&words, Word::Purpose, &words.of(Word::AdvanceInvoice)));
        for code in &mut payment.codes {
            code.label = format!("UPN QR: {}", words.of(Word::Scan));
        }
    }
    for (note, word) in paper.notes.iter_mut().zip([Word::Note, Word::PaymentTerms]) {
        note.label = words.of(word);
    }
    for marks in &mut paper.marks {
        marks.facts.push(fact(&words, Word::BookForm, "5000-12-017"));
        marks.code.iter_mut().for_each(|code| code.label = words.of(Word::CheckCode));
    }
    paper
}

/// `paper` with the longest names and figures that it may have.
pub fn lengthened(mut paper: Paper, language: Language) -> Paper {
    let words = Words(language);
    paper.title = words.of(Word::ProformaInvoice);
    paper.number = Some("PP1-EN1-2026-".repeat(5));
    paper.issuer.name = LONG_NAME.to_owned();
    if let Some(customer) = &mut paper.customer {
        customer.name = "W".repeat(90);
        customer.address = vec![LONG_NAME.to_owned(), "Q".repeat(90)];
    }
    for row in &mut paper.lines.rows {
        let Row::Cells { cells, .. } = row else { continue };
        cells[1] = "M".repeat(90);
        cells[2] = format!("{} kilograms", words.number("140737488355328.5"));
        cells[3] = words.number("-140737488355328");
        cells[6] = words.number("-140737488355328");
    }
    for total in &mut paper.totals {
        total.text = words.money("-140737488355328");
    }
    paper
}

/// What a language says.
pub struct Words(pub Language);

impl Words {
    pub fn of(&self, word: Word) -> String {
        word.text(self.0).to_owned()
    }

    pub fn number(&self, number: &str) -> String {
        self.0.number(&decimal(number), 2)
    }

    pub fn money(&self, amount: &str) -> String {
        self.0.money(&decimal(amount), Currency::EUR)
    }

    /// Labels facts by their keys; marks of authorities have names of their own.
    fn label(&self, facts: &mut [Fact]) {
        for fact in facts {
            if let Some(word) = Word::ALL.iter().find(|word| word.key() == fact.key) {
                fact.label = self.of(*word);
            }
        }
    }

    fn head(&self, table: &mut Table) {
        for column in &mut table.columns {
            if let Some(word) = word_of(column.key) {
                column.label = self.of(word);
            }
        }
    }

    fn table(&self, key: TableKey, label: Word, keys: &[ColumnKey], rows: Vec<Row>) -> Table {
        let column = |key: &ColumnKey| {
            let is_figure = matches!(
                key,
                ColumnKey::Net | ColumnKey::Tax | ColumnKey::Gross | ColumnKey::Amount
            );
            let align = if is_figure { Align::End } else { Align::Start };
            Column { key: *key, label: String::new(), align }
        };
        let columns = keys.iter().map(column).collect();
        let mut table = Table { key, label: Some(self.of(label)), columns, rows };
        self.head(&mut table);
        table
    }

    fn taxes(&self, key: TableKey, label: Word) -> Table {
        let row = |rate: &str| {
            let rate = self.0.percent(&decimal(rate));
            let rate = format!("{rate} ({})", self.of(Word::ReverseCharge));
            cells(vec![rate, self.money("12345678.9"), self.money("2716049.36")])
        };
        let keys = [ColumnKey::TaxRate, ColumnKey::Net, ColumnKey::Tax];
        self.table(key, label, &keys, vec![row("22"), row("9.5")])
    }

    fn advances(&self, date: &str) -> Table {
        let twice = |text: String| format!("{text}\n{text}");
        let row = cells(vec![
            "ADV-2026-00017".to_owned(),
            date.to_owned(),
            twice(self.0.percent(&decimal("9.5"))),
            twice(self.money("12345678.9")),
            twice(self.money("2716049.36")),
            self.money("15061728.26"),
        ]);
        let keys = [
            ColumnKey::Reference,
            ColumnKey::Date,
            ColumnKey::TaxRate,
            ColumnKey::Net,
            ColumnKey::Tax,
            ColumnKey::Gross,
        ];
        self.table(TableKey::Advances, Word::Advances, &keys, vec![row])
    }

    fn payments(&self, date: &str) -> Table {
        let row = |word: Word| {
            let reference = "SI00 225268-32526-222".to_owned();
            cells(vec![date.to_owned(), self.of(word), reference, self.money("12345.6")])
        };
        let keys = [ColumnKey::Date, ColumnKey::Method, ColumnKey::Reference, ColumnKey::Amount];
        let rows = vec![row(Word::BankTransfer), row(Word::OnlineWallet)];
        self.table(TableKey::Payments, Word::Payments, &keys, rows)
    }
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

pub fn cells(cells: Vec<String>) -> Row {
    Row::Cells { cells, description: None, carried: None }
}

pub fn fact(words: &Words, word: Word, text: &str) -> Fact {
    Fact { key: word.key(), label: words.of(word), text: text.to_owned() }
}

/// What a column is headed by, where that is a word.
const fn word_of(key: ColumnKey) -> Option<Word> {
    match key {
        ColumnKey::Position => None,
        ColumnKey::Name => Some(Word::Name),
        ColumnKey::Quantity => Some(Word::Quantity),
        ColumnKey::Price => Some(Word::Price),
        ColumnKey::Discount => Some(Word::Discount),
        ColumnKey::TaxRate => Some(Word::Rate),
        ColumnKey::Net => Some(Word::Net),
        ColumnKey::Tax => Some(Word::Tax),
        ColumnKey::Gross => Some(Word::Gross),
        ColumnKey::Date => Some(Word::Date),
        ColumnKey::Method => Some(Word::Method),
        ColumnKey::Reference => Some(Word::Reference),
        ColumnKey::Amount => Some(Word::Amount),
    }
}
