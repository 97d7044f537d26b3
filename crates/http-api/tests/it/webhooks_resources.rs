//! What events tell of is what a request for it is answered with.

use std::collections::BTreeSet;

use racun_kernel::log::ENTITY_KINDS;
use serde_json::{Value, json};

use crate::harness::text;
use crate::webhooks::World;

/// The path that answers what an event of `kind` tells of.
fn path(kind: &str, id: &str) -> String {
    let resource = kind.rsplit_once('.').unwrap().0;
    let base = match resource {
        "tax" => "taxes".to_owned(),
        other => format!("{}s", other.replace('_', "-")),
    };
    format!("/{base}/{id}")
}

/// A world whose endpoint gets everything, and the kinds that came.
struct All {
    world: World,
    seen: BTreeSet<String>,
}

impl All {
    /// Compares what is posted with what is answered now. A draft or a record that is gone for good is
    /// answered no more: then what is told is what it was.
    async fn check(&mut self) {
        for post in self.world.posts().await {
            let body: Value = serde_json::from_str(&post.body).unwrap();
            let kind = text(&body["event"]);
            let id = text(&body["data"]["id"]);
            let answer = self.world.api.get(&path(&kind, &id), &self.world.owner).await;
            if answer.status == 200 {
                assert_eq!(body["data"], answer.json(), "{kind}");
            } else {
                assert!(kind.ends_with("deleted"), "{kind}: {answer:?}");
                assert!(body["data"].as_object().unwrap().len() > 3, "{kind}: {body}");
            }
            self.seen.insert(kind);
        }
    }

    async fn made(&mut self, path: &str, body: Value) -> String {
        let made = self.world.api.post(path, &self.world.owner, body).await.with(201).json();
        self.check().await;
        text(&made["id"])
    }

    async fn post(&mut self, path: &str) {
        let answer = self.world.api.post(path, &self.world.owner, json!({})).await;
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
        self.check().await;
    }

    async fn patch(&mut self, path: &str, body: Value) {
        self.world.api.patch(path, &self.world.owner, body).await.with(200);
        self.check().await;
    }

    async fn delete(&mut self, path: &str) {
        let answer = self.world.api.delete(path, &self.world.owner).await;
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
        self.check().await;
    }

    /// To the trash and back, and for good.
    async fn trash(&mut self, path: &str) {
        self.delete(path).await;
        self.post(&format!("{path}/restore")).await;
        self.delete(path).await;
        self.delete(&format!("{path}/permanent")).await;
    }
}

fn lines(total: u32) -> Value {
    json!({"items": [{"name": "Lot", "price": total, "taxes": []}]})
}

fn with(mut body: Value, more: Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[actix_web::test]
async fn every_event_tells_of_the_resource_as_it_is_answered() {
    let world = World::new().await;
    world.endpoint(&ENTITY_KINDS).await;
    let mut all = All { world, seen: BTreeSet::new() };

    let customer = all.made("/customers", json!({"name": "Ana"})).await;
    all.patch(&format!("/customers/{customer}"), json!({"name": "Ana Žagar"})).await;
    all.trash(&format!("/customers/{customer}")).await;
    let tax = json!({"name": "Low", "tax_rates": [{"rate": 9.5}], "classification": "low"});
    let tax = all.made("/taxes", tax).await;
    let item = json!({"name": "Kava", "price": 3, "tax_ids": [tax]});
    let item = all.made("/items", item).await;
    all.patch(&format!("/items/{item}"), json!({"price": 4})).await;
    all.trash(&format!("/items/{item}")).await;
    all.patch(&format!("/taxes/{tax}"), json!({"is_default": true})).await;
    all.trash(&format!("/taxes/{tax}")).await;

    let draft = all.made("/invoices", with(lines(10), json!({"is_draft": true}))).await;
    all.patch(&format!("/invoices/{draft}"), json!({"note": "hello"})).await;
    all.post(&format!("/documents/{draft}/finalize")).await;
    let payment = json!({"document_id": draft, "amount": 10, "type": "cash"});
    let payment = all.made("/payments", payment).await;
    all.trash(&format!("/payments/{payment}")).await;
    all.post(&format!("/invoices/{draft}/void")).await;
    let gone = all.made("/invoices", with(lines(10), json!({"is_draft": true}))).await;
    all.delete(&format!("/documents/{gone}?type=invoice")).await;

    let estimate = all.made("/estimates", lines(20)).await;
    all.post(&format!("/estimates/{estimate}/accept")).await;
    let estimate = all.made("/estimates", lines(20)).await;
    all.post(&format!("/estimates/{estimate}/reject")).await;
    let credit = all.made("/credit-notes", lines(5)).await;
    all.post(&format!("/credit-notes/{credit}/void")).await;
    let advance = with(lines(5), json!({"payments": [{"type": "cash"}]}));
    all.made("/advance-invoices", advance).await;
    let note = all.made("/delivery-notes", lines(5)).await;
    all.post(&format!("/delivery-notes/{note}/void")).await;
    let expense = with(lines(7), json!({"supplier": {"name": "Mlin"}, "date": "2026-11-02"}));
    let expense = all.made("/expenses", expense).await;
    all.post(&format!("/expenses/{expense}/void")).await;

    let template = all.made("/invoices", lines(30)).await;
    let schedule = json!({
        "document_id": template, "name": "Rent", "frequency": "monthly", "start_date": "2026-12-01",
    });
    let schedule = all.made("/recurring-invoices", schedule).await;
    let path = format!("/recurring-invoices/{schedule}");
    all.patch(&path, json!({"name": "The rent"})).await;
    all.post(&format!("{path}/pause")).await;
    all.post(&format!("{path}/resume")).await;
    all.trash(&path).await;

    for kind in ["customer", "item", "tax", "recurring_invoice"] {
        for act in ["created", "updated", "deleted", "restored", "permanently_deleted"] {
            assert!(all.seen.contains(&format!("{kind}.{act}")), "no {kind}.{act}");
        }
    }
    for kind in [
        "invoice.created",
        "invoice.updated",
        "invoice.finalized",
        "invoice.paid",
        "invoice.voided",
        "invoice.cancelled",
        "invoice.deleted",
        "payment.received",
        "payment.deleted",
        "payment.restored",
        "payment.permanently_deleted",
        "estimate.created",
        "estimate.accepted",
        "estimate.rejected",
        "credit_note.created",
        "credit_note.issued",
        "credit_note.voided",
        "advance_invoice.created",
        "advance_invoice.paid",
        "delivery_note.created",
        "delivery_note.voided",
        "delivery_note.cancelled",
        "expense.created",
        "expense.voided",
        "recurring_invoice.paused",
        "recurring_invoice.resumed",
    ] {
        assert!(all.seen.contains(kind), "no {kind} among {:?}", all.seen);
    }
}
