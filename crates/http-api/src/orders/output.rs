//! What is answered of an order.

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use racun_orders::{
    Address, Buyer, ItemKind, Order, OrderItem, PaymentStatus, Status, Transaction,
};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::integrations::SourceBody;
use crate::body::{Convert, answer, names};
use crate::schema::{nullable_number, number};

names! {
    /// What a line of an order is.
    ItemKindBody as OrderItemKind of ItemKind { LineItem, Shipping }
}
names! {
    /// How far an order is paid.
    PaymentStatusBody as OrderPaymentStatus of PaymentStatus {
        Unpaid, Paid, PartiallyPaid, Refunded
    }
}
names! {
    /// Where an order stands.
    StatusBody as OrderStatus of Status { Pending, Processed, Failed, Cancelled }
}

answer! {
    /// More of a buyer.
    BuyerBody as OrderCustomer from Buyer {
        /// Telephone number.
        phone: Option<String>,
        /// Name of the company.
        company_name: Option<String>,
        /// Its tax number.
        tax_number: Option<String>,
        /// Its number in the register.
        company_number: Option<String>,
        /// Whether a company buys.
        is_business: bool,
        /// What the buyer wrote.
        notes: Option<String>,
    }
}
answer! {
    /// An address of an order.
    AddressBody as OrderAddress from Address {
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
        /// Two letters.
        country_code: Option<String>,
    }
}

/// A tax of a line.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderItemTax)]
pub struct ItemTaxBody {
    /// Percent.
    #[schema(schema_with = number)]
    rate: Decimal,
}

/// A line of an order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderItem)]
pub struct ItemBody {
    /// Its name.
    name: String,
    /// How many.
    #[schema(schema_with = number)]
    quantity: Decimal,
    /// Price of one before tax.
    #[schema(schema_with = number)]
    price: Decimal,
    /// Price of one with tax.
    #[schema(required = true, schema_with = nullable_number)]
    gross_price: Option<Decimal>,
    /// The line before tax.
    #[schema(schema_with = number)]
    total: Decimal,
    /// The line with tax.
    #[schema(schema_with = number)]
    total_with_tax: Decimal,
    /// Its rate of tax, where it has one.
    #[schema(required = true, schema_with = nullable_number)]
    tax_rate: Option<Decimal>,
    /// Its rates of tax; null where nothing was said of tax.
    #[schema(required = true)]
    taxes: Option<Vec<ItemTaxBody>>,
    /// The shop's number of the item.
    #[schema(required = true)]
    sku: Option<String>,
    /// The line's id at the source.
    #[schema(required = true)]
    source_id: Option<String>,
    /// Money off the line.
    #[schema(required = true, schema_with = nullable_number)]
    discount: Option<Decimal>,
    /// Unit of measure.
    #[schema(required = true)]
    unit: Option<String>,
    /// What it is.
    kind: ItemKindBody,
}

impl Convert<ItemBody> for OrderItem {
    fn convert(self) -> ItemBody {
        let rates = self.tax_rates;
        ItemBody {
            name: self.name,
            quantity: self.quantity,
            price: self.price,
            gross_price: self.gross_price,
            total: self.total,
            total_with_tax: self.total_with_tax,
            tax_rate: rates.as_ref().and_then(|rates| match rates.as_slice() {
                [rate] => Some(rate.clone()),
                _ => None,
            }),
            taxes: rates.map(|rates| rates.into_iter().map(|rate| ItemTaxBody { rate }).collect()),
            sku: self.sku,
            source_id: self.source_id,
            discount: self.discount,
            unit: self.unit,
            kind: self.kind.convert(),
        }
    }
}

/// Money that moved at the platform.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderTransaction)]
pub struct TransactionBody {
    /// The platform's id of it.
    #[schema(required = true)]
    source_id: Option<String>,
    /// What moved it.
    #[schema(required = true)]
    gateway: Option<String>,
    /// How much.
    #[schema(schema_with = number)]
    amount: Decimal,
    /// When.
    #[schema(required = true)]
    at: Option<String>,
}

impl Convert<TransactionBody> for Transaction {
    fn convert(self) -> TransactionBody {
        TransactionBody {
            source_id: self.source_id,
            gateway: self.gateway,
            amount: self.amount,
            at: self.at.convert(),
        }
    }
}

