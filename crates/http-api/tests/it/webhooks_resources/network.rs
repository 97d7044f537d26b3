//! Electronic invoices over the network.

use racun_einvoicing::network::{Receipt, Standing};
use serde_json::{Value, json};

use super::Story;
use crate::network::work;

/// An invoice to a company in the network.
fn invoice() -> Value {
    json!({
        "date_service": "2026-11-19",
        "customer": {
            "name": "Kupec d.o.o.", "address": "Pot 2", "post_code": "2000", "city": "Maribor",
            "country_code": "SI", "tax_number": "SI50000004", "peppol_id": "9949:SI50000004",
            "save_customer": false, "e_invoicing": {"buyer_reference": "PO-1"},
        },
        "items": [{"name": "Svetovanje", "quantity": 2, "unit": "h", "price": 50,
                   "taxes": [{"rate": 22}]}],
    })
}

impl Story {
    /// An entity is enrolled, sends what is delivered and what is not, and is rejected later.
    pub(super) async fn network(&mut self) {
        let iban = json!([{"type": "iban", "iban": "SI56263300012039086"}]);
        let whole = json!({
            "name": "Pri Ani d.o.o.", "tax_number": "SI10039856", "company_number": "1234567000",
            "address": "Glavna 1", "post_code": "1000", "city": "Ljubljana",
            "phone": "+386 1 2345678", "email": "ana@example.com", "is_tax_subject": true,
            "settings": {"bank_accounts": iban},
        });
        let entity = format!("/entities/{}", self.actor.entity());
        self.change(&entity, whole, "").await;
        let settings = "/e-invoicing/settings";
        let on = self.world.api.put(settings, &self.actor, json!({"enabled": true})).await;
        self.step("PUT /e-invoicing/settings", on, "").await;
        self.works("an entity is enrolled", &onboarded("verified", "onboarded")).await;

        let kind = |what: &str| format!("e_invoicing.submission.{what}");
        self.sends(&kind("created")).await;
        self.works("a document is sent", "").await;
        self.works("a document is delivered", &kind("delivered")).await;
        let refused = Receipt::Refused { code: "routing".to_owned(), message: "no".to_owned() };
        self.world.network.receipts.lock().unwrap().push_back(Ok(refused));
        self.sends(&kind("created")).await;
        self.works("a document is refused", &kind("failed")).await;

        let rejected = Ok(Standing::Rejected("it is no company".to_owned()));
        self.world.network.standings.lock().unwrap().push_back(rejected);
        let kinds = onboarded("rejected", "rejected");
        self.act("/e-invoicing/enrollment/refresh", json!({}), &kinds).await;
        let off = self.world.api.put(settings, &self.actor, json!({"enabled": false})).await;
        self.step("PUT /e-invoicing/settings", off, "").await;
    }

    async fn sends(&mut self, kinds: &str) {
        let id = self.make("/invoices", invoice(), "invoice.created invoice.finalized").await;
        let path = format!("/e-invoicing/documents/{id}/send");
        self.act(&path, json!({}), kinds).await;
    }

    /// Does what is due with the network, a minute later.
    async fn works(&mut self, step: &str, kinds: &str) {
        self.world.api.pass(60);
        work(&self.world.services).await;
        self.tells(step, kinds).await;
    }
}

/// The kinds that tell of a verdict of the provider, in both generations.
fn onboarded(enrollment: &str, supplier: &str) -> String {
    format!("e_invoicing.enrollment.{enrollment} e_invoicing.supplier.{supplier}")
}
