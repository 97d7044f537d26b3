//! Webhooks of Shopify: `X-Shopify-Topic`, and an order of its REST Admin API as the body.

use racun_kernel::{Decimal, Issue, Issues, Patch};
use serde::Deserialize;
use serde_json::Value as Json;

use super::reading::{self, Number, SourceId};
use super::{Headers, Hook, Incoming, json, no_topic, raw};
use crate::order::{
    Address, Buyer, Facts, ItemInput, ItemKind, OrderInput, PaymentStatus, Transaction,
};

/// The topics of webhooks that are taken.
pub const TOPICS: &[&str] = &[
    "orders/create",
    "orders/updated",
    "orders/paid",
    "orders/fulfilled",
    "orders/partially_fulfilled",
    "orders/cancelled",
    "orders/delete",
    UNINSTALLED,
];

/// The topic of a shop that took the application out.
const UNINSTALLED: &str = "app/uninstalled";

#[derive(Deserialize)]
struct Order {
    #[serde(default)]
    id: SourceId,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    note: Option<String>,
    #[serde(default)]
    note_attributes: Vec<Attribute>,
    currency: Option<String>,
    #[serde(default)]
    taxes_included: bool,
    #[serde(default)]
    total_price: Number,
    #[serde(default)]
    total_tax: Number,
    current_total_price: Option<Number>,
    current_total_tax: Option<Number>,
    #[serde(default)]
    total_discounts: Number,
    total_outstanding: Option<Number>,
    financial_status: Option<String>,
    fulfillment_status: Option<String>,
    #[serde(default)]
    payment_gateway_names: Vec<String>,
    gateway: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    processed_at: Option<String>,
    cancelled_at: Option<String>,
    customer: Option<Person>,
    billing_address: Option<Place>,
    shipping_address: Option<Place>,
    #[serde(default)]
    line_items: Vec<Line>,
    #[serde(default)]
    shipping_lines: Vec<Line>,
    #[serde(default)]
    fulfillments: Vec<Dated>,
    #[serde(default)]
    refunds: Vec<Refund>,
}

#[derive(Deserialize)]
struct Attribute {
    name: Option<String>,
    value: Option<Json>,
}

#[derive(Deserialize)]
struct Dated {
    created_at: Option<String>,
}

#[derive(Deserialize)]
struct Refund {
    created_at: Option<String>,
    #[serde(default)]
    order_adjustments: Vec<Adjustment>,
    #[serde(default)]
    refund_shipping_lines: Vec<Json>,
}

