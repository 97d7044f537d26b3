//! What a caller says of an order.

use std::collections::BTreeMap;

use racun_kernel::{
    Decimal, Issue, Issues, Metadata, Patch, check_address, check_country_code, text,
};
use time::OffsetDateTime;

use super::content::{Address, Buyer, Content, ItemKind, OrderItem, PaymentStatus, SourceKind};
use crate::check::{Check, MAX_NOTE_CHARS, MAX_SOURCE_CHARS, MAX_TEXT_CHARS, required};

/// Lines of an order.
pub const MAX_ITEMS: usize = 500;
/// Rates of tax of one line.
const MAX_RATES: usize = 5;

/// What a caller says of an order. A new one needs `currency_code`, `total`, `total_with_tax` and
/// `items`; an update changes what it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderInput {
    /// The integration that it comes by; it stays.
    pub order_integration_id: Patch<String>,
    /// The platform, which is that of the integration. It stays.
    pub source: Patch<SourceKind>,
    /// Its id there; it stays.
    pub source_id: Patch<String>,
    /// See [`Content::source_order_number`]; so all below.
    pub source_order_number: Patch<String>,
    /// The buyer's name.
    pub customer_name: Patch<String>,
    /// The buyer's e-mail address.
    pub customer_email: Patch<String>,
    /// More of the buyer, as a whole.
    pub customer: Patch<BuyerInput>,
    /// Where the invoice goes, as a whole.
    pub billing_address: Patch<AddressInput>,
    /// Where the goods go, as a whole.
    pub shipping_address: Patch<AddressInput>,
    /// ISO 4217 code.
    pub currency_code: Patch<String>,
    /// Before tax.
    pub total: Patch<Decimal>,
    /// With tax.
    pub total_with_tax: Patch<Decimal>,
    /// 0 when missing.
    pub total_discount: Patch<Decimal>,
    /// 0 when missing.
    pub total_shipping: Patch<Decimal>,
    /// All lines, 1 to [`MAX_ITEMS`].
    pub items: Patch<Vec<ItemInput>>,
    /// `unpaid` when missing.
    pub payment_status: Patch<PaymentStatus>,
    /// How it is paid, in the shop's words.
    pub payment_method: Patch<String>,
    /// By whom the payment went.
    pub payment_gateway: Patch<String>,
    /// When it was placed.
    pub ordered_at: Patch<OffsetDateTime>,
    /// Replaces all that was attached.
    pub metadata: Patch<BTreeMap<String, String>>,
}

/// What a caller says of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemInput {
    /// See [`OrderItem::name`]; so all below.
    pub name: String,
    /// Not zero.
    pub quantity: Decimal,
    /// Price of one before tax.
    pub price: Decimal,
    /// Price of one with tax.
    pub gross_price: Option<Decimal>,
    /// The line before tax.
    pub total: Decimal,
    /// The line with tax.
    pub total_with_tax: Decimal,
    /// Rates of tax in percent, each from 0 to 100.
    pub tax_rates: Option<Vec<Decimal>>,
    /// The shop's number of the item.
    pub sku: Option<String>,
    /// The line's id at the source.
    pub source_id: Option<String>,
    /// Money off the line.
    pub discount: Option<Decimal>,
    /// Unit of measure.
    pub unit: Option<String>,
    /// What it is.
    pub kind: ItemKind,
}

/// What a caller says of the buyer.
pub type BuyerInput = Buyer;
/// What a caller says of an address.
pub type AddressInput = Address;

