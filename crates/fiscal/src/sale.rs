//! What a document says, as far as a tax authority asks.

use racun_kernel::{Decimal, PaymentType, SalesBook};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

/// What kind of document is fiscalized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaleKind {
    /// An invoice.
    Invoice,
    /// A credit note: its amounts are reported negative.
    CreditNote,
    /// An advance invoice.
    AdvanceInvoice,
}

/// A tax of a document, by rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaleTax {
    /// Percent, above zero.
    pub rate: Decimal,
    /// What is taxed, after discounts.
    pub base: Decimal,
    /// The tax.
    pub amount: Decimal,
}

/// How a receipt is paid in Croatia, where the request says it: `fina.payment_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// Notes and coins.
    Cash,
    /// A card of either sort.
    Card,
    /// A payment online.
    Online,
    /// A direct transfer from account to account.
    BankTransfer,
    /// An online wallet.
    OnlineWallet,
    /// A crypto-asset.
    Crypto,
    /// A coupon.
    Coupon,
    /// Anything else.
    Other,
}

/// Who buys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buyer {
    /// Their tax number, as on the document.
    pub tax_number: Option<String>,
    /// ISO 3166-1 alpha-2 code of their country, in capitals.
    pub country_code: Option<String>,
    /// Whether they buy for themselves, not for a business.
    pub is_end_consumer: bool,
}

/// A fiscalized document that another one corrects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Correction {
    /// One that was issued on an electronic device.
    Invoice(CorrectedInvoice),
    /// One that was written on a form of a bound book.
    Form(CorrectedForm),
}

/// A form of a bound book that another document corrects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectedForm {
    /// Which form.
    pub book: SalesBook,
    /// The day on it.
    #[serde(with = "racun_kernel::calendar::date")]
    pub issued_on: Date,
}

/// A document issued on an electronic device that another one corrects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectedInvoice {
    /// Its premise.
    pub premise: String,
    /// Its device.
    pub device: String,
    /// Its number.
    pub number: i64,
    /// When it was issued, with the offset of the authority's zone.
    #[serde(with = "time::serde::rfc3339")]
    pub issued_at: OffsetDateTime,
}

/// What a document says. Amounts are in euros, as in the interface: a credit note's are positive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sale {
    /// What it is.
    pub kind: SaleKind,
    /// With all taxes, after discounts.
    pub total: Decimal,
    /// Taxes above zero percent, one per rate, without those that the buyer owes.
    pub taxes: Vec<SaleTax>,
    /// Croatia: the consumption tax on drinks (porez na potrošnju), one per rate.
    pub consumption: Vec<SaleTax>,
    /// What is taxed with zero percent: exempt.
    pub exempt: Decimal,
    /// What is taxed at the buyer's: reverse charge.
    pub reverse_charge: Decimal,
    /// What is sold under a margin scheme, which states no tax.
    pub margin: Decimal,
    /// What has no tax at all, and what rounding leaves between the parts and the total.
    pub untaxed: Decimal,
    /// What advances settle of the total when it is issued.
    pub settled: Decimal,
    /// Who buys, when the document says so.
    pub buyer: Option<Buyer>,
    /// How it is paid, one entry per payment that is known when it is issued.
    pub means: Vec<PaymentType>,
    /// What it corrects.
    pub corrects: Vec<Correction>,
}

impl Sale {
    /// A sale of `total` with these taxes, to a buyer without a name and paid in a way that is not
    /// known yet.
    #[must_use]
    pub fn new(kind: SaleKind, total: Decimal, taxes: Vec<SaleTax>) -> Self {
        Self {
            kind,
            total,
            taxes,
            consumption: Vec::new(),
            exempt: Decimal::zero(),
            reverse_charge: Decimal::zero(),
            margin: Decimal::zero(),
            untaxed: Decimal::zero(),
            settled: Decimal::zero(),
            buyer: None,
            means: Vec::new(),
            corrects: Vec::new(),
        }
    }
}

/// What a sequence of fiscal numbers belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Numbering {
    /// One sequence for all devices of a premise: `C` in Slovenia, `P` in Croatia.
    PerPremise,
    /// One sequence for each device: `B` in Slovenia, `N` in Croatia.
    PerDevice,
}

/// Where a document is issued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceOfIssue {
    /// The business premise's name, 1 to 20 letters and digits.
    pub premise: String,
    /// The electronic device's name.
    pub device: String,
    /// What its number is of.
    pub numbering: Numbering,
}
