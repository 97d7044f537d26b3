//! Subscriptions of entities whose accounts signed up under white labels.

use racun_billing::Catalogue;
use racun_sales::billing::{LIMITS, run_due};
use racun_store::Receivers;
use serde_json::{Value, json};

use super::{Story, published_to};
use crate::billing::owner;
use crate::card_subscriptions::collect;

const MONTH: i64 = 31 * 86_400;

/// Two white labels: with a plan that is free, and with one that is tried for two weeks only.
pub(super) fn labels() -> Catalogue {
    let label = |slug: &str, plans: Value| {
        json!({
            "slug": slug, "name": slug, "hosts": [format!("{slug}.example")],
            "billing_enabled": true, "trial_days": 14, "default_plan": "start",
            "allowed_payment_providers": ["bank", "card_processor"], "plans": plans,
        })
    };
    let start = json!({"slug": "start", "name": "Start", "base_price_cents": 900,
        "display_order": 2});
    let free = json!({"slug": "free", "name": "Free", "base_price_cents": 0, "display_order": 1});
    let more = json!({"slug": "more", "name": "More", "base_price_cents": 2900,
        "display_order": 3});
    // Who comes to another host has no subscription.
    let plain = json!({"slug": "plain", "name": "plain", "hosts": ["plain.example"],
        "is_default": true});
    let file = json!({"white_labels": [
        label("generous", json!([free, start, more])), label("strict", json!([start])), plain,
    ]});
    serde_json::from_value::<Catalogue>(file).unwrap().complete().unwrap()
}

impl Story {
    /// A trial ends; a plan is chosen, exchanged for a higher one, renewed, exchanged for a lower
    /// one.
    pub(super) async fn subscriptions(&mut self) {
        let kind = |what: &str| format!("white_label_subscription.{what}");
        self.become_owner_at("strict").await;
        self.end_periods("strict").await;
        self.tells("when a trial ends", &kind("expired")).await;

        self.become_owner_at("generous").await;
        self.choose("start", &kind("subscribed")).await;
        self.choose("more", &kind("upgraded")).await;
        self.end_periods("generous").await;
        self.tells("when a period ends", &kind("renewed")).await;
        self.choose("free", &kind("downgrade_scheduled")).await;
        self.end_periods("generous").await;
        self.tells("when the last period ends", &kind("downgraded")).await;
        let path = "/white-label-subscriptions/cancel";
        self.act(path, json!({}), &kind("cancellation_scheduled")).await;
        self.end_periods("generous").await;
        self.tells("when the period ends that was the last", &kind("cancelled")).await;
        self.choose("free", &kind("subscribed")).await;

        let card = json!({"payment_method_id": "pm_declined"});
        self.act("/white-label-subscriptions/payment-method", card, "").await;
        self.choose("start", &kind("subscribed")).await;
        self.end_periods("generous").await;
        self.tells("when a month ends that a card pays", &kind("renewed")).await;
        collect(&self.world.services).await;
        self.tells("when the card is declined", &kind("payment_failed")).await;
    }

    /// Goes on as the owner of a new entity, whose account has an endpoint.
    async fn become_owner_at(&mut self, label: &str) {
        let host = format!("{label}.example");
        let email = format!("ana@{host}");
        self.actor = owner(&self.world.api, &email, Some(("host", host.as_str()))).await;
        let url = format!("https://{host}/account");
        let body = json!({"url": url, "events": published_to(Receivers::Account)});
        self.world.api.post("/account-webhooks", &self.actor, body).await.with(201);
        self.tells("at the beginning of a subscription", "").await;
    }

    async fn choose(&mut self, plan: &str, kinds: &str) {
        let body = json!({"plan_slug": plan, "billing_interval": "monthly"});
        self.act("/white-label-subscriptions/activate", body, kinds).await;
    }

    /// Lets a month pass; the owner at `label` logs in again, as sessions without use end.
    async fn end_periods(&mut self, label: &str) {
        self.world.api.pass(MONTH);
        let again = self.world.api.log_in(&format!("ana@{label}.example")).await;
        self.actor = again.in_entity(self.actor.entity());
        let services = &self.world.services;
        let report = run_due(&*services.store, &services.stamp(), LIMITS).await.unwrap();
        assert_eq!(report.problems, []);
    }
}
