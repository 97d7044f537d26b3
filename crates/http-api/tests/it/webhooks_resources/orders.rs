//! Orders of shops, and their integrations.

use serde_json::{Value, json};

use super::{Story, with};

/// An order of one line that says that it comes to `total`.
fn order(integration: &str, source_id: &str, total: u32) -> Value {
    json!({
        "order_integration_id": integration, "source": "manual", "source_id": source_id,
        "currency_code": "EUR", "total": 9, "total_with_tax": total, "payment_method": "cod",
        "items": [{"name": "Lot", "quantity": 1, "price": 9, "total": 9, "total_with_tax": 9,
                   "taxes": []}],
    })
}

impl Story {
    /// An integration takes orders, which are processed, fail, are cancelled and go.
    pub(super) async fn orders(&mut self) {
        let kind = "order_integration.created";
        let shop = self.make("/order-integrations", json!({"name": "Shop"}), kind).await;
        let shop_path = format!("/order-integrations/{shop}");
        let kind = "order_integration.updated";
        self.change(&shop_path, json!({"issue_invoice_for_bank": true}), kind).await;

        let made = self.make("/orders", order(&shop, "1", 9), "order.created").await;
        let path = format!("/orders/{made}");
        self.change(&path, json!({"metadata": {"picked": "yes"}}), "order.updated").await;
        let kinds = "invoice.created invoice.finalized order.processed";
        self.act(&format!("{path}/process"), json!({}), kinds).await;
        self.act(&format!("{path}/process"), json!({}), "").await;

        let wrong = self.make("/orders", order(&shop, "2", 99), "order.created").await;
        let path = format!("/orders/{wrong}");
        self.act(&format!("{path}/process"), json!({}), "order.failed").await;
        self.act(&format!("{path}/cancel"), json!({}), "order.cancelled").await;
        self.trash(&path, "order", "").await;

        let again = with(order(&shop, "3", 9), json!({"payment_status": "paid"}));
        let made = self.make("/orders", again, "order.created").await;
        self.remove(&format!("/orders/{made}"), "order.deleted").await;
        self.remove(&shop_path, "order_integration.deleted").await;
    }
}
