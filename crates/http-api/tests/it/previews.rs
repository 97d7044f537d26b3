//! Previews: the paper of the document that a body would make, settled as it would be.

use serde_json::{Value, json};

use crate::harness::{Api, Who, text};

const OWNER: &str = "owner@example.com";

fn body(more: Value) -> Value {
    let mut body = json!({
        "customer": {"name": "Bor d.o.o."},
        "items": [{"name": "Svetovanje", "quantity": 2, "price": 50, "taxes": [{"rate": 22}]}],
        "issuer": {"bank_account": {"iban": "SI56192001234567892"}},
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

async fn preview(api: &Api, owner: &Who, kind: &str, more: Value) -> String {
    let path = format!("/{kind}/preview?language=en&upn_qr_enabled=true");
    api.post(&path, owner, body(more)).await.with(200).text
}

/// What the page says of the total called `label`.
fn total<'a>(page: &'a str, label: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(&format!(">{label}</dt>\n"))?;
    let (_, rest) = rest.split_once('>')?;
    rest.split_once('<').map(|(amount, _)| amount)
}

#[actix_web::test]
async fn a_preview_has_the_payments_of_its_body() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let open = preview(&api, &owner, "invoices", json!({})).await;
    assert_eq!(total(&open, "Amount due"), Some("€122.00"), "{open}");
    assert!(open.contains("UPN QR:"));
    let cash = json!({"payments": [{"type": "cash"}]});
    let paid = preview(&api, &owner, "invoices", cash.clone()).await;
    assert_eq!(total(&paid, "Amount due"), Some("€0.00"), "{paid}");
    assert!(paid.contains("Cash") && !paid.contains("UPN QR:"), "{paid}");
    let part = json!({"payments": [{"type": "cash", "amount": 22}]});
    let part = preview(&api, &owner, "invoices", part).await;
    assert_eq!(total(&part, "Amount due"), Some("€100.00"), "{part}");
    assert!(part.contains("UPN QR:"));
    let advance = preview(&api, &owner, "advance-invoices", cash).await;
    assert_eq!(total(&advance, "Amount due"), Some("€0.00"), "{advance}");
    assert!(!advance.contains("UPN QR:"), "{advance}");
    for refused in [
        json!({"payments": [{"type": "cash", "amount": 1000}]}),
        json!({"payments": [{"type": "cash"}], "is_draft": true}),
    ] {
        let created = api.post("/invoices", &owner, body(refused.clone())).await.with(422);
        let previewed = api.post("/invoices/preview", &owner, body(refused)).await.with(422);
        assert_eq!(created.issue(), previewed.issue());
    }
    for kind in ["invoices", "advance-invoices", "payments"] {
        let list = api.get(&format!("/{kind}"), &owner).await.json();
        assert_eq!(list["pagination"]["total"], 0, "{kind}");
    }
}

#[actix_web::test]
async fn a_preview_applies_the_advance_that_it_names_and_leaves_it_as_it_is() {
    let api = Api::new().await;
    let owner = api.owner(OWNER).await;
    let paid = body(json!({"payments": [{"type": "bank_transfer"}]}));
    let advance = api.post("/advance-invoices", &owner, paid).await.with(201).json();
    let more = json!({
        "force_linked_documents": true,
        "linked_documents": [advance["id"]],
        "items": [{"name": "Stol", "quantity": 2, "price": 100, "taxes": [{"rate": 22}]}],
    });
    for _ in 0..2 {
        let page = preview(&api, &owner, "invoices", more.clone()).await;
        assert_eq!(total(&page, "Amount due"), Some("€122.00"), "{page}");
        assert!(page.contains(&text(&advance["number"])), "{page}");
        assert!(page.contains("Draft"), "it has no number yet: {page}");
    }
    let made = api.post("/invoices", &owner, body(more)).await.with(201).json();
    assert_eq!(made["total_due"], 122);
    assert!(text(&made["number"]).ends_with("00001"), "no number was taken: {made}");
    // What is created looks as it was previewed, its number apart.
    let id = text(&made["id"]);
    let page = api.get(&format!("/documents/{id}/html?language=en"), &owner).await.with(200).text;
    assert_eq!(total(&page, "Amount due"), Some("€122.00"), "{page}");
}
