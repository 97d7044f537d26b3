//! What a received invoice says, as plain values: what a draft expense is made of.

use en16931::invoice::{Code, DocumentAllowanceCharge, InvoiceLine, PaymentMeans, VatBreakdown};
use en16931::{DocumentKind, Invoice};
use racun_kernel::{Currency, Decimal, calendar};
use time::Date;

use crate::decimals;
use crate::facts::{Account, Party, Preceding};

/// What an invoice says. Texts are a stranger's, as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Whether it is a credit note: BT-3.
    pub is_credit_note: bool,
    /// The supplier's number for it: BT-1.
    pub number: Option<String>,
    /// Its date: BT-2.
    pub date: Option<Date>,
    /// When it is due: BT-9.
    pub date_due: Option<Date>,
    /// Its currency, as written: BT-5.
    pub currency: Option<String>,
    /// Who sent it: BG-4.
    pub supplier: Party,
    /// Whom it is for: BG-7.
    pub buyer: Party,
    /// Where to pay: BG-17.
    pub accounts: Vec<Account>,
    /// By which the supplier knows the payment: BT-83.
    pub reference: Option<String>,
    /// Invoices that it corrects or gives back of: BG-3.
    pub preceding: Vec<Preceding>,
    /// Its lines: BG-25.
    pub lines: Vec<ImportLine>,
    /// What is taken off the whole, or added to it: BG-20 and BG-21.
    pub allowances: Vec<ImportAllowance>,
    /// Its VAT breakdown: BG-23.
    pub taxes: Vec<ImportTax>,
    /// Before tax: BT-109.
    pub total: Decimal,
    /// All tax: BT-110.
    pub tax: Decimal,
    /// With tax: BT-112.
    pub total_with_tax: Decimal,
    /// Paid already: BT-113.
    pub paid: Decimal,
    /// Rounding of what is due: BT-114.
    pub rounding: Decimal,
    /// What is due: BT-115.
    pub due: Decimal,
}

/// A line: BG-25.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportLine {
    /// What it sells: BT-153.
    pub name: String,
    /// Description: BT-154.
    pub description: Option<String>,
    /// How many: BT-129.
    pub quantity: Decimal,
    /// Unit by UN/ECE Recommendation 20: BT-130.
    pub unit_code: String,
    /// Price before tax: BT-146, of as many as `price_base`.
    pub price: Decimal,
    /// How many the price is for: BT-149.
    pub price_base: Decimal,
    /// What is taken off: BT-136.
    pub discount: Decimal,
    /// What is added: BT-141.
    pub charge: Decimal,
    /// Why something is added: the first BT-144.
    pub charge_reason: Option<String>,
    /// After discounts, before tax: BT-131.
    pub total: Decimal,
    /// VAT category: BT-151.
    pub category: String,
    /// Rate in percent: BT-152.
    pub rate: Decimal,
}

impl ImportLine {
    /// Price of one, at eight decimals where the price is for several; `None` when it is for none.
    #[must_use]
    pub fn unit_price(&self) -> Option<Decimal> {
        match self.price_base == 1.into() {
            true => Some(self.price.clone()),
            false => decimals::quotient(&self.price, &self.price_base, 3),
        }
    }

    /// Whether quantity, price, discount and charge come to `total`, give or take two cents as in
    /// PEPPOL-EN16931-R120. EN 16931 does not want it: totals are sums of what lines state.
    #[must_use]
    pub fn comes_to_total(&self) -> bool {
        let whole = &self.quantity * &self.price;
        // The euro has two decimals, as amounts of invoices have in every currency.
        Currency::EUR.divide(&whole, &self.price_base).is_some_and(|goods| {
            let expected = &(&goods - &self.discount) + &self.charge;
            (&expected - &self.total).abs() <= Decimal::new(2, 2)
        })
    }

    /// Whether the buyer owes the tax: categories AE and K.
    #[must_use]
    pub fn is_reverse_charge(&self) -> bool {
        is_reverse_charge(&self.category)
    }
}

impl ImportTax {
    /// Whether the buyer owes the tax: categories AE and K.
    #[must_use]
    pub fn is_reverse_charge(&self) -> bool {
        is_reverse_charge(&self.category)
    }
}

fn is_reverse_charge(category: &str) -> bool {
    matches!(category, "AE" | "K")
}

/// An allowance, or a charge, of the whole: BG-20 and BG-21.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportAllowance {
    /// Before tax; below zero for an allowance: BT-92 and BT-99.
    pub amount: Decimal,
    /// Why: BT-97 and BT-104.
    pub reason: Option<String>,
    /// VAT category: BT-95 and BT-102.
    pub category: String,
    /// Rate in percent: BT-96 and BT-103.
    pub rate: Decimal,
}

/// A group of the VAT breakdown: BG-23.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportTax {
    /// VAT category: BT-118.
    pub category: String,
    /// Rate in percent: BT-119.
    pub rate: Decimal,
    /// Base: BT-116.
    pub base: Decimal,
    /// Tax: BT-117.
    pub amount: Decimal,
    /// Why it is exempt: BT-120.
    pub exemption_reason: Option<String>,
}