/// An order of a shop.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Order)]
pub struct OrderBody {
    /// Its id.
    id: String,
    /// Whose.
    entity_id: String,
    /// The integration that it came by.
    order_integration_id: String,
    /// The platform.
    source: SourceBody,
    /// Its id there.
    source_id: String,
    /// Its number at the shop.
    #[schema(required = true)]
    source_order_number: Option<String>,
    /// Where it stands: `failed` says why in `error`.
    status: StatusBody,
    /// The buyer's name.
    #[schema(required = true)]
    customer_name: Option<String>,
    /// The buyer's e-mail address.
    #[schema(required = true)]
    customer_email: Option<String>,
    /// More of the buyer.
    #[schema(required = true)]
    customer: Option<BuyerBody>,
    /// Where the invoice goes.
    #[schema(required = true)]
    billing_address: Option<AddressBody>,
    /// Where the goods go.
    #[schema(required = true)]
    shipping_address: Option<AddressBody>,
    /// ISO 4217 code.
    currency_code: String,
    /// What it comes to before tax.
    #[schema(schema_with = number)]
    total: Decimal,
    /// The same with tax.
    #[schema(schema_with = number)]
    total_with_tax: Decimal,
    /// Discounts.
    #[schema(schema_with = number)]
    total_discount: Decimal,
    /// Shipping.
    #[schema(schema_with = number)]
    total_shipping: Decimal,
    /// What was bought.
    items: Vec<ItemBody>,
    /// How far it is paid.
    payment_status: PaymentStatusBody,
    /// How, in the shop's words.
    #[schema(required = true)]
    payment_method: Option<String>,
    /// By whom the payment went.
    #[schema(required = true)]
    payment_gateway: Option<String>,
    /// What moved at the platform.
    transactions: Vec<TransactionBody>,
    /// Whether all of it is paid.
    paid: bool,
    /// When it was paid.
    #[schema(required = true)]
    paid_at: Option<String>,
    /// Whether it is on its way.
    fulfilled: bool,
    /// Since when.
    #[schema(required = true)]
    fulfilled_at: Option<String>,
    /// Whether it was cancelled.
    cancelled: bool,
    /// When.
    #[schema(required = true)]
    cancelled_at: Option<String>,
    /// Whether the money was given back.
    refunded: bool,
    /// When.
    #[schema(required = true)]
    refunded_at: Option<String>,
    /// Whether it is paid and on its way.
    complete: bool,
    /// The customer that was found or made for it.
    #[schema(required = true)]
    customer_id: Option<String>,
    /// Its invoice.
    #[schema(required = true)]
    invoice_id: Option<String>,
    /// Its estimate.
    #[schema(required = true)]
    estimate_id: Option<String>,
    /// From when on it is processed by itself.
    #[schema(required = true)]
    process_after: Option<String>,
    /// When its document was made.
    #[schema(required = true)]
    processed_at: Option<String>,
    /// Whether what was bought changed after that.
    items_changed_after_processing: bool,
    /// Why its document was refused.
    #[schema(required = true)]
    error: Option<String>,
    /// What the platform sent last, up to 64 KiB.
    #[schema(required = true, value_type = Option<Object>)]
    raw_data: Option<Json>,
    /// The platform's id of that.
    #[schema(required = true)]
    source_event_id: Option<String>,
    /// When it was placed.
    #[schema(required = true)]
    ordered_at: Option<String>,
    /// What the caller attached.
    metadata: BTreeMap<String, String>,
    /// Since when it is in the trash.
    #[schema(required = true)]
    deleted_at: Option<String>,
    /// When it came here.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl Convert<OrderBody> for Order {
    fn convert(self) -> OrderBody {
        let (paid, complete) = (self.is_paid(), self.is_complete());
        let (content, facts) = (self.content, self.facts);
        OrderBody {
            id: self.id.convert(),
            entity_id: self.entity_id.convert(),
            order_integration_id: self.order_integration_id.convert(),
            source: self.source.convert(),
            source_id: self.source_id,
            source_order_number: content.source_order_number,
            status: self.status.convert(),
            customer_name: content.customer_name,
            customer_email: content.customer_email,
            customer: content.customer.convert(),
            billing_address: content.billing_address.convert(),
            shipping_address: content.shipping_address.convert(),
            currency_code: content.currency.code().to_owned(),
            total: content.total,
            total_with_tax: content.total_with_tax,
            total_discount: content.total_discount,
            total_shipping: content.total_shipping,
            items: content.items.convert(),
            payment_status: content.payment_status.convert(),
            payment_method: content.payment_method,
            payment_gateway: content.payment_gateway,
            transactions: content.transactions.convert(),
            paid,
            paid_at: facts.paid_at.convert(),
            fulfilled: facts.fulfilled_at.is_some(),
            fulfilled_at: facts.fulfilled_at.convert(),
            cancelled: facts.cancelled_at.is_some(),
            cancelled_at: facts.cancelled_at.convert(),
            refunded: facts.refunded_at.is_some(),
            refunded_at: facts.refunded_at.convert(),
            complete,
            customer_id: self.customer_id.convert(),
            invoice_id: self.invoice_id.convert(),
            estimate_id: self.estimate_id.convert(),
            process_after: self.process_after.convert(),
            processed_at: self.processed_at.convert(),
            items_changed_after_processing: self.items_changed_after_processing,
            error: self.error,
            raw_data: self.raw_data,
            source_event_id: self.source_event_id,
            ordered_at: content.ordered_at.convert(),
            metadata: content.metadata.convert(),
            deleted_at: self.deleted_at.convert(),
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
        }
    }
}