#[derive(Deserialize)]
struct Adjustment {
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Person {
    first_name: Option<String>,
    last_name: Option<String>,
    phone: Option<String>,
}

#[derive(Deserialize)]
struct Place {
    name: Option<String>,
    company: Option<String>,
    address1: Option<String>,
    address2: Option<String>,
    city: Option<String>,
    province: Option<String>,
    zip: Option<String>,
    country: Option<String>,
    country_code: Option<String>,
    phone: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: SourceId,
    name: Option<String>,
    title: Option<String>,
    sku: Option<String>,
    quantity: Option<Number>,
    current_quantity: Option<Number>,
    #[serde(default)]
    price: Number,
    discounted_price: Option<Number>,
    #[serde(default)]
    is_removed: bool,
    #[serde(default)]
    discount_allocations: Vec<Amount>,
    #[serde(default)]
    tax_lines: Vec<TaxLine>,
}

#[derive(Deserialize)]
struct Amount {
    #[serde(default)]
    amount: Number,
}

#[derive(Deserialize)]
struct TaxLine {
    #[serde(default)]
    rate: Number,
    #[serde(default)]
    price: Number,
}

/// Reads a webhook.
pub fn read(headers: Headers<'_>, body: &[u8]) -> Result<Hook, Issues> {
    let topic = headers.topic.ok_or_else(|| no_topic(TOPICS))?;
    if topic == UNINSTALLED {
        return Ok(Hook::Uninstalled);
    }
    // Platforms wait for an answer to every message, and some are sent to every application.
    if !TOPICS.contains(&topic) {
        return Ok(Hook::Other);
    }
    let sent = json(body)?;
    let order: Order = serde_json::from_value(sent.clone()).map_err(|error| {
        Issues::from(Issue::new("invalid_value", format!("this is no order of Shopify: {error}")))
    })?;
    let missing = || Issues::from(Issue::new("required", "an order has an id").at("id"));
    let source_id = order.id.0.clone().ok_or_else(missing)?;
    if topic == "orders/delete" {
        return Ok(Hook::Gone { source_id });
    }
    let facts = order.facts();
    let (updated_at, transactions) = (order.updated_at.clone(), order.transactions());
    let mut content = order.into_input().into_content()?;
    content.transactions = transactions;
    Ok(Hook::Order(Box::new(Incoming {
        source_id,
        event_id: reading::text(headers.event_id),
        updated_at: reading::instant(updated_at.as_deref()),
        content,
        facts,
        raw: raw(body, &sent),
    })))
}

impl Order {
    fn payment_status(&self) -> PaymentStatus {
        match self.financial_status.as_deref() {
            Some("paid" | "partially_refunded") => PaymentStatus::Paid,
            Some("partially_paid") => PaymentStatus::PartiallyPaid,
            Some("refunded") => PaymentStatus::Refunded,
            _ => PaymentStatus::Unpaid,
        }
    }

    fn facts(&self) -> Facts {
        let updated = self.updated_at.as_deref();
        let last = |date: Option<&Option<String>>| {
            reading::instant(date.and_then(Option::as_deref).or(updated))
        };
        let shipped = self.fulfillments.last().map(|one| &one.created_at);
        let refunded = self.refunds.last().map(|one| &one.created_at);
        let paid = self.processed_at.as_deref().or(updated);
        let status = self.payment_status();
        let is_fulfilled = self.fulfillment_status.as_deref() == Some("fulfilled");
        Facts {
            paid_at: reading::instant(paid).filter(|_| status == PaymentStatus::Paid),
            fulfilled_at: last(shipped).filter(|_| is_fulfilled),
            cancelled_at: reading::instant(self.cancelled_at.as_deref()),
            refunded_at: last(refunded).filter(|_| status == PaymentStatus::Refunded),
        }
    }

    fn total(&self) -> &Decimal {
        &self.current_total_price.as_ref().unwrap_or(&self.total_price).0
    }

    /// What was paid, as far as the order itself says.
    fn transactions(&self) -> Vec<Transaction> {
        let outstanding = match (self.payment_status(), &self.total_outstanding) {
            (PaymentStatus::Paid, _) => Decimal::zero(),
            (PaymentStatus::PartiallyPaid, Some(outstanding)) => outstanding.0.clone(),
            _ => return Vec::new(),
        };
        let amount = self.total() - &outstanding;
        let at = reading::instant(self.processed_at.as_deref());
        let gateway = reading::text(self.gateway().as_deref());
        vec![Transaction { source_id: None, gateway, amount, at }]
    }

    fn gateway(&self) -> Option<String> {
        self.payment_gateway_names.first().or(self.gateway.as_ref()).cloned()
    }

