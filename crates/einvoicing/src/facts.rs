//! What a document says, as plain values: the input of the mapping.
//!
//! Names follow the interface. Docstrings give the business terms (BT) and groups (BG) of
//! EN 16931-1:2017 that a value becomes.

use racun_kernel::{Currency, Decimal};
use time::Date;

/// What a document is: BT-3, codes of UNTDID 1001.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactsKind {
    /// The code 380. An earlier invoice is corrected by a credit note that names it, and a new
    /// invoice: no relation of documents says that one replaces another, so no 384 is written.
    Invoice,
    /// 381. Its amounts are positive.
    CreditNote,
    /// 386: a prepayment invoice.
    AdvanceInvoice,
    /// 325: a pro-forma invoice, which e-SLOG alone takes.
    Estimate,
}

/// The kind of sale, by the countries of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sale {
    /// Both sides in one country.
    Domestic,
    /// To a business in another member state.
    IntraEuB2b,
    /// To a consumer in another member state.
    IntraEuB2c,
    /// To a buyer outside the Union.
    ThirdCountry,
}

/// What a line sells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sells {
    /// Goods.
    Goods,
    /// A service.
    Services,
    /// Money paid ahead.
    Advance,
}

/// All that a document says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// What it is: BT-3.
    pub kind: FactsKind,
    /// Its number: BT-1.
    pub number: String,
    /// Its date: BT-2.
    pub date: Date,
    /// When it is due: BT-9. A credit note is not due.
    pub date_due: Option<Date>,
    /// Day of the supply, BT-72; or its first, BT-73.
    pub date_service: Option<Date>,
    /// Last day of the supply: BT-74.
    pub date_service_to: Option<Date>,
    /// Currency of all amounts: BT-5.
    pub currency: Currency,
    /// The issuer's own currency, in which it keeps its books. e-SLOG alone looks at it.
    pub issuer_currency: Currency,
    /// The kind of sale, of which VAT categories follow.
    pub sale: Sale,
    /// Who issues it: BG-4.
    pub issuer: Party,
    /// Who receives it: BG-7.
    pub customer: Option<Party>,
    /// Its texts.
    pub texts: Texts,
    /// By which the payee knows the payment: BT-83. The number when missing.
    pub reference: Option<String>,
    /// Where to pay: BG-17. Empty when nothing names an account.
    pub accounts: Vec<Account>,
    /// How it was paid, when it was: BT-81.
    pub paid_by: Option<PaidBy>,
    /// Earlier invoices that it refers to: BG-3.
    pub preceding: Vec<Preceding>,
    /// Number of the linked delivery note: BT-16.
    pub delivery_note: Option<String>,
    /// Elements of `items`, in the request's order: BG-25.
    pub lines: Vec<Line>,
    /// What it comes to: BG-22.
    pub totals: Totals,
}

impl Facts {
    /// A domestic document in `currency` of `issuer`, whose own it is, which says nothing else yet.
    #[must_use]
    pub fn new(
        kind: FactsKind,
        number: String,
        date: Date,
        issuer: Party,
        currency: Currency,
        totals: Totals,
    ) -> Self {
        Self {
            kind,
            number,
            date,
            date_due: None,
            date_service: None,
            date_service_to: None,
            currency,
            issuer_currency: currency,
            sale: Sale::Domestic,
            issuer,
            customer: None,
            texts: Texts::default(),
            reference: None,
            accounts: Vec::new(),
            paid_by: None,
            preceding: Vec::new(),
            delivery_note: None,
            lines: Vec::new(),
            totals,
        }
    }
}

impl Priced {
    /// A line of `quantity` at the net `price`, taxed at `rate` percent, that comes to `total`
    /// before tax.
    #[must_use]
    pub fn new(
        name: String,
        quantity: Decimal,
        price: Decimal,
        rate: Decimal,
        total: Decimal,
    ) -> Self {
        Self {
            name,
            description: None,
            sells: None,
            quantity,
            unit: None,
            unit_code: None,
            price: Price::Net(price),
            discounts: Vec::new(),
            taxes: vec![LineTax {
                rate,
                reverse_charge: false,
                classification: None,
                exemption_reason: None,
                amount: Decimal::zero(),
            }],
            total,
        }
    }
}