impl OrderInput {
    /// What a new order says.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_content(self) -> Result<Content, Issues> {
        self.onto(None)
    }

    /// The id at the source, and what a new order of an integration of `own` says; with `None`,
    /// where its integration is not known, any source will do.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_new(self, own: Option<SourceKind>) -> Result<(String, Content), Issues> {
        let mut issues = Issues::default();
        let source_id = self.source_id.value().map_or("", |id| id.trim()).to_owned();
        match (self.source.value(), own) {
            (None, _) => issues.push(required("source")),
            (Some(source), Some(own)) if *source != own => {
                let message = format!("this integration is of {}", own.name());
                issues.push(Issue::new("conflicting", message).at("source"));
            }
            (Some(_), _) => {}
        }
        match source_id.is_empty() {
            true => issues.push(required("source_id")),
            false => {
                text::check_field(&mut issues, "source_id", Some(&source_id), MAX_SOURCE_CHARS);
            }
        }
        match issues.note(self.into_content()) {
            Some(content) => issues.into_result((source_id, content)),
            None => Err(issues),
        }
    }

    /// `before` with what this says.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn onto(self, before: Option<Content>) -> Result<Content, Issues> {
        let mut check = Check::default();
        if before.is_some() {
            for (field, is_sent) in [
                ("order_integration_id", !self.order_integration_id.is_absent()),
                ("source", !self.source.is_absent()),
                ("source_id", !self.source_id.is_absent()),
            ] {
                if is_sent {
                    let message = "an order stays with its source; leave this out";
                    check.0.push(Issue::new("immutable", message).at(field));
                }
            }
        }
        let mut currency = before.as_ref().map(|before| before.currency);
        check.currency(&self.currency_code, &mut currency);
        for (field, sent) in [("total", &self.total), ("total_with_tax", &self.total_with_tax)] {
            if sent.value().is_none() && (before.is_none() || !sent.is_absent()) {
                check.0.push(required(field));
            }
        }
        if self.items.value().is_none() && (before.is_none() || !self.items.is_absent()) {
            check.0.push(required("items"));
        }
        // Without a currency it is refused anyway.
        let currency = currency.unwrap_or(racun_kernel::Currency::EUR);
        let mut content = before.unwrap_or_else(|| empty(currency));
        content.currency = currency;
        let email = self.customer_email.value().filter(|email| !email.trim().is_empty());
        if let Some(Err(issue)) = email.map(|email| check_address(email.trim())) {
            check.0.push(issue.at("customer_email"));
        }
        check.texts([
            ("customer_name", self.customer_name, &mut content.customer_name),
            ("customer_email", self.customer_email, &mut content.customer_email),
            ("payment_method", self.payment_method, &mut content.payment_method),
            ("payment_gateway", self.payment_gateway, &mut content.payment_gateway),
        ]);
        check.text(
            "source_order_number",
            self.source_order_number,
            &mut content.source_order_number,
            MAX_SOURCE_CHARS,
        );
        if let Some(buyer) = check.0.collect("customer", self.customer.try_map(buyer)) {
            buyer.apply(&mut content.customer);
        }
        if let Some(sent) =
            check.0.collect("billing_address", self.billing_address.try_map(address))
        {
            sent.apply(&mut content.billing_address);
        }
        let shipping = self.shipping_address.try_map(address);
        if let Some(sent) = check.0.collect("shipping_address", shipping) {
            sent.apply(&mut content.shipping_address);
        }
        check.amount(self.total_discount, &mut content.total_discount);
        check.amount(self.total_shipping, &mut content.total_shipping);
        if let Patch::Value(total) = self.total {
            content.total = total;
        }
        if let Patch::Value(total) = self.total_with_tax {
            content.total_with_tax = total;
        }
        if let Patch::Value(sent) = self.items
            && let Some(items) = check.0.collect("items", items(sent))
        {
            content.items = items;
        }
        self.payment_status.apply_or(&mut content.payment_status, PaymentStatus::Unpaid);
        self.ordered_at.apply(&mut content.ordered_at);
        check.metadata(self.metadata, &mut content.metadata);
        check.0.into_result(content)
    }
}

fn empty(currency: racun_kernel::Currency) -> Content {
    Content {
        source_order_number: None,
        customer_name: None,
        customer_email: None,
        customer: None,
        billing_address: None,
        shipping_address: None,
        currency,
        total: Decimal::zero(),
        total_with_tax: Decimal::zero(),
        total_discount: Decimal::zero(),
        total_shipping: Decimal::zero(),
        items: Vec::new(),
        payment_status: PaymentStatus::Unpaid,
        payment_method: None,
        payment_gateway: None,
        transactions: Vec::new(),
        ordered_at: None,
        metadata: Metadata::default(),
    }
}

