//! Orders of shops that Portuguese documents invoice, over HTTP.

use serde_json::{Value, json};

use crate::harness::text;
use crate::order_rules::{keeps_the_law, moves, reissuing, tea};
use crate::orders::{Desk, order};
use crate::portugal;

/// A shop on Madeira, whose payments have receipts, as the desk of its orders.
pub(crate) async fn with_receipts() -> Desk {
    let shop = portugal::Shop::open().await;
    shop.series(json!({"document_type": "payment", "series_code": "2026A"})).await.with(201);
    let path = format!("/entities/{}", shop.owner.entity());
    let madeira = json!({"fiscal_region_code": "PT-MA"});
    shop.api.patch(&path, &shop.owner, madeira).await.with(200);
    Desk { api: shop.api, owner: shop.owner }
}

/// How many documents and receipts hold, and how many are voided.
async fn states(desk: &Desk) -> [usize; 4] {
    let path = "/fiscalization/pt/saf-t?encoding=utf-8&from=2026-11-01&to=2026-11-30";
    let file = desk.api.get(path, &desk.owner).await.with(200).text;
    ["Invoice", "Payment"]
        .into_iter()
        .flat_map(|of| ["N", "A"].map(|state| format!("<{of}Status>{state}<")))
        .map(|part| file.matches(&part).count())
        .collect::<Vec<_>>()
        .try_into()
        .unwrap()
}

#[actix_web::test]
async fn receipts_are_voided_before_their_invoice_is_made_again() {
    let desk = with_receipts().await;
    let (invoice, paid, due) = moves(&desk, json!({}), 3).await;
    assert_eq!((paid.as_str(), due.as_str()), ("20", "0"), "{invoice}");
    assert_eq!(states(&desk).await, [1, 1, 0, 1]);

    // The shop took the money, and says later that it did not.
    let desk = with_receipts().await;
    let mut rules = reissuing();
    rules["auto_process_on"] = json!("created");
    let shop = desk.integration(rules).await;
    let mut sold = tea(2);
    (sold["payment_status"], sold["payment_method"]) = (json!("unpaid"), json!("cod"));
    let made = desk.post("/orders", order(&shop, sold)).await.with(201).json();
    desk.work().await;
    desk.patch(&made, json!({"payment_status": "paid"})).await.with(200);
    desk.work().await;
    assert_eq!(states(&desk).await, [1, 0, 1, 0]);
    let mut other = tea(3);
    other["payment_status"] = json!("unpaid");
    desk.patch(&made, other).await.with(200);
    desk.work().await;
    let now = desk.order(&made["id"]).await;
    assert_eq!((&now["status"], &now["error"]), (&json!("processed"), &Value::Null), "{now}");
    assert_eq!(states(&desk).await, [1, 1, 0, 1]);
}

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