/// One side of a document: BG-4 or BG-7.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Party {
    /// Legal name: BT-27, BT-44.
    pub name: Option<String>,
    /// Person or department to ask: BT-41, BT-56. The name when missing.
    pub contact: Option<String>,
    /// E-mail address: BT-43, BT-58; and BT-34, BT-49 where there is no `peppol_id`.
    pub email: Option<String>,
    /// Telephone number: BT-42, BT-57.
    pub phone: Option<String>,
    /// First line of the address: BT-35, BT-50.
    pub address: Option<String>,
    /// Second line: BT-36, BT-51.
    pub address_2: Option<String>,
    /// Post code: BT-38, BT-53.
    pub post_code: Option<String>,
    /// City: BT-37, BT-52.
    pub city: Option<String>,
    /// Region: BT-39, BT-54.
    pub state: Option<String>,
    /// Country, ISO 3166-1 alpha-2: BT-40, BT-55.
    pub country_code: Option<String>,
    /// VAT identifier, BT-31 or BT-48; or a tax number that is none, BT-32.
    pub tax_number: Option<String>,
    /// Another of these.
    pub tax_number_2: Option<String>,
    /// Number in a register of companies: BT-30, BT-47.
    pub company_number: Option<String>,
    /// Address for electronic documents, with or without its scheme ahead: BT-34, BT-49.
    pub peppol_id: Option<String>,
    /// Scheme of that address, of the EAS code list.
    pub peppol_scheme_id: Option<String>,
    /// Buyer reference, a Leitweg-ID for one: BT-10. Of customers only.
    pub buyer_reference: Option<String>,
    /// Whether it is registered for VAT, where that is known.
    pub is_tax_subject: Option<bool>,
    /// Whether it buys for itself, not for a business.
    pub is_end_consumer: bool,
    /// The account of a customer, which e-SLOG states and budget users in Slovenia need.
    pub account: Option<Account>,
    /// Whether the number of `account` is a mailbox of its routing (`ujp.receiver_mailbox`), and
    /// not of a bank account that the customer has.
    pub is_routed: bool,
    /// The name that the envelope for UJP has of a customer (`ujp.receiver_name`); `name` when
    /// missing.
    pub receiver_name: Option<String>,
    /// The number that the envelope has of it (`ujp.receiver_identifier`); its tax number or its
    /// company number when missing.
    pub receiver_identifier: Option<String>,
}

/// Texts of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    /// Note: BT-22.
    pub note: Option<String>,
    /// Payment terms, Skonto lines of XRechnung among them: BT-20.
    pub payment_terms: Option<String>,
    /// Why no VAT is charged: BT-120 where a line has none, else part of BT-22.
    pub tax_clause: Option<String>,
}

/// A bank account to pay to: BG-17.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// IBAN, or another number: BT-84.
    pub number: String,
    /// BIC: BT-86.
    pub bic: Option<String>,
}

/// How a document was paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidBy {
    /// Code 10 of UNTDID 4461.
    Cash,
    /// By a card, whose number is not kept: code 1, for code 48 wants the number.
    Card,
    /// By an online payment service: code 68.
    Online,
    /// Otherwise: code 1, an instrument that is not defined.
    Other,
}

/// An earlier invoice: BG-3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preceding {
    /// Its number: BT-25.
    pub number: String,
    /// Its date: BT-26.
    pub date: Option<Date>,
}

/// An element of `items`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A heading without amounts: the note of the line after it, BT-127.
    Heading(String),
    /// Goods or services: BG-25.
    Priced(Box<Priced>),
}

/// A line with amounts: BG-25.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priced {
    /// Name of what is sold: BT-153.
    pub name: String,
    /// Description: BT-154.
    pub description: Option<String>,
    /// Goods or services, when the line says it.
    pub sells: Option<Sells>,
    /// How many; below zero for a return: BT-129.
    pub quantity: Decimal,
    /// Unit as written.
    pub unit: Option<String>,
    /// Unit by UN/ECE Recommendation 20: BT-130.
    pub unit_code: Option<String>,
    /// What one costs.
    pub price: Price,
    /// What is taken off, in its order: BG-27.
    pub discounts: Vec<Discount>,
    /// Its taxes; EN 16931 has room for one: BG-30.
    pub taxes: Vec<LineTax>,
    /// After discounts, before tax: BT-131.
    pub total: Decimal,
}

/// What one unit costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Price {
    /// Before tax: BT-146.
    Net(Decimal),
    /// With tax; BT-146 is what remains without.
    Gross(Decimal),
}

/// What is taken off a line, at least 0: BG-27.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Discount {
    /// Percent: BT-138.
    Percent(Decimal),
    /// Money.
    Amount(Decimal),
}

/// A tax of a line: BG-30.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTax {
    /// Percent: BT-152.
    pub rate: Decimal,
    /// Whether the customer owes it: category AE.
    pub reverse_charge: bool,
    /// Its classification. `zero` makes the line zero rated (Z) rather than exempt (E).
    pub classification: Option<String>,
    /// Why the line is exempt: BT-120.
    pub exemption_reason: Option<String>,
    /// The line's tax, which e-SLOG alone states.
    pub amount: Decimal,
}

/// What a document comes to: BG-22.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    /// Before tax: BT-109.
    pub total: Decimal,
    /// With tax: BT-112.
    pub total_with_tax: Decimal,
    /// Taxes by rate: BG-23 and, summed up, BT-110.
    pub taxes: Vec<TaxTotal>,
    /// Applied advances and payments: BT-113. What is due, BT-115, is what they leave.
    pub paid: Decimal,
    /// All VAT in the entity's currency, when the document has another: BT-6 and BT-111.
    pub converted_tax: Option<(Currency, Decimal)>,
}

/// A tax of the document: BG-23.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxTotal {
    /// Percent: BT-119.
    pub rate: Decimal,
    /// Whether the customer owes it; then `amount` is 0.
    pub reverse_charge: bool,
    /// The tax: BT-117.
    pub amount: Decimal,
}
