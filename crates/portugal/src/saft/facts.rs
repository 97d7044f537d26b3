//! What the file says, as plain values.

use racun_kernel::Decimal;
use time::Date;

use crate::{
    Atcud, CONSUMER, Code, Hash, Level, Mechanism, Number, Origin, Region, Status, WallTime,
    buyer_number,
};

/// Who issued what, when, and with which program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The issuer.
    pub company: Company,
    /// The first day of the period.
    pub from: Date,
    /// The last day of it, in the same year.
    pub to: Date,
    /// The day on which the file is made.
    pub created_on: Date,
    /// The program.
    pub software: Software,
}

/// The issuer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Company {
    /// Its number: nine digits.
    pub nif: String,
    /// Where it is registered and under which number, `Lisboa 500000000`; its tax number when this
    /// is missing.
    pub registration: Option<String>,
    /// Its name.
    pub name: String,
    /// The name under which it trades.
    pub business_name: Option<String>,
    /// Its address. The post code is `NNNN-NNN`.
    pub address: Address,
    /// Its telephone.
    pub telephone: Option<String>,
    /// Its e-mail address.
    pub email: Option<String>,
    /// Its site.
    pub website: Option<String>,
}

/// An address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// Street and house.
    pub detail: Option<String>,
    /// City.
    pub city: Option<String>,
    /// Post code.
    pub post_code: Option<String>,
    /// State or region.
    pub region: Option<String>,
    /// ISO 3166-1 alpha-2 code.
    pub country: Option<String>,
}

/// The program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Software {
    /// The tax number of its maker.
    pub maker_tax_number: String,
    /// The number of its certificate; 0 without one.
    pub certificate: u16,
    /// Its name.
    pub name: String,
    /// Its maker's name.
    pub maker: String,
    /// Its version.
    pub version: String,
}

/// A customer, as documents name one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Customer {
    /// Its id in the program: at most 30 characters.
    pub id: String,
    /// Its tax number; `None` of a consumer who gave none.
    pub tax_number: Option<String>,
    /// Its name; `None` of a consumer who gave none.
    pub name: Option<String>,
    /// Its address.
    pub address: Address,
    /// Its telephone.
    pub telephone: Option<String>,
    /// Its e-mail address.
    pub email: Option<String>,
}

impl Customer {
    /// Whether it has a tax number other than that of a consumer who gave none.
    pub(super) fn has_number(&self) -> bool {
        buyer_number(self.tax_number.as_deref()) != CONSUMER
    }
}

/// What a product is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProductKind {
    /// Goods.
    Goods,
    /// Services.
    Service,
    /// Anything else: an advance, or postage that is charged on.
    Other,
}

impl ProductKind {
    /// Its letter.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Goods => "P",
            Self::Service => "S",
            Self::Other => "O",
        }
    }
}

/// A product, as lines name one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// What it is.
    pub kind: ProductKind,
    /// Its code in the program: at most 60 characters.
    pub code: String,
    /// What it is called.
    pub description: String,
}

/// The code of what a line sells that is no item of the catalogue: the same for the same words.
#[must_use]
pub fn product_code(description: &str) -> String {
    // FNV-1a of 64 bits: it need not resist anyone, only tell descriptions apart.
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = description.trim().bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    format!("D-{hash:016X}")
}

/// In which state a document is, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The state.
    pub status: Status,
    /// Since when.
    pub since: WallTime,
    /// Why it was voided.
    pub reason: Option<String>,
    /// The user who did it: at most 30 characters.
    pub by: String,
}

/// A document that is signed. Amounts are in euros and not below zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaftDocument {
    /// Its type, which tells where it stands.
    pub code: Code,
    /// Its number.
    pub number: Number,
    /// Its unique code; `None` only of documents before 2023.
    pub atcud: Option<Atcud>,
    /// Its state.
    pub state: State,
    /// Where it came from.
    pub origin: Origin,
    /// Its signature.
    pub hash: Hash,
    /// The key's version, or more: as [`crate::HashControl`] displays it.
    pub hash_control: String,
    /// Its date.
    pub date: Date,
    /// When it entered the system.
    pub entered_at: WallTime,
    /// The user who issued it: at most 30 characters.
    pub by: String,
    /// The id of its customer.
    pub customer_id: String,
    /// Where goods go; documents of movement have it.
    pub shipping: Option<Shipping>,
    /// Its lines.
    pub lines: Vec<SaftLine>,
    /// Its taxes in all.
    pub tax: Decimal,
    /// Its total before tax.
    pub net: Decimal,
    /// Its total with tax, which is signed.
    pub gross: Decimal,
    /// The currency in which it was issued, if not in euros.
    pub currency: Option<SaftCurrency>,
    /// How it was paid when it was issued.
    pub payments: Vec<SaftPayment>,
    /// What the buyer withholds.
    pub withheld: Vec<Withheld>,
}

