//! Customers, items and taxes.

use serde_json::json;

use super::{Story, lines, with};

impl Story {
    /// Master data goes through its life.
    pub(super) async fn records(&mut self) {
        let customer = self.make("/customers", json!({"name": "Ana"}), "customer.created").await;
        let path = format!("/customers/{customer}");
        self.change(&path, json!({"name": "Ana Žagar"}), "customer.updated").await;
        self.change(&path, json!({"name": "Ana Žagar"}), "").await;
        self.trash(&path, "customer", "").await;

        let tax = json!({"name": "Low", "tax_rates": [{"rate": 9.5}], "classification": "low"});
        let tax = self.make("/taxes", tax, "tax.created").await;
        let item = json!({"name": "Kava", "price": 3, "tax_ids": [tax]});
        let item = self.make("/items", item, "item.created").await;
        let path = format!("/items/{item}");
        self.change(&path, json!({"price": 4}), "item.updated").await;
        self.trash(&path, "item", "").await;
        let path = format!("/taxes/{tax}");
        // The one that was the default is so no more.
        let kinds = "tax.updated tax.updated";
        self.change(&path, json!({"is_default": true}), kinds).await;
        self.trash(&path, "tax", "").await;

        let saving = with(lines(9), json!({"customer": {"name": "Bor", "save_customer": true}}));
        let kinds = "customer.created invoice.created invoice.finalized";
        self.make("/invoices", saving, kinds).await;
        let item = json!({"name": "Čaj", "price": 2, "taxes": [], "save_item": true});
        let kinds = "item.created estimate.created";
        self.make("/estimates", json!({"items": [item]}), kinds).await;
    }
}