fn buyer(sent: BuyerInput) -> Result<Buyer, Issues> {
    let mut check = Check::default();
    let mut buyer = Buyer { is_business: sent.is_business, ..Buyer::default() };
    check.texts([
        ("phone", sent.phone.into(), &mut buyer.phone),
        ("company_name", sent.company_name.into(), &mut buyer.company_name),
        ("tax_number", sent.tax_number.into(), &mut buyer.tax_number),
        ("company_number", sent.company_number.into(), &mut buyer.company_number),
    ]);
    check.text("notes", sent.notes.into(), &mut buyer.notes, MAX_NOTE_CHARS);
    check.0.into_result(buyer)
}

fn address(sent: AddressInput) -> Result<Address, Issues> {
    let (mut check, mut address) = (Check::default(), Address::default());
    let code = sent.country_code.map(|code| code.trim().to_ascii_uppercase());
    if let Some(Err(issue)) = code.as_deref().filter(|c| !c.is_empty()).map(check_country_code) {
        check.0.push(issue.at("country_code"));
    }
    check.texts([
        ("address", sent.address.into(), &mut address.address),
        ("address_2", sent.address_2.into(), &mut address.address_2),
        ("city", sent.city.into(), &mut address.city),
        ("state", sent.state.into(), &mut address.state),
        ("post_code", sent.post_code.into(), &mut address.post_code),
        ("country", sent.country.into(), &mut address.country),
        ("country_code", code.into(), &mut address.country_code),
    ]);
    check.0.into_result(address)
}

fn items(sent: Vec<ItemInput>) -> Result<Vec<OrderItem>, Issues> {
    if sent.is_empty() || sent.len() > MAX_ITEMS {
        let message = format!("an order has 1 to {MAX_ITEMS} lines");
        return Err(Issue::new("out_of_range", message).into());
    }
    let mut issues = Issues::default();
    let items: Vec<OrderItem> = sent
        .into_iter()
        .enumerate()
        .filter_map(|(n, sent)| issues.collect(n, item(sent)))
        .collect();
    issues.into_result(items)
}

fn item(sent: ItemInput) -> Result<OrderItem, Issues> {
    let mut check = Check::default();
    let mut name = String::new();
    check.name("name", Patch::Value(sent.name), &mut name, MAX_TEXT_CHARS);
    if sent.quantity.is_zero() {
        check.0.push(Issue::new("out_of_range", "must not be 0").at("quantity"));
    }
    if sent.discount.as_ref().is_some_and(Decimal::is_negative) {
        check.0.push(Issue::new("out_of_range", "must not be below 0").at("discount"));
    }
    let rates = sent.tax_rates.as_deref().unwrap_or_default();
    if rates.len() > MAX_RATES {
        let message = format!("at most {MAX_RATES} taxes");
        check.0.push(Issue::new("out_of_range", message).at("taxes"));
    }
    for (n, rate) in rates.iter().enumerate() {
        if rate.is_negative() || *rate > Decimal::from(100) {
            let issue = Issue::new("out_of_range", "a rate is a percentage from 0 to 100");
            check.0.push(issue.at("rate").at(n).at("taxes"));
        }
    }
    let (mut sku, mut source_id, mut unit) = (None, None, None);
    for (field, sent, kept) in [
        ("sku", sent.sku, &mut sku),
        ("source_id", sent.source_id, &mut source_id),
        ("unit", sent.unit, &mut unit),
    ] {
        check.text(field, sent.into(), kept, MAX_SOURCE_CHARS);
    }
    check.0.into_result(OrderItem {
        name,
        quantity: sent.quantity,
        price: sent.price,
        gross_price: sent.gross_price,
        total: sent.total,
        total_with_tax: sent.total_with_tax,
        tax_rates: sent.tax_rates,
        sku,
        source_id,
        discount: sent.discount,
        unit,
        kind: sent.kind,
    })
}
