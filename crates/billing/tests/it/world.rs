//! A white label with three plans, and an entity that subscribes.

use racun_billing::{Catalogue, NewSubscription, Plan, Subscription, WhiteLabel};
use racun_kernel::{Environment, Id, Kind};
use racun_store::testing::stamp;
use serde_json::{Value, json};
use time::OffsetDateTime;
use ulid::Ulid;

pub fn id<K: Kind>(n: u128) -> Id<K> {
    Id::new(Ulid::from_parts(1, n))
}

/// A file with one white label, changed as `change` says.
pub fn file(change: impl FnOnce(&mut Value)) -> Value {
    let mut file = json!({"white_labels": [{
        "slug": "acme",
        "name": "Acme",
        "hosts": ["app.acme.example"],
        "billing_enabled": true,
        "trial_days": 14,
        "default_plan": "start",
        "allowed_payment_providers": ["bank"],
        "plans": [
            {"slug": "business", "name": "Business", "base_price_cents": 2900,
             "annual_price_cents": 29_000, "display_order": 3,
             "limits": {"invoices_per_month": 100, "overage_price_cents": 5,
                        "e_invoicing_sends_included": 2}},
            {"slug": "start", "name": "Start", "base_price_cents": 900,
             "annual_price_cents": 9_000, "display_order": 2,
             "features": ["invoices", "estimates"], "limits": {"documents_per_month": 3}},
            {"slug": "free", "name": "Free", "base_price_cents": 0, "display_order": 1,
             "features": ["invoices"], "limits": {"invoices_per_month": 2}},
        ],
    }]});
    change(&mut file["white_labels"][0]);
    file
}

pub fn catalogue(change: impl FnOnce(&mut Value)) -> Catalogue {
    serde_json::from_value::<Catalogue>(file(change)).unwrap().complete().unwrap()
}

pub fn label(change: impl FnOnce(&mut Value)) -> WhiteLabel {
    catalogue(change).by_slug("acme").unwrap().clone()
}

pub fn plan(slug: &str) -> Plan {
    label(|_| ()).plan(slug).unwrap().clone()
}

/// What an entity that is made at `now` under `label` starts with.
pub fn start(label: &WhiteLabel, now: OffsetDateTime) -> Subscription {
    let new = NewSubscription {
        entity_id: id(1),
        account_id: id(2),
        environment: Environment::Live,
        white_label: label,
    };
    Subscription::start(new, &stamp(now)).unwrap()
}
