//! From a document and what belongs to it to its model.
//!
//! | Module    | Owns                                                            |
//! | --------- | --------------------------------------------------------------- |
//! | `look`    | template, colour and codes, and what receipts say beside         |
//! | `parties` | issuer and customer                                             |
//! | `facts`   | number, dates and references; states                            |
//! | `fill`    | variables in the issuer's own texts                             |
//! | `lines`   | the table of lines                                              |
//! | `amounts` | totals, taxes, advances, payments, converted totals             |
//! | `payment` | how to pay, and the codes                                       |
//! | `marks`   | what tax authorities want printed                               |
//! | `receipt` | the receipt of a payment                                        |

mod amounts;
mod facts;
mod fill;
mod lines;
mod look;
mod marks;
mod parties;
mod payment;
mod receipt;

pub use fill::filled;
pub use look::{Hub3, Look, ReceiptTexts, Upn};
pub use receipt::Receipt;

use racun_documents::{Document, DocumentKind, Localized, TitleType};
use racun_kernel::Decimal;
use time::Date;

use crate::clean::{paragraphs, some_line};
use crate::model::{Note, PageWords, Paper, PaperKind, Picture, Signature};
use crate::words::{Language, Word};

/// A document with all that is printed beside what it says itself.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// The document.
    pub document: &'a Document,
    /// How it looks.
    pub look: Look,
    /// Language of the labels.
    pub language: Language,
    /// Whose locale writes numbers and dates.
    pub locale: Language,
    /// What it says beside on the roll of a till.
    pub receipt: ReceiptTexts,
    /// The logo of its unit or entity.
    pub logo: Option<Picture>,
    /// The signature of its unit or entity.
    pub signature: Option<Picture>,
    /// Its payments, in their order.
    pub payments: &'a [PaymentMade],
    /// Numbers of the documents that it refers to.
    pub linked: &'a [String],
    /// Today, in the entity's zone: what is overdue.
    pub today: Date,
    /// Whether it is not stored: then it shows the codes that it is going to have.
    pub is_preview: bool,
}

/// A payment on the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentMade {
    /// When.
    pub date: Date,
    /// Its type, by its name on the wire, such as `bank_transfer`.
    pub method: String,
    /// How much, in the document's currency.
    pub amount: Decimal,
    /// The payer's reference.
    pub reference: Option<String>,
}

impl Paper {
    /// The model of the document of `source`.
    #[must_use]
    pub fn of(source: &Source<'_>) -> Self {
        let document = source.document;
        let content = &document.content;
        Self {
            kind: source.kind(),
            language: source.language.code(),
            locale: source.locale.locale(),
            template: source.look.template,
            primary_color: source.look.primary_color.clone(),
            logo: source.logo.clone(),
            title: source.word(source.title()).to_owned(),
            number: (!document.is_draft()).then(|| crate::clean::line(&document.number())),
            date: content.date,
            banners: source.banners(),
            issuer: source.issuer(),
            customer: source.customer(),
            facts: source.facts(),
            lines: source.lines(),
            carried_label: source.shows_prices().then(|| source.word(Word::Carried).to_owned()),
            totals: source.totals(),
            taxes: source.taxes(),
            advances: source.advances(),
            payments: source.payments_table(),
            converted: source.converted(),
            clauses: source.clauses(),
            payment: source.payment(),
            notes: source.notes(),
            signature: source.signed(),
            marks: source.marks(),
            footer: source.footer(),
            page_words: PageWords {
                page: source.word(Word::Page).to_owned(),
                of: source.word(Word::Of).to_owned(),
            },
        }
    }
}

