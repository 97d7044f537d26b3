//! Webhooks of WooCommerce: `X-WC-Webhook-Topic`, and an order of its REST API as the body.

use racun_kernel::{Decimal, Issue, Issues, Patch};
use serde::Deserialize;
use serde_json::Value as Json;

use super::reading::{self, Number, SourceId};
use super::{Headers, Hook, Incoming, json, no_topic, raw};
use crate::order::{
    Address, Buyer, Facts, ItemInput, ItemKind, OrderInput, PaymentStatus, Transaction,
};

const TOPICS: &[&str] = &["order.created", "order.updated", "order.restored", "order.deleted"];

#[derive(Deserialize)]
struct Order {
    #[serde(default)]
    id: SourceId,
    number: Option<String>,
    status: Option<String>,
    currency: Option<String>,
    #[serde(default)]
    prices_include_tax: bool,
    date_created_gmt: Option<String>,
    date_modified_gmt: Option<String>,
    date_paid_gmt: Option<String>,
    date_completed_gmt: Option<String>,
    #[serde(default)]
    discount_total: Number,
    #[serde(default)]
    shipping_total: Number,
    #[serde(default)]
    total: Number,
    #[serde(default)]
    total_tax: Number,
    billing: Option<Place>,
    shipping: Option<Place>,
    payment_method: Option<String>,
    payment_method_title: Option<String>,
    transaction_id: Option<String>,
    customer_note: Option<String>,
    #[serde(default)]
    meta_data: Vec<Meta>,
    #[serde(default)]
    line_items: Vec<Line>,
    #[serde(default)]
    shipping_lines: Vec<Line>,
    #[serde(default)]
    fee_lines: Vec<Line>,
    #[serde(default)]
    tax_lines: Vec<Rate>,
}

#[derive(Deserialize)]
struct Place {
    first_name: Option<String>,
    last_name: Option<String>,
    company: Option<String>,
    address_1: Option<String>,
    address_2: Option<String>,
    city: Option<String>,
    state: Option<String>,
    postcode: Option<String>,
    country: Option<String>,
    email: Option<String>,
    phone: Option<String>,
}

#[derive(Deserialize)]
struct Meta {
    key: Option<String>,
    value: Option<Json>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: SourceId,
    name: Option<String>,
    method_title: Option<String>,
    sku: Option<String>,
    quantity: Option<Number>,
    #[serde(default)]
    total: Number,
    #[serde(default)]
    total_tax: Number,
    #[serde(default)]
    taxes: Vec<LineTax>,
}

#[derive(Deserialize)]
struct LineTax {
    #[serde(default)]
    id: SourceId,
    total: Option<Json>,
}

#[derive(Deserialize)]
struct Rate {
    #[serde(default)]
    rate_id: SourceId,
    #[serde(default)]
    rate_percent: Number,
}

/// Reads a webhook. When a shop saves one, it first posts a form with the webhook's id.
pub fn read(headers: Headers<'_>, body: &[u8]) -> Result<Hook, Issues> {
    if is_ping(body) {
        return Ok(Hook::Ping);
    }
    let topic = headers.topic.ok_or_else(|| no_topic(TOPICS))?;
    if !TOPICS.contains(&topic) {
        return Ok(Hook::Other);
    }
    let sent = json(body)?;
    let order: Order = serde_json::from_value(sent.clone()).map_err(|error| {
        let message = format!("this is no order of WooCommerce: {error}");
        Issues::from(Issue::new("invalid_value", message))
    })?;
    let missing = || Issues::from(Issue::new("required", "an order has an id").at("id"));
    let source_id = order.id.0.clone().ok_or_else(missing)?;
    if topic == "order.deleted" {
        return Ok(Hook::Gone { source_id });
    }
    let facts = order.facts();
    let updated_at = reading::instant(order.date_modified_gmt.as_deref());
    let transactions = order.transactions(&facts);
    let mut content = order.into_input().into_content()?;
    content.transactions = transactions;
    let incoming = Box::new(Incoming {
        source_id,
        event_id: reading::text(headers.event_id),
        updated_at,
        content,
        facts,
        raw: raw(body, &sent),
    });
    Ok(match topic {
        "order.restored" => Hook::Restored(incoming),
        _ => Hook::Order(incoming),
    })
}

/// Whether this is the form by which a shop tries a webhook.
#[must_use]
pub fn is_ping(body: &[u8]) -> bool {
    let id = body.strip_prefix(b"webhook_id=");
    id.is_some_and(|id| (1..=20).contains(&id.len()) && id.iter().all(u8::is_ascii_digit))
}

impl Order {
    fn payment_status(&self) -> PaymentStatus {
        match self.status.as_deref() {
            Some("refunded") => PaymentStatus::Refunded,
            _ if self.date_paid_gmt.is_some() => PaymentStatus::Paid,
            _ => PaymentStatus::Unpaid,
        }
    }

    fn facts(&self) -> Facts {
        let modified = || reading::instant(self.date_modified_gmt.as_deref());
        let is = |states: &[&str]| self.status.as_deref().is_some_and(|s| states.contains(&s));
        Facts {
            paid_at: reading::instant(self.date_paid_gmt.as_deref()),
            fulfilled_at: reading::instant(self.date_completed_gmt.as_deref()),
            cancelled_at: modified().filter(|_| is(&["cancelled", "trash"])),
            refunded_at: modified().filter(|_| is(&["refunded"])),
        }
    }

