//! Orders of shops that Portuguese documents invoice, over HTTP.

use serde_json::json;

use crate::harness::text;
use crate::order_rules::{keeps_the_law, tea};
use crate::orders::Desk;
use crate::portugal;

#[actix_web::test]
async fn certified_invoices_are_made_again_and_money_counts_once() {
    for has_receipts in [false, true] {
        let shop = portugal::Shop::open().await;
        if has_receipts {
            let series = json!({"document_type": "invoice_receipt", "series_code": "R"});
            shop.series(series).await.with(201);
        }
        let path = format!("/entities/{}", shop.owner.entity());
        let madeira = json!({"fiscal_region_code": "PT-MA"});
        shop.api.patch(&path, &shop.owner, madeira).await.with(200);
        let desk = Desk { api: shop.api, owner: shop.owner };
        let made = keeps_the_law(&desk, json!({"default_payment_type": "card"}), None).await;
        let code = if has_receipts { "FR" } else { "FT" };
        assert!(desk.invoices().await.iter().all(|one| one["pt"]["document_code"] == code));
        // A credit note by hand has a reason that Racun cannot know for the rest.
        desk.credit(&made, 1, &json!({})).await;
        desk.patch(&made, tea(5)).await.with(200);
        desk.work().await;
        let failed = desk.order(&made["id"]).await;
        assert_eq!(failed["status"], "failed", "{failed}");
        assert!(text(&failed["error"]).contains("void the credit note first"), "{failed}");
    }
}
