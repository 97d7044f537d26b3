//! What is sent of an order.

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use racun_orders::{AddressInput, BuyerInput, ItemInput, OrderInput};
use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};

use super::integrations::SourceBody;
use super::output::{ItemKindBody, PaymentStatusBody};
use crate::body::{Convert, input};
use crate::scalar::Instant;
use crate::schema::{nullable_number, number};

input! {
    /// What a caller says of an order.
    OrderInputBody as OrderInput into OrderInput {
        /// The integration that it comes by, `oint_…`. It stays.
        order_integration_id: String,
        /// The platform, that of the integration. It stays.
        source: SourceBody,
        /// Its id at the source, at most 255 characters; once in an integration. It stays.
        source_id: String,
        /// Its number at the shop.
        source_order_number: String,
        /// The buyer's name.
        customer_name: String,
        /// The buyer's e-mail address.
        customer_email: String,
        /// More of the buyer, as a whole.
        customer: BuyerInputBody,
        /// Where the invoice goes, as a whole.
        billing_address: AddressInputBody,
        /// Where the goods go, as a whole.
        shipping_address: AddressInputBody,
        /// ISO 4217 code.
        currency_code: String,
        /// What it comes to before tax.
        total: Decimal => nullable_number,
        /// The same with tax: its document comes to this.
        total_with_tax: Decimal => nullable_number,
        /// Discounts; 0 when absent.
        total_discount: Decimal => nullable_number,
        /// Shipping; 0 when absent.
        total_shipping: Decimal => nullable_number,
        /// All lines, 1 to 500.
        items: Vec<ItemInputBody>,
        /// How far it is paid; `unpaid` when absent.
        payment_status: PaymentStatusBody,
        /// How it is paid, in the shop's words, such as `bacs` or `Cash on delivery`.
        payment_method: String,
        /// By whom the payment went.
        payment_gateway: String,
        /// When it was placed: an instant.
        ordered_at: Instant => instant_schema,
        /// Up to 50 properties of at most 250 characters; replace all there were.
        metadata: BTreeMap<String, String>,
    }
}

/// An instant, or null.
pub(super) fn instant_schema() -> Schema {
    let either = SchemaType::from_iter([Type::String, Type::Null]);
    let format = SchemaFormat::KnownFormat(KnownFormat::DateTime);
    ObjectBuilder::new().schema_type(either).format(Some(format)).build().into()
}

impl Convert<OffsetDateTime> for Instant {
    fn convert(self) -> OffsetDateTime {
        self.0
    }
}

/// More of a buyer.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = OrderCustomerInput)]
pub struct BuyerInputBody {
    /// Telephone number.
    phone: Option<String>,
    /// Name of the company.
    company_name: Option<String>,
    /// Its tax number.
    tax_number: Option<String>,
    /// Its number in the register.
    company_number: Option<String>,
    /// Whether a company buys; false when absent.
    is_business: Option<bool>,
    /// What the buyer wrote.
    notes: Option<String>,
}

impl Convert<BuyerInput> for BuyerInputBody {
    fn convert(self) -> BuyerInput {
        BuyerInput {
            phone: self.phone,
            company_name: self.company_name,
            tax_number: self.tax_number,
            company_number: self.company_number,
            is_business: self.is_business.unwrap_or(false),
            notes: self.notes,
        }
    }
}

/// An address of an order.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = OrderAddressInput)]
pub struct AddressInputBody {
    /// First line.
    address: Option<String>,
    /// Second line.
    address_2: Option<String>,
    /// City.
    city: Option<String>,
    /// State or region.
    state: Option<String>,
    /// Post code.
    post_code: Option<String>,
    /// Country as written.
    country: Option<String>,
    /// Two letters, in either case.
    country_code: Option<String>,
}

impl Convert<AddressInput> for AddressInputBody {
    fn convert(self) -> AddressInput {
        AddressInput {
            address: self.address,
            address_2: self.address_2,
            city: self.city,
            state: self.state,
            post_code: self.post_code,
            country: self.country,
            country_code: self.country_code,
        }
    }
}

/// A line of an order.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = OrderItemInput)]
pub struct ItemInputBody {
    /// Its name.
    name: String,
    /// How many; not 0.
    #[schema(schema_with = number)]
    quantity: Decimal,
    /// Price of one before tax.
    #[schema(schema_with = number)]
    price: Decimal,
    /// Price of one with tax; where it is there, it counts.
    #[schema(schema_with = nullable_number)]
    gross_price: Option<Decimal>,
    /// The line before tax, as the shop has it.
    #[schema(schema_with = number)]
    total: Decimal,
    /// The line with tax, as the shop has it.
    #[schema(schema_with = number)]
    total_with_tax: Decimal,
    /// Its one rate of tax in percent, where `taxes` names none.
    #[schema(schema_with = nullable_number)]
    tax_rate: Option<Decimal>,
    /// Its rates of tax; the entity's default tax when both are absent, none when empty.
    taxes: Option<Vec<ItemTaxBody>>,
    /// The shop's number of the item.
    sku: Option<String>,
    /// The line's id at the source.
    source_id: Option<String>,
    /// Money off the whole line, on the side of the price that counts.
    #[schema(schema_with = nullable_number)]
    discount: Option<Decimal>,
    /// Unit of measure.
    unit: Option<String>,
    /// What it is; `line_item` when absent.
    kind: Option<ItemKindBody>,
}

/// A tax of a line.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = OrderItemTaxInput)]
pub struct ItemTaxBody {
    /// Percent, 0 to 100.
    #[schema(schema_with = number)]
    rate: Decimal,
}

impl Convert<ItemInput> for ItemInputBody {
    fn convert(self) -> ItemInput {
        let rates = self.taxes.map(|taxes| taxes.into_iter().map(|tax| tax.rate).collect());
        ItemInput {
            name: self.name,
            quantity: self.quantity,
            price: self.price,
            gross_price: self.gross_price,
            total: self.total,
            total_with_tax: self.total_with_tax,
            tax_rates: rates.or_else(|| self.tax_rate.map(|rate| vec![rate])),
            sku: self.sku,
            source_id: self.source_id,
            discount: self.discount,
            unit: self.unit,
            kind: self.kind.map(Convert::convert).unwrap_or_default(),
        }
    }
}