    fn transactions(&self, facts: &Facts) -> Vec<Transaction> {
        let Some(at) = facts.paid_at else { return Vec::new() };
        vec![Transaction {
            source_id: reading::text(self.transaction_id.as_deref()),
            gateway: reading::text(self.payment_method.as_deref()),
            amount: self.total.0.clone(),
            at: Some(at),
        }]
    }

    fn into_input(self) -> OrderInput {
        let status = self.payment_status();
        let items = self.items();
        let buyer = self.buyer();
        let billing = self.billing.as_ref();
        let name = billing.and_then(|place| {
            reading::full_name(place.first_name.as_deref(), place.last_name.as_deref())
        });
        let method = self.payment_method_title.as_deref().or(self.payment_method.as_deref());
        OrderInput {
            source_order_number: reading::text(self.number.as_deref()).into(),
            customer_name: name.into(),
            customer_email: reading::email(billing.and_then(|place| place.email.as_deref())),
            customer: Patch::Value(buyer),
            billing_address: billing.map(Place::address).into(),
            shipping_address: self.shipping.as_ref().map(Place::address).into(),
            currency_code: self.currency.clone().into(),
            total: Patch::Value(&self.total.0 - &self.total_tax.0),
            total_with_tax: Patch::Value(self.total.0.clone()),
            total_discount: Patch::Value(self.discount_total.0.clone()),
            total_shipping: Patch::Value(self.shipping_total.0.clone()),
            items: Patch::Value(items),
            payment_status: Patch::Value(status),
            payment_method: reading::text(method).into(),
            payment_gateway: reading::text(self.payment_method.as_deref()).into(),
            ordered_at: reading::instant(self.date_created_gmt.as_deref()).into(),
            ..OrderInput::default()
        }
    }

    fn buyer(&self) -> Buyer {
        let billing = self.billing.as_ref();
        let meta = self
            .meta_data
            .iter()
            .find(|meta| meta.key.as_deref().is_some_and(reading::is_tax_number));
        let tax_number = reading::text(meta.and_then(|meta| meta.value.as_ref()?.as_str()));
        let company_name = reading::text(billing.and_then(|place| place.company.as_deref()));
        Buyer {
            phone: reading::text(billing.and_then(|place| place.phone.as_deref())),
            is_business: company_name.is_some() || tax_number.is_some(),
            company_name,
            tax_number,
            company_number: None,
            notes: reading::text(self.customer_note.as_deref()),
        }
    }

    fn items(&self) -> Vec<ItemInput> {
        let goods = self.line_items.iter().chain(&self.fee_lines);
        let goods = goods.map(|line| (line, ItemKind::LineItem));
        let shipping = self.shipping_lines.iter().map(|line| (line, ItemKind::Shipping));
        // What costs nothing to ship is no line.
        let shipping = shipping.filter(|(line, _)| !line.total.0.is_zero());
        goods.chain(shipping).filter_map(|(line, kind)| self.item(line, kind)).collect()
    }

    /// A line as it is sold: its totals are after discounts.
    fn item(&self, line: &Line, kind: ItemKind) -> Option<ItemInput> {
        let quantity = line.quantity.as_ref().map_or(Decimal::from(1), |n| n.0.clone());
        if quantity.is_zero() {
            return None;
        }
        let (total, total_with_tax) = (line.total.0.clone(), &line.total.0 + &line.total_tax.0);
        let name = line.name.as_deref().or(line.method_title.as_deref());
        Some(ItemInput {
            name: reading::text(name).unwrap_or_else(|| "Item".to_owned()),
            price: reading::price_of_one(&total, &quantity),
            gross_price: self
                .prices_include_tax
                .then(|| reading::price_of_one(&total_with_tax, &quantity)),
            quantity,
            total,
            total_with_tax,
            tax_rates: self.rates(line),
            sku: reading::text(line.sku.as_deref()),
            source_id: line.id.0.clone(),
            discount: None,
            unit: None,
            kind,
        })
    }

    fn rates(&self, line: &Line) -> Option<Vec<Decimal>> {
        let of = |tax: &LineTax| {
            let is_charged = match &tax.total {
                Some(Json::String(text)) => !text.is_empty(),
                Some(_) => true,
                None => false,
            };
            let rate = self.tax_lines.iter().find(|rate| rate.rate_id == tax.id)?;
            is_charged.then(|| rate.rate_percent.0.clone())
        };
        let rates: Vec<Decimal> = line.taxes.iter().filter_map(of).collect();
        (!rates.is_empty()).then_some(rates)
    }
}

impl Place {
    fn address(&self) -> Address {
        Address {
            address: reading::text(self.address_1.as_deref()),
            address_2: reading::text(self.address_2.as_deref()),
            city: reading::text(self.city.as_deref()),
            state: reading::text(self.state.as_deref()),
            post_code: reading::text(self.postcode.as_deref()),
            country: None,
            country_code: reading::country_code(self.country.as_deref()),
        }
    }
}