/// Where goods go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shipping {
    /// From where.
    pub from: Option<Address>,
    /// To where.
    pub to: Option<Address>,
    /// When they leave.
    pub starts_at: WallTime,
    /// What the authority answered for the transport.
    pub transport_code: Option<String>,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaftLine {
    /// The code of its product.
    pub product_code: String,
    /// What the product is called.
    pub product_description: String,
    /// What the line says.
    pub description: String,
    /// How much.
    pub quantity: Decimal,
    /// In which unit.
    pub unit: String,
    /// What one costs before tax, discounts off.
    pub unit_price: Decimal,
    /// The day of supply.
    pub supplied_on: Date,
    /// What it comes to before tax, discounts off.
    pub amount: Decimal,
    /// The discounts that are off already, for information.
    pub discount: Option<Decimal>,
    /// The documents that it goes back to: orders and delivery notes.
    pub orders: Vec<LineReference>,
    /// The documents that it rectifies, each with why: credit and debit notes have one.
    pub rectifies: Vec<(String, String)>,
    /// Its tax.
    pub tax: SaftTax,
}

/// A document that a line goes back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineReference {
    /// Its number.
    pub number: String,
    /// Its date.
    pub date: Option<Date>,
}

/// The tax of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaftTax {
    /// VAT.
    Vat {
        /// The region whose rate it is.
        region: Region,
        /// Which of its rates.
        level: Level,
        /// In percent.
        percent: Decimal,
        /// Code and reason where the rate is zero, and nowhere else.
        exemption: Option<(String, String)>,
    },
    /// Nothing that is taxed, with the code and the reason.
    NotSubject {
        /// Where.
        region: Region,
        /// The code of the reason.
        code: String,
        /// The reason.
        reason: String,
    },
}

impl SaftTax {
    /// In percent.
    #[must_use]
    pub fn percent(&self) -> Decimal {
        match self {
            Self::Vat { percent, .. } => percent.clone(),
            Self::NotSubject { .. } => Decimal::zero(),
        }
    }

    /// Code and reason, where nothing is charged.
    #[must_use]
    pub fn exemption(&self) -> Option<(&str, &str)> {
        match self {
            Self::Vat { exemption, .. } => {
                exemption.as_ref().map(|(code, reason)| (code.as_str(), reason.as_str()))
            }
            Self::NotSubject { code, reason, .. } => Some((code, reason)),
        }
    }
}

/// The currency of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaftCurrency {
    /// Its code.
    pub code: String,
    /// The document's total in it.
    pub amount: Decimal,
    /// What one of it is in euros.
    pub rate: Decimal,
}

/// A payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaftPayment {
    /// How it was made.
    pub mechanism: Mechanism,
    /// How much.
    pub amount: Decimal,
    /// When.
    pub date: Date,
}

/// What the buyer withholds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    /// `IRS`, `IRC` or `IS`.
    pub kind: &'static str,
    /// What it is called.
    pub description: String,
    /// How much.
    pub amount: Decimal,
}

/// A receipt of payments. It is not signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaftReceipt {
    /// Its type: RG, or RC under the cash scheme of VAT.
    pub code: Code,
    /// Its number.
    pub number: Number,
    /// Its unique code.
    pub atcud: Option<Atcud>,
    /// Its state.
    pub state: State,
    /// Where it came from.
    pub origin: Origin,
    /// The day of the payment.
    pub date: Date,
    /// When it entered the system.
    pub entered_at: WallTime,
    /// The user who issued it: at most 30 characters.
    pub by: String,
    /// The id of its customer.
    pub customer_id: String,
    /// How it was paid.
    pub payments: Vec<SaftPayment>,
    /// What it settles.
    pub lines: Vec<Settled>,
    /// The tax in it; zero outside the cash scheme.
    pub tax: Decimal,
    /// What was paid without that.
    pub net: Decimal,
    /// What was paid.
    pub gross: Decimal,
}

/// A document that a receipt settles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Its number.
    pub number: String,
    /// Its date.
    pub date: Date,
    /// How much of it.
    pub amount: Decimal,
    /// Whether it is a credit note, which is settled the other way.
    pub is_credit_note: bool,
    /// The tax in it, under the cash scheme of VAT.
    pub tax: Option<SaftTax>,
}
