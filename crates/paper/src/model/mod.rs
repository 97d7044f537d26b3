//! The model of a printed document: which texts are on it, and in which order.
//!
//! Texts are formatted: renderings place them and compute nothing. They hold no control
//! characters but line feeds, and no characters that change the direction of writing.

mod code;
mod table;
mod texts;

pub use code::{Code, CodeKind, Display, Symbol};
pub use table::{Align, Column, ColumnKey, Row, Table, TableKey};

use serde::Serialize;
use time::Date;

/// A document as it is printed: the same for PDF, page, preview and receipt.
///
/// The order of fields is the order on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Paper {
    /// What it is.
    pub kind: PaperKind,
    /// Language of the labels, two letters such as `sl`.
    pub language: &'static str,
    /// Locale of numbers and dates, such as `sl-SI`.
    pub locale: &'static str,
    /// How it looks.
    pub template: Template,
    /// The unit's or entity's colour, `#` and six lower-case hexadecimal digits.
    pub primary_color: Option<String>,
    /// The issuer's logo.
    pub logo: Option<Picture>,
    /// The kind in words, such as "Invoice"; of a draft, too.
    pub title: String,
    /// The number as written; `None` for drafts.
    pub number: Option<String>,
    /// The document's date, for the properties of a file.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date: Date,
    /// What has to be seen before anything else, the most important first.
    pub banners: Vec<Banner>,
    /// Who issued it.
    pub issuer: Block,
    /// Who receives it.
    pub customer: Option<Block>,
    /// Number, dates and references, with their labels.
    pub facts: Vec<Fact>,
    /// What is sold.
    pub lines: Table,
    /// What the amount of the lines up to a page's end is called; `None` without prices.
    pub carried_label: Option<String>,
    /// What it comes to, from the net amount to what is due.
    pub totals: Vec<Total>,
    /// Taxes by rate.
    pub taxes: Option<Table>,
    /// Money paid ahead that the invoice has, with its tax.
    pub advances: Option<Table>,
    /// Payments.
    pub payments: Option<Table>,
    /// Totals and taxes in the issuer's currency, when the document has another.
    pub converted: Option<Table>,
    /// What the law wants said of its taxes: reverse charge and exemptions.
    pub clauses: Vec<String>,
    /// How to pay: account, reference and codes for apps of banks.
    pub payment: Option<Payment>,
    /// Note, payment terms and tax clause.
    pub notes: Vec<Note>,
    /// Who signs.
    pub signature: Option<Signature>,
    /// What a tax authority wants printed.
    pub marks: Vec<Marks>,
    /// Foot of the last page.
    pub footer: Option<String>,
    /// How pages are counted: "Page", and "of".
    pub page_words: PageWords,
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PaperKind {
    /// An invoice.
    Invoice,
    /// An estimate.
    Estimate,
    /// An estimate that calls itself pro-forma invoice.
    ProformaInvoice,
    /// A credit note.
    CreditNote,
    /// An advance invoice.
    AdvanceInvoice,
    /// A delivery note.
    DeliveryNote,
    /// The receipt of a payment.
    Receipt,
}

/// How a document looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Template {
    /// Colour at the head, airy.
    #[default]
    Modern,
    /// Lines and serifs.
    Classic,
    /// Much on a page.
    Condensed,
    /// Black on white.
    Minimal,
    /// Large pictures.
    Fashion,
    /// `modern` with all that is known of both sides.
    TimelessModernFullData,
    /// A roll 80 mm wide.
    #[serde(rename = "receipt_80")]
    Receipt80,
    /// A roll 58 mm wide.
    #[serde(rename = "receipt_58")]
    Receipt58,
}

/// The colour of a page that no template has: a receipt on a screen, or a page of no document.
pub(crate) const PLAIN_COLOR: &str = "#4a5568";