impl Import {
    pub(super) fn of(invoice: &Invoice) -> Self {
        let payment = invoice.payment.as_ref();
        let transfers = match payment.and_then(|payment| payment.means.as_ref()) {
            Some(PaymentMeans::CreditTransfer(transfers)) => transfers.as_slice(),
            _ => &[],
        };
        let accounts = transfers.iter().filter_map(|transfer| {
            let number = transfer.account_identifier.clone()?;
            Some(Account { number, bic: transfer.provider_identifier.clone() })
        });
        let totals = &invoice.totals;
        let earlier = invoice.preceding_invoices.iter().map(|earlier| Preceding {
            number: earlier.reference.as_str().to_owned(),
            date: earlier.issue_date.and_then(day),
        });
        Self {
            is_credit_note: invoice.kind == DocumentKind::CreditNote,
            number: invoice.number.clone(),
            date: invoice.issue_date.and_then(day),
            date_due: invoice.due_date.and_then(day),
            currency: invoice.currency.as_ref().map(code),
            supplier: party(&invoice.seller),
            buyer: party(&invoice.buyer),
            accounts: accounts.collect(),
            reference: payment.and_then(|payment| payment.remittance_information.clone()),
            preceding: earlier.collect(),
            lines: invoice.lines.iter().map(line).collect(),
            allowances: allowances(invoice),
            taxes: invoice.vat_breakdown.iter().map(tax).collect(),
            total: decimal(&totals.taxable_total),
            tax: totals.vat_total.as_ref().map_or_else(Decimal::zero, decimal),
            total_with_tax: decimal(&totals.gross_total),
            paid: totals.paid.as_ref().map_or_else(Decimal::zero, decimal),
            rounding: totals.rounding.as_ref().map_or_else(Decimal::zero, decimal),
            due: decimal(&totals.due),
        }
    }
}

fn allowances(invoice: &Invoice) -> Vec<ImportAllowance> {
    let of = |one: &DocumentAllowanceCharge, amount: Decimal| ImportAllowance {
        amount,
        reason: one.reason.clone(),
        category: code(&one.vat.category),
        rate: one.vat.rate.as_ref().map_or_else(Decimal::zero, decimal),
    };
    let off = invoice.allowances.iter().map(|one| of(one, -&decimal(&one.amount)));
    let on = invoice.charges.iter().map(|one| of(one, decimal(&one.amount)));
    off.chain(on).collect()
}

/// A number of the terms by its digits.
fn decimal(number: &impl ToString) -> Decimal {
    Decimal::computed(&number.to_string()).unwrap_or_else(Decimal::zero)
}

fn code(code: &Code) -> String {
    code.as_str().to_owned()
}

fn day(date: en16931::Date) -> Option<Date> {
    calendar::parse_date(&date.to_string()).ok()
}

fn party(term: &en16931::invoice::Party) -> Party {
    let address = &term.address;
    let network = term.electronic_address.as_ref();
    Party {
        name: term.name.clone(),
        contact: term.contact.name.clone(),
        email: term.contact.email.clone(),
        phone: term.contact.phone.clone(),
        address: address.line1.clone(),
        address_2: address.line2.clone(),
        post_code: address.post_code.clone(),
        city: address.city.clone(),
        state: address.subdivision.clone(),
        country_code: address.country.as_ref().map(code),
        tax_number: term.vat_identifier.clone().or_else(|| term.tax_registration.clone()),
        tax_number_2: term.tax_registration.clone().filter(|_| term.vat_identifier.is_some()),
        company_number: term.legal_registration.as_ref().map(|id| id.content().to_owned()),
        peppol_id: network.map(|id| id.content().to_owned()),
        peppol_scheme_id: network.and_then(|id| id.scheme().map(str::to_owned)),
        buyer_reference: None,
        is_tax_subject: Some(term.vat_identifier.is_some()),
        is_end_consumer: false,
        account: None,
        is_routed: false,
        receiver_name: None,
        receiver_identifier: None,
    }
}

fn line(term: &InvoiceLine) -> ImportLine {
    let off: Decimal =
        term.allowances.iter().map(|one| decimal(&one.amount)).collect::<Vec<_>>().iter().sum();
    let on: Decimal =
        term.charges.iter().map(|one| decimal(&one.amount)).collect::<Vec<_>>().iter().sum();
    ImportLine {
        name: term.item.name.clone().unwrap_or_default(),
        description: term.item.description.clone(),
        quantity: decimal(&term.quantity),
        unit_code: code(&term.unit_code),
        price: decimal(&term.price.net_price),
        price_base: term.price.base_quantity.as_ref().map_or_else(|| 1.into(), decimal),
        discount: off,
        charge: on,
        charge_reason: term.charges.iter().find_map(|one| one.reason.clone()),
        total: decimal(&term.net_amount),
        category: code(&term.vat.category),
        rate: term.vat.rate.as_ref().map_or_else(Decimal::zero, decimal),
    }
}

fn tax(group: &VatBreakdown) -> ImportTax {
    ImportTax {
        category: code(&group.category),
        rate: group.rate.as_ref().map_or_else(Decimal::zero, decimal),
        base: decimal(&group.taxable_amount),
        amount: decimal(&group.tax_amount),
        exemption_reason: group.exemption_reason.clone(),
    }
}
