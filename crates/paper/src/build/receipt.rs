//! The receipt of a payment, as Portugal asks for one: a document of its own.

use racun_kernel::Decimal;
use time::Date;

use super::Source;
use super::amounts::{method, row};
use crate::clean::line;
use crate::model::{
    Align, Banner, ColumnKey, Emphasis, Fact, PageWords, Paper, PaperKind, State, Table, TableKey,
    Total,
};
use crate::words::Word;

/// The receipt of a payment on the document of a [`Source`].
#[derive(Debug, Clone)]
pub struct Receipt<'a> {
    /// What it is called: `Recibo`.
    pub title: &'a str,
    /// Its number.
    pub number: &'a str,
    /// The day on which it was issued.
    pub date: Date,
    /// When the money came.
    pub paid_on: Date,
    /// How, by the name of the type on the wire.
    pub method: &'a str,
    /// How much, in the document's currency.
    pub amount: &'a Decimal,
    /// The number of the document.
    pub document_number: &'a str,
    /// Its day.
    pub document_date: Date,
    /// What the law wants printed: sentences.
    pub printed: &'a [String],
    /// What the code says.
    pub qr: &'a str,
    /// The unique code.
    pub atcud: &'a str,
    /// Whether it is voided.
    pub is_void: bool,
}

impl Paper {
    /// The model of `receipt`, whose document is that of `source`.
    #[must_use]
    pub fn of_receipt(source: &Source<'_>, receipt: &Receipt<'_>) -> Self {
        let word = |word: Word| source.word(word).to_owned();
        let void = receipt.is_void.then(|| Banner { state: State::Void, text: word(Word::Void) });
        let fact = |key: Word, text: String| Fact { key: key.key(), label: word(key), text };
        let amount = source.money(receipt.amount);
        Self {
            kind: PaperKind::Receipt,
            title: receipt.title.to_owned(),
            number: Some(line(receipt.number)),
            date: receipt.date,
            banners: void.into_iter().collect(),
            issuer: source.issuer(),
            customer: source.customer(),
            facts: vec![
                fact(Word::Number, line(receipt.number)),
                fact(Word::Date, source.locale.date(receipt.date)),
            ],
            lines: source.received(receipt, &amount),
            totals: vec![Total {
                key: Word::Total.key(),
                label: word(Word::Total),
                text: amount,
                emphasis: Emphasis::Strong,
            }],
            marks: vec![source.certified(receipt.printed, receipt.qr, receipt.atcud)],
            carried_label: None,
            taxes: None,
            advances: None,
            payments: None,
            converted: None,
            clauses: Vec::new(),
            payment: None,
            notes: Vec::new(),
            signature: None,
            footer: None,
            language: source.language.code(),
            locale: source.locale.locale(),
            template: source.look.template,
            primary_color: source.look.primary_color.clone(),
            logo: source.logo.clone(),
            page_words: PageWords { page: word(Word::Page), of: word(Word::Of) },
        }
    }
}

impl Source<'_> {
    /// What was received for which document.
    fn received(&self, receipt: &Receipt<'_>, amount: &str) -> Table {
        let document = format!(
            "{} ({})",
            line(receipt.document_number),
            self.locale.date(receipt.document_date)
        );
        Table {
            key: TableKey::Lines,
            label: None,
            columns: vec![
                self.column(ColumnKey::Name, Word::LinkedDocument, Align::Start),
                self.column(ColumnKey::Date, Word::Date, Align::Start),
                self.column(ColumnKey::Method, Word::Method, Align::Start),
                self.column(ColumnKey::Amount, Word::Amount, Align::End),
            ],
            rows: vec![row(vec![
                document,
                self.locale.date(receipt.paid_on),
                self.word(method(receipt.method)).to_owned(),
                amount.to_owned(),
            ])],
        }
    }
}