impl Source<'_> {
    fn word(&self, word: Word) -> &'static str {
        word.text(self.language)
    }

    fn kind(&self) -> PaperKind {
        match self.document.id.kind() {
            DocumentKind::Invoice => PaperKind::Invoice,
            DocumentKind::Estimate => match self.document.content.title_type {
                TitleType::Estimate => PaperKind::Estimate,
                TitleType::ProformaInvoice => PaperKind::ProformaInvoice,
            },
            DocumentKind::CreditNote => PaperKind::CreditNote,
            DocumentKind::AdvanceInvoice => PaperKind::AdvanceInvoice,
            DocumentKind::DeliveryNote => PaperKind::DeliveryNote,
        }
    }

    fn title(&self) -> Word {
        match self.kind() {
            PaperKind::Invoice => Word::Invoice,
            PaperKind::Estimate => Word::Estimate,
            PaperKind::ProformaInvoice => Word::ProformaInvoice,
            PaperKind::CreditNote => Word::CreditNote,
            PaperKind::AdvanceInvoice => Word::AdvanceInvoice,
            PaperKind::DeliveryNote => Word::DeliveryNote,
            PaperKind::Receipt => Word::Payment,
        }
    }

    /// Whether amounts are shown: not on a delivery note that hides them.
    fn shows_prices(&self) -> bool {
        let is_delivery = self.document.id.kind() == DocumentKind::DeliveryNote;
        !(is_delivery && self.document.content.hide_prices)
    }

    /// The amount as it is shown: below zero on credit notes, where the settings want it.
    fn shown(&self, amount: &Decimal) -> Decimal {
        let is_credit = self.document.id.kind() == DocumentKind::CreditNote;
        if is_credit && self.look.negative_credit { -amount } else { amount.clone() }
    }

    fn money(&self, amount: &Decimal) -> String {
        self.locale.money(&self.shown(amount), self.document.content.currency)
    }

    /// A text in the document's language, where it is translated.
    fn text(&self, text: Option<&String>, translations: &Option<Localized>) -> Option<String> {
        let translated = translations.as_ref().and_then(|all| all.get(self.language.locale()));
        self.own_text(translated.or(text).map(String::as_str))
    }

    /// A text of the issuer's, with what its variables stand for.
    fn own_text(&self, text: Option<&str>) -> Option<String> {
        let filled = self.filled(&paragraphs(text)?);
        paragraphs(Some(&filled))
    }

    fn notes(&self) -> Vec<Note> {
        let (texts, translations) =
            (&self.document.content.texts, &self.document.content.translations);
        let all = [
            (Word::Note, &texts.note, &translations.note),
            (Word::PaymentTerms, &texts.payment_terms, &translations.payment_terms),
            (Word::TaxClause, &texts.tax_clause, &translations.tax_clause),
        ];
        let note = |word: Word, text: Option<String>| {
            let label = self.word(word).to_owned();
            text.map(|text| Note { key: word.key(), label, text })
        };
        let own = all.into_iter().map(|(word, text, translations)| {
            let text = self.text(text.as_ref(), translations);
            note(word, if word == Word::Note { self.with_receipt_note(text) } else { text })
        });
        own.flatten().collect()
    }

    /// The note, with that of receipts after it.
    fn with_receipt_note(&self, note: Option<String>) -> Option<String> {
        let Some(more) = self.of_receipt(self.receipt.note.as_deref()) else { return note };
        Some(match note {
            Some(note) => format!("{note}\n{more}"),
            None => more,
        })
    }

    /// A text of receipts, on a receipt.
    fn of_receipt(&self, text: Option<&str>) -> Option<String> {
        self.own_text(text.filter(|_| self.look.template.is_receipt()))
    }

    fn footer(&self) -> Option<String> {
        let content = &self.document.content;
        let own = || self.text(content.texts.footer.as_ref(), &content.translations.footer);
        self.of_receipt(self.receipt.footer.as_deref()).or_else(own)
    }

    fn signed(&self) -> Option<Signature> {
        let content = &self.document.content;
        let own = || self.text(content.texts.signature.as_ref(), &content.translations.signature);
        let text = self.of_receipt(self.receipt.signature.as_deref()).or_else(own);
        let picture = self.signature.clone();
        (text.is_some() || picture.is_some()).then_some(Signature { text, picture })
    }

    /// What the law wants said of the taxes: that the customer owes them, and why there are none.
    fn clauses(&self) -> Vec<String> {
        let mut clauses = Vec::new();
        let content = &self.document.content;
        let mut taxes = content.lines.iter().flat_map(|line| &line.taxes);
        if self.shows_prices() && taxes.any(|tax| tax.reverse_charge) {
            clauses.push(self.word(Word::ReverseCharge).to_owned());
        }
        for tax in content.lines.iter().flat_map(|line| &line.taxes) {
            let parts = [&tax.pt_exemption_code, &tax.pt_exemption_reason];
            let parts = parts.into_iter().filter_map(|part| some_line(part.as_deref()));
            let clause = parts.collect::<Vec<_>>().join(" - ");
            if !clause.is_empty() && !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
        clauses
    }
}
