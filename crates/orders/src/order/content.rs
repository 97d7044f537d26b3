//! What a shop says of an order.

use racun_kernel::{Currency, Decimal, Metadata};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// The platform that an order is of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// None: a program of the entity's own.
    #[default]
    Manual,
    /// Shopify.
    Shopify,
    /// WooCommerce.
    Woocommerce,
}

impl SourceKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Manual, Self::Shopify, Self::Woocommerce];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Shopify => "shopify",
            Self::Woocommerce => "woocommerce",
        }
    }
}

/// How far an order is paid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentStatus {
    /// Nothing is.
    #[default]
    Unpaid,
    /// All of it is.
    Paid,
    /// A part is.
    PartiallyPaid,
    /// What was paid was given back.
    Refunded,
}

impl PaymentStatus {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unpaid => "unpaid",
            Self::Paid => "paid",
            Self::PartiallyPaid => "partially_paid",
            Self::Refunded => "refunded",
        }
    }

    /// How far money went: it comes, and may go back.
    pub(super) const fn progress(self) -> u8 {
        match self {
            Self::Unpaid => 0,
            Self::PartiallyPaid => 1,
            Self::Paid => 2,
            Self::Refunded => 3,
        }
    }
}

/// What a line of an order is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// Something that was bought.
    #[default]
    LineItem,
    /// How it gets there.
    Shipping,
}

/// A line of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderItem {
    /// Its name.
    pub name: String,
    /// How many.
    pub quantity: Decimal,
    /// Price of one before tax.
    pub price: Decimal,
    /// Price of one with tax; where it is there, it counts.
    pub gross_price: Option<Decimal>,
    /// The line before tax, as the shop has it.
    pub total: Decimal,
    /// The line with tax, as the shop has it.
    pub total_with_tax: Decimal,
    /// Rates of tax in percent; none where nothing is said of tax.
    pub tax_rates: Option<Vec<Decimal>>,
    /// The shop's number of the item.
    pub sku: Option<String>,
    /// The line's id at the source.
    pub source_id: Option<String>,
    /// Money off the whole line, on the side of the price that counts.
    pub discount: Option<Decimal>,
    /// Unit of measure.
    pub unit: Option<String>,
    /// What it is.
    pub kind: ItemKind,
}

/// Who bought, beside name and e-mail address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buyer {
    /// Telephone number.
    pub phone: Option<String>,
    /// Name of the company.
    pub company_name: Option<String>,
    /// Its tax number.
    pub tax_number: Option<String>,
    /// Its number in the register.
    pub company_number: Option<String>,
    /// Whether a company buys.
    pub is_business: bool,
    /// What the buyer wrote.
    pub notes: Option<String>,
}

/// An address of an order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// First line.
    pub address: Option<String>,
    /// Second line.
    pub address_2: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State or region.
    pub state: Option<String>,
    /// Post code.
    pub post_code: Option<String>,
    /// Country as written.
    pub country: Option<String>,
    /// ISO 3166-1 alpha-2 code.
    pub country_code: Option<String>,
}

/// Money that moved at the platform for an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// The platform's id of it.
    pub source_id: Option<String>,
    /// What moved it.
    pub gateway: Option<String>,
    /// How much; below zero for money that was given back.
    pub amount: Decimal,
    /// When.
    #[serde(with = "time::serde::rfc3339::option")]
    pub at: Option<OffsetDateTime>,
}

/// What an order says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Its number at the shop.
    pub source_order_number: Option<String>,
    /// The buyer's name.
    pub customer_name: Option<String>,
    /// The buyer's e-mail address.
    pub customer_email: Option<String>,
    /// More of the buyer.
    pub customer: Option<Buyer>,
    /// Where the invoice goes.
    pub billing_address: Option<Address>,
    /// Where the goods go.
    pub shipping_address: Option<Address>,
    /// Its currency.
    pub currency: Currency,
    /// What it comes to before tax, as the shop has it.
    pub total: Decimal,
    /// The same with tax.
    pub total_with_tax: Decimal,
    /// Discounts.
    pub total_discount: Decimal,
    /// Shipping.
    pub total_shipping: Decimal,
    /// What was bought.
    pub items: Vec<OrderItem>,
    /// How far it is paid.
    pub payment_status: PaymentStatus,
    /// How, in the shop's words.
    pub payment_method: Option<String>,
    /// By whom the payment went.
    pub payment_gateway: Option<String>,
    /// What moved at the platform.
    pub transactions: Vec<Transaction>,
    /// When it was placed.
    #[serde(with = "time::serde::rfc3339::option")]
    pub ordered_at: Option<OffsetDateTime>,
    /// What the caller attached.
    pub metadata: Metadata,
}

impl Content {
    /// Whether a document made of `other` would say the same: buyer, lines, totals, currency.
    #[must_use]
    pub fn sells_as(&self, other: &Self) -> bool {
        self.items == other.items
            && self.total_with_tax == other.total_with_tax
            && self.currency == other.currency
            && self.customer_name == other.customer_name
            && self.customer == other.customer
            && self.billing_address == other.billing_address
    }
}

/// What became of an order at the shop, and when.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// When it was paid.
    #[serde(with = "time::serde::rfc3339::option")]
    pub paid_at: Option<OffsetDateTime>,
    /// When it was on its way.
    #[serde(with = "time::serde::rfc3339::option")]
    pub fulfilled_at: Option<OffsetDateTime>,
    /// When it was cancelled.
    #[serde(with = "time::serde::rfc3339::option")]
    pub cancelled_at: Option<OffsetDateTime>,
    /// When the money was given back.
    #[serde(with = "time::serde::rfc3339::option")]
    pub refunded_at: Option<OffsetDateTime>,
}