impl Template {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Modern,
        Self::Classic,
        Self::Condensed,
        Self::Minimal,
        Self::Fashion,
        Self::TimelessModernFullData,
        Self::Receipt80,
        Self::Receipt58,
    ];

    /// Its name on the wire and in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Classic => "classic",
            Self::Condensed => "condensed",
            Self::Minimal => "minimal",
            Self::Fashion => "fashion",
            Self::TimelessModernFullData => "timeless_modern_full_data",
            Self::Receipt80 => "receipt_80",
            Self::Receipt58 => "receipt_58",
        }
    }

    /// The template called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.name() == name)
    }

    /// The colour of its documents whose issuer has none, `#` and six digits.
    pub(crate) const fn color(self) -> &'static str {
        match self {
            Self::Modern => "#1f4e79",
            Self::Classic => "#2b2b2b",
            Self::Condensed => "#333333",
            Self::Minimal => "#000000",
            Self::Fashion => "#7a5c3e",
            Self::TimelessModernFullData => "#274c43",
            // On a screen; a roll is printed in black.
            Self::Receipt80 | Self::Receipt58 => PLAIN_COLOR,
        }
    }

    /// Whether it is for the roll of a till.
    #[must_use]
    pub const fn is_receipt(self) -> bool {
        matches!(self, Self::Receipt80 | Self::Receipt58)
    }
}

/// A picture of a file that was uploaded.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// The file.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// `image/png`, `image/jpeg`, `image/webp` or `image/svg+xml`.
    pub media_type: String,
    /// Percent of the size that the template gives it, 30 to 100.
    pub scale_percent: u8,
    /// What it shows, for readers who do not see it.
    pub alt: String,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

/// Where a document stands, as is said at its head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Banner {
    /// Which state.
    pub state: State,
    /// In words.
    pub text: String,
}

/// A state that is said at the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not issued; large across the page.
    Draft,
    /// Declared void; large across the page.
    Void,
    /// Issued in the sandbox, so it is no document at all; large across the page.
    Test,
    /// Nothing is left to pay.
    Paid,
    /// Due before today.
    Overdue,
    /// An estimate that ran out.
    Expired,
    /// An estimate that the customer accepted.
    Accepted,
    /// An estimate that the customer rejected.
    Rejected,
}

/// One side of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// What the side is, such as "Bill to".
    pub label: String,
    /// Its name.
    pub name: String,
    /// Its address, line by line.
    pub address: Vec<String>,
    /// Tax number, registration number, e-mail and so on.
    pub facts: Vec<Fact>,
}

/// A text with its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Stable name, such as `date_due`.
    pub key: &'static str,
    /// In the document's language.
    pub label: String,
    /// What it says.
    pub text: String,
}

/// An amount below the lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Total {
    /// Stable name, such as `total_with_tax`.
    pub key: &'static str,
    /// In the document's language.
    pub label: String,
    /// The amount with its currency.
    pub text: String,
    /// How much it stands out.
    pub emphasis: Emphasis,
}

/// How much an amount stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Emphasis {
    /// As the others.
    Plain,
    /// Bold: the total.
    Strong,
    /// In the document's colour: what is to be paid.
    Main,
}

/// How to pay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Payment {
    /// Heading.
    pub label: String,
    /// Amount, account, bank and reference; worth a button to copy each.
    pub facts: Vec<Fact>,
    /// Codes for apps of banks.
    pub codes: Vec<Code>,
}

/// A text that a user wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// Stable name: `note`, `payment_terms` or `tax_clause`.
    pub key: &'static str,
    /// In the document's language.
    pub label: String,
    /// Paragraphs are parted by line feeds.
    pub text: String,
}

/// Who signs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// In words, lines parted by line feeds.
    pub text: Option<String>,
    /// As a picture.
    pub picture: Option<Picture>,
}

/// What a tax authority wants printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Marks {
    /// Whose they are: `furs`, `fina`, `pt`.
    pub key: &'static str,
    /// Such as ZOI and EOR, with their labels.
    pub facts: Vec<Fact>,
    /// Sentences without a label that the law words, such as that of a certified program.
    pub sentences: Vec<String>,
    /// What stands on each page of several: the ATCUD (Portaria 195/2020, 7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_each_page: Option<String>,
    /// The code that an inspector reads.
    pub code: Option<Code>,
}

/// How pages are counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageWords {
    /// "Page".
    pub page: String,
    /// "of".
    pub of: String,
}