    fn into_input(self) -> OrderInput {
        let total = self.total().clone();
        let tax = &self.current_total_tax.as_ref().unwrap_or(&self.total_tax).0;
        let (net, status, gateway) = (&total - tax, self.payment_status(), self.gateway());
        let items = self.items();
        let shipping = items.iter().filter(|item| item.kind == ItemKind::Shipping);
        let shipping: Decimal = match self.taxes_included {
            true => shipping.map(|item| &item.total_with_tax).sum(),
            false => shipping.map(|item| &item.total).sum(),
        };
        let place = self.billing_address.as_ref().or(self.shipping_address.as_ref());
        let named = place.and_then(|place| reading::text(place.name.as_deref()));
        let of_person = || {
            let person = self.customer.as_ref()?;
            reading::full_name(person.first_name.as_deref(), person.last_name.as_deref())
        };
        let name = named.or_else(of_person);
        let buyer = self.buyer(place);
        OrderInput {
            source_order_number: reading::text(self.name.as_deref()).into(),
            customer_name: name.into(),
            customer_email: reading::email(self.email.as_deref()),
            customer: Patch::Value(buyer),
            billing_address: self.billing_address.as_ref().map(Place::address).into(),
            shipping_address: self.shipping_address.as_ref().map(Place::address).into(),
            currency_code: self.currency.clone().into(),
            total: Patch::Value(net),
            total_with_tax: Patch::Value(total),
            total_discount: Patch::Value(self.total_discounts.0.clone()),
            total_shipping: Patch::Value(shipping),
            items: Patch::Value(items),
            payment_status: Patch::Value(status),
            payment_method: reading::text(gateway.as_deref()).into(),
            payment_gateway: reading::text(gateway.as_deref()).into(),
            ordered_at: reading::instant(self.created_at.as_deref()).into(),
            ..OrderInput::default()
        }
    }

    fn buyer(&self, place: Option<&Place>) -> Buyer {
        let attribute = self
            .note_attributes
            .iter()
            .find(|attribute| attribute.name.as_deref().is_some_and(reading::is_tax_number));
        let tax_number = attribute.and_then(|attribute| attribute.value.as_ref()?.as_str());
        let tax_number = reading::text(tax_number);
        let company_name = reading::text(place.and_then(|place| place.company.as_deref()));
        let phones = [
            self.phone.as_deref(),
            place.and_then(|place| place.phone.as_deref()),
            self.customer.as_ref().and_then(|person| person.phone.as_deref()),
        ];
        Buyer {
            phone: phones.into_iter().find_map(reading::text),
            is_business: company_name.is_some() || tax_number.is_some(),
            company_name,
            tax_number,
            company_number: None,
            notes: reading::text(self.note.as_deref()),
        }
    }

    /// What is left of the lines after edits and refunds; all of them where nothing is left.
    fn items(&self) -> Vec<ItemInput> {
        let gross = self.taxes_included;
        let left = |line: &Line| {
            line.current_quantity
                .as_ref()
                .or(line.quantity.as_ref())
                .map_or(Decimal::from(1), |n| n.0.clone())
        };
        let is_empty = self.line_items.iter().all(|line| left(line).is_zero());
        let goods = self.line_items.iter().filter_map(|line| {
            let ordered = line.quantity.as_ref().map_or(Decimal::from(1), |n| n.0.clone());
            let quantity = if is_empty { ordered.clone() } else { left(line) };
            (!quantity.is_zero()).then(|| line.item(gross, &quantity, &ordered))
        });
        let mut items: Vec<ItemInput> = goods.collect();
        let removed = |line: &&Line| !line.is_removed || is_empty;
        let shipping = self.shipping_lines.iter().filter(removed);
        let mut shipping: Vec<ItemInput> = shipping.map(|line| line.shipping(gross)).collect();
        if !is_empty && self.is_shipping_refunded() {
            let goods: Decimal = items.iter().map(|item| &item.total_with_tax).sum();
            reduce(&mut shipping, self.total() - &goods);
        }
        shipping.retain(|line| !line.total_with_tax.is_zero());
        items.extend(shipping);
        items
    }

