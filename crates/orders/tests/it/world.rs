//! What a test works with.

use racun_kernel::id::{EntityId, UserId};
use racun_kernel::{Decimal, DocumentId, DocumentKind, Patch, Principal};
use racun_orders::platform::{self, Headers, Hook, Incoming};
use racun_orders::{
    Integration, IntegrationInput, ItemInput, ItemKind, Order, OrderInput, SourceKind,
};
use racun_store::testing::stamp;
use racun_store::{Actor, Decision, Event};
use time::OffsetDateTime;
use time::macros::datetime;
use ulid::Ulid;

pub const START: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);
pub const SHOPIFY: &[u8] = include_bytes!("../data/shopify_order.json");
pub const WOO: &[u8] = include_bytes!("../data/woocommerce_order.json");

pub fn actor() -> Actor {
    actor_at(START)
}

pub fn actor_at(now: OffsetDateTime) -> Actor {
    let user = Principal::User(UserId::new(Ulid::from_parts(1, 2)));
    racun_store::testing::actor(EntityId::new(Ulid::from_parts(1, 1)), user, stamp(now))
}

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// The id of the `n`-th invoice.
pub fn invoice(n: u128) -> DocumentId {
    DocumentId::new(DocumentKind::Invoice, Ulid::from_parts(1, n))
}

/// An integration with what `set` says.
pub fn integration(set: impl FnOnce(&mut IntegrationInput)) -> Integration {
    let mut input =
        IntegrationInput { name: Patch::Value("Shop".into()), ..IntegrationInput::default() };
    set(&mut input);
    input.into_integration(0, &actor()).unwrap().0
}

pub fn item(name: &str, gross: &str) -> ItemInput {
    ItemInput {
        name: name.to_owned(),
        quantity: 1.into(),
        price: decimal(gross),
        gross_price: Some(decimal(gross)),
        total: decimal(gross),
        total_with_tax: decimal(gross),
        tax_rates: None,
        sku: None,
        source_id: None,
        discount: None,
        unit: None,
        kind: ItemKind::LineItem,
    }
}

/// An order of one line.
pub fn input() -> OrderInput {
    OrderInput {
        source: Patch::Value(SourceKind::Manual),
        source_id: Patch::Value("1".into()),
        currency_code: Patch::Value("EUR".into()),
        total: Patch::Value(decimal("10")),
        total_with_tax: Patch::Value(decimal("10")),
        items: Patch::Value(vec![item("Tea", "10")]),
        ..OrderInput::default()
    }
}

pub fn made<A>(decision: Decision<A>) -> (A, Vec<String>) {
    match decision {
        Decision::Unchanged(record) => (record, Vec::new()),
        Decision::Changed { record, events, .. } => {
            (record, events.iter().map(|event: &Event| event.kind.name().to_owned()).collect())
        }
    }
}

pub fn order(input: OrderInput, integration: &Integration) -> Order {
    let input = OrderInput { source: Patch::Value(integration.source), ..input };
    made(Order::new(input, integration, &actor()).unwrap()).0
}

pub fn hook(source: SourceKind, topic: &str, body: &[u8]) -> Hook {
    let headers = Headers { topic: Some(topic), event_id: Some("e-1"), ..Headers::default() };
    platform::read(source, headers, body).unwrap()
}

pub fn incoming(source: SourceKind, body: &[u8]) -> Incoming {
    let topic = match source {
        SourceKind::Shopify => "orders/updated",
        _ => "order.updated",
    };
    match hook(source, topic, body) {
        Hook::Order(incoming) => *incoming,
        other => panic!("{other:?}"),
    }
}
