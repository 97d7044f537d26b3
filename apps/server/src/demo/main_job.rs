//! The main job: a customer, items, a draft, an invoice, its voiding.

use reqwest::Method;
use serde_json::json;

use super::open_account;
use super::player::Player;

/// Plays the main job.
///
/// # Errors
/// The first step that fails, with its answer's body.
pub(super) async fn play(player: &mut Player) -> anyhow::Result<()> {
    open_account(player).await?;
    let (customer, items) = fill_catalogue(player).await?;
    issue_and_void(player, &customer, &items).await
}

/// Makes a customer and two items; answers their ids.
async fn fill_catalogue(player: &Player) -> anyhow::Result<(String, [String; 2])> {
    let customer = json!({
        "name": "Kupec d.o.o.", "address": "Glavni trg 2", "post_code": "2000",
        "city": "Maribor", "country": "Slovenia", "country_code": "SI",
    });
    let customer = player.post("make a customer", "/customers", customer).await?;
    customer.show(&["id", "name"]);
    let consulting =
        json!({ "name": "Consulting", "price": 80, "unit": "h", "taxes": [{ "rate": 22 }] });
    let consulting = player.post("make an item", "/items", consulting).await?;
    consulting.show(&["id", "name", "price"]);
    let book = json!({ "name": "Book", "price": 29.90, "taxes": [{ "rate": 5 }] });
    let book = player.post("make an item", "/items", book).await?;
    book.show(&["id", "name", "price"]);
    Ok((customer.text("id")?, [consulting.text("id")?, book.text("id")?]))
}

/// Drafts an invoice, issues it, looks at it in the list and voids it.
async fn issue_and_void(
    player: &Player,
    customer: &str,
    [consulting, book]: &[String; 2],
) -> anyhow::Result<()> {
    let draft = json!({
        "is_draft": true,
        "customer_id": customer,
        "items": [
            { "item_id": consulting, "quantity": 1.5 },
            { "item_id": book, "quantity": 2 },
        ],
    });
    let draft = player.post("draft an invoice", "/invoices", draft).await?;
    draft.show(&["id", "total", "total_with_tax"]);
    let id = draft.text("id")?;
    let path = format!("/documents/{id}/finalize");
    let issued = player.post("issue it", &path, json!({})).await?;
    issued.show(&["number", "total_with_tax"]);
    let list = player.send("list invoices", Method::GET, "/invoices", None).await?;
    list.show_list("number")?;
    let path = format!("/invoices/{id}/void");
    let voided = player.post("void it", &path, json!({ "reason": "A demo" })).await?;
    voided.show(&["number", "voided_at"]);
    Ok(())
}