    fn is_shipping_refunded(&self) -> bool {
        let is_its = |one: &Adjustment| one.kind.as_deref() == Some("shipping_refund");
        self.refunds.iter().any(|refund| {
            !refund.refund_shipping_lines.is_empty() || refund.order_adjustments.iter().any(is_its)
        })
    }
}

/// Leaves `left` of what shipping costs with tax: refunds name no line, so the first ones keep
/// most.
fn reduce(shipping: &mut [ItemInput], mut left: Decimal) {
    for line in shipping {
        let kept = left.clone().max(Decimal::zero()).min(line.total_with_tax.clone());
        left = &left - &kept;
        if kept == line.total_with_tax {
            continue;
        }
        let share = |of: &Decimal| (of * &kept).ratio(&line.total_with_tax);
        let (price, total) = (share(&line.price), share(&line.total));
        line.price = price.unwrap_or_else(Decimal::zero);
        line.total = total.unwrap_or_else(Decimal::zero);
        line.gross_price = line.gross_price.is_some().then(|| kept.clone());
        line.total_with_tax = kept;
    }
}

impl Line {
    /// The price of shipping, after discounts.
    fn charged(&self) -> Decimal {
        self.discounted_price.as_ref().unwrap_or(&self.price).0.clone()
    }

    fn called(&self) -> String {
        let name = self.name.as_deref().or(self.title.as_deref());
        reading::text(name).unwrap_or_else(|| "Item".to_owned())
    }

    /// Rates in percent; Shopify writes fractions.
    fn rates(&self) -> Option<Vec<Decimal>> {
        let hundred = Decimal::from(100);
        let rates: Vec<_> = self.tax_lines.iter().map(|tax| &tax.rate.0 * &hundred).collect();
        (!rates.is_empty()).then_some(rates)
    }

    fn tax(&self) -> Decimal {
        self.tax_lines.iter().map(|tax| &tax.price.0).sum()
    }

    /// `quantity` of the `ordered` ones.
    fn item(&self, gross: bool, quantity: &Decimal, ordered: &Decimal) -> ItemInput {
        let share = |of: &Decimal| {
            if quantity == ordered {
                return of.clone();
            }
            (of * quantity).ratio(ordered).unwrap_or_else(|| of.clone())
        };
        let all: Decimal = self.discount_allocations.iter().map(|part| &part.amount.0).sum();
        let (discount, tax) = (share(&all), share(&self.tax()));
        let charged = &(&self.price.0 * quantity) - &discount;
        let kind = ItemKind::LineItem;
        let discount = (!discount.is_zero()).then_some(discount);
        self.line(gross, quantity, &charged, &tax, discount, kind)
    }

    fn shipping(&self, gross: bool) -> ItemInput {
        let charged = self.charged();
        let (one, tax) = (Decimal::from(1), self.tax());
        let line = self.line(gross, &one, &charged, &tax, None, ItemKind::Shipping);
        match gross {
            true => ItemInput { gross_price: Some(charged), ..line },
            false => ItemInput { price: charged, ..line },
        }
    }

    fn line(
        &self,
        gross: bool,
        quantity: &Decimal,
        charged: &Decimal,
        tax: &Decimal,
        discount: Option<Decimal>,
        kind: ItemKind,
    ) -> ItemInput {
        let (total, total_with_tax) = match gross {
            true => (charged - tax, charged.clone()),
            false => (charged.clone(), charged + tax),
        };
        ItemInput {
            name: self.called(),
            quantity: quantity.clone(),
            price: match gross {
                true => reading::price_of_one(&total, quantity),
                false => self.price.0.clone(),
            },
            gross_price: gross.then(|| self.price.0.clone()),
            total,
            total_with_tax,
            tax_rates: self.rates(),
            sku: reading::text(self.sku.as_deref()),
            source_id: self.id.0.clone(),
            discount,
            unit: None,
            kind,
        }
    }
}

impl Place {
    fn address(&self) -> Address {
        Address {
            address: reading::text(self.address1.as_deref()),
            address_2: reading::text(self.address2.as_deref()),
            city: reading::text(self.city.as_deref()),
            state: reading::text(self.province.as_deref()),
            post_code: reading::text(self.zip.as_deref()),
            country: reading::text(self.country.as_deref()),
            country_code: reading::country_code(self.country_code.as_deref()),
        }
    }
}
